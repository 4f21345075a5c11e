import type { SchemaElement } from 'hyparquet';

/** The type of a column in the file. Decimals are exact: `precision` digits in total, `scale` of them after the decimal point. */
export type ColumnType =
  | { readonly kind: 'text' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'day' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'double' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number };

/** Maximum precision that all readers support: Arrow, Spark and DuckDB accept decimals of 38 digits. */
export const MAX_PRECISION = 38;
/** Decimals with this many digits fit into 64 bits. */
const LONG_PRECISION = 18;

/** Whether each value of a type fits into 64 bits or is text. */
export function fitsLong(type: ColumnType): boolean {
  return type.kind !== 'double' && (type.kind !== 'decimal' || type.precision <= LONG_PRECISION);
}

/** The schema of a file; every column is nullable. */
export function schemaOf(
  columns: readonly { readonly name: string; readonly type: ColumnType }[],
): SchemaElement[] {
  const root: SchemaElement = { name: 'rows', num_children: columns.length };
  return [
    root,
    ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...stored(type) })),
  ];
}

function stored(type: ColumnType): Omit<SchemaElement, 'name'> {
  switch (type.kind) {
    case 'text':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    case 'flag':
      return { type: 'BOOLEAN' };
    case 'day':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } };
    case 'integer':
      return { type: 'INT64' };
    case 'double':
      return { type: 'DOUBLE' };
    case 'decimal': {
      const { precision, scale } = type;
      const decimal = { converted_type: 'DECIMAL' as const, precision, scale };
      if (precision <= LONG_PRECISION) return { type: 'INT64', ...decimal };
      return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: bytesFor(precision), ...decimal };
    }
  }
}

/** Number of bytes for any signed number of `precision` digits. */
function bytesFor(precision: number): number {
  return Math.ceil((precision * Math.log2(10) + 1) / 8);
}
