import type { Day } from '../../apis/bda/days.ts';
import { ColumnProfile } from '../../export/parquet/column-profile.ts';
import type { UnrepresentableValueError } from '../../export/unrepresentable-value.ts';
import type { RowTests } from '../contracts/row-tests.ts';
import { ExactSum } from '../exact-sum.ts';
import type { DayTotals } from '../ledger.ts';

/** How a value was written that depends on the type of its column: as text, as 1 or 0, or as digits without an exponent. */
export type WrittenAs = 'text' | 'flag' | 'number';

interface DayCount {
  rows: number;
  readonly sums: readonly ExactSum[];
}

/** What is known of the rows of a partition. */
export class RowCounts {
  rows = 0;
  /** Why the rows cannot be stored: the first value that cannot. */
  problem: UnrepresentableValueError | undefined;
  /** One for each column. */
  readonly profiles: readonly ColumnProfile[];
  /** The length of the longest row that the kernel did not take, in bytes. */
  longest = 0;
  /** By column: a number that a double would not print with the same digits again. */
  readonly inexact = new Map<string, string>();
  /** By column: how values were written that depend on its type. */
  readonly writtenAs = new Map<string, Set<WrittenAs>>();
  /** For the tests of each row, if there are any. */
  readonly tests: RowTests | undefined;
  readonly #metrics: number;
  readonly #days = new Map<Day, DayCount>();

  constructor(columns: number, metrics: number, tests?: RowTests) {
    this.profiles = Array.from({ length: columns }, () => new ColumnProfile());
    this.#metrics = metrics;
    this.tests = tests;
  }

  /** The count of a day, to be added to. */
  day(day: Day): DayCount {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const sums = Array.from({ length: this.#metrics }, () => new ExactSum());
    const count = { rows: 0, sums };
    this.#days.set(day, count);
    return count;
  }

  noteWritten(column: string, as: WrittenAs): void {
    const noted = this.writtenAs.get(column);
    if (noted === undefined) this.writtenAs.set(column, new Set([as]));
    else noted.add(as);
  }

  /** Adds the counts of rows that follow. */
  add(other: RowCounts): void {
    this.rows += other.rows;
    this.problem ??= other.problem;
    this.longest = Math.max(this.longest, other.longest);
    for (const [column, profile] of other.profiles.entries()) this.profiles[column]?.add(profile);
    if (other.tests !== undefined) this.tests?.add(other.tests);
    for (const [column, text] of other.inexact) if (!this.inexact.has(column)) this.inexact.set(column, text);
    for (const [column, written] of other.writtenAs) for (const as of written) this.noteWritten(column, as);
    for (const [day, { rows, sums }] of other.#days) {
      const count = this.day(day);
      count.rows += rows;
      for (const [metric, sum] of sums.entries()) count.sums[metric]?.addText(sum.digits());
    }
  }

  /** The rows and exact sums of each day; null for a metric with a value that cannot be summed. */
  days(): Readonly<Record<Day, DayTotals>> {
    return Object.fromEntries(
      [...this.#days].map(
        ([day, { rows, sums }]) => [day, [rows, ...sums.map(sum => sum.digits())]] as const,
      ),
    );
  }
}
