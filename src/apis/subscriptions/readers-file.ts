import { readList } from '../../files/list.ts';
import type { ListColumn, ListEntry } from '../../files/structured-list.ts';
import { TextSet } from '../../files/text-set.ts';
import type { TextSource } from '../../files/text-source.ts';
import { withoutPasteDamage } from '../../terminal/paste-damage.ts';
import { isMailAddress } from './reader.ts';

export interface ReadersFile {
  /** Unique addresses in the order of the file. */
  readonly emails: AddressList;
  /** Invalid entries with their line numbers; with any, nothing is sent. */
  readonly problems: readonly string[];
  readonly duplicates: number;
  /** Number of addresses with removed paste damage. */
  readonly repaired: number;
}

const EMAIL_COLUMN: ListColumn = {
  what: 'e-mail address',
  names: new Set(['email', 'e-mail', 'email address', 'e-mail address', 'reader', 'mail']),
  // A mistyped address in the first line is an error, not a header.
  isValue: text => /^[^,;\t]+@[^,;\t]+$/.test(text),
};
const MAX_PROBLEMS_SHOWN = 20;

/**
 * Streams a list of readers: one address per line, or the address column of CSV or JSON. Skips blank lines and lines that start
 * with `#`. Throws the errors of `readList`.
 */
export async function readReaders(source: TextSource, signal?: AbortSignal): Promise<ReadersFile> {
  const emails = new AddressList();
  const problems: string[] = [];
  let bad = 0;
  let duplicates = 0;
  let repaired = 0;
  for await (const block of readList(source, EMAIL_COLUMN, signal)) {
    for (const entry of block) {
      const checked = checkedEntry(entry);
      if ('problem' in checked) {
        bad += 1;
        if (bad <= MAX_PROBLEMS_SHOWN) problems.push(`${placeOf(entry)}: ${checked.problem}`);
      } else if (!emails.add(checked.email)) duplicates += 1;
      else if (checked.isRepaired) repaired += 1;
    }
  }
  if (bad > MAX_PROBLEMS_SHOWN) problems.push(`and ${bad - MAX_PROBLEMS_SHOWN} more`);
  if (emails.size === 0 && bad === 0) problems.push('the list contains no reader');
  return { emails, problems, duplicates, repaired };
}

type CheckedEntry = { readonly email: string; readonly isRepaired: boolean } | { readonly problem: string };

function checkedEntry({ text, fault }: ListEntry): CheckedEntry {
  if (fault !== undefined) return { problem: fault === 'nul' ? 'contains a NUL byte' : 'not UTF-8 text' };
  const pasted = withoutPasteDamage(text);
  if ('problem' in pasted) return pasted;
  const { value: email, removed } = pasted;
  if (email === '') return { problem: 'no address' };
  if (!isMailAddress(email)) return { problem: 'not an e-mail address' };
  return { email, isRepaired: removed.length > 0 };
}

function placeOf({ place }: ListEntry): string {
  return typeof place === 'number' ? `line ${place}` : place;
}

const BLOCK_BYTES = 1 << 16;
const LINE_FEED = 0x0a;

/**
 * Unique e-mail addresses in insertion order. Stored in memory only, never on disk, at some 60 bytes per address including the
 * index.
 */
export class AddressList implements Iterable<string> {
  readonly #blocks: Buffer[] = [];
  /** Bytes used in the last block. */
  #used = BLOCK_BYTES;
  /** Bytes used in each full block. */
  readonly #ends: number[] = [];
  readonly #known = new TextSet((position, text) => this.#isAt(position, text), { maxSize: Infinity });
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a valid address. Returns false for a duplicate. */
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
