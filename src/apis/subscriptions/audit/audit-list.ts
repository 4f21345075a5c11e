import { UsageError } from '../../../errors/index.ts';
import { TextList } from '../../../files/text-list.ts';
import type { TextSource } from '../../../files/text-source.ts';
import { ListProblems, type ReaderEntry, type ReadersOptions, readerEntries } from '../readers-file.ts';
import { expectationOf, type PaidWords } from './expectation.ts';

interface AuditListOptions extends Omit<ReadersOptions, 'columns'> {
  /** The column with the payment status; without it, every reader of the list has paid. */
  readonly expectColumn: string | undefined;
  /** The column with the product handles. */
  readonly productColumn: string | undefined;
  /** The product of every line, or of those without a value in `productColumn`. */
  readonly product: string | undefined;
  readonly words: PaidWords;
}

interface AuditListRead {
  readonly list: AuditList;
  readonly problems: ListProblems;
  readonly duplicates: number;
  readonly repaired: number;
}

/** One reader and product to check. */
export interface AuditEntry {
  readonly email: string;
  readonly product: string;
  /** Whether the reader has paid, according to the list. */
  readonly isPaid: boolean;
  /** `line 7` or `item 7`. */
  readonly place: string;
}

/** More are not handles of products: the wrong column was named. */
const MAX_PRODUCTS = 1000;
/** Further values of the column are counted together. */
const MAX_VALUES = 1000;

/**
 * Reads a billing list into memory, each reader and product once. Entries that contradict each other are both problems, and neither
 * is in the list. Throws the errors of `readList`.
 */
export async function readAuditList(source: TextSource, options: AuditListOptions): Promise<AuditListRead> {
  const { expectColumn, productColumn } = options;
  const columns = [expectColumn, productColumn].filter(column => column !== undefined);
  const list = new AuditList();
  const problems = new ListProblems();
  let duplicates = 0;
  let repaired = 0;
  for await (const block of readerEntries(source, { ...options, columns })) {
    for (const entry of block) {
      const { place, reader, values } = entry;
      if ('problem' in reader) {
        problems.add(place, reader.problem, reader.hint);
        continue;
      }
      const line = lineOf(values, options);
      if ('problem' in line) {
        problems.add(place, line.problem, line.hint);
        continue;
      }
      if (reader.isRepaired) repaired += 1;
      const added = list.add({ email: reader.email, place: entry.place, ...line });
      if (added === 'duplicate') duplicates += 1;
      else if (added !== 'new') problems.add(place, added.problem);
    }
  }
  return { list, problems, duplicates, repaired };
}

type Line =
  | { readonly product: string; readonly isPaid: boolean; readonly value: string }
  | { readonly problem: string; readonly hint?: string };

/** The meaning of the columns of a line. */
function lineOf(values: ReaderEntry['values'], options: AuditListOptions): Line {
  const { expectColumn, productColumn, words } = options;
  const [value, inProductColumn] =
    expectColumn === undefined ? [undefined, values[0]] : [values[0], values[1]];
  if (expectColumn !== undefined && value === undefined) return missingValue(expectColumn);
  if (productColumn !== undefined && inProductColumn === undefined) return missingValue(productColumn);
  const product = inProductColumn || options.product;
  if (!product)
    return {
      problem: `no product in column ${productColumn}`,
      hint: 'name the product of lines without one: --product HANDLE',
    };
  // It would be sent in the URL, where no reader's identity belongs.
  if (product.includes('@')) return { problem: 'an e-mail address is not a product' };
  if (value === undefined) return { product, isPaid: true, value: '' };
  const expected = expectationOf(value, words);
  if ('problem' in expected)
    return { ...expected, hint: 'define each value with --paid VALUE or --unpaid VALUE' };
  return { product, isPaid: expected.isPaid, value };
}

function missingValue(column: string): Line {
  return { problem: `no value for column ${column}: the line has more or fewer cells than the header` };
}

/** Bits of an entry. */
const PAID = 1;
const EXCLUDED = 2;
const ITEM = 4;

