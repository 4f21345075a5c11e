import type { Day, DayRange } from '../../apis/bda/days.ts';
import type { RowSink } from '../../export/sink.ts';
import { CLOSE_ARRAY, COMMA, isBlank, OPEN_ARRAY } from '../../export/transcode/ascii.ts';
import type { Layout } from '../../export/transcode/columns.ts';
import type { Row } from '../../export/transcode/row.ts';
import { RowReader } from '../../export/transcode/row-reader.ts';
import type { ColumnNeeds } from '../column-types.ts';
import { DAY_COLUMN, type SyncTable } from '../config.ts';
import { partitionKey } from '../partitions.ts';
import type { SyncDomain } from '../plan.ts';
import { CurrentDay, DAY_BYTES } from './current-day.ts';
import { invalidRows } from './invalid-rows.ts';
import { LineWriter } from './line-writer.ts';
import { ObjectWriter } from './object-writer.ts';
import { type Division, partitionKernel } from './partition-kernel.ts';
import { columnsOfRows, type PartitionRows } from './partition-rows.ts';
import { type Part, Parts } from './parts.ts';
import type { RowForm } from './row-form.ts';
import { RowTaker } from './row-taker.ts';

export interface DividerOptions {
  readonly form: RowForm;
  /** A folder for the files, which exists; they are named after the partitions. */
  readonly folder: string;
  readonly table: SyncTable;
  readonly domain: SyncDomain;
  /** The days that were requested. */
  readonly days: DayRange;
  /** The kinds of columns that the table of the destination has. */
  readonly kinds: ReadonlyMap<string, ColumnNeeds['kind']>;
  /** Where the rows go, as messages name it. */
  readonly target: string;
  /** Rejects texts with the character NUL. */
  readonly rejectsNul: boolean;
  /** Writes lines without the columns of the site. */
  readonly omitsSite: boolean;
}

/** What holds at the end of a page, besides the partitions. */
interface PageEnd {
  readonly day: Day | '';
  readonly problem: Error | undefined;
}

const [OPEN, CLOSE] = [Uint8Array.of(OPEN_ARRAY), Uint8Array.of(CLOSE_ARRAY)];

/**
 * Divides the rows of a unit into its partitions, while they arrive as pages of a JSON array: writes each partition to a file, in one
 * pass that also examines and sums its values. A page that breaks off can be rolled back. Rows that do not fit are reported by `finish`,
 * so that what explains them can be reported instead. Methods throw FileError.
 */
export class RowDivider implements RowSink {
  readonly canTruncate = true;
  readonly releasesChunks = true;
  readonly #table: SyncTable;
  readonly #columns: readonly string[];
  readonly #kernel = partitionKernel();
  readonly #division: Division;
  readonly #isFast: boolean;
  readonly #parts: Parts;
  readonly #day: CurrentDay;
  readonly #rows: RowTaker;
  /** Why the rows cannot be used. */
  #problem: Error | undefined;
  /** The end of the last complete page. */
  #complete: PageEnd = { day: '', problem: undefined };
  /** Reads the current page. */
  #reader: RowReader | undefined;
  #position = 0;

  constructor(options: DividerOptions) {
    const { form, folder, table, days } = options;
    const columns = columnsOfRows(table);
    const firstMetric = columns.length - table.metrics.length;
    const writer =
      form === 'json'
        ? new ObjectWriter({ ...options, columns })
        : new LineWriter(form, { ...options, columns });
    this.#table = table;
    this.#columns = columns;
    this.#division = { form, columns: columns.length, firstMetric, site: writer.site };
    this.#isFast = this.#kernel?.hasRoomForSite(writer.site) === true;
    this.#parts = new Parts({ form, folder, columns: columns.length, metrics: table.metrics.length });
    this.#day = new CurrentDay(table.name, days);
    this.#rows = new RowTaker({ table: table.name, columns, firstMetric, day: this.#day, writer });
  }

  async write(chunk: Uint8Array): Promise<void> {
    let rows = chunk;
    if (this.#reader === undefined) {
      let at = 0;
      while (at < chunk.length && isBetweenRows(chunk[at] as number)) at++;
      rows = chunk.subarray(at);
      if (rows.length === 0) return;
      this.#reader = this.#newReader();
      this.#reader.write(OPEN);
    }
    this.#read(this.#reader, rows);
    this.#position += chunk.length;
    await this.#parts.drain();
  }

