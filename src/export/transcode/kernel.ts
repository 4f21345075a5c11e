import { KERNEL_CODE } from './kernel-code.ts';
import type { Row } from './row.ts';
import type { RowShape } from './row-shape.ts';

/** How the kernel writes rows. A RowEncoder writes the rows that the kernel cannot, with equal results. */
export interface KernelFormat {
  /** `csv-disarmed` is csv with formulas disarmed. */
  readonly kind: 'csv' | 'csv-disarmed' | 'tsv' | 'json';
  /** The byte between cells. */
  readonly delimiter?: number;
  /** At most four ASCII characters before each row; json only. */
  readonly before: string;
  /** At most four ASCII characters after each row. */
  readonly behind: string;
}

/** The exports of kernel/known-rows.ts, and the memory layout of kernel/memory.ts. */
export interface Exports extends Readonly<Record<(typeof PLACES)[number], WebAssembly.Global>> {
  readonly memory: WebAssembly.Memory;
  readonly written: WebAssembly.Global;
  readonly rowsWritten: WebAssembly.Global;
  setFormat(
    kind: number,
    delimiter: number,
    before: number,
    beforeLength: number,
    behind: number,
    behindLength: number,
  ): void;
  setShapes(count: number, first: number): void;
  latestShape(): number;
  hasNested(): number;
  readRow(at: number, length: number): number;
  writeRows(at: number, length: number): number;
  beginFingerprint(): void;
  addToFingerprint(from: number, to: number): void;
  endFingerprint(): void;
}

const PLACES = [
  'MAX_SHAPES',
  'MAX_FIELDS',
  'MAX_STRETCHES_TEXT',
  'SHAPES',
  'SHAPE_BYTES',
  'SHAPE_FIELDS',
  'SHAPE_COLUMNS',
  'SHAPE_WAY',
  'SHAPE_ROWS',
  'SHAPE_LENGTHS',
  'SHAPE_FIELD_OF',
  'SHAPE_TEXT',
  'SPANS',
  'SPAN_BYTES',
  'FINGERPRINTS',
  'INPUT',
  'INPUT_BYTES',
  'OUTPUT',
  'CSV',
  'CSV_DISARMED',
  'TSV',
  'JSON_ROWS',
  'LEFT_TO_OTHERS',
  'COPIED',
  'COMPACTED',
] as const;

type Place = (typeof PLACES)[number];

/**
 * The fast path, in WebAssembly: reads and writes rows of known shapes. One instance serves the process, because it is used for
 * one chunk at a time; a user sets its state again if another used it meanwhile.
 */
export class Kernel {
  protected readonly exports: Exports;
  readonly #places: Readonly<Record<Place, number>>;
  protected readonly bytes: Uint8Array;
  readonly #view: DataView;
  protected inputLength = 0;
  /** The last user. */
  user: object | undefined;

  constructor(code = KERNEL_CODE) {
    const module = new WebAssembly.Module(Buffer.from(code, 'base64'));
    this.exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.#places = Object.fromEntries(PLACES.map(place => [place, this.exports[place].value])) as Record<
      Place,
      number
    >;
    this.bytes = new Uint8Array(this.exports.memory.buffer);
    this.#view = new DataView(this.exports.memory.buffer);
  }

  /** Maximum number of shapes. */
  get maxShapes(): number {
    return this.#places.MAX_SHAPES;
  }

  /** Maximum number of bytes of `setText`. */
  get maxText(): number {
    return this.#places.INPUT_BYTES;
  }

  /** Whether there is room for a shape. */
  hasRoomFor({ lengths, text, layout }: RowShape): boolean {
    const { MAX_FIELDS, MAX_STRETCHES_TEXT } = this.#places;
    return (
      lengths.length <= MAX_FIELDS && layout.fieldOf.length <= MAX_FIELDS && text.length <= MAX_STRETCHES_TEXT
    );
  }

  /** Sets the text to read, given in two parts; returns it in the kernel's memory, valid until the next text. */
  setText(beginning: Uint8Array, rest: Uint8Array): DataView {
    const { INPUT } = this.#places;
    this.bytes.set(beginning, INPUT);
    this.bytes.set(rest, INPUT + beginning.length);
    this.inputLength = beginning.length + rest.length;
    return new DataView(this.bytes.buffer, INPUT, this.inputLength);
  }

  /** A copy of the text from `at` on. */
  textFrom(at: number): Uint8Array {
    const { INPUT } = this.#places;
    return this.bytes.slice(INPUT + at, INPUT + this.inputLength);
  }

  setFormat({ kind, delimiter = 0, before, behind }: KernelFormat): void {
    const { CSV, CSV_DISARMED, TSV, JSON_ROWS } = this.#places;
    const number = { csv: CSV, 'csv-disarmed': CSV_DISARMED, tsv: TSV, json: JSON_ROWS }[kind];
    this.exports.setFormat(number, delimiter, wordOf(before), before.length, wordOf(behind), behind.length);
  }

