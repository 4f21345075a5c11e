import type { Day } from '../../apis/bda/days.ts';
import type { ColumnProfile } from '../../export/parquet/column-profile.ts';
import type { UnrepresentableValueError } from '../../export/unrepresentable-value.ts';
import type { RowTests } from '../contracts/row-tests.ts';
import type { DayTotals } from '../ledger.ts';
import type { WrittenAs } from './row-counts.ts';

/** The rows of one partition in a file. */
export interface PartitionRows {
  readonly key: string;
  readonly path: string;
  readonly bytes: number;
  /** Undefined for JSON, which is only a step to another form. */
  readonly sha256: string | undefined;
  readonly rows: number;
  /** Why they cannot be stored: a value that the destination cannot hold, or a metric that is no number. */
  readonly problem: UnrepresentableValueError | undefined;
  /** The exact sum of each metric of the table; null where a value is no number that can be summed. */
  readonly sums: readonly (string | null)[];
  readonly days: Readonly<Record<Day, DayTotals>>;
  /** What was found in the values of each column of the rows: the day, dimensions and metrics. */
  readonly profiles: readonly ColumnProfile[];
  /** The length of the longest row that the kernel did not take, in bytes. */
  readonly longest: number;
  /** By column: a number that a double would not print with the same digits again. */
  readonly inexact: ReadonlyMap<string, string>;
  /** By column: how values were written that depend on its type. */
  readonly writtenAs: ReadonlyMap<string, ReadonlySet<WrittenAs>>;
  /** For the tests of each row, if there are any. */
  readonly tests: RowTests | undefined;
}

/** The rows of the complete partitions of a unit, by key; undefined for none. */
export type FetchedRows = ReadonlyMap<string, PartitionRows | undefined>;
