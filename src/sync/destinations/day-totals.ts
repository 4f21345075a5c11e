import type { LedgerEntry } from '../ledger.ts';

/** What is stored of a day. */
export interface StoredDay {
  readonly rows: number;
  /** The sum of each metric. */
  readonly sums: readonly string[];
}

/** Sums of doubles depend on the order of the rows. */
const DOUBLE_TOLERANCE = 1e-9;

/** Whether two sums of doubles are those of the same values. */
export function isSameDouble(one: string, other: string): boolean {
  const [first, second] = [Number(one), Number(other)];
  return Math.abs(first - second) <= DOUBLE_TOLERANCE * Math.max(1, Math.abs(first), Math.abs(second));
}

/**
 * The first difference between what the ledger says of a partition and what is stored, by day; undefined if there is none. `metrics` are
 * those of the stored sums, and `isSame` compares one with that of the ledger.
 */
export function differenceInDays(
  entry: LedgerEntry,
  metrics: readonly string[],
  stored: ReadonlyMap<string, StoredDay>,
  isSame: (metric: string, stored: string, recorded: string) => boolean,
): string | undefined {
  for (const day of [...new Set([...Object.keys(entry.days), ...stored.keys()])].sort()) {
    const [recordedRows = 0, ...sums] = entry.days[day] ?? [];
    const found = stored.get(day);
    const rows = found?.rows ?? 0;
    if (rows !== recordedRows) return `${day}: ${rows} rows here, ${recordedRows} in the ledger`;
    for (const [index, metric] of metrics.entries()) {
      const recorded = sums[entry.metrics.indexOf(metric)] ?? null;
      const sum = found?.sums[index] ?? '0';
      if (recorded !== null && !isSame(metric, sum, recorded))
        return `${metric} on ${day}: ${sum} here, ${recorded} in the ledger`;
    }
  }
  return undefined;
}
