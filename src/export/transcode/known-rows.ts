import type { ByteBuffer } from './byte-buffer.ts';
import type { Layout } from './columns.ts';
import { type Kernel, type KernelFormat, sharedKernel } from './kernel.ts';
import { MAX_UNREAD_BYTES } from './response-reader.ts';
import type { Row } from './row.ts';
import { RowShape } from './row-shape.ts';

const FIRST_CAPACITY = 1024;
const NOTHING = new Uint8Array(0);
const NO_FINGERPRINTS = new Int32Array(0);

/**
 * The shapes of recent rows, with the layout of their fields in columns. Most responses have one shape; those that omit empty fields
 * have a few. The kernel reads and writes rows of known shapes; without a kernel no shape is known, and rows have no fingerprints.
 */
export class KnownRows {
  readonly #kernel: Kernel | undefined;
  readonly #format: KernelFormat | undefined;
  /** Whether arrays become objects in JSON. */
  readonly #namesArrays: boolean;
  readonly #shapes: RowShape[] = [];
  #text: DataView = new DataView(new ArrayBuffer(0));
  #left: Uint8Array = NOTHING;
  #latest = 0;
  /** The index of the shape to replace next. */
  #oldest = 0;

  /** `format`: how rows are written; omitted if they are only read. `kernel`: undefined if there is none. */
  constructor(format?: KernelFormat, namesArrays = false, kernel: Kernel | undefined = sharedKernel()) {
    this.#kernel = kernel;
    this.#format = format;
    this.#namesArrays = namesArrays;
  }

  /**
   * Passes text to `use` in parts that fit the kernel, each after the unread rest of the previous one. `use` calls `read` and `write`
   * and returns the number of bytes it read, leaving at most {@link MAX_UNREAD_BYTES}.
   */
  eachText(text: Uint8Array, use: (text: DataView) => number): void {
    const kernel = this.#kernel;
    if (kernel === undefined) {
      use(new DataView(text.buffer, text.byteOffset, text.byteLength));
      return;
    }
    const most = kernel.maxText - MAX_UNREAD_BYTES;
    for (let at = 0; at < text.length; at += most) this.#pass(kernel, text.subarray(at, at + most), use);
  }

  /** Passes the unread rest of the text, if any. */
  lastText(use: (text: DataView) => number): void {
    if (this.#kernel !== undefined && this.#left.length > 0) this.#pass(this.#kernel, NOTHING, use);
    this.#left = NOTHING;
  }

  /** Reads the row at `at` into `row` and returns its layout; undefined if its shape is unknown. */
  read(at: number, row: Row): Layout | undefined {
    const index = this.#kernel?.read(at, row) ?? -1;
    const shape = this.#shapes[index];
    if (shape === undefined) return undefined;
    this.#latest = index;
    row.text = this.#text;
    row.isArray = shape.isArray;
    row.isCompact &&= shape.isCompact;
    return shape.layout;
  }

  /** The fingerprints, two numbers each, of the rows that the kernel wrote or took last, or of the last call of `fingerprint`. */
  get fingerprints(): Int32Array {
    return this.#kernel?.fingerprints ?? NO_FINGERPRINTS;
  }

  /** Computes the fingerprint of a row of any shape. */
  fingerprint({ text, from, to }: Row): void {
    this.#kernel?.fingerprint(text, from, to);
  }

  /**
   * Appends the row at `at`, and all following rows of known shapes, to `out`. Returns the end of the last row, or -1 if the kernel cannot
   * write the first one.
   */
  write(at: number, out: ByteBuffer): number {
    const kernel = this.#kernel;
    const end = kernel?.write(at) ?? -1;
    if (kernel === undefined || end === -1) return -1;
    out.append(kernel.output);
    return end;
  }

  /** Calls `onRows` with the number of rows per layout that the kernel wrote or took since the last call. */
  countRows(onRows: (layout: Layout, rows: number) => void): void {
    for (const [index, { layout }] of this.#shapes.entries()) {
      const rows = this.#kernel?.takeRows(index) ?? 0;
      if (rows > 0) onRows(layout, rows);
    }
  }

  /** Adds the shape of a row that was split, if the kernel has room for it. */
  learn(row: Row, layout: Layout): void {
    const kernel = this.#kernel;
    if (kernel === undefined) return;
    const shape = new RowShape(row, layout);
    if (!kernel.hasRoomFor(shape) || this.#shapes.some(known => known.equals(shape))) return;
    const index = this.#oldest;
    this.#oldest = (index + 1) % kernel.maxShapes;
    this.#shapes[index] = shape;
    this.#latest = index;
    // While another instance uses the kernel, its shapes stay; ours are set with the next text.
    if (kernel.user !== this) return;
    this.#setShape(kernel, index);
    kernel.setShapes(this.#shapes.length, index);
  }

  #pass(kernel: Kernel, text: Uint8Array, use: (text: DataView) => number): void {
    if (kernel.user !== this) {
      kernel.user = this;
      if (this.#format !== undefined) kernel.setFormat(this.#format);
      for (const index of this.#shapes.keys()) this.#setShape(kernel, index);
      kernel.setShapes(this.#shapes.length, this.#latest);
    }
    this.#text = kernel.setText(this.#left, text);
    const read = use(this.#text);
    // Copied, because another instance may use the kernel's memory meanwhile.
    this.#left = kernel.textFrom(read);
  }

  #setShape(kernel: Kernel, index: number): void {
    const shape = this.#shapes[index];
    if (shape === undefined) return;
    kernel.setShape(index, shape, shape.isArray && this.#namesArrays);
  }
}

/** The fingerprints of the first rows of a page, two numbers each. */
export class Fingerprints {
  readonly #most: number;
  #numbers = new Int32Array(2 * FIRST_CAPACITY);
  #length = 0;

  /** `most`: maximum number of rows. */
  constructor(most: number) {
    this.#most = 2 * most;
  }

  add(fingerprints: Int32Array): void {
    const kept = fingerprints.subarray(0, this.#most - this.#length);
    if (this.#length + kept.length > this.#numbers.length) this.#grow(this.#length + kept.length);
    this.#numbers.set(kept, this.#length);
    this.#length += kept.length;
  }

  /** Returns the fingerprints and resets the list. The result is valid until the next `add`. */
  take(): Int32Array {
    const taken = this.#numbers.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #grow(needed: number): void {
    const longer = new Int32Array(Math.min(this.#most, Math.max(needed, 2 * this.#numbers.length)));
    longer.set(this.#numbers.subarray(0, this.#length));
    this.#numbers = longer;
  }
}
