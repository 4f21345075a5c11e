import { addDays, addMonths } from '../../../apis/bda/days.ts';
import { sqlType, type TableSchema, typeOf } from '../../column-types.ts';
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

/** The longest line of rows that are not known to be longer. DuckDB reads the file in buffers of twice this size. */
const USUAL_LINE_BYTES = 1024 * 1024;
/** Room for the columns of the site, and for nulls. */
const LINE_MARGIN = 64 * 1024;

/** A file of lines, as a table of some columns of a schema. `longestRow` is the JSON of its longest row, in bytes, if that is long. */
export function csvOf(
  {
    path,
    columns,
    longestRow,
  }: { readonly path: string; readonly columns: readonly string[]; readonly longestRow: number },
  schema: TableSchema,
): string {
  const types = new Map(schema.columns.map(column => [column.name, sqlType(column)]));
  const list = columns.map(name => `${quoteText(name)}: ${quoteText(types.get(name) ?? 'VARCHAR')}`);
  const line = Math.max(USUAL_LINE_BYTES, 2 * longestRow + LINE_MARGIN);
  const options = [
    'auto_detect = false',
    `columns = {${list.join(', ')}}`,
    'header = false',
    `delim = ','`,
    `quote = '"'`,
    `escape = '"'`,
    `new_line = '\\n'`,
    `nullstr = ''`,
    'allow_quoted_nulls = false',
    `max_line_size = ${line}`,
    `buffer_size = ${2 * line}`,
  ];
  return `read_csv(${quoteText(path)}, ${options.join(', ')})`;
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
