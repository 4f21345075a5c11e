import { addDays, addMonths } from '../../../apis/bda/days.ts';
import { type TableSchema, typeOf } from '../../column-types.ts';
import { DAY_COLUMN, type PartitionSize } from '../../config.ts';
import type { LedgerEntry } from '../../ledger.ts';
import { quoteName, quoteText } from '../../sql-text.ts';
import { compareTotals, type DayRow } from './compare-totals.ts';
import type { DuckDbSession } from './session.ts';
import { tableName } from './table-shape.ts';

/** The rows of one partition. */
export interface PartitionKey {
  readonly table: string;
  readonly domainId: number;
  readonly partition: string;
}

/** The characters of a day that name its partition. */
const KEY_LENGTH: Readonly<Record<PartitionSize, number>> = { month: 7, day: 10 };

/** `main.pages WHERE …`, to select or delete the rows of a partition. */
export function rowsOf({ table, domainId, partition }: PartitionKey): string {
  const isMonth = partition.length === KEY_LENGTH.month;
  const from = isMonth ? `${partition}-01` : partition;
  const to = isMonth ? addDays(addMonths(from, 1), -1) : partition;
  const day = quoteName(DAY_COLUMN);
  return `${tableName(table)} WHERE domain_id = ${domainId} AND ${day} BETWEEN ${quoteText(from)} AND ${quoteText(to)}`;
}

/** The expression for the partition of a row. */
export function partitionOf(size: PartitionSize): string {
  return `left(${quoteName(DAY_COLUMN)}::VARCHAR, ${KEY_LENGTH[size]})`;
}

/**
 * The expression for a checksum of rows in any order, with the version of DuckDB: another one may compute other hashes. It shows
 * changes that leave all sums as they were.
 */
export function checksumOf({ columns }: TableSchema): string {
  const list = columns.map(({ name }) => quoteName(name)).join(', ');
  return `version() || ' ' || coalesce(sum(hash(${list})), 0)::VARCHAR`;
}

/** What differs between the stored rows of a partition and its ledger entry; undefined if nothing does. */
export async function differenceInRows(
  session: DuckDbSession,
  key: PartitionKey,
  schema: TableSchema,
  { entry, checksum }: { readonly entry: LedgerEntry; readonly checksum: string | undefined },
): Promise<string | undefined> {
  const kinds = new Map(schema.columns.map(column => [column.name, typeOf(column).kind]));
  const metrics = entry.metrics.filter(metric => kinds.has(metric) && kinds.get(metric) !== 'text');
  const sums = metrics.map((metric, index) => `, sum(${quoteName(metric)})::VARCHAR AS m${index}`);
  const days = await session.rows<DayRow>(
    `SELECT ${quoteName(DAY_COLUMN)}::VARCHAR AS day, count(*)::VARCHAR AS rows${sums.join('')}
     FROM ${rowsOf(key)} GROUP BY 1`,
  );
  const difference = compareTotals(entry, metrics, name => kinds.get(name) === 'double', days);
  if (difference !== undefined || checksum === undefined) return difference;
  const [found] = await session.rows<{ checksum: string }>(
    `SELECT ${checksumOf(schema)} AS checksum FROM ${rowsOf(key)}`,
  );
  const versionOf = (text: string) => text.split(' ')[0];
  const isChanged = found !== undefined && found.checksum !== checksum;
  return isChanged && versionOf(found.checksum) === versionOf(checksum) ? 'its rows were changed' : undefined;
}
