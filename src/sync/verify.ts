import type { Day, DayRange } from '../apis/bda/days.ts';
import { additiveMetrics } from './additivity.ts';
import type { SyncTable } from './config.ts';
import {
  comparableMetrics,
  differenceIn,
  fetchRowCount,
  fetchTotals,
  type TotalsOptions,
} from './control-totals.ts';
import type { Destination } from './destinations/destination.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import { partitionsOf } from './partitions.ts';
import type { SyncDomain } from './plan.ts';
import { queryHash } from './table-query.ts';

/** Changed partitions of a site that are named. */
const MOST_NAMED = 3;

/** A partition, or a run of days, that is not as it should be. */
export interface Mismatch {
  readonly table: string;
  /** Null for what is of no site. */
  readonly domain: string | null;
  /** A partition, or the days `FROM..TO`; null for what is of no partition. */
  readonly partition: string | null;
  readonly state: LedgerEntry['state'] | null;
  readonly problem: string;
  /** Set where the gateway has other figures than it had: a sweep finds and requests them again. */
  readonly isRestated?: true;
  /** The SQL, or the shell command, that removes what no run replaces. */
  readonly removal?: string;
}

/** The metrics of a table whose totals were not compared with the gateway. */
interface UncomparedMetrics {
  readonly table: string;
  readonly metrics: readonly string[];
  /** Whether no total of the table was compared: only its number of rows. */
  readonly isAll: boolean;
}

/** What a comparison with the ledger and the gateway found. */
export interface Verified {
  readonly partitions: number;
  readonly rows: number;
  readonly mismatches: readonly Mismatch[];
  readonly uncompared: readonly UncomparedMetrics[];
  /** Sites without a partition, so that nothing of them was compared. */
  readonly unsynced: readonly { readonly table: string; readonly domain: string }[];
}

/** The problem of a site that the gateway no longer lists. */
export const UNLISTED = 'the gateway no longer lists the site';
/** The problem of a partition without an entry, which the days that are compared may not contain. */
const KEPT_ASIDE = 'not written yet: its rows are quarantined';
/** The problem of a site that the gateway lists with an id that no query can name. */
const INVALID_ID = 'the gateway lists the site with an id that cannot be requested';

interface VerifyOptions extends TotalsOptions {
  readonly destination: Destination;
  readonly tables: readonly SyncTable[];
  readonly domains: readonly SyncDomain[];
  /** Sites to report, because they can no longer be compared. */
  readonly unlisted: readonly UnlistedSite[];
  /** Whether other sites are not compared. */
  readonly isOnlyDomains: boolean;
  readonly today: Day;
  readonly onPartitions: (done: number) => void;
}

/**
 * Compares what a destination holds with its ledger, in both directions, and the ledger with the gateway: the rows of each site, and the
 * totals of each day. Throws FileError and the gateway's typed errors.
 */
export async function verify(options: VerifyOptions): Promise<Verified> {
  const { destination, tables, domains, unlisted, onPartitions } = options;
  const mismatches: Mismatch[] = unlisted.map(({ table, domain, days, problem }) => ({
    table,
    domain,
    partition: `${days.from}..${days.to}`,
    state: null,
    problem,
  }));
  const uncompared: UncomparedMetrics[] = [];
  const unsynced: { table: string; domain: string }[] = [];
  let partitions = 0;
  let rows = 0;
  for (const table of tables) {
    const { version } = await destination.schema(table.name);
    const missed = new Set<string>();
    for (const domain of domains) {
      const ledger = await destination.ledger(table.name, domain.id);
      if (ledger.size === 0) unsynced.push({ table: table.name, domain: domain.name });
      for (const entry of ledger.values()) {
        for (const metric of metricsWithoutValues(table, entry)) missed.add(metric);
        const problem =
          (await destination.problemWith(table.name, domain.id, entry)) ??
          (destination.rewritesForTypes ? earlierTypes(entry, version) : undefined);
        if (problem !== undefined) mismatches.push(mismatch(table, domain, entry, problem));
        partitions += 1;
        rows += entry.rows;
        onPartitions(1);
      }
      for (const partition of await destination.quarantine.partitions(table.name, domain.id))
        if (!ledger.has(partition))
          mismatches.push({
            table: table.name,
            domain: domain.name,
            partition,
            state: null,
            problem: KEPT_ASIDE,
          });
      mismatches.push(...(await compared(table, domain, ledger, options)));
      await destination.release(table.name, domain.id);
    }
    mismatches.push(...(await straysIn(table, options)));
    uncompared.push(...uncomparedIn(table, missed));
  }
  return { partitions, rows, mismatches, uncompared, unsynced };
}

