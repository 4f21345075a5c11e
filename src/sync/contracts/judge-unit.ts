import { addDays, type Day } from '../../apis/bda/days.ts';
import type { Destination } from '../destinations/destination.ts';
import type { DayTotals } from '../ledger.ts';
import { partitionKey } from '../partitions.ts';
import type { PlannedPartition, Unit } from '../plan.ts';
import type { FetchedRows } from '../rows/partition-rows.ts';
import type { Problem } from './broken-contract.ts';
import { type AcceptedDay, failedTests } from './table-tests.ts';

interface JudgeOptions {
  readonly destination: Pick<Destination, 'ledger' | 'quarantine'>;
  readonly today: Day;
  /** The hash of the query. Totals of other queries are not comparable. */
  readonly query: string;
}

/**
 * The partitions of a unit whose rows fail tests of their table, by key, each with what was found. They are judged in the order of their
 * days, because a day is compared with the last one that passed. `partitions` are those that were fetched.
 */
export async function judgeUnit(
  { table, domain }: Unit,
  partitions: readonly PlannedPartition[],
  fetched: FetchedRows,
  { destination, today, query }: JudgeOptions,
): Promise<ReadonlyMap<string, readonly Problem[]>> {
  const failed = new Map<string, readonly Problem[]>();
  if (table.tests === undefined) return failed;
  const ledger = await destination.ledger(table.name, domain.id);
  const keyOf = (day: Day) => partitionKey(day, table.partition);
  const stored = (day: Day): DayTotals | null | undefined => {
    const entry = ledger.get(keyOf(day));
    if (entry?.query !== query || day < entry.from || day > entry.to) return undefined;
    return entry.days[day] ?? null;
  };
  const arrived = (day: Day) => fetched.get(keyOf(day))?.days[day] ?? null;
  const isRejected = (key: string) => failed.has(key) || fetched.get(key)?.problem !== undefined;
  /** Of the days before the unit. */
  const lastStored = async (latest: Day): Promise<AcceptedDay | undefined> => {
    let quarantined = '';
    for (let day = latest; day >= table.start; day = addDays(day, -1)) {
      const [key, totals] = [keyOf(day), stored(day)];
      if (totals !== undefined) return { day, totals };
      if (key !== quarantined && !(await destination.quarantine.has(table.name, domain.id, key)))
        return undefined;
      quarantined = key;
    }
    return undefined;
  };
  const hasJumps = table.tests.day_on_day.length > 0;
  const before = hasJumps
    ? await lastStored(addDays(partitions[0]?.days.from ?? table.start, -1))
    : undefined;
  const lastAccepted = (latest: Day): AcceptedDay | undefined => {
    for (let day = latest; fetched.has(keyOf(day)); day = addDays(day, -1)) {
      const totals = isRejected(keyOf(day)) ? stored(day) : arrived(day);
      if (totals !== undefined) return { day, totals };
    }
    return before;
  };
  const totalsOf = (day: Day) => (fetched.has(keyOf(day)) ? arrived(day) : stored(day));
  let scanned = { from: '', to: '', isFollowed: false };
  const isFollowed = (day: Day): boolean => {
    // Days without rows, one after the other, are followed by the same day.
    if (day > scanned.from && day < scanned.to) return scanned.isFollowed;
    let to = addDays(day, 1);
    while (totalsOf(to) === null) to = addDays(to, 1);
    scanned = { from: day, to, isFollowed: totalsOf(to) !== undefined };
    return scanned.isFollowed;
  };
  for (const partition of partitions) {
    const rows = fetched.get(partition.key);
    const problems = failedTests(table, partition, rows, { today, totalsOf, isFollowed, lastAccepted });
    if (problems.length > 0) failed.set(partition.key, problems);
  }
  return failed;
}
