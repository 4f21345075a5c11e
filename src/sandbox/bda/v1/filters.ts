import { COLUMNS_V1, type Column } from '../columns.ts';
import { operationsFor } from './operations.ts';

/** Filter ids begin here; they are the catalogue's order. */
const FIRST_FILTER_ID = 501;

/** v1's word for a column's type. */
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

/** The column that a filter id stands for. */
export function columnOfFilter(id: string): Column | undefined {
  return COLUMNS_V1.find((_, index) => String(FIRST_FILTER_ID + index) === id);
}

/** The filter id of a column, as segments are keyed by it. */
export function filterIdOf(name: string): string {
  return String(FIRST_FILTER_ID + COLUMNS_V1.findIndex(column => column.name === name));
}