/** The metrics of a table whose values of a day, in a partition, cannot be compared with those of the gateway. */
function metricsWithoutValues(table: SyncTable, entry: LedgerEntry): readonly string[] {
  const { rows, metrics, sums, dayValues } = entry;
  const additive = new Set(additiveMetrics(table));
  const hasSum = (metric: string) => rows === 0 || (sums[metrics.indexOf(metric)] ?? null) !== null;
  return table.metrics.filter(metric =>
    additive.has(metric) ? !hasSum(metric) : dayValues?.metrics.includes(metric) !== true,
  );
}

/** What was not compared of a table, of whose partitions some metrics are `missed`. */
function uncomparedIn({ name: table, metrics }: SyncTable, missed: ReadonlySet<string>): UncomparedMetrics[] {
  if (missed.size === 0) return [];
  const isAll = missed.size === metrics.length;
  return [{ table, metrics: metrics.filter(each => missed.has(each)), isAll }];
}

/** What is wrong with a file that was written before a column type became wider: a query reads both types side by side. */
function earlierTypes({ rows, schema }: LedgerEntry, version: number): string | undefined {
  return rows === 0 || schema === version
    ? undefined
    : `its column types are of version ${schema}, those of the table of version ${version}`;
}

function mismatch(
  table: SyncTable,
  domain: SyncDomain,
  { partition, state }: LedgerEntry,
  problem: string,
): Mismatch {
  return { table: table.name, domain: domain.name, partition, state, problem };
}

/** What a table contains besides the partitions of its ledger. */
async function straysIn(
  table: SyncTable,
  { destination, domains, isOnlyDomains, today }: VerifyOptions,
): Promise<readonly Mismatch[]> {
  const names = new Map(domains.map(({ id, name }) => [id, name]));
  const keys = new Set([...partitionsOf(table, today)].map(({ key }) => key));
  const found: Mismatch[] = [];
  for (const { domainId, partition, problem, removal, isReplaceable } of await destination.strays(table)) {
    const name = domainId === undefined ? undefined : names.get(domainId);
    if (isOnlyDomains && name === undefined) continue;
    const isOfRun = isReplaceable && name !== undefined && partition !== undefined && keys.has(partition);
    found.push({
      table: table.name,
      domain: name ?? (domainId === undefined ? null : `site ${domainId}`),
      partition: partition ?? null,
      state: null,
      problem,
      ...(!isOfRun && { removal }),
    });
  }
  return found;
}

async function compared(
  table: SyncTable,
  domain: SyncDomain,
  ledger: Ledger,
  options: TotalsOptions,
): Promise<readonly Mismatch[]> {
  const days = daysOf(ledger);
  if (days === undefined) return [];
  const { differences } = await compareDays(table, domain, ledger, days, options);
  const found = differences.map(({ entry, day, metric, recorded, found: now, isOwn }): Mismatch => {
    const problem = isOwn
      ? `${metric} on ${day}: ${recorded} at the gateway when it was written, ${now} now`
      : `${metric} on ${day}: ${recorded} here, ${now} at the gateway`;
    return { ...mismatch(table, domain, entry, problem), isRestated: true };
  });
  const recorded = [...ledger.values()].reduce((sum, entry) => sum + entry.rows, 0);
  const count = await fetchRowCount(table, domain, days, options);
  if (count !== recorded)
    found.push({
      table: table.name,
      domain: domain.name,
      partition: `${days.from}..${days.to}`,
      state: null,
      problem: `${recorded} rows here, ${count} at the gateway`,
      ...(found.length > 0 && { isRestated: true }),
    });
  return found;
}

/** The first difference of each partition of a site whose days have other values at the gateway. */
async function compareDays(
  table: SyncTable,
  domain: SyncDomain,
  ledger: Ledger,
  days: DayRange,
  options: TotalsOptions,
) {
  const metrics = comparableMetrics(table, ledger);
  if (metrics.length === 0) return { differences: [], requests: 0 };
  const totals = await fetchTotals(table, metrics, domain, days, options);
  const differences = [...ledger.values()].flatMap(entry => {
    const difference = differenceIn(table, entry, totals);
    return difference === undefined ? [] : [{ entry, ...difference }];
  });
  return { differences, requests: totals.requests };
}

/** A site that a destination has partitions of, but the gateway no longer lists, or with an id that no query can name. */
export interface UnlistedSite {
  readonly table: string;
  /** `site 7` where the ledger has no name. */
  readonly domain: string;
  readonly days: DayRange;
  readonly problem: string;
}

/** The sites in the ledgers of some tables that are not among the listed ones. `hasInvalidId` is given their names. Throws FileError. */
export async function unlistedSites(
  tables: readonly SyncTable[],
  listed: readonly SyncDomain[],
  destination: Destination,
  hasInvalidId: (name: string) => boolean,
): Promise<readonly UnlistedSite[]> {
  const found: UnlistedSite[] = [];
  for await (const { table, name, ledger } of otherLedgers(tables, listed, destination)) {
    const days = daysOf(ledger);
    const problem = hasInvalidId(name) ? INVALID_ID : UNLISTED;
    if (days !== undefined) found.push({ table: table.name, domain: name, days, problem });
  }
  return found;
}