  async endPage(): Promise<number> {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) {
      this.#read(reader, CLOSE);
      reader.end();
    }
    await this.#parts.drain();
    await this.#parts.endPage();
    this.#complete = { day: this.#day.value, problem: this.#problem };
    return this.#position;
  }

  async rollback(position: number): Promise<void> {
    const { day, problem } = this.#complete;
    this.#position = position;
    this.#reader = undefined;
    this.#problem = problem;
    await this.#parts.rollback();
    this.#setDay(day);
  }

  /**
   * The partitions with rows, by key, after the last page. Throws InvalidResponseError for rows that are not sorted by day, or lack a
   * day, and for a metric that is no number; and UnrepresentableValueError.
   */
  async finish(): Promise<ReadonlyMap<string, PartitionRows>> {
    if (this.#problem !== undefined) throw this.#problem;
    return await this.#parts.finish();
  }

  /** Closes the files, whatever happened. */
  async close(): Promise<void> {
    await this.#parts.close();
  }

  #newReader(): RowReader {
    const kernel = this.#isFast ? this.#kernel : undefined;
    return new RowReader(
      this.#columns,
      (row, layout) => this.#takeRow(row, layout),
      kernel && { kernel, take: at => this.#takeRows(at) },
    );
  }

  /** Nothing else uses the kernel meanwhile. */
  #read(reader: RowReader, text: Uint8Array): void {
    if (this.#isFast) {
      this.#kernel?.begin(this.#division);
      this.#kernel?.setDay(this.#day.bytes);
    }
    reader.write(text);
    this.#settleProfiles();
  }

  /** Takes as many rows as the kernel can. Returns the end of the last one, or -1. */
  #takeRows(at: number): number {
    const kernel = this.#kernel;
    if (kernel === undefined || this.#problem !== undefined) return -1;
    const end = this.#divide(at);
    if (end !== -1 || kernel.otherDay === -1) return end;
    try {
      this.#beginDay(kernel.text, kernel.otherDay, kernel.otherDay + DAY_BYTES);
    } catch (error) {
      this.#problem = error as Error;
      return -1;
    }
    return this.#divide(at);
  }

  #divide(at: number): number {
    const { kernel, part } = { kernel: this.#kernel, part: this.#parts.current };
    if (kernel === undefined) return -1;
    const end = kernel.divide(at);
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

  #takeRow(row: Row, layout: Layout): void {
    if (this.#problem !== undefined) return;
    try {
      const field = layout.fieldOf[0] as number;
      if (field < 0 || row.isArray) throw invalidRows(`a row of ${this.#table.name} has no ${DAY_COLUMN}`);
      const [from, to] = [row.valueFrom[field] as number, row.valueTo[field] as number];
      if (!this.#day.matches(row.text, from, to)) this.#beginDay(row.text, from, to);
      this.#rows.take(row, layout, this.#parts.current as Part);
    } catch (error) {
      this.#problem = error as Error;
    }
  }

  /** Begins the day that the JSON value `[from, to)` names, and its partition. Throws InvalidResponseError. */
  #beginDay(text: DataView, from: number, to: number): void {
    const day = this.#day.next(text, from, to);
    this.#setDay(day);
    const key = partitionKey(day, this.#table.partition);
    if (this.#parts.current?.key === key) return;
    this.#settleProfiles();
    this.#parts.begin(key);
  }

  #setDay(day: Day | ''): void {
    this.#day.set(day);
    this.#kernel?.setDay(this.#day.bytes);
  }

  /** Adds what the kernel found in values of the current partition. */
  #settleProfiles(): void {
    if (!this.#isFast || this.#kernel === undefined) return;
    for (const [column, profile] of this.#parts.current?.page.profiles.entries() ?? [])
      profile.addCounts(this.#kernel.countsOf(column));
    this.#kernel.beginProfiles();
  }
}

/** Whether a byte may precede a row of a page: the beginning or the end of the array, or what separates rows. */
function isBetweenRows(byte: number): boolean {
  return byte === OPEN_ARRAY || byte === CLOSE_ARRAY || byte === COMMA || isBlank(byte);
}
