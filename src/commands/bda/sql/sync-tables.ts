import { dirname, resolve } from 'node:path';
import { FileError } from '../../../errors/index.ts';
import { conflict, invalidInput } from '../../../errors/usage.ts';
import { isThere } from '../../../files/if-there.ts';
import { dayViewName } from '../../../sync/day-view.ts';
import { FileLock } from '../../../sync/destinations/duckdb/file-lock.ts';
import type { DuckDbSession } from '../../../sync/destinations/duckdb/session.ts';
import { pathOf, schemeOf } from '../../../sync/destinations/schemes.ts';
import type { DataFile } from '../../../sync/sql/data-files.ts';
import { type LakeSnapshot, takeSnapshot } from '../../../sync/sql/lake-snapshot.ts';
import { viewOfDays, viewOfLakeTable } from '../../../sync/sql/sync-tables.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { withSync } from '../../framework/open-sync.ts';

/** The name under which the file of a destination is attached. */
const ATTACHED = 'synced';

interface SyncTablesOptions {
  /** The sync file; undefined for the default one. */
  readonly file: string | undefined;
  /** The other tables of the query. */
  readonly files: readonly DataFile[];
  /** A private folder. */
  readonly folder: string;
}

/**
 * Makes the tables of a sync file those of a query. Resolves to the snapshot of a lake, which the caller closes; undefined for another
 * destination. Throws UsageError and FileError.
 */
export async function openSyncTables(
  session: DuckDbSession,
  { file, files, folder: temporary }: SyncTablesOptions,
  context: Context,
): Promise<LakeSnapshot | undefined> {
  return await withSync(
    { file, table: [], naming: '--sync FILE' },
    context,
    async ({ config, tables, destination }) => {
      const folder = dirname(resolve(context.io.cwd, config.path));
      const same = tables.find(({ name }) => files.some(({ table }) => table.toLowerCase() === name));
      if (same !== undefined)
        throw conflict(
          `${same.name} is both a file and a table of the sync file`,
          'rename the file, or query them one at a time',
        );
      const scheme = schemeOf(config.destination);
      if (scheme === '') {
        const lake = resolve(folder, config.destination);
        const { uid, platform, now } = lockMachine(context);
        const snapshot = await takeSnapshot(lake, tables, { platform, uid, now: now(), folder: temporary });
        const names = new Set(
          [...tables, ...files.map(({ table }) => ({ name: table }))].map(each => each.name),
        );
        try {
          for (const table of tables) {
            const schema = await destination.schema(table.name);
            await viewOfLakeTable(session, snapshot.files(table.name), table, schema);
            if (!names.has(dayViewName(table.name))) await viewOfDays(session, table, schema);
          }
        } catch (error) {
          await snapshot.close();
          if (!(error instanceof FileError)) throw error;
          throw new FileError(snapshot.displayed(error.message), {
            path: lake,
            code: error.code,
            cause: error,
          });
        }
        return snapshot;
      }
      if (scheme === 'duckdb') {
        const path = resolve(folder, pathOf(config.destination));
        if (!(await isThere(path)))
          throw invalidInput(`${destination.name} does not exist yet`, 'run gatectl bda sync run first');
        // Closing the file later would end the lock of the session.
        await destination.close();
        const lock = new FileLock(path, destination.name, lockMachine(context));
        await lock.openToRead(() => session.attach(path, destination.name, ATTACHED));
        await session.run(`SET search_path = 'memory.main,${ATTACHED}.main'`);
        return undefined;
      }
      throw invalidInput(
        `bda sql cannot read ${destination.name}`,
        'it reads a folder of Parquet files and a DuckDB file; query a database with its own client',
      );
    },
  );
}
