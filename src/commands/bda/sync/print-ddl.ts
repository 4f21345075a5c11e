import { dirname, resolve } from 'node:path';
import { readColumnCatalogue } from '../../../apis/bda/catalogue.ts';
import { UsageError } from '../../../errors/index.ts';
import { listingOf } from '../../../operations/listings/listings.ts';
import { dayViewName } from '../../../sync/day-view.ts';
import { assumedSchema, ddlOf, ENGINES, type Engine, FILE_ENGINES } from '../../../sync/ddl.ts';
import { schemeOf } from '../../../sync/destinations/schemes.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import { quoteName } from '../../../text/sql.ts';
import type { Context } from '../../framework/context.ts';
import { type OpenSync, withSync } from '../../framework/open-sync.ts';
import type { SyncFlags } from './flags.ts';
import { kindsIn } from './prepare.ts';

interface DdlFlags extends Pick<SyncFlags, 'file' | 'table'> {
  readonly for: Engine | undefined;
  readonly location: string | undefined;
}

/** Prints the DDL of the tables of a sync file. Throws UsageError, FileError, and the gateway's typed errors. */
export async function printDdl(flags: DdlFlags, context: Context): Promise<void> {
  const engine = flags.for;
  if (engine === undefined)
    throw new UsageError('--for is required', {
      code: 'missing_argument',
      hints: [`type --for and one of ${ENGINES.join(', ')}`],
    });
  await withSync(flags, context, async sync => {
    const location = locationOf(engine, sync, flags.location, context);
    const kindOf = await kindsBeforeRun(sync, context);
    const names = sync.config.tables.map(({ name }) => name);
    const parts: string[] = [];
    const isForDestination = schemeOf(sync.config.destination).startsWith(engine);
    if (engine === 'postgres' && isForDestination) {
      const { postgresSettings } = await import('../../../sync/destinations/postgres/settings.ts');
      const { schema } = postgresSettings(sync.config.destination, context.io.env, { allowsPlain: true });
      parts.push(`SET search_path TO ${quoteName(schema)};`);
    }
    for (const table of sync.tables) {
      const stored = await sync.destination.schema(table.name);
      const isStored = stored.version > 0;
      parts.push(
        ddlOf(engine, {
          table,
          schema: isStored ? stored : assumedSchema(table, kindOf),
          location,
          notes: [
            ...(FILE_ENGINES.includes(engine)
              ? []
              : [
                  'bda sync creates this table in its destination; the statement is for a table that is loaded otherwise',
                ]),
            ...(isStored ? [] : ['types are assumed: no run has written rows yet']),
          ],
          isInPlace: isForDestination && isStored,
          hasView: !names.includes(dayViewName(table.name)),
        }),
      );
    }
    await context.out.printText(parts.join('\n\n'));
  });
}

/** Where an engine finds the files of a lake. Throws UsageError for a destination without files. */
function locationOf(
  engine: Engine,
  { config, destination }: OpenSync,
  given: string | undefined,
  { io }: Context,
): string {
  if (!FILE_ENGINES.includes(engine)) {
    if (given === undefined) return '';
    throw new UsageError(`--location has no effect: ${engine} has tables of its own`);
  }
  const scheme = schemeOf(config.destination);
  if (given === undefined && engine === 'duckdb' && scheme === 'duckdb')
    throw new UsageError(`${destination.name} has the tables and views already`, {
      code: 'invalid_input',
      hints: [`open it in DuckDB: duckdb ${shellQuote(destination.name)}`],
    });
  if (given === undefined && scheme !== '' && scheme !== 's3')
    throw new UsageError(`${engine} reads Parquet files, and ${destination.name} has none`, {
      code: 'invalid_input',
      hints: ['set destination: to a folder or a bucket'],
    });
  const folder = dirname(resolve(io.cwd, config.path));
  const location = given ?? (scheme === '' ? resolve(folder, config.destination) : config.destination);
  if (engine === 'bigquery' && !location.startsWith('gs://'))
    throw new UsageError(`BigQuery does not read ${location}`, {
      code: 'invalid_value',
      hints: ['copy the files to a bucket, and name it: --location gs://BUCKET/PREFIX'],
    });
  return location.replace(/\/+$/, '');
}

/** What the list of columns says of their types, if a table has no rows yet. */
async function kindsBeforeRun({ tables, destination }: OpenSync, context: Context) {
  const schemas = await Promise.all(tables.map(({ name }) => destination.schema(name)));
  if (schemas.every(({ version }) => version > 0)) return () => undefined;
  return kindsIn(readColumnCatalogue((await listingOf('columns', 'v2', context)).body));
}
