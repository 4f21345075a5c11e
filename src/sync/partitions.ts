import { addDays, addMonths, type Day, type DayRange } from '../apis/bda/days.ts';
import type { PartitionSize, SyncTable } from './config.ts';

/** The days of one file: of a site in a table. */
export interface Partition {
  /** `2026-03` or `2026-03-14`. */
  readonly key: string;
  /** The days of the table that it contains, which may be fewer than those of the month. */
  readonly days: DayRange;
}

/** The key of the partition that contains a day. */
export function partitionKey(day: Day, size: PartitionSize): string {
  return size === 'month' ? day.slice(0, 7) : day;
}

/** The days of a partition by its key: those of the month, or the day. */
export function daysOfPartition(key: string): DayRange {
  if (key.length > '2026-03'.length) return { from: key, to: key };
  const from = `${key}-01`;
  return { from, to: addDays(addMonths(from, 1), -1) };
}

/** The last day of a table: yesterday, or an earlier `end`. */
export function lastDayOf({ end }: Pick<SyncTable, 'end'>, today: Day): Day {
  const yesterday = addDays(today, -1);
  return end === undefined || end > yesterday ? yesterday : end;
}

/** The partitions of a table up to yesterday, in order. */
export function* partitionsOf(
  { start, end, partition }: Pick<SyncTable, 'start' | 'end' | 'partition'>,
  today: Day,
): Generator<Partition> {
  const last = lastDayOf({ end }, today);
  for (let from = start; from <= last; ) {
    const next = partition === 'month' ? addMonths(`${from.slice(0, 7)}-01`, 1) : addDays(from, 1);
    const to = addDays(next, -1);
    yield { key: partitionKey(from, partition), days: { from, to: to < last ? to : last } };
    from = next;
  }
}
