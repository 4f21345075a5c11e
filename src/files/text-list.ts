import { TextSet } from './text-set.ts';

const BLOCK_BYTES = 1 << 16;

/** Unique texts in insertion order, in memory only: about 40 bytes for each, plus its characters. */
export class TextList implements Iterable<string> {
  readonly #blocks: Buffer[] = [];
  /** Bytes used in the last block. */
  #used = BLOCK_BYTES;
  #starts = new Float64Array(1024);
  #lengths = new Uint16Array(1024);
  readonly #known = new TextSet((index, text) => this.at(index) === text, { maxSize: Infinity });
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a text of at most 65,535 bytes. Returns false for a duplicate. */
  add(text: string): boolean {
    const bytes = Buffer.byteLength(text);
    if (bytes >= BLOCK_BYTES) throw new RangeError('the text is longer than 65,535 bytes');
    if (!this.#known.add(text, this.#size)) return false;
    if (this.#used + bytes > BLOCK_BYTES) {
      this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
      this.#used = 0;
    }
    if (this.#size === this.#starts.length) this.#grow();
    this.#blocks.at(-1)?.write(text, this.#used);
    this.#starts[this.#size] = (this.#blocks.length - 1) * BLOCK_BYTES + this.#used;
    this.#lengths[this.#size] = bytes;
    this.#used += bytes;
    this.#size += 1;
    return true;
  }

  /** The index of a text in the list; undefined if it is not in it. */
  indexOf(text: string): number | undefined {
    return this.#known.find(text);
  }

  /** The text at an index below `size`. */
  at(index: number): string {
    const position = this.#starts[index] ?? 0;
    const start = position % BLOCK_BYTES;
    const block = this.#blocks[Math.floor(position / BLOCK_BYTES)];
    return block?.toString('utf8', start, start + (this.#lengths[index] ?? 0)) ?? '';
  }

  *[Symbol.iterator](): Generator<string> {
    for (let index = 0; index < this.#size; index += 1) yield this.at(index);
  }

  #grow(): void {
    const [starts, lengths] = [this.#starts, this.#lengths];
    this.#starts = new Float64Array(starts.length * 2);
    this.#lengths = new Uint16Array(lengths.length * 2);
    this.#starts.set(starts);
    this.#lengths.set(lengths);
  }
}