/** A site that a destination has partitions of, but the sync file does not list. */
export interface OtherSite {
  readonly table: string;
  /** `site 7` where the ledger has no name. */
  readonly domain: string;
  readonly partitions: number;
  readonly rows: number;
  /** Whether all of its rows are of the query that the table has now. */
  readonly isOfQuery: boolean;
}

/** The sites in the ledgers of some tables that are not those of the sync. Throws FileError. */
export async function otherSites({
  tables,
  domains,
  destination,
  kindOf,
}: Pick<VerifyOptions, 'tables' | 'domains' | 'destination' | 'kindOf'>): Promise<readonly OtherSite[]> {
  const found: OtherSite[] = [];
  for await (const { table, name, ledger } of otherLedgers(tables, domains, destination)) {
    const hash = queryHash(table, kindOf);
    const entries = [...ledger.values()];
    if (entries.length > 0)
      found.push({
        table: table.name,
        domain: name,
        partitions: entries.length,
        rows: entries.reduce((sum, { rows }) => sum + rows, 0),
        isOfQuery: entries.every(({ query }) => query === hash),
      });
  }
  return found;
}

/** The ledgers of the sites of some tables that are not among `sites`. */
async function* otherLedgers(
  tables: readonly SyncTable[],
  sites: readonly SyncDomain[],
  destination: Destination,
): AsyncGenerator<{ readonly table: SyncTable; readonly name: string; readonly ledger: Ledger }> {
  const known = new Set(sites.map(({ id }) => id));
  for (const table of tables)
    for (const id of await destination.domainIds(table.name)) {
      if (known.has(id)) continue;
      const ledger = await destination.ledger(table.name, id);
      await destination.release(table.name, id);
      yield { table, name: [...ledger.values()].at(-1)?.domain ?? `site ${id}`, ledger };
    }
}

/** The days from the first to the last that a ledger has; undefined for none. */
function daysOf(ledger: Ledger): DayRange | undefined {
  const entries = [...ledger.values()];
  const [from] = entries.map(entry => entry.from).sort();
  const to = entries
    .map(entry => entry.to)
    .sort()
    .at(-1);
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** Which partitions have other totals at the gateway than when they were written. */
interface Revised {
  /** As `table/domain id/partition`. */
  readonly revised: ReadonlySet<string>;
  /** The same for people: `pages of example.com: 2026-01, 2026-02, 2026-03 and 9 more`. */
  readonly sites: readonly string[];
  /** Partitions among these that have no other totals, but are quarantined. */
  readonly quarantined: number;
  /** Partitions in the ledger, whether or not they could be compared. */
  readonly partitions: number;
  readonly uncompared: readonly UncomparedMetrics[];
  readonly requests: number;
}

/** The first of many names, and how many more there are. */
function shortList(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Finds the partitions of which a day has other values at the gateway than then, and those that are quarantined: the gateway may have
 * returned to the rows that are stored. Throws the gateway's typed errors and DestinationError.
 */
export async function findRevised(options: Omit<VerifyOptions, 'isOnlyDomains'>): Promise<Revised> {
  const { destination, tables, domains, onPartitions } = options;
  const revised = new Set<string>();
  const sites: string[] = [];
  const uncompared: UncomparedMetrics[] = [];
  let partitions = 0;
  let requests = 0;
  let quarantined = 0;
  for (const table of tables) {
    const missed = new Set<string>();
    for (const domain of domains) {
      const ledger = await destination.ledger(table.name, domain.id);
      const entries = [...ledger.values()];
      const days = daysOf(ledger);
      for (const entry of entries)
        for (const metric of metricsWithoutValues(table, entry)) missed.add(metric);
      if (days !== undefined) {
        const { differences, requests: sent } = await compareDays(table, domain, ledger, days, options);
        requests += sent;
        const keys = differences.map(({ entry: { partition } }) => partition);
        for (const key of keys) revised.add(`${table.name}/${domain.id}/${key}`);
        if (keys.length > 0) sites.push(`${table.name} of ${domain.name}: ${shortList(keys)}`);
      }
      const kept = await destination.quarantine.partitions(table.name, domain.id);
      for (const key of [...kept].filter(each => ledger.has(each))) {
        quarantined += revised.has(`${table.name}/${domain.id}/${key}`) ? 0 : 1;
        revised.add(`${table.name}/${domain.id}/${key}`);
      }
      partitions += entries.length;
      onPartitions(entries.length);
      await destination.release(table.name, domain.id);
    }
    uncompared.push(...uncomparedIn(table, missed));
  }
  return { revised, quarantined, sites, partitions, uncompared, requests };
}
