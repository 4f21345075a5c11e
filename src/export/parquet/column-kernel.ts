import { type Exports, Kernel } from '../transcode/kernel.ts';
import { COLUMN_KERNEL_CODE } from './column-kernel-code.ts';
import type { ColumnType } from './column-type.ts';

/** What kernel/columns.ts exports besides what every kernel does. */
interface ColumnExports extends Exports, Readonly<Record<(typeof FACTS)[number], WebAssembly.Global>> {
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
  'PROFILES',
  'PROFILE_BYTES',
  'PROFILE_TEXTS',
  'PROFILE_DAYS',
  'PROFILE_FLAGS',
  'PROFILE_NESTED',
  'PROFILE_NUMBERS',
  'PROFILE_WHOLE',
  'PROFILE_SCALE',
  'LEVELS',
  'PACKED',
  'rows',
  'levelsLength',
  'pageLength',
  'packedLength',
  'pageNulls',
  'dictionaryLength',
  'least',
  'greatest',
] as const;

/** What was seen of a column: how many values of each kind, and the most digits of numbers before and behind the point. */
export interface ValueCounts {
  readonly texts: number;
  readonly days: number;
  readonly flags: number;
  readonly nested: number;
  readonly numbers: number;
  readonly whole: number;
  readonly scale: number;
}

/** A page of a column chunk. Its bytes are valid until the next page is made. */
export interface Page {
  readonly levels: Uint8Array;
  /** The values, compressed with Snappy. */
  readonly packed: Uint8Array;
  /** The length of the values before they were compressed. */
  readonly length: number;
  readonly nulls: number;
}

/** A value as it is put into a column by hand: days since 1970, decimals as unscaled integers. */
export type ColumnValue = Uint8Array | bigint | null;

/** A longer row is for the general path. */
export const MAX_COLUMN_ROW_BYTES = 256 * 1024;

/** The fast path to Parquet, in WebAssembly: it looks at rows of known shapes, or takes them into columns and makes pages of these. */
export class ColumnKernel extends Kernel {
  readonly #fact: (name: (typeof FACTS)[number]) => number;
  readonly #view: DataView;

  /** Throws WebAssembly.CompileError where the processor has no SIMD, RangeError where memory has no room for it. */
  constructor() {
    super(COLUMN_KERNEL_CODE);
    this.#fact = name => Number(this.#columns[name].value);
    this.#view = new DataView(this.bytes.buffer);
  }

  get #columns(): ColumnExports {
    return this.exports as ColumnExports;
  }

  /** How many columns it takes at most. */
  get maxColumns(): number {
    return this.#fact('MAX_FIELDS');
  }

  /** Rows that `profileRows` looked at last, or that the group has. */
  get rows(): number {
    return this.#fact('rows');
  }

  beginProfile(columns: number): void {
    this.#columns.beginProfile(columns);
  }

  /** Looks at as many rows as it can from `at` on. Returns where the last of them ends, or -1. */
  profileRows(at: number): number {
    return this.#columns.profileRows(at, this.inputLength);
  }

  /** What was seen of a column since `beginProfile`. */
  countsOf(column: number): ValueCounts {
    const at = this.#fact('PROFILES') + column * this.#fact('PROFILE_BYTES');
    const count = (place: (typeof FACTS)[number]) =>
      Number(this.#view.getBigInt64(at + this.#fact(place), true));
    const digits = (place: (typeof FACTS)[number]) => this.#view.getInt32(at + this.#fact(place), true);
    return {
      texts: count('PROFILE_TEXTS'),
      days: count('PROFILE_DAYS'),
      flags: count('PROFILE_FLAGS'),
      nested: count('PROFILE_NESTED'),
      numbers: count('PROFILE_NUMBERS'),
      whole: digits('PROFILE_WHOLE'),
      scale: digits('PROFILE_SCALE'),
    };
  }

  /** Begins to take rows into columns of these types, of which it must take all. */
  beginColumns(types: readonly ColumnType[]): void {
    this.#columns.beginColumns(types.length);
    for (const [column, type] of types.entries())
      this.#columns.setColumn(column, this.#kindOf(type), type.kind === 'decimal' ? type.scale : 0);
  }

  /** Forgets the rows of the group. */
  beginGroup(): void {
    this.#columns.beginGroup();
  }

  /** Whether the next row may not fit into the group. */
  get isGroupFull(): boolean {
    return this.#columns.isGroupFull() !== 0;
  }

  /** Takes as many rows as it can from `at` on. Returns where the last of them ends, or -1. */
  takeIntoColumns(at: number): number {
    return this.#columns.takeRows(at, this.inputLength);
  }

  /** Takes a row value by value; the group must have room. */
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

  /** Begins to write a column of the group. Returns how many values its dictionary has; 0 without one. */
  beginColumn(column: number): number {
    this.#columns.beginColumn(column);
    return this.#fact('dictionaryLength');
  }

  /** The least and the greatest value of the column that was begun; it must have one. */
  bounds(isText: boolean): readonly [ColumnValue, ColumnValue] {
    const { least, greatest } = this.#columns;
    const [from, to] = [BigInt(least.value), BigInt(greatest.value)];
    return isText ? [this.#textAt(Number(from)), this.#textAt(Number(to))] : [from, to];
  }

  dictionaryPage(column: number): Page {
    this.#columns.makeDictionaryPage(column);
    return this.#page();
  }

  /** Makes the page that begins with the row `from` of the group. Returns the first row behind it. */
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

let shared: ColumnKernel | undefined;
let isTried = false;

/** The process's column kernel; undefined where the processor has no SIMD, or memory no room for it. */
export function columnKernel(): ColumnKernel | undefined {
  if (isTried) return shared;
  isTried = true;
  try {
    shared = new ColumnKernel();
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError || error instanceof RangeError)) throw error;
  }
  return shared;
}
