import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors/index.ts';
import { sqlType, type TableSchema } from '../column-types.ts';
import type { SyncTable } from '../config.ts';
import { dayView } from '../day-view.ts';
import type { DuckDbSession } from '../destinations/duckdb/session.ts';
import { quoteName, quoteText } from '../sql-text.ts';

/** The files of a table in a lake, for `read_parquet`. */
export function lakeFiles(lake: string, { name, partition }: Pick<SyncTable, 'name' | 'partition'>): string {
  return join(lake, name, 'domain_id=*', `${partition}=*`, 'data.parquet');
}

/**
 * Creates a view of a table in a lake. The folders of sites and partitions are columns, so that a condition on them selects files. A
 * table without files has its columns and no rows.
 */
export async function viewOfLakeTable(
  session: DuckDbSession,
  lake: string,
  table: SyncTable,
  schema: TableSchema,
): Promise<void> {
  const sites = await readdir(join(lake, table.name)).catch(() => []);
  const hasFiles = sites.some(name => name.startsWith('domain_id='));
  if (!hasFiles && schema.version === 0)
    throw new UsageError(`the table ${table.name} has no rows yet`, {
      code: 'invalid_input',
      hints: ['run gatectl bda sync run first'],
    });
  const empty = schema.columns.map(column => `NULL::${sqlType(column)} AS ${quoteName(column.name)}`);
  const rows = hasFiles
    ? `SELECT * FROM read_parquet(${quoteText(lakeFiles(lake, table))}, hive_partitioning = true, union_by_name = true,
         hive_types = {domain_id: BIGINT, ${table.partition}: VARCHAR})`
    : `SELECT ${empty.join(', ')} WHERE false`;
  await session.run(`CREATE VIEW ${quoteName(table.name)} AS ${rows}`);
}

/** Creates the view with the totals of each day of a table. Metrics that the table lacks until the next run are omitted. */
export async function viewOfDays(session: DuckDbSession, table: SyncTable): Promise<void> {
  const source = quoteName(table.name);
  const found = await session.rows<{ column_name: string }>(`DESCRIBE ${source}`);
  const metrics = table.metrics.filter(metric => found.some(({ column_name }) => column_name === metric));
  if (metrics.length === 0) return;
  const { name, select } = dayView({ ...table, metrics }, source, { quote: quoteName, double: 'DOUBLE' });
  await session.run(`CREATE VIEW ${quoteName(name)} AS ${select}`);
}
