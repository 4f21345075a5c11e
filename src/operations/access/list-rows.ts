import type { ReadersTable } from '../../apis/subscriptions/readers-file.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { Column } from '../../output/view.ts';
import type { CheckedReader } from './check-readers.ts';
import { codeWord, type Words } from './words/words.ts';

/** Columns that are added to a list, and their values for a reader. */
export interface AddedColumns<Found> {
  readonly columns: readonly Column[];
  /** One record for a list with columns of its own; any number for a list of addresses. */
  readonly records: (found: Found) => readonly JsonRecord[];
}

/** The rows of a list: with the columns that it has, as they are and in their order, and with those that are added. */
interface ListRows {
  readonly columns: readonly Column[];
  readonly rows: AsyncIterable<JsonRecord>;
}

/** Adds what was found out about readers to the lines of a list. Without columns of its own, a list has an address in each row. */
export function listRows<Found>(
  table: ReadersTable | undefined,
  checked: AsyncIterable<CheckedReader<Found>>,
  { columns, records }: AddedColumns<Found>,
  words: Words,
): ListRows {
  const titles = words.labels.columns;
  const email: Column = { key: 'email', title: titles.reader, kind: 'text' };
  const error: Column = { key: 'error', title: titles.error, kind: 'text', whenPresent: true };
  if (table === undefined)
    return { columns: [email, ...columns, error], rows: rowsOfAddresses(checked, records) };
  const names = uniqueNames(table.names, []);
  const added = [...columns, error];
  const keys = uniqueNames(
    added.map(({ key }) => key),
    names,
  );
  const own = names.map((key): Column => ({ key, title: key, kind: 'text' }));
  const renamed = added.map((column, at): Column => {
    const key = keys[at] ?? column.key;
    return { ...column, key, title: key === column.key ? (column.title ?? key) : key };
  });
  const place = new Map(added.map(({ key }, at) => [key, keys[at] ?? key]));
  return {
    columns: [...own, ...renamed],
    rows: rowsOfTable(table, { names, checked, records, place, words }),
  };
}

async function* rowsOfAddresses<Found>(
  checked: AsyncIterable<CheckedReader<Found>>,
  records: AddedColumns<Found>['records'],
): AsyncGenerator<JsonRecord> {
  for await (const reader of checked) {
    const { email } = reader;
    if ('error' in reader) yield { email, error: reader.error };
    else for (const record of records(reader.found)) yield { email, ...record };
  }
}

/** The readers come in the order in which the list names them first; a reader of several lines comes once. */
async function* rowsOfTable<Found>(
  { rows }: ReadersTable,
  { names, checked, records, place, words }: TableParts<Found>,
): AsyncGenerator<JsonRecord> {
  const known = new Map<string, JsonRecord>();
  const readers = checked[Symbol.asyncIterator]();
  try {
    for (const { cells, reader } of rows) {
      const own = names.map((name, at) => [name, cells[at] || null] as const);
      while ('email' in reader && !known.has(reader.email)) {
        const next = await readers.next();
        if (next.done) return;
        const { value } = next;
        known.set(value.email, 'error' in value ? { error: value.error } : (records(value.found)[0] ?? {}));
      }
      const added = 'email' in reader ? known.get(reader.email) : { error: problemText(reader, words) };
      const renamed = Object.entries(added ?? {}).map(([key, value]) => [place.get(key) ?? key, value]);
      yield Object.fromEntries([...own, ...renamed]);
    }
    // The end of the readers is the end of their work.
    await readers.next();
  } finally {
    await readers.return?.();
  }
}

interface TableParts<Found> extends Pick<AddedColumns<Found>, 'records'> {
  readonly names: readonly string[];
  readonly checked: AsyncIterable<CheckedReader<Found>>;
  /** The names of the added columns, by their keys. */
  readonly place: ReadonlyMap<string, string>;
  readonly words: Words;
}

function problemText(
  { problem, kind }: Extract<ReadersTable['rows'][number]['reader'], { readonly problem: string }>,
  words: Words,
): string {
  return kind === undefined ? problem : words.list.problems[kind];
}

/** The names, with a number behind one that is taken. */
function uniqueNames(names: readonly string[], taken: readonly string[]): string[] {
  const used = new Set(taken.map(name => name.toLowerCase()));
  return names.map(name => {
    let unused = name;
    for (let number = 2; used.has(unused.toLowerCase()); number += 1) unused = `${name} ${number}`;
    used.add(unused.toLowerCase());
    return unused;
  });
}

/** How many readers have what: `premium: 31 of 40 readers with access; 9 without access (6 expired, 3 customer_required)`. Reasons are codes. */
export class ListSummary {
  #readers = 0;
  #failed = 0;
  /** By name, how many have access and for what reason others have none. */
  readonly #counts = new Map<string | null, { granted: number; readonly reasons: Map<string, number> }>();

  /** Counts a reader with the decision on each thing that was asked about, null for any product: none for access, else the reason. */
  add(decisions: readonly { readonly name: string | null; readonly reason: string | undefined }[]): void {
    this.#readers += 1;
    for (const { name, reason } of decisions) {
      const counts = this.#counts.get(name) ?? { granted: 0, reasons: new Map<string, number>() };
      this.#counts.set(name, counts);
      if (reason === undefined) counts.granted += 1;
      else counts.reasons.set(reason, (counts.reasons.get(reason) ?? 0) + 1);
    }
  }

  addFailure(): void {
    this.#readers += 1;
    this.#failed += 1;
  }

  /** A sentence for each thing, and one for what could not be checked. */
  sentences(
    { lines, invalid }: { readonly lines: number; readonly invalid: number },
    words: Words,
  ): string[] {
    const { list } = words;
    const all = [...this.#counts].map(([name, { granted, reasons }]) => {
      const without = [...reasons]
        .sort((one, other) => other[1] - one[1])
        .map(([reason, count]) => ({ word: codeWord(reason, words), count }));
      return list.granted(name ?? list.anyProduct, granted, this.#readers - this.#failed, without);
    });
    const counted = lines === this.#readers + invalid ? [] : [list.lines(lines, this.#readers)];
    const failed = this.#failed === 0 ? [] : [list.failed(this.#failed)];
    const skipped = invalid === 0 ? [] : [list.invalid(invalid)];
    return [...all, ...counted, ...failed, ...skipped];
  }
}
