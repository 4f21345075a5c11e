import type { ReadersTable } from '../../apis/subscriptions/readers-file.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { Column } from '../../output/view.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { CheckedReader } from './check-readers.ts';

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

const ERROR: Column = { key: 'error', title: 'Error', kind: 'text', whenPresent: true };

/** Adds what was found out about readers to the lines of a list. Without columns of its own, a list has an address in each row. */
export function listRows<Found>(
  table: ReadersTable | undefined,
  checked: AsyncIterable<CheckedReader<Found>>,
  { columns, records }: AddedColumns<Found>,
): ListRows {
  const email: Column = { key: 'email', title: 'Reader', kind: 'text' };
  if (table === undefined)
    return { columns: [email, ...columns, ERROR], rows: rowsOfAddresses(checked, records) };
  const names = uniqueNames(table.names, []);
  const added = [...columns, ERROR];
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
  return { columns: [...own, ...renamed], rows: rowsOfTable(table, names, checked, records, place) };
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
  names: readonly string[],
  checked: AsyncIterable<CheckedReader<Found>>,
  records: AddedColumns<Found>['records'],
  place: ReadonlyMap<string, string>,
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
      const added = 'email' in reader ? known.get(reader.email) : { error: reader.problem };
      const renamed = Object.entries(added ?? {}).map(([key, value]) => [place.get(key) ?? key, value]);
      yield Object.fromEntries([...own, ...renamed]);
    }
    // The end of the readers is the end of their work.
    await readers.next();
  } finally {
    await readers.return?.();
  }
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

/** How many readers have what: `premium: 31 of 40 readers with access, 9 without: 6 expired, 3 customer_required`. */
export class ListSummary {
  #readers = 0;
  #failed = 0;
  readonly #counts = new Map<string, number>();
  readonly #granted = new Map<string, number>();

  /** Counts a reader with the decision on each thing that was asked about: none for access, else the reason. */
  add(decisions: readonly { readonly name: string; readonly reason: string | undefined }[]): void {
    this.#readers += 1;
    for (const { name, reason } of decisions) {
      this.#granted.set(name, (this.#granted.get(name) ?? 0) + Number(reason === undefined));
      if (reason === undefined) continue;
      const key = `${name}\t${reason}`;
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  addFailure(): void {
    this.#readers += 1;
    this.#failed += 1;
  }

  /** A sentence for each thing, and one for what could not be checked. */
  sentences({ lines, invalid }: { readonly lines: number; readonly invalid: number }): string[] {
    const all = [...this.#granted].map(([name, granted]) => {
      const reasons = [...this.#counts]
        .filter(([key]) => key.startsWith(`${name}\t`))
        .sort((one, other) => other[1] - one[1]);
      const without = reasons.reduce((sum, [, count]) => sum + count, 0);
      const named = reasons.map(([key, count]) => `${count} ${key.slice(name.length + 1)}`).join(', ');
      const asked = pluralize(granted + without, 'reader');
      return `${name}: ${granted} of ${asked} with access${without === 0 ? '' : `, ${without} without: ${named}`}`;
    });
    const counted = lines === this.#readers + invalid ? [] : [`${lines} lines name ${this.#readers} readers`];
    const failed = this.#failed === 0 ? [] : [`${this.#failed} could not be checked`];
    const skipped = invalid === 0 ? [] : [`${invalid} without a valid address`];
    return [...all, ...counted, ...failed, ...skipped];
  }
}
