import type { LedgerEntry } from '../../ledger.ts';

/** Totals of a day as a database returns them: text, so that no digit is lost. */
export interface DayRow {
  readonly day: string;
  readonly rows: string;
  /** By metric: `m0`, `m1` and so on; null without values. */
  readonly [sum: `m${number}`]: string | null;
}

/** Sums of doubles depend on the order of the rows. */
const DOUBLE_TOLERANCE = 1e-9;

/**
 * The first difference between the totals of a ledger entry and those of the rows that are stored, by day; undefined if there is none.
 * `metrics` are those of `m0`, `m1` and so on.
 */
export function compareTotals(
  entry: LedgerEntry,
  metrics: readonly string[],
  isDouble: (metric: string) => boolean,
  stored: readonly DayRow[],
): string | undefined {
  const found = new Map(stored.map(row => [row.day, row]));
  for (const day of [...new Set([...Object.keys(entry.days), ...found.keys()])].sort()) {
    const [recordedRows = 0, ...sums] = entry.days[day] ?? [];
    const row = found.get(day);
    const rows = Number(row?.rows ?? 0);
    if (rows !== recordedRows) return `${day}: ${rows} rows here, ${recordedRows} in the ledger`;
    for (const [index, metric] of metrics.entries()) {
      const recorded = sums[entry.metrics.indexOf(metric)];
      if (recorded === undefined || recorded === null) continue;
      const sum = plain(row?.[`m${index}`] ?? '0');
      const isSame = isDouble(metric) ? isClose(Number(sum), Number(recorded)) : sum === recorded;
      if (!isSame) return `${metric} on ${day}: ${sum} here, ${recorded} in the ledger`;
    }
  }
  return undefined;
}

/** A decimal without the zeros that its scale adds, and with one before the point, where DuckDB omits it if all digits are after it. */
function plain(digits: string): string {
  if (!digits.includes('.') || /e/i.test(digits)) return digits;
  return digits.replace(/\.?0+$/, '').replace(/^(-?)(?=\.)/, '$10');
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= DOUBLE_TOLERANCE * Math.max(1, Math.abs(one), Math.abs(other));
}
