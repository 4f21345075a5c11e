import { readdirSync, statSync } from 'node:fs';
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

/**
 * The files of tables in a lake. DuckDB opens a file for its footer and again for its rows, so a query may mix two versions of one that a
 * run replaces in between.
 */
export class LakeVersions {
  readonly #folders: readonly string[];
  readonly #before: ReadonlyMap<string, string>;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
    this.#before = versionsIn(folders);
  }

  /** How many files have been replaced, removed or added since. */
  changes(): number {
    const now = versionsIn(this.#folders);
    const changed = [...now].filter(([path, version]) => this.#before.get(path) !== version).length;
    return changed + [...this.#before.keys()].filter(path => !now.has(path)).length;
  }
}

/** What identifies the content of each file. Synchronous: a lake has tens of thousands. */
function versionsIn(folders: readonly string[]): Map<string, string> {
  const versions = new Map<string, string>();
  for (const folder of folders)
    for (const name of namesIn(folder).filter(name => name.endsWith('.parquet'))) {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats !== undefined) versions.set(path, `${stats.ino}/${stats.mtimeMs}/${stats.size}`);
    }
  return versions;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