  /** Sets the number of shapes, and which to try first. */
  setShapes(count: number, first: number): void {
    this.exports.setShapes(count, first);
  }

  /** `leavesJson`: leave rows of this shape to the encoder if the output is JSON. */
  setShape(index: number, { lengths, text, layout, isCompact }: RowShape, leavesJson: boolean): void {
    const places = this.#places;
    const way = leavesJson ? places.LEFT_TO_OTHERS : isCompact ? places.COPIED : places.COMPACTED;
    const at = this.#shapeAt(index);
    this.#view.setInt32(at + places.SHAPE_FIELDS, lengths.length - 1, true);
    this.#view.setInt32(at + places.SHAPE_COLUMNS, layout.fieldOf.length, true);
    this.#view.setInt32(at + places.SHAPE_WAY, way, true);
    this.#view.setInt32(at + places.SHAPE_ROWS, 0, true);
    this.#setNumbers(at + places.SHAPE_LENGTHS, lengths);
    this.#setNumbers(at + places.SHAPE_FIELD_OF, layout.fieldOf);
    this.bytes.set(text, at + places.SHAPE_TEXT);
  }

  /** The number of rows of a shape that were written since the last call. */
  takeRows(index: number): number {
    const at = this.#shapeAt(index) + this.#places.SHAPE_ROWS;
    const rows = this.#view.getInt32(at, true);
    this.#view.setInt32(at, 0, true);
    return rows;
  }

  /** Reads the row at `at` into `row`, except for what its shape determines. Returns the index of the shape, or -1. */
  read(at: number, row: Row): number {
    const end = this.exports.readRow(at, this.inputLength);
    if (end === -1) return -1;
    const { INPUT, SPANS, SPAN_BYTES, SHAPE_FIELDS } = this.#places;
    const shape = this.exports.latestShape();
    const fields = this.#view.getInt32(this.#shapeAt(shape) + SHAPE_FIELDS, true);
    row.begin(fields);
    for (let field = 0, span = SPANS; field < fields; field++, span += SPAN_BYTES) {
      row.valueFrom[field] = this.#view.getInt32(span, true) - INPUT;
      row.valueTo[field] = this.#view.getInt32(span + 4, true) - INPUT;
    }
    row.from = at;
    row.to = end;
    row.isCompact = this.exports.hasNested() === 0;
    return shape;
  }

  /** Writes as many rows as possible from `at` on; `output` returns them. Returns the end of the last one, or -1. */
  write(at: number): number {
    return this.exports.writeRows(at, this.inputLength);
  }

  /** The output of the last `write`. */
  get output(): Uint8Array {
    const { OUTPUT } = this.#places;
    return this.bytes.subarray(OUTPUT, OUTPUT + this.exports.written.value);
  }

  /** The fingerprints of the rows of the last `write`, two numbers each. Valid until the next one. */
  get fingerprints(): Int32Array {
    const { buffer } = this.bytes;
    return new Int32Array(buffer, this.#places.FINGERPRINTS, 2 * this.exports.rowsWritten.value);
  }

  /** Computes the fingerprint of any text; `fingerprints` returns it. */
  fingerprint(text: DataView, from: number, to: number): void {
    const { OUTPUT, INPUT_BYTES } = this.#places;
    const bytes = new Uint8Array(text.buffer, text.byteOffset + from, to - from);
    this.exports.beginFingerprint();
    for (let at = 0; at < bytes.length; at += INPUT_BYTES) {
      const piece = bytes.subarray(at, at + INPUT_BYTES);
      this.bytes.set(piece, OUTPUT);
      this.exports.addToFingerprint(OUTPUT, OUTPUT + piece.length);
    }
    this.exports.endFingerprint();
  }

  #shapeAt(index: number): number {
    return this.#places.SHAPES + index * this.#places.SHAPE_BYTES;
  }

  #setNumbers(at: number, numbers: Int32Array): void {
    for (const [index, number] of numbers.entries()) this.#view.setInt32(at + 4 * index, number, true);
  }
}

/** Gives a kernel that is created on first use; undefined on a processor without SIMD, or without enough memory. */
export function createdOnce<Created>(create: () => Created): () => Created | undefined {
  let created: Created | undefined;
  let isTried = false;
  return () => {
    if (isTried) return created;
    isTried = true;
    try {
      created = create();
    } catch (error) {
      if (!(error instanceof WebAssembly.CompileError || error instanceof RangeError)) throw error;
    }
    return created;
  };
}

/** The kernel of this process, if there can be one. */
export const sharedKernel = createdOnce(() => new Kernel());

/** ASCII characters as a little-endian word. */
function wordOf(text: string): number {
  return Buffer.from(text.padEnd(4, '\0'), 'latin1').readInt32LE();
}
