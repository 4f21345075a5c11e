import type { Day, DayRange } from '../../apis/bda/days.ts';
import type { ReceivingSink } from '../../export/sink.ts';
import type { Layout } from '../../export/transcode/columns.ts';
import type { Row } from '../../export/transcode/row.ts';
import { UnrepresentableValueError } from '../../export/unrepresentable-value.ts';
import { columnsOfRows, DAY_COLUMN, type SyncTable } from '../config.ts';
import { hasRowTests } from '../contracts/row-tests.ts';
import { partitionKey } from '../partitions.ts';
import { CurrentDay, DAY_BYTES } from './current-day.ts';
import { invalidRows } from './invalid-rows.ts';
import { LineWriter } from './line-writer.ts';
import { ObjectWriter } from './object-writer.ts';
import { type Division, type PartitionKernel, partitionKernel } from './partition-kernel.ts';
import type { PartitionRows } from './partition-rows.ts';
import { type Part, Parts } from './parts.ts';
import { RowTaker } from './row-taker.ts';
import type { RowForm, RowWriterOptions } from './row-writer.ts';

export interface DividerOptions extends Omit<RowWriterOptions, 'columns'> {
  readonly form: RowForm;
  /** A folder for the files, which exists; they are named after the partitions. */
  readonly folder: string;
  /** The days that were requested. */
  readonly days: DayRange;
}

/** What holds at the end of a page, besides the partitions. */
interface PageEnd {
  readonly day: Day | '';
  readonly problem: Error | undefined;
}

/**
 * Divides the rows of a unit into its partitions, while they are read from pages: writes each partition to a file, in one pass that also
 * examines and sums its values. A page that breaks off can be rolled back. Rows that do not fit are reported by `finish`, so that what
 * explains them can be reported instead; a value that cannot be stored is the problem of its partition alone. Methods throw FileError.
 */
export class RowDivider implements ReceivingSink {
  readonly canTruncate = true;
  readonly kernel: PartitionKernel | undefined;
  readonly division: Division;
  readonly #table: SyncTable;
  readonly #parts: Parts;
  readonly #day: CurrentDay;
  readonly #rows: RowTaker;
  /** Why the rows cannot be used. */
  #problem: Error | undefined;
  /** The end of the last complete page. */
  #complete: PageEnd = { day: '', problem: undefined };

  constructor(options: DividerOptions) {
    const { form, folder, table, days } = options;
    const columns = columnsOfRows(table);
    const firstMetric = columns.length - table.metrics.length;
    const writer =
      form === 'json'
        ? new ObjectWriter({ ...options, columns })
        : new LineWriter(form, { ...options, columns });
    // The kernel takes many rows at once, and passes none of them on.
    const kernel = hasRowTests(table) ? undefined : partitionKernel();
    this.kernel = kernel?.hasRoomForSite(writer.site) === true ? kernel : undefined;
    this.division = { form, columns: columns.length, firstMetric, site: writer.site };
    this.#table = table;
    this.#parts = new Parts({ form, folder, table });
    this.#day = new CurrentDay(table.name, days);
    this.#rows = new RowTaker({ table: table.name, columns, firstMetric, day: this.#day, writer });
  }

  get dayBytes(): Uint8Array {
    return this.#day.bytes;
  }

  takeKnown(at: number, most: number): number {
    const { kernel } = this;
    if (kernel === undefined || this.#problem !== undefined) return -1;
    kernel.hold(this);
    const end = this.#divide(kernel, at, most);
    if (end !== -1 || kernel.otherDay === -1) return end;
    try {
      this.#beginDay(kernel.text, kernel.otherDay, kernel.otherDay + DAY_BYTES);
    } catch (error) {
      this.#problem = error as Error;
      return -1;
    }
    return this.#divide(kernel, at, most);
  }

  #divide(kernel: PartitionKernel, at: number, most: number): number {
    const part = this.#parts.current;
    const end = kernel.divide(at, most);
    if (end === -1 || part === undefined) return -1;
    part.file.pending.append(kernel.divided);
    const day = part.page.day(this.#day.value);
    day.rows += kernel.rows;
    part.page.rows += kernel.rows;
    for (const [metric, sum] of day.sums.entries())
      for (const [unscaled, scale] of kernel.sumsOf(metric)) sum.addUnscaled(unscaled, scale);
    kernel.beginSums();
    return end;
  }

  take(row: Row, layout: Layout): void {
    if (this.#problem !== undefined) return;
    try {
      const field = layout.fieldOf[0] as number;
      if (field < 0) throw invalidRows(`a row of ${this.#table.name} has no ${DAY_COLUMN}`);
      const [from, to] = [row.valueFrom[field] as number, row.valueTo[field] as number];
      if (!this.#day.matches(row.text, from, to)) this.#beginDay(row.text, from, to);
    } catch (error) {
      this.#problem = error as Error;
      return;
    }
    const part = this.#parts.current as Part;
    try {
      this.#rows.take(row, layout, part);
    } catch (error) {
      if (!(error instanceof UnrepresentableValueError)) throw error;
      part.page.problem ??= error;
    }
  }

  async drain(): Promise<void> {
    await this.#parts.drain();
  }

  async endPage(): Promise<number> {
    this.settle();
    await this.#parts.drain();
    await this.#parts.endPage();
    this.#complete = { day: this.#day.value, problem: this.#problem };
    return 0;
  }

  async rollback(): Promise<void> {
    const { day, problem } = this.#complete;
    this.#problem = problem;
    this.kernel?.release(this);
    await this.#parts.rollback();
    this.#day.set(day);
  }

  /**
   * The partitions with rows, by key, after the last page. Throws InvalidResponseError for rows that are not sorted by day, or lack a
   * day.
   */
  async finish(): Promise<ReadonlyMap<string, PartitionRows>> {
    if (this.#problem !== undefined) throw this.#problem;
    return await this.#parts.finish();
  }

  /** Closes the files, whatever happened. */
  async close(): Promise<void> {
    this.kernel?.release(this);
    await this.#parts.close();
  }

  /** Adds what the kernel found in values of the current partition. */
  settle(): void {
    const { kernel } = this;
    if (kernel?.isHeldBy(this) !== true) return;
    for (const [column, profile] of this.#parts.current?.page.profiles.entries() ?? [])
      profile.addCounts(kernel.countsOf(column));
    kernel.beginProfiles();
  }

  /** Begins the day that the JSON value `[from, to)` names, and its partition. Throws InvalidResponseError. */
  #beginDay(text: DataView, from: number, to: number): void {
    const day = this.#day.next(text, from, to);
    this.#day.set(day);
    if (this.kernel?.isHeldBy(this) === true) this.kernel.setDay(this.#day.bytes);
    const key = partitionKey(day, this.#table.partition);
    if (this.#parts.current?.key === key) return;
    this.settle();
    this.#parts.begin(key);
  }
}
