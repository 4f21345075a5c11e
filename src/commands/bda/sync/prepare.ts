import { dataDays } from '../../../analysis/data-days.ts';
import { type ColumnCatalogue, readColumnCatalogue } from '../../../apis/bda/catalogue.ts';
import { addDays, type Day } from '../../../apis/bda/days.ts';
import type { KindOf } from '../../../apis/bda/filter-expression.ts';
import { valueKindOfType } from '../../../apis/bda/value-kind.ts';
import { fetchDateRange } from '../../../apis/bda-v2/listings.ts';
import { GatectlError, InterruptedError, UsageError } from '../../../errors/index.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import { listingOf } from '../../../operations/listings/listings.ts';
import { todayOf } from '../../../operations/today.ts';
import {
  DAY_COLUMN,
  hintNearest,
  problemAt,
  readLookback,
  type SyncConfig,
  type SyncTable,
} from '../../../sync/config.ts';
import { learnedLookback } from '../../../sync/lookback.ts';
import { lastDayOf } from '../../../sync/partitions.ts';
import type { SyncDomain } from '../../../sync/plan.ts';
import { UNLISTED, type UnlistedSite, unlistedSites } from '../../../sync/verify.ts';
import type { Context } from '../../framework/context.ts';
import { type OpenSync, type SyncScope, withSync } from '../../framework/open-sync.ts';
import { syncSites } from './sites.ts';

/** A sync that was checked against the gateway. */
export interface PreparedSync extends OpenSync {
  readonly domains: readonly SyncDomain[];
  /** With `domains: all`: sites in the destination that the gateway no longer lists, or with an id that no query can name. */
  readonly unlisted: readonly UnlistedSite[];
  readonly kindOf: KindOf;
  readonly today: Day;
}

/** Runs `work` with a sync whose columns and sites were checked against the gateway. Throws UsageError, the gateway's typed errors and those of `work`. */
export async function withPreparedSync<Value>(
  flags: SyncScope & { readonly domain: readonly string[] },
  context: Context,
  work: (sync: PreparedSync) => Promise<Value>,
): Promise<Value> {
  return await withSync(flags, context, async opened => work(await prepared(opened, flags.domain, context)));
}

async function prepared(opened: OpenSync, given: readonly string[], context: Context): Promise<PreparedSync> {
  const { config } = opened;
  const catalogue = readColumnCatalogue((await listingOf('columns', 'v2', context)).body);
  if (catalogue !== undefined) for (const table of config.tables) checkColumns(table, config, catalogue);
  const { sites, invalidIds, domains } = await syncSites(config, given, context);
  const unlisted =
    config.domains === 'all'
      ? await unlistedSites(config.tables, sites, opened.destination, name => invalidIds.has(name))
      : [];
  const names = unlistedNames(unlisted);
  if (names.length > 0)
    context.log.warn(`the gateway no longer lists ${names.join(', ')}; the files remain as they are`);
  const today = await todayOf(context);
  for (const table of opened.tables)
    if (lastDayOf(table, today) < table.start)
      context.log.note(`${table.name} starts on ${table.start}: it has no complete day yet`);
  return {
    ...opened,
    domains,
    unlisted,
    today,
    kindOf: kindsIn(catalogue),
  };
}

/** The kinds of columns by the gateway's list of them. */
export function kindsIn(catalogue: ColumnCatalogue | undefined): KindOf {
  return column => {
    const type = catalogue?.get(column)?.type;
    return type === undefined ? undefined : valueKindOfType(type);
  };
}

/** Throws UsageError for a column that the data set lacks, or whose role is another one. */
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
  for (const [role, columns] of Object.entries({ dimension: dimensions, metric: metrics }))
    for (const column of columns) {
      const field = `tables.${name}.${role}s:${column}`;
      check(column, field);
      const listed = catalogue.get(column)?.role ?? role;
      if (listed === role) continue;
      throw problemAt(config, field, `${column} is a ${listed}, not a ${role}`, [`move it to ${listed}s`]);
    }
  for (const { column } of filters) check(column, `tables.${name}.filters`);
  check(DAY_COLUMN, `tables.${name}.data_set`);
}

/** The names of sites that the gateway no longer lists, each once. */
export function unlistedNames(sites: readonly UnlistedSite[]): readonly string[] {
  return [...new Set(sites.filter(({ problem }) => problem === UNLISTED).map(({ domain }) => domain))];
}

/**
 * The latest day with data of each table, where the gateway reports it. Warns of days that would be final by now, had the gateway data
 * for them.
 */
export async function latestDaysOf(
  { tables, today }: PreparedSync,
  lookback: number,
  context: Context,
): Promise<ReadonlyMap<string, Day>> {
  const latest = new Map<string, Day>();
  const body = await fetchDateRange(await context.gateway(), await bdaV2Site(context)).catch(error => {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  });
  if (body === undefined) return latest;
  for (const { name, dataSet, end } of tables) {
    const to = dataDays(body, dataSet)?.to;
    if (to === undefined) continue;
    latest.set(name, to);
    const last = lastDayOf({ end }, today);
    if (to < last && to < addDays(today, -1 - lookback))
      context.log.warn(
        `${dataSet} has data up to ${to}; ${name} from ${addDays(to, 1)} to ${last} remains provisional`,
      );
  }
  return latest;
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
