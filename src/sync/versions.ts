import { addDays, type Day } from '../apis/bda/days.ts';
import type { Destination, PartitionVersion } from './destinations/destination.ts';

/**
 * The files with the rows that a table with `history: true` had at the end of a day (UTC), site after site. A version without `path` is
 * lost. None for a destination that stores no superseded rows. Throws FileError.
 */
export async function* versionsOn(
  destination: Destination,
  table: string,
  day: Day,
): AsyncGenerator<PartitionVersion> {
  const end = Date.parse(`${addDays(day, 1)}T00:00:00Z`) - 1;
  yield* destination.versionsAt?.(table, end) ?? [];
}
