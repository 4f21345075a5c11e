import { isDeepStrictEqual } from 'node:util';
import { type ColumnType, MAX_PRECISION } from '../export/parquet/column-type.ts';
import type { FoundColumn } from '../export/parquet/found-types.ts';
import type { PartitionSize, SyncTable } from './config.ts';

/** The least type that represents all values of a column so far. */
export interface ColumnNeeds {
  readonly name: string;
  readonly kind: 'number' | 'day' | 'flag' | 'text';
  /** Of numbers: the most digits before and after the decimal point. */
  readonly whole: number;
  readonly scale: number;
  /** The type that the sync file gives it, which represents all of these values. */
  readonly pin?: ColumnType;
}

/** The column types of a table. They only become wider; each step has a version. */
export interface TableSchema {
  readonly version: number;
  readonly columns: readonly ColumnNeeds[];
  /** The size of its partitions; undefined before the first is written. */
  readonly partition?: PartitionSize;
}

export const NO_SCHEMA: TableSchema = { version: 0, columns: [] };

/** Digits of a decimal that fits into 64 bits. */
const LONG_PRECISION = 18;
/** Scales are rounded up to one of these, so that a column becomes wider only a few times. */
const SCALES = [2, 4, 6, 9, 13, 18, 24, 30];

/** The type of a column: an integer, a decimal of 18 digits, one of 38, or a double, whichever is the first that fits. */
export function typeOf({ kind, whole, scale, pin }: ColumnNeeds): ColumnType {
  if (pin !== undefined) return pin;
  if (kind !== 'number') return { kind };
  if (scale === 0 && whole <= LONG_PRECISION) return { kind: 'integer' };
  const rounded = scale === 0 ? 0 : (SCALES.find(step => step >= scale) ?? scale);
  for (const precision of [LONG_PRECISION, MAX_PRECISION])
    for (const step of [rounded, scale])
      if (whole + step <= precision) return { kind: 'decimal', precision, scale: step };
  return { kind: 'double' };
}

/** The types of some columns in a schema; those that it does not have are text. */
export function typesIn(
  { columns }: TableSchema,
  named: readonly { readonly name: string }[],
): readonly ColumnType[] {
  return named.map(({ name }) => {
    const column = columns.find(each => each.name === name);
    return column === undefined ? { kind: 'text' } : typeOf(column);
  });
}

/** How a dialect of SQL names types. */
export interface TypeNames extends Readonly<Record<Exclude<ColumnType['kind'], 'decimal'>, string>> {
  readonly decimal: (precision: number, scale: number) => string;
}

/** The names of DuckDB, which are also those of messages. */
export const DUCKDB_TYPES: TypeNames = {
  text: 'VARCHAR',
  flag: 'BOOLEAN',
  day: 'DATE',
  integer: 'BIGINT',
  double: 'DOUBLE',
  decimal: (precision, scale) => `DECIMAL(${precision},${scale})`,
};

/** The type of a column as a dialect of SQL writes it: by default, that of DuckDB. */
export function sqlType(column: ColumnNeeds, names: TypeNames = DUCKDB_TYPES): string {
  return typeName(typeOf(column), names);
}

/** A type as a dialect of SQL writes it: by default, that of DuckDB. */
export function typeName(type: ColumnType, names: TypeNames = DUCKDB_TYPES): string {
  return type.kind === 'decimal' ? names.decimal(type.precision, type.scale) : names[type.kind];
}

/** What the values of a file need; numbers by their value: 5.00 is an integer. */
export function needsOf({ name, profile, type }: FoundColumn): ColumnNeeds {
  const kind =
    type === undefined || type.kind === 'integer' || type.kind === 'decimal' || type.kind === 'double'
      ? 'number'
      : type.kind;
  return kind === 'number'
    ? { name, kind, whole: profile.wholeDigits, scale: profile.significantDecimals }
    : { name, kind, whole: 0, scale: 0 };
}

function join(one: ColumnNeeds, other: ColumnNeeds): ColumnNeeds {
  const { name } = one;
  if (one.kind !== other.kind) return { name, kind: 'text', whole: 0, scale: 0 };
  return {
    name,
    kind: one.kind,
    whole: Math.max(one.whole, other.whole),
    scale: Math.max(one.scale, other.scale),
  };
}

/** A schema after the values of a file were added to it. */
interface WidenedSchema {
  readonly schema: TableSchema;
  /** Whether anything is different, in which case it must be stored before the file is written. */
  readonly isChanged: boolean;
  /** Columns with another type than before: `revenue: BIGINT -> DECIMAL(18,2)`. */
  readonly changes: readonly string[];
}

/** The values of a column that the sync file pins: any of its type. */
export function needsOfPin(name: string, pin: ColumnType): ColumnNeeds {
  if (pin.kind === 'decimal') {
    const { precision, scale } = pin;
    return { name, kind: 'number', whole: precision - scale, scale, pin };
  }
  if (pin.kind === 'integer') return { name, kind: 'number', whole: LONG_PRECISION, scale: 0, pin };
  if (pin.kind === 'double') return { name, kind: 'number', whole: MAX_PRECISION + 1, scale: 0, pin };
  return { name, kind: pin.kind, whole: 0, scale: 0, pin };
}

/**
 * Adds what the values of a file need to a schema. The result does not depend on the order of the files. A column that the sync file
 * pins has that type. A metric that an earlier version of gatectl stored as text becomes numeric again.
 */
export function widen(
  schema: TableSchema,
  found: readonly FoundColumn[],
  { metrics = [], types = {} }: Partial<Pick<SyncTable, 'metrics' | 'types'>> = {},
): WidenedSchema {
  const columns = [...schema.columns];
  const changes: string[] = [];
  let isChanged = false;
  let hasNew = false;
  for (const column of found) {
    const pin = types[column.name];
    const needs = pin === undefined ? needsOf(column) : needsOfPin(column.name, pin);
    const at = columns.findIndex(({ name }) => name === column.name);
    const before = columns[at];
    if (before === undefined) {
      columns.push(needs);
      hasNew = true;
      continue;
    }
    const isStaleText = before.kind === 'text' && needs.kind === 'number' && metrics.includes(column.name);
    const after = isStaleText || pin !== undefined ? needs : join(before, needs);
    columns[at] = after;
    isChanged ||= !isDeepStrictEqual(after, before);
    const [old, now] = [sqlType(before), sqlType(after)];
    if (old !== now) changes.push(`${column.name}: ${old} -> ${now}`);
  }
  const isNewVersion = hasNew || changes.length > 0;
  return {
    schema: { ...schema, version: schema.version + (isNewVersion ? 1 : 0), columns },
    isChanged: isChanged || hasNew,
    changes,
  };
}
