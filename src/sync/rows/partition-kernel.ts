import { countsOf, type ProfilePlaces, type ValueCounts } from '../../export/parquet/value-counts.ts';
import { createdOnce, type Exports, Kernel } from '../../export/transcode/kernel.ts';
import { PARTITION_KERNEL_CODE } from './partition-kernel-code.ts';
import type { RowForm } from './row-writer.ts';

/** The exports of kernel/partitions.ts in addition to those of every kernel. */
interface PartitionExports extends Exports, ProfilePlaces {
  readonly INPUT: WebAssembly.Global;
  readonly SITE: WebAssembly.Global;
  readonly MAX_SITE_BYTES: WebAssembly.Global;
  readonly DAY_TEXT: WebAssembly.Global;
  readonly SUMS: WebAssembly.Global;
  readonly SUM_SCALES: WebAssembly.Global;
  readonly SUM_VALUES: WebAssembly.Global;
  readonly SUM_BYTES: WebAssembly.Global;
  readonly dividedBytes: WebAssembly.Global;
  readonly dividedRows: WebAssembly.Global;
  readonly otherDay: WebAssembly.Global;
  setDivision(columns: number, firstMetric: number, form: number, siteLength: number): void;
  beginProfiles(): void;
  beginSums(): void;
  divideRows(at: number, length: number, most: number): number;
}

/** What a division writes, and in which columns. */
export interface Division {
  readonly form: RowForm;
  /** The number of columns; the first one is the day. */
  readonly columns: number;
  /** The columns from this one on are metrics. */
  readonly firstMetric: number;
  /** The columns of the site: cells before a line, or members behind those of a row. */
  readonly site: Uint8Array;
}

/** A sum, as an integer in units of `10 ** -scale`. */
type ScaledSum = readonly [unscaled: bigint, scale: number];

/** Who divides rows with the kernel. */
interface KernelHolder {
  readonly division: Division;
  /** The current day as a JSON string of the form `"YYYY-MM-DD"`. */
  readonly dayBytes: Uint8Array;
  /** Takes what the kernel counted, before another one holds it. */
  settle(): void;
}

const MAX_INT32 = 2 ** 31 - 1;

/** The fast path to partitions, in WebAssembly: takes rows of known shapes that are all of one day, and counts for one holder at a time. */
export class PartitionKernel extends Kernel {
  readonly #view: DataView;
  #holder: KernelHolder | undefined;

  /** Throws WebAssembly.CompileError on a processor without SIMD, RangeError without enough memory. */
  constructor() {
    super(PARTITION_KERNEL_CODE);
    this.#view = new DataView(this.bytes.buffer);
  }

  get #own(): PartitionExports {
    return this.exports as PartitionExports;
  }

  /** Whether there is room for the columns of the site. */
  hasRoomForSite(site: Uint8Array): boolean {
    return site.length <= this.#own.MAX_SITE_BYTES.value;
  }

  isHeldBy(holder: KernelHolder): boolean {
    return this.#holder === holder;
  }

  /** Takes rows for `holder`, and counts from zero, unless it does so already. */
  hold(holder: KernelHolder): void {
    if (this.#holder === holder) return;
    this.#holder?.settle();
    this.#holder = holder;
    this.#begin(holder.division);
    this.setDay(holder.dayBytes);
  }

  /** Drops what was counted for `holder`. */
  release(holder: KernelHolder): void {
    if (this.#holder === holder) this.#holder = undefined;
  }

  #begin({ form, columns, firstMetric, site }: Division): void {
    const own = this.#own;
    const { CSV, TSV, JSON_ROWS } = own;
    this.bytes.set(site, own.SITE.value);
    const number = { csv: CSV, tsv: TSV, json: JSON_ROWS }[form].value;
    own.setDivision(columns, firstMetric, number, site.length);
    own.beginProfiles();
    own.beginSums();
  }

  /** Sets the current day, a JSON string of the form `"YYYY-MM-DD"`. */
  setDay(text: Uint8Array): void {
    this.bytes.set(text, this.#own.DAY_TEXT.value);
  }

  /** Takes as many rows of the current day as possible from `at` on, at most `most`. Returns the end of the last one, or -1. */
  divide(at: number, most: number): number {
    return this.#own.divideRows(at, this.inputLength, Math.min(most, MAX_INT32));
  }

  /** The text that is being read. */
  get text(): DataView {
    return new DataView(this.bytes.buffer, this.#own.INPUT.value, this.inputLength);
  }

  /** The number of rows that `divide` took last. */
  get rows(): number {
    return this.#own.dividedRows.value;
  }

  /** The rows that `divide` took last, as text. */
  get divided(): Uint8Array {
    const at = this.#own.OUTPUT.value;
    return this.bytes.subarray(at, at + this.#own.dividedBytes.value);
  }

  /** Where the day of the row after these is, if it is another one; otherwise -1. */
  get otherDay(): number {
    return this.#own.otherDay.value;
  }

  /** The sums of a metric since the last `beginSums`. */
  sumsOf(metric: number): readonly ScaledSum[] {
    const { SUMS, SUM_BYTES, SUM_SCALES, SUM_VALUES } = this.#own;
    const at = SUMS.value + metric * SUM_BYTES.value;
    const sums: ScaledSum[] = [];
    let scales = this.#view.getInt32(at + SUM_SCALES.value, true);
    for (let scale = 0; scales !== 0; scale++, scales >>= 1)
      if ((scales & 1) !== 0)
        sums.push([this.#view.getBigInt64(at + SUM_VALUES.value + 8 * scale, true), scale]);
    return sums;
  }

  beginSums(): void {
    this.#own.beginSums();
  }

  /** The counts of a column since the last `beginProfiles`. */
  countsOf(column: number): ValueCounts {
    return countsOf(this.#own, this.#view, column);
  }

  beginProfiles(): void {
    this.#own.beginProfiles();
  }
}

/** The partition kernel of this process, if there can be one. */
export const partitionKernel = createdOnce(() => new PartitionKernel());
