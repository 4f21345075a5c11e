import { anyFieldOf, isPresent, scalarText, wholeNumberOf } from '../apis/bda/fields.ts';
import { isRecord } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';
import type { MigratedColumns } from './columns.ts';
import type { MigrationNotes } from './migration-notes.ts';

const UNSORTED = 'the rows have the default order of v2';

/**
 * Maps `Order`, whose index counts v1 dimensions and then metrics, to a sort by column name. `field` is its path; `isSplit` tells that it
 * orders the rows of several segments together.
 */
export function migrateOrder(
  order: unknown,
  { field, isSplit }: { readonly field: string; readonly isSplit: boolean },
  columns: MigratedColumns,
  notes: MigrationNotes,
): Query['sort'] {
  if (!isPresent(order)) return undefined;
  if (!isRecord(order)) {
    notes.unsupported(field, 'an order must be an object with ColumnNumber and Direction', UNSORTED);
    return undefined;
  }
  const column = sortColumn(anyFieldOf(order, 'ColumnNumber'), `${field}.ColumnNumber`, columns, notes);
  const direction = scalarText(anyFieldOf(order, 'Direction'))?.toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') {
    notes.unsupported(`${field}.Direction`, 'valid directions are ASC and DESC', UNSORTED);
    return undefined;
  }
  if (column === undefined) return undefined;
  if (isSplit)
    notes.changed(
      field,
      `the rows of all queries are merged by ${column} ${direction}; rows with equal values may be in another order, and at the end of the page other ones`,
    );
  else notes.lossless(field, `${column} ${direction}, as sort`);
  return [{ column, direction }];
}

function sortColumn(
  value: unknown,
  field: string,
  { byIndex }: MigratedColumns,
  notes: MigrationNotes,
): string | undefined {
  const index = wholeNumberOf(value);
  const column = index === undefined ? undefined : byIndex[index];
  if (column === undefined) {
    const range = byIndex.length === 0 ? 'and there are none' : `0 to ${byIndex.length - 1}`;
    notes.unsupported(field, `the index must be one of the dimensions, then the metrics: ${range}`, UNSORTED);
    return undefined;
  }
  if (column.v2 === undefined) {
    notes.unsupported(field, 'it refers to a column that v2 lacks', UNSORTED);
    return undefined;
  }
  return column.v2;
}
