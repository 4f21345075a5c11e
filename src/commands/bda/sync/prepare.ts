import { dirname, resolve } from 'node:path';
import { type ColumnCatalogue, readColumnCatalogue } from '../../../apis/bda/catalogue.ts';
import type { Day } from '../../../apis/bda/days.ts';
import type { KindOf } from '../../../apis/bda/filter-expression.ts';
import { valueKindOfType } from '../../../apis/bda/value-kind.ts';
import { UsageError } from '../../../errors/index.ts';
import { readText } from '../../../files/text-source.ts';
import {
  DAY_COLUMN,
  hintNearest,
  parseSyncConfig,
  problemAt,
  readLookback,
  SYNC_FILE,
  type SyncConfig,
  type SyncTable,
} from '../../../sync/config.ts';
import type { Destination } from '../../../sync/destinations/destination.ts';
import { Lake } from '../../../sync/destinations/lake/lake.ts';
import { learnedLookback } from '../../../sync/lookback.ts';
import type { SyncDomain } from '../../../sync/plan.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { rejectKeys } from '../../framework/reject-keys.ts';
import { todayOf } from '../day-flags.ts';
import { cacheListedNames, domainNames } from '../listed-names.ts';
import { listingOf } from '../listings.ts';
import { splitNames } from '../request-flags.ts';

/** A sync file that was checked, with its destination. */
export interface OpenSync {
  readonly config: SyncConfig;
  /** Those that the flags choose. */
  readonly tables: readonly SyncTable[];
  readonly destination: Destination;
}

/** A sync that was checked against the gateway. */
export interface PreparedSync extends OpenSync {
  readonly domains: readonly SyncDomain[];
  readonly kindOf: KindOf;
  readonly today: Day;
}

interface ScopeFlags {
  readonly file: string | undefined;
  readonly table: readonly string[];
}

/** Reads a sync file and looks at its destination; sends nothing. Throws UsageError and FileError. */
export async function openSync({ file = SYNC_FILE, table }: ScopeFlags, context: Context): Promise<OpenSync> {
  const path = resolve(context.io.cwd, file);
  const text = await readText(path, { signal: context.signal }).catch(error => {
    if (error instanceof UsageError || (error as { code?: string }).code !== 'file_not_found') throw error;
    throw new UsageError(`there is no ${file} here`, {
      code: 'invalid_input',
      hints: ['write one with gatectl bda sync init, or name it: gatectl bda sync run FILE'],
    });
  });
  rejectKeys(text, { what: file, where: 'which others may read' }, context);
  const config = parseSyncConfig(file, text);
  const tables = chosenTables(config, table);
  const destination = openDestination(config, dirname(path), context);
  await destination.check();
  for (const { name, partition } of tables) {
    const schema = await destination.schema(name);
    if (schema.partition === undefined || schema.partition === partition) continue;
    throw problemAt(
      config,
      `tables.${name}.partition`,
      `the partitions of ${name} in ${destination.name} are ${schema.partition}s`,
      [`set partition: ${schema.partition}, or give the table another name`],
    );
  }
  return { config, tables, destination };
}

function openDestination({ destination, tables }: SyncConfig, folder: string, context: Context): Destination {
  return new Lake(destination, resolve(folder, destination), tables, lockMachine(context));
}

function chosenTables({ tables }: SyncConfig, given: readonly string[]): readonly SyncTable[] {
  const names = splitNames('--table', given);
  if (names === undefined) return tables;
  const known = tables.map(({ name }) => name);
  for (const name of names)
    if (!known.includes(name))
      throw new UsageError(`the sync file has no table ${name}`, {
        code: 'unknown_name',
        hints: [...hintNearest(name, known), `tables: ${known.join(', ')}`].slice(0, 1),
      });
  return tables.filter(({ name }) => names.includes(name));
}

