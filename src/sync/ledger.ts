import { addDays, type Day } from '../apis/bda/days.ts';
import { invariant } from '../errors/invariant.ts';

/** Totals of one day of a partition: its rows, then the exact sum of each metric, as digits; null where it has none. */
export type DayTotals = readonly [rows: number, ...sums: (string | null)[]];

/** The gateway's own values of some metrics, on each day that has any: digits, or null for none. */
export interface DayValues {
  readonly metrics: readonly string[];
  readonly days: Readonly<Record<Day, readonly (string | null)[]>>;
}

/** The record of a partition in the destination. */
export interface LedgerEntry {
  readonly partition: string;
  /** The name of the site; undefined in an entry of an earlier version. */
  readonly domain?: string;
  /** The days that were requested. */
  readonly from: Day;
  readonly to: Day;
  /** Identifies the query that was sent. */
  readonly query: string;
  /** The version of the column types that it was written with. */
  readonly schema: number;
  readonly rows: number;
  /** The metrics of `sums` and `days`. */
  readonly metrics: readonly string[];
  /** The exact sum of each metric; null where a value is no number that can be summed. */
  readonly sums: readonly (string | null)[];
  /** Totals of each day that has rows. */
  readonly days: Readonly<Record<Day, DayTotals>>;
  /**
   * What the gateway had, just before these rows, of the metrics that no sum of rows gives; undefined without such metrics, and in an
   * entry of an earlier version.
   */
  readonly dayValues?: DayValues;
  /** Of its file; null without rows. */
  readonly sha256: string | null;
  readonly bytes: number;
  /** Of its object, as the store reported it; undefined in a folder or a database. */
  readonly etag?: string;
  readonly fetchedAt: string;
  /** When these rows were first written; undefined in an entry of an earlier version. */
  readonly validFrom?: string;
  /** `provisional`: some of its days may still change. */
  readonly state: 'provisional' | 'final';
  /** How many times its rows changed after the first time. */
  readonly revisions: number;
  /** The age in days of the youngest day, when its rows last changed; for `lookback: auto`. */
  readonly revisedAtAge?: number;
}

/** Throws an error of gatectl itself for an entry that contradicts itself: rows of other days, or other rows than those of its days. */
export function assertEntry({ partition, from, to, rows, metrics, sums, days }: LedgerEntry): void {
  const totals = Object.entries(days);
  const counted = totals.reduce((sum, [, [count]]) => sum + count, 0);
  invariant(counted === rows, `the days of ${partition} have ${counted} rows, its entry ${rows}`);
  for (const [day, ofDay] of totals) {
    invariant(day >= from && day <= to, `${partition} has rows of ${day}`);
    invariant(ofDay.length === metrics.length + 1, `${partition} lacks the total of a metric of ${day}`);
  }
  invariant(sums.length === metrics.length, `${partition} lacks the sum of a metric`);
}

/** What tells a unit of an earlier plan from an entry that was in force. */
export type Superseded = Pick<LedgerEntry, 'query' | 'from' | 'to' | 'fetchedAt'>;

/** The partitions that a destination holds of one site in one table. */
export type Ledger = ReadonlyMap<string, LedgerEntry>;

/** Whether the figures of a partition may still change after a day: the last `lookback` days may, and those after the `latest` day with data. */
export function stateOf(to: Day, today: Day, lookback: number, latest: Day = to): LedgerEntry['state'] {
  const settled = addDays(today, -1 - lookback);
  return to > settled || to > latest ? 'provisional' : 'final';
}
