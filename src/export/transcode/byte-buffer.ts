/**
 * Bytes that are appended to. Writing is unchecked but for the bounds of the memory itself: call `reserve` first, once for all
 * that follows.
 */
export class ByteBuffer {
  /** Bytes written so far. */
  length = 0;
  readonly #firstCapacity: number;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;

  constructor(capacity: number) {
    this.#firstCapacity = capacity;
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The memory itself; valid until the next `reserve` or `take`. */
  get view(): DataView {
    return this.#view;
  }

  /** Makes room for `extra` more bytes. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.#bytes.length) return;
    const written = this.#bytes.subarray(0, this.length);
    this.#allocate(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.set(written);
  }

  put(byte: number): void {
    this.#view.setUint8(this.length++, byte);
  }

  /** Appends `source[from, to)`. */
  copy(source: DataView, from: number, to: number): void {
    const target = this.#view;
    let at = from;
    let end = this.length;
    this.length = end + to - from;
    for (; at + 4 <= to; at += 4, end += 4) target.setInt32(end, source.getInt32(at, true), true);
    for (; at < to; at++, end++) target.setUint8(end, source.getUint8(at));
  }

  clear(): void {
    this.length = 0;
  }

  /** Hands out what was written, for good: this buffer goes on with memory of its own. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.length);
    this.#allocate(this.#firstCapacity);
    this.length = 0;
    return taken;
  }

  #allocate(capacity: number): void {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }
}
