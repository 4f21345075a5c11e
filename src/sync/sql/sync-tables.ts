import { isDay } from '../../apis/bda/days.ts';
import { UsageError } from '../../errors/index.ts';
import { quoteName, quoteText } from '../../text/sql.ts';
import { sqlType, type TableSchema } from '../column-types.ts';
import { DAY_COLUMN, type SyncTable } from '../config.ts';
import { dayView } from '../day-view.ts';
import type { DuckDbSession } from '../destinations/duckdb/session.ts';

/** The column with the path of a file. DuckDB selects files by conditions on it only under this name. */
const PATH_COLUMN = 'filename';
const SITE_COLUMN = 'domain_id';
/**
 * From so many files on, each month is a query of its own, which DuckDB omits if a condition on days excludes it: it would open each file
 * to read which days it has. With fewer files, that takes less time than the conditions on each row.
 */
const MANY_FILES = 1000;

/**
 * Creates a view of a table in a lake, whose files are `files`. The folders of sites and partitions are columns, so that a condition on
 * them selects files. DuckDB gets the column types of the table, so that it opens no file that a query does not read; columns that a file
 * lacks are null. A table without files has its columns and no rows. `manyFiles` is for tests. Throws UsageError and FileError.
 */
export async function viewOfLakeTable(
  session: DuckDbSession,
  files: readonly string[],
  table: SyncTable,
  schema: TableSchema,
  manyFiles = MANY_FILES,
): Promise<void> {
  if (files.length === 0 && schema.version === 0)
    throw new UsageError(`the table ${table.name} has no rows yet`, {
      code: 'invalid_input',
      reason: 'table_without_rows',
    });
  await session.run(`CREATE VIEW ${quoteName(table.name)} AS ${rowsOf(files, table, schema, manyFiles)}`);
}

/** The rows of a table in files as a query, with the partition as the last column. */
function rowsOf(
  files: readonly string[],
  { partition }: SyncTable,
  { version, columns }: TableSchema,
  manyFiles: number,
): string {
  // Without the types, which somebody deleted, they are those of all files.
  if (version === 0)
    return `SELECT * FROM read_parquet(${listOf(files)}, hive_partitioning = true, union_by_name = true,
      hive_types = {${SITE_COLUMN}: BIGINT, ${partition}: VARCHAR})`;
  const inFiles = columns.filter(({ name }) => name !== partition);
  if (files.length === 0) {
    const empty = inFiles.map(column => `NULL::${sqlType(column)} AS ${quoteName(column.name)}`);
    return `SELECT ${empty.join(', ')}, NULL::VARCHAR AS ${partition} WHERE false`;
  }
  const types = inFiles.map(column => {
    const [name, type] = [nameInScan(column.name), sqlType(column)].map(quoteText);
    return `${quoteText(column.name)}: {name: ${name}, type: ${type}, default_value: NULL}`;
  });
  const selected = inFiles.map(({ name }) => {
    const value = name === SITE_COLUMN ? `${folderIn(name)}::BIGINT` : quoteName(nameInScan(name));
    return `${value} AS ${quoteName(name)}`;
  });
  const rowsIn = (some: readonly string[], key: string, condition: string) =>
    `SELECT ${selected.join(', ')}, ${key} AS ${partition}
     FROM read_parquet(${listOf(some)}, schema = MAP {${types.join(', ')}}, filename = true)${condition}`;
  const key = folderIn(partition);
  if (files.length < manyFiles) return rowsIn(files, key, '');
  const months = [...filesByMonth(files, partition)].map(([month, some]) => {
    const first = `${month}-01`;
    if (!isDay(first)) return rowsIn(some, key, '');
    const condition = ` WHERE ${DAY_COLUMN} BETWEEN '${first}' AND last_day(DATE '${first}')`;
    return rowsIn(some, partition === 'month' ? quoteText(month) : key, condition);
  });
  return months.join(' UNION ALL ');
}

function listOf(files: readonly string[]): string {
  return `[${files.map(quoteText).join(', ')}]`;
}

/** Files of partitions by month. */
function filesByMonth(files: readonly string[], partition: string): ReadonlyMap<string, readonly string[]> {
  const months = new Map<string, string[]>();
  const mark = `/${partition}=`;
  for (const file of files) {
    const at = file.lastIndexOf(mark) + mark.length;
    const month = file.slice(at, at + 'YYYY-MM'.length);
    const others = months.get(month);
    if (others === undefined) months.set(month, [file]);
    else others.push(file);
  }
  return months;
}

/** The name of a column of a file until it is selected: another one if it would be that of the path. */
function nameInScan(name: string): string {
  return name.toLowerCase().startsWith(PATH_COLUMN) ? `${name}_` : name;
}

/**
 * The expression for the value in the name of a folder, such as 7 in `domain_id=7`, the last one in the path. Of the functions that find it,
 * this one runs once for a file and not for each row.
 */
function folderIn(column: string): string {
  return `regexp_extract(${PATH_COLUMN}, '^.*/${column}=([^/]*)/', 1)`;
}

/** Creates the view with the totals of each day of a table. Metrics that the table lacks until the next run are omitted. */
export async function viewOfDays(
  session: DuckDbSession,
  table: SyncTable,
  { columns }: TableSchema,
): Promise<void> {
  const source = quoteName(table.name);
  const metrics = table.metrics.filter(metric => columns.some(({ name }) => name === metric));
  if (metrics.length === 0) return;
  const { name, select } = dayView({ ...table, metrics }, source, { quote: quoteName, double: 'DOUBLE' });
  await session.run(`CREATE VIEW ${quoteName(name)} AS ${select}`);
}
