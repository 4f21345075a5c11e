import { addDays, type Day, type DayRange, dayCount } from '../apis/bda/days.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { unsummedMetrics } from './additivity.ts';
import type { SyncTable } from './config.ts';
import { type DayValues, type Ledger, type LedgerEntry, stateOf } from './ledger.ts';
import { type Partition, partitionsOf } from './partitions.ts';

/** A site of the account. */
export interface SyncDomain {
  readonly id: number;
  readonly name: string;
}

/** Why a partition is requested. */
export const REASONS = {
  new: 'the destination does not have it, or not all of its days',
  provisional: 'its last days may still change',
  revised: 'its totals have changed at the gateway',
  refetch: '--refetch names it',
  query: 'the query of the table has changed',
  schema: 'the types of the columns have changed',
  renamed: 'its site has another name',
  damaged: 'its file is missing or has another size',
} as const;
export type Reason = keyof typeof REASONS;

/** A partition to request. */
export interface PlannedPartition extends Partition {
  readonly reason: Reason;
  /** How many rows it will probably have; undefined if nothing is known. */
  readonly rows: number | undefined;
  /** Hashes of the other queries with which the plan found it in the destination. */
  readonly replaces?: readonly string[];
}

/** Consecutive partitions of one site in one table that one query returns. */
export interface Unit {
  readonly table: SyncTable;
  readonly domain: SyncDomain;
  readonly partitions: readonly PlannedPartition[];
  readonly days: DayRange;
  /** The rows that are expected; undefined if nothing is known. */
  readonly rows: number | undefined;
  /** The requests that are expected. */
  readonly requests: number;
  /** The gateway's own values of its days, where they have been requested already. */
  readonly dayValues?: DayValues | undefined;
}

/** Determines which partitions are requested. */
export interface PlanOptions {
  readonly today: Day;
  /** How many of the last days are requested again. */
  readonly lookback: number;
  /** The latest day with data of each table, by name, where known: later days remain provisional. */
  readonly latestDays?: ReadonlyMap<string, Day> | undefined;
  /** The hash of a table's query. */
  readonly queryHash: (table: SyncTable) => string;
  /** The current version of a table's column types; undefined where partitions with an earlier one remain as they are. */
  readonly schemaVersion?: ((table: SyncTable) => number) | undefined;
  /** Days whose partitions are requested in any case. */
  readonly refetch?: DayRange | undefined;
  /** Whether the destination still matches a ledger entry. */
  readonly isIntact?: (table: SyncTable, domain: SyncDomain, entry: LedgerEntry) => boolean;
  /** Partitions whose totals have changed. */
  readonly revised?: (table: SyncTable, domain: SyncDomain, key: string) => boolean;
  /** Requests nothing but revised partitions. */
  readonly onlyRevised?: boolean;
}

/**
 * The partitions of a site in a table that must be requested, in order: of `partitions`, all those of the table up to today, and of those
 * that the destination holds from before another `start` or `end`. Days that it holds remain part of their partition, so that the rows
 * of a table are always those of one query.
 */
export function planPartitions(
  table: SyncTable,
  domain: SyncDomain,
  ledger: Ledger,
  options: PlanOptions,
  partitions: readonly Partition[] = [...partitionsOf(table, options.today)],
): PlannedPartition[] {
  const rowsPerDay = meanRowsPerDay(ledger.values());
  const planned: PlannedPartition[] = [];
  for (const partition of withHeld(partitions, ledger)) {
    const { key, days } = partition;
    const entry = ledger.get(key);
    const reason = reasonFor(table, domain, partition, entry, options);
    if (reason === undefined) continue;
    const isOther = entry !== undefined && entry.query !== options.queryHash(table);
    const rows = expectedRows(days, entry, rowsPerDay);
    planned.push({ key, days, reason, rows, ...(isOther && { replaces: [entry.query] }) });
  }
  return planned;
}

/** A partition that is requested, or is in the destination only: of days that the table no longer has. */
interface HeldPartition extends Partition {
  readonly isOnlyHeld?: boolean;
}

function withHeld(partitions: readonly Partition[], ledger: Ledger): readonly HeldPartition[] {
  let known = 0;
  const all = partitions.map(({ key, days }): HeldPartition => {
    const entry = ledger.get(key);
    if (entry === undefined) return { key, days };
    known += 1;
    return {
      key,
      days: {
        from: entry.from < days.from ? entry.from : days.from,
        to: entry.to > days.to ? entry.to : days.to,
      },
    };
  });
  if (known === ledger.size) return all;
  const keys = new Set(partitions.map(({ key }) => key));
  for (const { partition, from, to } of ledger.values())
    if (!keys.has(partition)) all.push({ key: partition, days: { from, to }, isOnlyHeld: true });
  return all.sort((one, other) => (one.key < other.key ? -1 : 1));
}

