import { anyFieldOf, isPresent, scalarText, wholeNumberOf } from '../apis/bda/fields.ts';
import { isRecord } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';
import type { MigratedColumns } from './columns.ts';
import type { MigrationNotes } from './migration-notes.ts';

const UNSORTED = "the rows come in v2's own order";

/** `Order`, whose index counts v1's dimensions and then its metrics, to a sort by name. `field` is the path of `Order`. */
export function migrateOrder(
  order: unknown,
  field: string,
  columns: MigratedColumns,
  findings: MigrationNotes,
): Query['sort'] {
  if (!isPresent(order)) return undefined;
  if (!isRecord(order)) {
    findings.leaveOut(field, 'an order is an object with ColumnNumber and Direction', UNSORTED);
    return undefined;
  }
  const column = sortColumn(anyFieldOf(order, 'ColumnNumber'), `${field}.ColumnNumber`, columns, findings);
  const direction = scalarText(anyFieldOf(order, 'Direction'))?.toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') {
    findings.leaveOut(`${field}.Direction`, 'the directions are ASC and DESC', UNSORTED);
    return undefined;
  }
  if (column === undefined) return undefined;
  findings.lossless(field, `${column} ${direction}, as sort`);
  return [{ column, direction }];
}

function sortColumn(
  value: unknown,
  field: string,
  { byIndex }: MigratedColumns,
  findings: MigrationNotes,
): string | undefined {
  const index = wholeNumberOf(value);
  const column = index === undefined ? undefined : byIndex[index];
  if (column === undefined) {
    const range = byIndex.length === 0 ? 'and there are none' : `0 to ${byIndex.length - 1}`;
    findings.leaveOut(field, `the index counts the dimensions, then the metrics: ${range}`, UNSORTED);
    return undefined;
  }
  if (column.v2 === undefined) {
    findings.leaveOut(field, 'it points at a column that v2 lacks', UNSORTED);
    return undefined;
  }
  return column.v2;
}
