import { isDeepStrictEqual } from 'node:util';
import { addDays, type Day, type DayRange } from '../apis/bda/days.ts';
import type { SyncTable } from './config.ts';
import type { EncodedPartition } from './encode/encoder.ts';
import { assertEntry, type DayValues, type LedgerEntry, stateOf } from './ledger.ts';
import type { PlannedPartition, SyncDomain } from './plan.ts';
import type { PartitionRows } from './rows/partition-rows.ts';

/** What is known of a partition that is about to be replaced. */
interface Replacing {
  readonly table: SyncTable;
  readonly domain: SyncDomain;
  readonly planned: PlannedPartition;
  readonly before: LedgerEntry | undefined;
  /** The hash of the query. */
  readonly query: string;
  /** The version of the column types. */
  readonly schema: number;
  readonly rows: PartitionRows | undefined;
  readonly file: EncodedPartition | undefined;
  readonly sha256: string | null;
  /** Of the days of its unit. */
  readonly dayValues: DayValues | undefined;
  readonly today: Day;
  readonly lookback: number;
  /** The latest day with rows; undefined if not known. */
  readonly latestDay: Day | undefined;
  /** RFC 3339 */
  readonly fetchedAt: string;
}

/** The ledger entry of a partition that replaces another one, or is the first. */
export function entryOf(replacing: Replacing): LedgerEntry {
  const { table, domain, planned, before, query, schema, rows, file, sha256, fetchedAt } = replacing;
  const { dayValues, today, lookback, latestDay } = replacing;
  const isChanged = before !== undefined && before.sha256 !== sha256;
  const isRewritten =
    before !== undefined &&
    before.schema !== file?.schema &&
    isDeepStrictEqual(before.days, rows?.days ?? {});
  const isSameQuery = before?.query === query && (before.domain ?? domain.name) === domain.name;
  // Where the gateway rejects the request of the day values, those that belong to the same rows.
  const earlier = isSameQuery && !isChanged ? before?.dayValues : undefined;
  const values = dayValues === undefined ? earlier : valuesWithin(dayValues, planned.days);
  const isRevision = isChanged && !isRewritten && isSameQuery && before.to === planned.days.to;
  const revisedAtAge = isRevision ? oldestRevision(before, rows, today) : before?.revisedAtAge;
  const validFrom = before === undefined || isChanged ? fetchedAt : (before.validFrom ?? before.fetchedAt);
  const entry: LedgerEntry = {
    partition: planned.key,
    domain: domain.name,
    from: planned.days.from,
    to: planned.days.to,
    query,
    schema,
    rows: rows?.rows ?? 0,
    metrics: table.metrics,
    sums: rows?.sums ?? table.metrics.map(() => '0'),
    days: rows?.days ?? {},
    ...(values !== undefined && { dayValues: values }),
    sha256,
    bytes: file?.bytes ?? 0,
    fetchedAt,
    validFrom,
    state: stateOf(planned.days.to, today, lookback, latestDay),
    revisions: (before?.revisions ?? 0) + (isRevision ? 1 : 0),
    ...(revisedAtAge !== undefined && { revisedAtAge }),
  };
  assertEntry(entry);
  return entry;
}

/** The values of some of the days. */
function valuesWithin({ metrics, days }: DayValues, { from, to }: DayRange): DayValues {
  const own = Object.entries(days).filter(([day]) => day >= from && day <= to);
  return { metrics, days: Object.fromEntries(own) };
}

/** The age in days of the oldest day whose totals differ from before. */
function oldestRevision(
  before: LedgerEntry,
  rows: PartitionRows | undefined,
  today: Day,
): number | undefined {
  const days = [...new Set([...Object.keys(before.days), ...Object.keys(rows?.days ?? {})])].sort();
  const changed = days.find(day => !isDeepStrictEqual(before.days[day], rows?.days[day]));
  if (changed === undefined) return before.revisedAtAge;
  let age = 0;
  for (let day = changed; day < today; day = addDays(day, 1)) age += 1;
  return Math.max(age, before.revisedAtAge ?? 0);
}