/** The readers and products of a billing list, at some 100 bytes for each. */
export class AuditList {
  /** Address, tab, index of the product. */
  readonly #keys = new TextList();
  readonly #products: string[] = [];
  readonly #productIndex = new Map<string, number>();
  readonly #values: string[] = [];
  readonly #valueIndex = new Map<string, number>();
  #flags = new Uint8Array(1024);
  #lines = new Uint32Array(1024);
  #valuesOfKeys = new Uint16Array(1024);
  #excluded = 0;

  /** Number of entries, without those that contradict each other. */
  get size(): number {
    return this.#keys.size - this.#excluded;
  }

  /** Indexes of entries are below this. */
  get end(): number {
    return this.#keys.size;
  }

  /** Adds an entry. A second one for the same reader and product is a duplicate, or contradicts the first. */
  add(entry: AuditEntry & { readonly value: string }): 'new' | 'duplicate' | { readonly problem: string } {
    const { email, isPaid, place, value } = entry;
    const key = `${email}\t${this.#productAt(entry.product)}`;
    const index = this.#keys.size;
    if (this.#keys.add(key)) {
      if (index === this.#flags.length) this.#grow();
      this.#flags[index] = (isPaid ? PAID : 0) + (place.startsWith('item') ? ITEM : 0);
      this.#lines[index] = Number(/\d+/.exec(place)?.[0] ?? 0);
      this.#valuesOfKeys[index] = this.#valueAt(value);
      return 'new';
    }
    const earlier = this.#keys.indexOf(key) ?? 0;
    const before = this.#valuesOfKeys[earlier] ?? 0;
    const now = this.#valueAt(value);
    if (before === now && this.at(earlier).isPaid === isPaid) return 'duplicate';
    if (!this.#isExcluded(earlier)) {
      this.#flags[earlier] = (this.#flags[earlier] ?? 0) | EXCLUDED;
      this.#excluded += 1;
    }
    const { place: first } = this.at(earlier);
    return {
      problem: `the same reader as ${first}, with ${this.#shownValue(now)} instead of ${this.#shownValue(before)}`,
    };
  }

  at(index: number): AuditEntry {
    const [email = '', product = ''] = this.#keys.at(index).split('\t');
    const flags = this.#flags[index] ?? 0;
    const place = `${(flags & ITEM) === 0 ? 'line' : 'item'} ${this.#lines[index]}`;
    return { email, product: this.#products[Number(product)] ?? '', isPaid: (flags & PAID) !== 0, place };
  }

  /** The indexes of the entries to check, in the order of the list. */
  *indexes(): Generator<number> {
    for (let index = 0; index < this.#keys.size; index += 1) if (!this.#isExcluded(index)) yield index;
  }

  #isExcluded(index: number): boolean {
    return ((this.#flags[index] ?? 0) & EXCLUDED) !== 0;
  }

  #productAt(product: string): number {
    const known = this.#productIndex.get(product);
    if (known !== undefined) return known;
    if (this.#products.length === MAX_PRODUCTS)
      throw new UsageError(`the list names more than ${MAX_PRODUCTS} products`, {
        code: 'invalid_input',
        reason: 'too_many_products',
      });
    this.#productIndex.set(product, this.#products.length);
    this.#products.push(product);
    return this.#products.length - 1;
  }

  /** The index of a value, MAX_VALUES for all further ones. */
  #valueAt(value: string): number {
    const known = this.#valueIndex.get(value);
    if (known !== undefined) return known;
    if (this.#values.length === MAX_VALUES) return MAX_VALUES;
    this.#valueIndex.set(value, this.#values.length);
    this.#values.push(value.slice(0, 40));
    return this.#values.length - 1;
  }

  #shownValue(index: number): string {
    const value = this.#values[index];
    return value === undefined ? 'another value' : `'${value}'`;
  }

  #grow(): void {
    const size = this.#flags.length * 2;
    const [flags, lines, values] = [this.#flags, this.#lines, this.#valuesOfKeys];
    this.#flags = new Uint8Array(size);
    this.#lines = new Uint32Array(size);
    this.#valuesOfKeys = new Uint16Array(size);
    this.#flags.set(flags);
    this.#lines.set(lines);
    this.#valuesOfKeys.set(values);
  }
}