/** Opens a sync and checks its columns and sites against the gateway. Throws UsageError and the gateway's typed errors. */
export async function prepareSync(
  flags: ScopeFlags & { readonly domain: readonly string[] },
  context: Context,
): Promise<PreparedSync> {
  const opened = await openSync(flags, context);
  const { config } = opened;
  const catalogue = readColumnCatalogue((await listingOf('columns', 'v2', context)).body);
  if (catalogue !== undefined) for (const table of config.tables) checkColumns(table, config, catalogue);
  const domains = await domainsOf(config, flags.domain, context);
  return {
    ...opened,
    domains,
    today: await todayOf(context),
    kindOf: column => {
      const type = catalogue?.get(column)?.type;
      return type === undefined ? undefined : valueKindOfType(type);
    },
  };
}

/** Throws UsageError for a column that the data set lacks. */
function checkColumns(table: SyncTable, config: SyncConfig, catalogue: ColumnCatalogue): void {
  const { name, dataSet, dimensions, metrics, filters } = table;
  const ofSet = [...catalogue.values()]
    .filter(({ dataSets }) => dataSets === undefined || dataSets.includes(dataSet))
    .map(column => column.name);
  if (ofSet.length === 0) {
    const sets = new Set([...catalogue.values()].flatMap(({ dataSets = [] }) => dataSets));
    throw problemAt(
      config,
      `tables.${name}.data_set`,
      `there is no data set ${JSON.stringify(dataSet)}`,
      hintNearest(dataSet, sets),
    );
  }
  const check = (column: string, field: string) => {
    if (ofSet.includes(column)) return;
    const problem = catalogue.has(column)
      ? `the data set ${dataSet} has no ${column}`
      : `there is no column ${JSON.stringify(column)}`;
    throw problemAt(config, field, problem, hintNearest(column, ofSet));
  };
  for (const column of dimensions) check(column, `tables.${name}.dimensions:${column}`);
  for (const column of metrics) check(column, `tables.${name}.metrics:${column}`);
  for (const { column } of filters) check(column, `tables.${name}.filters`);
  check(DAY_COLUMN, `tables.${name}.data_set`);
}

async function domainsOf(
  config: SyncConfig,
  given: readonly string[],
  context: Context,
): Promise<readonly SyncDomain[]> {
  const listing = await listingOf('domains', 'v2', context);
  await cacheListedNames('domain', listing, domainNames, context);
  const all = domainNames(listing.body).flatMap(({ name, id }) => {
    const number = id === undefined ? Number.NaN : Number(id);
    return Number.isSafeInteger(number) ? [{ name, id: number }] : [];
  });
  const names = all.map(({ name }) => name);
  if (config.domains !== 'all')
    for (const name of config.domains)
      if (!names.includes(name))
        throw problemAt(
          config,
          `domains:${name}`,
          `the account has no site ${name}`,
          hintNearest(name, names),
        );
  const ofFile = config.domains === 'all' ? all : all.filter(({ name }) => config.domains.includes(name));
  const chosen = splitNames('--domain', given);
  if (chosen === undefined) return ofFile;
  const unknown = chosen.find(name => !ofFile.some(site => site.name === name));
  if (unknown !== undefined)
    throw new UsageError(`the sync has no site ${unknown}`, {
      code: 'unknown_name',
      hints: hintNearest(
        unknown,
        ofFile.map(({ name }) => name),
      ),
    });
  return ofFile.filter(({ name }) => chosen.includes(name));
}

/** How many of the last days are requested again: the flag, or the sync file. Throws UsageError. */
export async function lookbackOf(
  given: string | undefined,
  { config, tables, domains, destination }: PreparedSync,
  context: Context,
): Promise<number> {
  const lookback = given === undefined ? config.lookback : readLookback(given);
  if (lookback === undefined)
    throw new UsageError(`invalid --lookback '${given}'`, {
      code: 'invalid_value',
      hints: ['pass a number of days such as 7d, or auto'],
    });
  if (lookback !== 'auto') return lookback;
  const { days, revisions } = await learnedLookback(tables, domains, destination);
  context.log.note(`requesting the last ${days} days again, learned from ${revisions} revisions`);
  return days;
}
