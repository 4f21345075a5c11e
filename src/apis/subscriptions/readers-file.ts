import { readList } from '../../files/list.ts';
import type { OpenedNote } from '../../files/opened-note.ts';
import type { ListColumn, ListEntry, ListOptions } from '../../files/structured-list.ts';
import { TextList } from '../../files/text-list.ts';
import type { TextSource } from '../../files/text-source.ts';
import { withoutPasteDamage } from '../../terminal/paste-damage.ts';
import { ENTRY_PROBLEMS, type EntryProblem } from './entry-problems.ts';
import { readPaste } from './pasted-text.ts';
import { isMailAddress } from './reader.ts';

/** The lines of a list that has columns besides the addresses. */
export interface ReadersTable {
  readonly names: readonly string[];
  readonly rows: readonly ReadersRow[];
}

/** A line as it is in the list, and whose it is. */
interface ReadersRow {
  readonly cells: readonly string[];
  readonly reader: { readonly email: string } | InvalidEntry;
}

interface ReadersFile {
  /** Unique addresses in the order of the file, in memory only. */
  readonly emails: TextList;
  /** Every line, duplicates and invalid ones too; undefined for a list of addresses alone. */
  readonly table: ReadersTable | undefined;
  /** The invalid entries. */
  readonly problems: ListProblems;
  readonly duplicates: number;
  /** Number of addresses with removed paste damage. */
  readonly repaired: number;
}

export type ReadersOptions = Pick<
  ListOptions,
  'signal' | 'encoding' | 'column' | 'columns' | 'onColumns' | 'onOpened' | 'isInMemory'
>;

/** One entry of a list of readers. */
export interface ReaderEntry {
  /** `line 7` or `item 7`. */
  readonly place: string;
  readonly reader: CheckedEntry;
  /** The values of `columns`; undefined where a line is too short or too long. */
  readonly values: readonly (string | undefined)[];
}

/** The invalid entries of a list, of which the first are listed. */
export class ListProblems {
  readonly #lines: string[] = [];
  #count = 0;
  #hint: string | undefined;

  get count(): number {
    return this.#count;
  }

  add(place: string, problem: string, hint?: string): void {
    this.#count += 1;
    this.#hint ??= hint;
    if (this.#count <= MAX_PROBLEMS_SHOWN) this.#lines.push(`${place}: ${problem}`);
  }

  /** The entries with their line numbers, and then what to do about them. */
  get lines(): readonly string[] {
    const more = this.#count - this.#lines.length;
    return [
      ...this.#lines,
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(this.#hint === undefined ? [] : [this.#hint]),
    ];
  }
}

const EMAIL_COLUMN: ListColumn = {
  what: 'e-mail address',
  names: new Set([
    'email',
    'e-mail',
    'email address',
    'email_address',
    'e-mail address',
    'e-mail-adresse',
    'customer email',
    'customer_email',
    'reader',
    'mail',
  ]),
  // A mistyped address in the first line is an error, not a header.
  isValue: text => /^[^,;\t]+@[^,;\t]+$/.test(text),
};
const MAX_PROBLEMS_SHOWN = 20;

/** What to type for a list in another encoding. */
const ENCODING_HINT = 'if Excel saved it as CSV, pass --encoding latin1; else save it as UTF-8';

/**
 * Streams a list of readers, a block at a time: one address per line, or the address column of CSV or JSON. Skips blank lines and
 * lines that start with `#`. Throws the errors of `readList`.
 */
export async function* readerEntries(
  source: TextSource,
  options: ReadersOptions,
): AsyncGenerator<readonly ReaderEntry[]> {
  let isGuessed = false;
  const { onOpened } = options;
  const blocks = readList(source, EMAIL_COLUMN, {
    ...options,
    acceptsEncoding: true,
    ...(onOpened !== undefined && {
      onOpened(note: OpenedNote) {
        isGuessed = note.kind === 'windows';
        onOpened(note);
      },
    }),
  });
  for await (const block of blocks)
    yield block.map(entry => ({
      place: typeof entry.place === 'number' ? `line ${entry.place}` : entry.place,
      reader: checkedEntry(entry, isGuessed),
      values: entry.values ?? [],
    }));
}

/** Reads a list of readers into memory: its addresses, each once, and its other columns. Throws the errors of `readList`. */
export async function readReaders(
  source: TextSource,
  options: Omit<ReadersOptions, 'columns' | 'onColumns'> = {},
): Promise<ReadersFile> {
  const emails = new TextList();
  const problems = new ListProblems();
  let duplicates = 0;
  let repaired = 0;
  let names: readonly string[] = [];
  const rows: ReadersRow[] = [];
  const onColumns = (all: readonly string[]): void => {
    names = all;
  };
  for await (const block of readerEntries(source, { ...options, onColumns })) {
    for (const { place, reader, values } of block) {
      const cells = values.map(cell => cell ?? '');
      // A later object of JSON may have the second column.
      if (names.length > 0) rows.push({ cells, reader });
      if ('problem' in reader) problems.add(place, reader.problem, reader.hint);
      else if (!emails.add(reader.email)) duplicates += 1;
      else if (reader.isRepaired) repaired += 1;
    }
  }
  return { emails, problems, duplicates, repaired, table: names.length > 1 ? { names, rows } : undefined };
}

type CheckedEntry = { readonly email: string; readonly isRepaired: boolean } | InvalidEntry;

/** An entry that names no reader. */
interface InvalidEntry {
  readonly problem: string;
  /** Undefined for characters inside an address that cannot be seen. */
  readonly kind?: EntryProblem;
  readonly hint?: string;
}

function invalid(kind: EntryProblem, hint?: string): InvalidEntry {
  return { problem: ENTRY_PROBLEMS[kind], kind, ...(hint !== undefined && { hint }) };
}

function checkedEntry(entry: ListEntry, isGuessed: boolean): CheckedEntry {
  const checked = checkedText(entry);
  // In another encoding it would be the address of somebody else.
  if (isGuessed && 'email' in checked && /[^\x20-\x7e]/.test(checked.email))
    return invalid('unknown_encoding', ENCODING_HINT);
  return checked;
}

function checkedText({ text, fault }: ListEntry): CheckedEntry {
  if (fault === 'nul') return invalid('nul');
  if (fault !== undefined) return invalid('not_text', ENCODING_HINT);
  const pasted = withoutPasteDamage(text);
  if ('value' in pasted && isMailAddress(pasted.value))
    return { email: pasted.value, isRepaired: pasted.removed.length > 0 };
  if ('value' in pasted && pasted.value === '') return invalid('no_address');
  const { emails, problem } = readPaste(text);
  const [email, ...others] = emails;
  if (problem !== undefined) return { problem };
  if (email === undefined) return invalid('not_an_address');
  return others.length === 0 ? { email, isRepaired: true } : invalid('two_addresses');
}
