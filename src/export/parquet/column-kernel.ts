import { createdOnce, type Exports, Kernel } from '../transcode/kernel.ts';
import { COLUMN_KERNEL_CODE } from './column-kernel-code.ts';
import type { ColumnType } from './column-type.ts';
import { countsOf, type ProfilePlaces, type ValueCounts } from './value-counts.ts';

/** The exports of kernel/columns.ts in addition to those of every kernel. */
interface ColumnExports
  extends Exports,
    ProfilePlaces,
    Readonly<Record<(typeof FACTS)[number], WebAssembly.Global>> {
  beginProfile(columns: number): void;
  profileRows(at: number, length: number): number;
  beginColumns(columns: number): number;
  setColumn(column: number, type: number, scale: number): void;
  beginGroup(): void;
  isGroupFull(): number;
  takeRows(at: number, length: number): number;
  putText(column: number, length: number): void;
  putNumber(column: number, value: bigint): void;
  putNull(column: number): void;
  endRow(): void;
  beginColumn(column: number): void;
  makeDictionaryPage(column: number): void;
  makePage(column: number, from: number): number;
}

const FACTS = [
  'TEXT',
  'FLAG',
  'DAY',
  'NUMBER',
  'MAX_FIELDS',
  'OUTPUT',
  'LEVELS',
  'PACKED',
  'profiledRows',
  'rows',
  'levelsLength',
  'pageLength',
  'packedLength',
  'pageNulls',
  'dictionaryLength',
  'least',
  'greatest',
] as const;

/** A page of a column chunk. Its bytes are valid until the next page is made. */
export interface Page {
  readonly levels: Uint8Array;
  /** The values, compressed with Snappy. */
  readonly packed: Uint8Array;
  /** The length of the uncompressed values. */
  readonly length: number;
  readonly nulls: number;
}

/** A value for `putRow`: days since 1970, decimals as unscaled integers. */
export type ColumnValue = Uint8Array | bigint | null;

/** Longer rows take the general path. */
export const MAX_COLUMN_ROW_BYTES = 256 * 1024;

/**
 * The fast path to Parquet, in WebAssembly: profiles rows of known shapes, or collects them in columns and encodes pages of
 * these.
 */
export class ColumnKernel extends Kernel {
  readonly #fact: (name: (typeof FACTS)[number]) => number;
  readonly #view: DataView;

  /** Throws WebAssembly.CompileError on a processor without SIMD, RangeError without enough memory. */
  constructor() {
    super(COLUMN_KERNEL_CODE);
    this.#fact = name => Number(this.#columns[name].value);
    this.#view = new DataView(this.bytes.buffer);
  }

  get #columns(): ColumnExports {
    return this.exports as ColumnExports;
  }

  /** Maximum number of columns. */
  get maxColumns(): number {
    return this.#fact('MAX_FIELDS');
  }

  /** Number of rows that `profileRows` examined last. */
  get profiledRows(): number {
    return this.#fact('profiledRows');
  }

  /** Number of rows in the group. */
  get rows(): number {
    return this.#fact('rows');
  }

  beginProfile(columns: number): void {
    this.#columns.beginProfile(columns);
  }

  /** Examines as many rows as possible from `at` on. Returns the end of the last one, or -1. */
  profileRows(at: number): number {
    return this.#columns.profileRows(at, this.inputLength);
  }

  /** The counts of a column since `beginProfile`. */
  countsOf(column: number): ValueCounts {
    return countsOf(this.#columns, this.#view, column);
  }

  /** Starts collecting rows in columns of these types, which must all be supported. */
  beginColumns(types: readonly ColumnType[]): void {
    this.#columns.beginColumns(types.length);
    for (const [column, type] of types.entries())
      this.#columns.setColumn(column, this.#kindOf(type), type.kind === 'decimal' ? type.scale : 0);
  }

  /** Discards the rows of the group. */
  beginGroup(): void {
    this.#columns.beginGroup();
  }

  /** Whether the next row may not fit into the group. */
  get isGroupFull(): boolean {
    return this.#columns.isGroupFull() !== 0;
  }

  /** Adds as many rows as possible from `at` on. Returns the end of the last one, or -1. */
  takeIntoColumns(at: number): number {
    return this.#columns.takeRows(at, this.inputLength);
  }

  /** Adds a row value by value; the group must have room. */
  putRow(values: readonly ColumnValue[]): void {
    const columns = this.#columns;
    const output = this.#fact('OUTPUT');
    for (const [column, value] of values.entries()) {
      if (value === null) columns.putNull(column);
      else if (typeof value === 'bigint') columns.putNumber(column, value);
      else {
        this.bytes.set(value, output);
        columns.putText(column, value.length);
      }
    }
    columns.endRow();
  }

  /** Starts encoding a column of the group. Returns the size of its dictionary; 0 without one. */
  beginColumn(column: number): number {
    this.#columns.beginColumn(column);
    return this.#fact('dictionaryLength');
  }

  /** The minimum and maximum of the current column, which must have values. */
  bounds(isText: boolean): readonly [ColumnValue, ColumnValue] {
    const { least, greatest } = this.#columns;
    const [from, to] = [BigInt(least.value), BigInt(greatest.value)];
    return isText ? [this.#textAt(Number(from)), this.#textAt(Number(to))] : [from, to];
  }

  dictionaryPage(column: number): Page {
    this.#columns.makeDictionaryPage(column);
    return this.#page();
  }

  /** Encodes the page that starts with the row `from` of the group. Returns it with the first row after it. */
  page(column: number, from: number): readonly [Page, number] {
    const next = this.#columns.makePage(column, from);
    return [this.#page(), next];
  }

  #page(): Page {
    const [levels, packed] = [this.#fact('LEVELS'), this.#fact('PACKED')];
    return {
      levels: this.bytes.subarray(levels, levels + this.#fact('levelsLength')),
      packed: this.bytes.subarray(packed, packed + this.#fact('packedLength')),
      length: this.#fact('pageLength'),
      nulls: this.#fact('pageNulls'),
    };
  }

  #kindOf({ kind }: ColumnType): number {
    switch (kind) {
      case 'text':
        return this.#fact('TEXT');
      case 'flag':
        return this.#fact('FLAG');
      case 'day':
        return this.#fact('DAY');
      default:
        return this.#fact('NUMBER');
    }
  }

  #textAt(at: number): Uint8Array {
    const from = at + 4;
    return this.bytes.slice(from, from + this.#view.getUint32(at, true));
  }
}

const columnKernel = createdOnce(() => new ColumnKernel());

/** The last use of the kernel. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` with the column kernel of this process, after all uses that began earlier, because it holds one file at a time. The
 * kernel is undefined on a processor without SIMD, or without enough memory.
 */
export async function withColumnKernel<Value>(
  work: (kernel: ColumnKernel | undefined) => Promise<Value>,
): Promise<Value> {
  const turn = latest.then(() => work(columnKernel()));
  latest = turn.catch(() => {});
  return await turn;
}
