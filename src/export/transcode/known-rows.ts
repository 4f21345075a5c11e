import type { ByteBuffer } from './byte-buffer.ts';
import type { Layout } from './columns.ts';
import { type Kernel, type KernelFormat, sharedKernel } from './kernel.ts';
import { MAX_LEFT_BYTES } from './response-reader.ts';
import type { Row } from './row.ts';
import { RowShape } from './row-shape.ts';

const NOTHING = new Uint8Array(0);
const NO_FINGERPRINTS = new Int32Array(0);

/**
 * The shapes of the latest rows, and how their fields are laid out in columns. Most answers have one; those that leave out
 * empty fields have a few. Rows of these shapes are read, and written, by the kernel; without one no row is known, and none has a
 * fingerprint.
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
  /** The shape that gives way next. */
  #oldest = 0;

  /** `format`: how rows are written; left out where they are only read. `kernel`: undefined where there is none. */
  constructor(format?: KernelFormat, namesArrays = false, kernel: Kernel | undefined = sharedKernel()) {
    this.#kernel = kernel;
    this.#format = format;
    this.#namesArrays = namesArrays;
  }

  /**
   * Takes text, as much at a time as the kernel takes. `use` gets it to read, with what was left of the text before in front, and
   * calls `read` and `write` about it; it returns how much it read, all but {@link MAX_LEFT_BYTES} at least.
   */
  eachText(text: Uint8Array, use: (text: DataView) => number): void {
    const kernel = this.#kernel;
    if (kernel === undefined) {
      use(new DataView(text.buffer, text.byteOffset, text.byteLength));
      return;
    }
    const most = kernel.maxText - MAX_LEFT_BYTES;
    for (let at = 0; at < text.length; at += most) this.#give(kernel, text.subarray(at, at + most), use);
  }

  /** Gives what is left of the text, if anything, for the last time. */
  lastText(use: (text: DataView) => number): void {
    if (this.#kernel !== undefined && this.#left.length > 0) this.#give(this.#kernel, NOTHING, use);
    this.#left = NOTHING;
  }

  /** Reads the row at `at` into `row` and returns its layout; undefined when its shape is not known. */
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

  /** The fingerprints of the rows that were written last, or of the one that `fingerprint` was asked for; two numbers each. */
  get fingerprints(): Int32Array {
    return this.#kernel?.fingerprints ?? NO_FINGERPRINTS;
  }

  /** Makes the fingerprint of a row, whatever its shape. */
  fingerprint({ text, from, to }: Row): void {
    this.#kernel?.fingerprint(text, from, to);
  }

  /**
   * Writes the row at `at`, and all known ones that follow with a comma between, behind what `out` has; `onRows` hears how many
   * there were of each layout. Returns where the last of them ends; -1 when the first can't be written like this.
   */
  write(at: number, out: ByteBuffer, onRows: (layout: Layout, rows: number) => void): number {
    const kernel = this.#kernel;
    const end = kernel?.write(at) ?? -1;
    if (kernel === undefined || end === -1) return -1;
    out.append(kernel.output);
    for (const [index, { layout }] of this.#shapes.entries()) {
      const rows = kernel.takeRows(index);
      if (rows > 0) onRows(layout, rows);
    }
    return end;
  }

  /** Remembers what a row is like that was split, if the kernel has room for it. */
  learn(row: Row, layout: Layout): void {
    const kernel = this.#kernel;
    if (kernel === undefined) return;
    const shape = new RowShape(row, layout);
    if (!kernel.hasRoomFor(shape) || this.#shapes.some(known => known.equals(shape))) return;
    const index = this.#oldest;
    this.#oldest = (index + 1) % kernel.maxShapes;
    this.#shapes[index] = shape;
    this.#latest = index;
    // Another's shapes stay what they are: ours are told with the next text.
    if (kernel.user !== this) return;
    this.#tell(kernel, index);
    kernel.setShapes(this.#shapes.length, index);
  }

  #give(kernel: Kernel, text: Uint8Array, use: (text: DataView) => number): void {
    if (kernel.user !== this) {
      kernel.user = this;
      if (this.#format !== undefined) kernel.setFormat(this.#format);
      for (const index of this.#shapes.keys()) this.#tell(kernel, index);
      kernel.setShapes(this.#shapes.length, this.#latest);
    }
    this.#text = kernel.setText(this.#left, text);
    const read = use(this.#text);
    // The kernel's memory may be another's when the rest comes.
    this.#left = kernel.textFrom(read);
  }

  #tell(kernel: Kernel, index: number): void {
    const shape = this.#shapes[index];
    if (shape === undefined) return;
    kernel.setShape(index, shape, shape.isArray && this.#namesArrays);
  }
}
