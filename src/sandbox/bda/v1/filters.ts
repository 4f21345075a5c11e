import { isFilterNumber } from '../../../wire/bda-v1-rules.ts';
import { HttpError, suggestion } from '../../http-error.ts';
import { COLUMNS_V1, type Column } from '../columns.ts';
import type { Comparison, Operator } from '../query-engine/condition.ts';

/** The first filter id; ids follow the order of the columns. */
const FIRST_FILTER_ID = 501;

/** The v1 type of a column. */
export function typeV1(column: Column): 'string' | 'number' {
  return column.type === 'number' ? 'number' : 'string';
}

/** The plain filters: one for each column. */
export function filterListing(): unknown {
  return COLUMNS_V1.map((column, index) => ({
    FilterId: FIRST_FILTER_ID + index,
    FilterName: column.label,
    FilterKey: column.name,
    Type: typeV1(column),
    Operations: operationsFor(column),
  }));
}

/** The column of a filter id. */
export function columnOfFilter(id: string): Column | undefined {
  return COLUMNS_V1.find((_, index) => String(FIRST_FILTER_ID + index) === id);
}

/** The filter id of a column, the key of filters in segments. */
export function filterIdOf(name: string): string {
  return String(FIRST_FILTER_ID + COLUMNS_V1.findIndex(column => column.name === name));
}

/** v1 operation ids. The first two are in the spec, the others are assumptions; v2 has no equivalent of the last. */
const OPERATIONS: Readonly<Record<string, Operator>> = {
  GREATER: 'greater_than',
  GREATER_OR_EQUAL: 'greater_than_or_equal',
  LESS: 'less_than',
  LESS_OR_EQUAL: 'less_than_or_equal',
  EQUALS: 'equals',
  NOT_EQUALS: 'not_equals',
  CONTAINS: 'contains',
  STARTS_WITH: 'starts_with',
};

const TEXT_ONLY: readonly Operator[] = ['contains', 'starts_with'];

/** The operation ids for filters on a column. */
function operationsFor(column: Column): string[] {
  return Object.entries(OPERATIONS)
    .filter(([, operator]) => column.type !== 'number' || !TEXT_ONLY.includes(operator))
    .map(([id]) => id);
}

/**
 * A comparison from an operation id and a value, both strings in v1.
 *
 * @throws HttpError for an operation that the column does not support, and for text if the column is numeric.
 */
export function comparisonOf(column: Column, operation: unknown, value: unknown): Comparison {
  const offered = operationsFor(column);
  const operator = typeof operation === 'string' ? OPERATIONS[operation] : undefined;
  if (typeof operation !== 'string' || operator === undefined || !offered.includes(operation)) {
    const near = typeof operation === 'string' ? suggestion(operation, offered) : '';
    throw new HttpError(
      400,
      `unknown operation '${String(operation)}' for ${column.name}: use ${offered.join(', ')}${near}`,
    );
  }
  if (typeof value !== 'string') throw new HttpError(400, `FilterValue for ${column.name} must be a string`);
  if (column.type === 'number' && !isFilterNumber(value)) {
    throw new HttpError(400, `FilterValue '${value}' is not a number, and ${column.name} is numeric`);
  }
  return { column, operator, values: [value] };
}