function reasonFor(
  table: SyncTable,
  domain: SyncDomain,
  { key, days, isOnlyHeld }: HeldPartition,
  entry: LedgerEntry | undefined,
  options: PlanOptions,
): Reason | undefined {
  const { refetch, today, lookback } = options;
  if (options.revised?.(table, domain, key)) return 'revised';
  if (options.onlyRevised) return undefined;
  if (entry === undefined || entry.from > days.from || entry.to < days.to) return 'new';
  const isDamaged = options.isIntact?.(table, domain, entry) === false;
  // Removed by the user, after the table got a later start.
  if (isDamaged && isOnlyHeld) return undefined;
  if (entry.query !== options.queryHash(table)) return 'query';
  if (isDamaged) return 'damaged';
  if (refetch !== undefined && refetch.from <= days.to && refetch.to >= days.from) return 'refetch';
  if (entry.domain !== undefined && entry.domain !== domain.name) return 'renamed';
  const version = options.schemaVersion?.(table);
  if (version !== undefined && entry.schema !== version && entry.rows > 0) return 'schema';
  const latest = options.latestDays?.get(table.name);
  if (entry.state === 'provisional' || stateOf(days.to, today, lookback, latest) === 'provisional')
    return 'provisional';
  return undefined;
}

function meanRowsPerDay(entries: Iterable<LedgerEntry>): number | undefined {
  let rows = 0;
  let days = 0;
  for (const entry of entries) {
    rows += entry.rows;
    days += dayCount(entry);
  }
  return days === 0 ? undefined : rows / days;
}

function expectedRows(
  days: DayRange,
  entry: LedgerEntry | undefined,
  rowsPerDay: number | undefined,
): number | undefined {
  if (entry !== undefined) return Math.ceil((entry.rows / Math.max(1, dayCount(entry))) * dayCount(days));
  return rowsPerDay === undefined ? undefined : Math.ceil(rowsPerDay * dayCount(days));
}

/**
 * Packs partitions into units of consecutive days whose rows fit into one page. A partition that does not fit is a unit of its own,
 * of several pages. Partitions of which nothing is known are one unit: the total in its first response shows how to divide it.
 */
export function packUnits(
  table: SyncTable,
  domain: SyncDomain,
  planned: readonly PlannedPartition[],
  pageRows: number = QUERY_LIMIT_MAX,
): Unit[] {
  const units: Unit[] = [];
  let group: PlannedPartition[] = [];
  let rows = 0;
  const close = () => {
    if (group.length > 0) units.push(unitOf(table, domain, group, pageRows));
    group = [];
    rows = 0;
  };
  for (const partition of planned) {
    const before = group.at(-1);
    const more = partition.rows ?? 0;
    const isNext = before !== undefined && addDays(before.days.to, 1) === partition.days.from;
    if (!isNext || rows + more > pageRows) close();
    group.push(partition);
    rows += more;
  }
  close();
  return units;
}

/** Above this many remaining pages, a unit is divided, so that several pages can be requested concurrently. */
const MANY_PAGES = 40;
const PARTS = 4;

/**
 * The units for what a page did not contain: `done` partitions of a unit were complete in it, with `rows` rows of `total`. Each takes
 * one page, whose response shows what is left again, so that all pages are full. A partition that is longer than a page gets a unit of
 * its own.
 */
export function unitsAfterPage(
  { table, domain, partitions }: Unit,
  done: number,
  rows: number,
  total: number,
  pageRows: number = QUERY_LIMIT_MAX,
): Unit[] {
  const left = partitions.slice(done);
  const days = left.reduce((sum, partition) => sum + dayCount(partition.days), 0);
  const rowsPerDay = Math.max(0, total - rows) / Math.max(1, days);
  const estimated = left.map(partition => ({
    ...partition,
    rows: Math.ceil(rowsPerDay * dayCount(partition.days)),
  }));
  // Where the complete partitions have no rows, the next one alone fills the page.
  const isLong = estimated.some(partition => partition.rows > pageRows);
  const long = isLong ? estimated.splice(0) : rows === 0 ? estimated.splice(0, 1) : [];
  const parts = total - rows > MANY_PAGES * pageRows ? PARTS : 1;
  const size = Math.max(1, Math.ceil(estimated.length / parts));
  const units = long.map(partition => unitOf(table, domain, [partition], pageRows));
  for (let from = 0; from < estimated.length; from += size)
    units.push(unitOf(table, domain, estimated.slice(from, from + size), pageRows));
  return units;
}

function unitOf(
  table: SyncTable,
  domain: SyncDomain,
  partitions: readonly PlannedPartition[],
  pageRows: number,
): Unit {
  const isKnown = partitions.every(({ rows }) => rows !== undefined);
  const rows = partitions.reduce((sum, partition) => sum + (partition.rows ?? 0), 0);
  const [first, last] = [partitions[0] as PlannedPartition, partitions.at(-1) as PlannedPartition];
  return {
    table,
    domain,
    partitions,
    days: { from: first.days.from, to: last.days.to },
    rows: isKnown ? rows : undefined,
    requests: Math.max(1, Math.ceil(rows / pageRows)) + (unsummedMetrics(table).length > 0 ? 1 : 0),
  };
}
