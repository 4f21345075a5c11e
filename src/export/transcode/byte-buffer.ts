const MOST_SPARE = 2;

/**
 * Bytes that are appended to. Writing is unchecked but for the bounds of the memory itself: call `reserve` first, once for all
 * that follows.
 */
export class ByteBuffer {
  /** Bytes written so far. */
  length = 0;
  readonly #firstCapacity: number;
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
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
    this.#use(new Uint8Array(Math.max(needed, this.#bytes.length * 2)));
    this.#bytes.set(written);
  }

  put(byte: number): void {
    this.#view.setUint8(this.length++, byte);
  }

  /** Appends bytes, and makes room for them. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Appends `source[from, to)`. */
  copy(source: DataView, from: number, to: number): void {
    const target = this.#view;
    const shift = this.length - from;
    this.length = to + shift;
    if (to - from < 4) {
      for (let at = from; at < to; at++) target.setUint8(at + shift, source.getUint8(at));
      return;
    }
    const last = to - 4;
    for (let at = from; at < last; at += 4) target.setInt32(at + shift, source.getInt32(at, true), true);
    target.setInt32(last + shift, source.getInt32(last, true), true);
  }

  clear(): void {
    this.length = 0;
  }

  /** Hands out what was written: this buffer goes on with other memory, what was given back by `reuse` first. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.length);
    this.#use(this.#spare.pop() ?? new Uint8Array(this.#firstCapacity));
    this.length = 0;
    return taken;
  }

  /** Takes back memory that `take` handed out and nobody reads any more. */
  reuse(taken: Uint8Array): void {
    if (taken.buffer.byteLength !== this.#firstCapacity || this.#spare.length === MOST_SPARE) return;
    this.#spare.push(new Uint8Array(taken.buffer as ArrayBuffer));
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#view = new DataView(this.#bytes.buffer);
  }
}
