import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { dayViewName } from '../../../sync/day-view.ts';
import type { DuckDbSession } from '../../../sync/destinations/duckdb/session.ts';
import { pathOf, schemeOf } from '../../../sync/destinations/schemes.ts';
import type { DataFile } from '../../../sync/sql/data-files.ts';
import { LakeVersions, viewOfDays, viewOfLakeTable } from '../../../sync/sql/sync-tables.ts';
import type { Context } from '../../framework/context.ts';
import { withSync } from '../sync/prepare.ts';

/** The name under which the file of a destination is attached. */
const ATTACHED = 'synced';

/** The tables of a sync file, as a query reads them. */
export interface OpenSyncTables {
  /** The folders that the query may read. */
  readonly folders: readonly string[];
  /** The files of a lake; undefined for another destination. */
  readonly versions?: LakeVersions;
}

/** Makes the tables of a sync file those of a query. Throws UsageError and FileError. */
export async function openSyncTables(
  session: DuckDbSession,
  file: string | undefined,
  files: readonly DataFile[],
  context: Context,
): Promise<OpenSyncTables> {
  return await withSync({ file, table: [] }, context, async ({ config, tables, destination }) => {
    const folder = dirname(resolve(context.io.cwd, config.path));
    const same = tables.find(({ name }) => files.some(({ table }) => table.toLowerCase() === name));
    if (same !== undefined)
      throw new UsageError(`${same.name} is both a file and a table of the sync file`, {
        code: 'conflicting_options',
        hints: ['rename the file, or query them one at a time'],
      });
    const scheme = schemeOf(config.destination);
    if (scheme === '') {
      const lake = resolve(folder, config.destination);
      const folders = tables.map(({ name }) => join(lake, name));
      const versions = new LakeVersions(folders);
      const names = new Set(
        [...tables, ...files.map(({ table }) => ({ name: table }))].map(each => each.name),
      );
      for (const table of tables) {
        await viewOfLakeTable(session, lake, table, await destination.schema(table.name));
        if (!names.has(dayViewName(table.name))) await viewOfDays(session, table);
      }
      return { folders, versions };
    }
    if (scheme === 'duckdb') {
      const path = resolve(folder, pathOf(config.destination));
      if (!existsSync(path))
        throw new UsageError(`${destination.name} does not exist yet`, {
          code: 'invalid_input',
          hints: ['run gatectl bda sync run first'],
        });
      // Closing the file later would end the lock of the session.
      await destination.close();
      await session.attach(path, destination.name, ATTACHED);
      await session.run(`SET search_path = 'memory.main,${ATTACHED}.main'`);
      return { folders: [] };
    }
    throw new UsageError(`bda sql cannot read ${destination.name}`, {
      code: 'invalid_input',
      hints: ['it reads a folder of Parquet files and a DuckDB file; query a database with its own client'],
    });
  });
}
