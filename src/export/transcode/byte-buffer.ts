const MOST_SPARE = 2;

/** A growing buffer. Writing does not check for room: call `reserve` first, once for all following writes. */
export class ByteBuffer {
  /** Number of bytes written. */
  length = 0;
  readonly #capacity: number;
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;

  /** It has its capacity from the beginning, or once it needs more than a first one. */
  constructor(capacity: number, firstCapacity = capacity) {
    this.#capacity = capacity;
    this.#bytes = new Uint8Array(firstCapacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The memory; valid until the next `reserve` or `take`. */
  get view(): DataView {
    return this.#view;
  }

  /** Makes room for `extra` more bytes. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.#bytes.length) return;
    const written = this.#bytes.subarray(0, this.length);
    this.#use(new Uint8Array(Math.max(needed, this.#bytes.length * 2, this.#capacity)));
    this.#bytes.set(written);
  }

  put(byte: number): void {
    this.#view.setUint8(this.length++, byte);
  }

  /** Appends bytes, making room for them. */
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

  /** Returns the written bytes and continues with other memory, reusing what `reuse` returned. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.length);
    this.#use(this.#spare.pop() ?? new Uint8Array(this.#capacity));
    this.length = 0;
    return taken;
  }

  /** Accepts memory from `take` that is no longer used. */
  reuse(taken: Uint8Array): void {
    if (taken.buffer.byteLength !== this.#capacity || this.#spare.length === MOST_SPARE) return;
    this.#spare.push(new Uint8Array(taken.buffer as ArrayBuffer));
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#view = new DataView(this.#bytes.buffer);
  }
}
