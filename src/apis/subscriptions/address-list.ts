import { TextSet } from '../../files/text-set.ts';

const BLOCK_BYTES = 1 << 16;
const LINE_FEED = 0x0a;

/**
 * E-mail addresses in the order in which they are added, each once. They are stored as bytes in memory, some 60 for an address
 * with what finds repeats, and never on the disk.
 */
export class AddressList implements Iterable<string> {
  readonly #blocks: Buffer[] = [];
  /** Bytes used of the last block. */
  #used = BLOCK_BYTES;
  /** Bytes used of each full block. */
  readonly #ends: number[] = [];
  readonly #known = new TextSet((position, text) => this.#isAt(position, text), { maxSize: Infinity });
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a valid address. False for one that is in the list already. */
  add(address: string): boolean {
    const bytes = Buffer.byteLength(address) + 1;
    if (bytes > BLOCK_BYTES) throw new RangeError('longer than any e-mail address');
    if (this.#used + bytes > BLOCK_BYTES) this.#startBlock();
    const position = (this.#blocks.length - 1) * BLOCK_BYTES + this.#used;
    if (!this.#known.add(address, position)) return false;
    this.#blocks.at(-1)?.write(`${address}\n`, this.#used);
    this.#used += bytes;
    this.#size += 1;
    return true;
  }

  *[Symbol.iterator](): Generator<string> {
    for (const [index, block] of this.#blocks.entries()) {
      const end = this.#ends[index] ?? this.#used;
      for (let start = 0; start < end; ) {
        const lineEnd = block.indexOf(LINE_FEED, start);
        yield block.toString('utf8', start, lineEnd);
        start = lineEnd + 1;
      }
    }
  }

  #startBlock(): void {
    if (this.#blocks.length > 0) this.#ends.push(this.#used);
    this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
    this.#used = 0;
  }

  #isAt(position: number, address: string): boolean {
    const start = position % BLOCK_BYTES;
    const bytes = Buffer.from(`${address}\n`);
    return (
      this.#blocks[Math.floor(position / BLOCK_BYTES)]?.subarray(start, start + bytes.length).equals(bytes) ??
      false
    );
  }
}
