import { dirname } from 'node:path';
import { FileError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { DurableNames } from '../../../files/durable-names.ts';
import { textIfThere } from '../../../files/if-there.ts';
import { removeTemporaryFilesOf } from '../../../files/stray-files.ts';
import { storedObject } from '../../../json/stored.ts';
import type { LedgerEntry, Superseded } from '../../ledger.ts';
import { Turns } from '../turns.ts';
import type { LedgerLog } from './lake-store.ts';

/**
 * A partition whose file is about to be replaced: until its entry follows, what the file holds is unknown. An earlier version did not
 * write what the entry said.
 */
interface Replacing extends Partial<Superseded> {
  readonly partition: string;
  readonly state: 'replacing';
}

/** More lines than this for each entry, and the file is rewritten when it is opened. */
const MOST_LINES_EACH = 3;

/**
 * The ledger of one site in one table: a line of JSON for each change, the last one of a partition counts. `test/models/ledger.pml` is a
 * model of it.
 */
export class LedgerFile implements LedgerLog {
  readonly entries: Map<string, LedgerEntry>;
  readonly replacing: Map<string, Replacing>;
  readonly #path: string;
  readonly #names: DurableNames;
  #isClean: boolean;
  /** The line that is being written: units of one site run concurrently, and a rewrite between their lines would lose one. */
  readonly #turns = new Turns();

  private constructor(
    path: string,
    names: DurableNames,
    { entries, replacing }: ParsedLedger,
    isClean: boolean,
  ) {
    this.#path = path;
    this.#names = names;
    this.entries = entries;
    this.replacing = replacing;
    this.#isClean = isClean;
  }

  /** Reads a ledger, without the line that a killed process did not finish. Throws FileError for a damaged one. */
  static async open(path: string, names = new DurableNames(dirname(path))): Promise<LedgerFile> {
    const parsed = parseLedger((await textIfThere(path)) ?? '', path);
    const { entries, lines, isTorn } = parsed;
    return new LedgerFile(path, names, parsed, !isTorn && lines <= MOST_LINES_EACH * entries.size + 3);
  }

  async beginReplacing({ partition, query, from, to, fetchedAt }: Omit<Replacing, 'state'>): Promise<void> {
    await this.#append({ partition, state: 'replacing', query, from, to, fetchedAt });
  }

  async set(entry: LedgerEntry): Promise<void> {
    await this.#append(entry);
  }

  async flush(): Promise<void> {}

  async #append(line: LedgerEntry | Replacing): Promise<void> {
    await this.#turns.run(() => this.#write(line));
  }

  async #write(line: LedgerEntry | Replacing): Promise<void> {
    if (!this.#isClean) {
      // Those of processes that were killed: no other one writes this ledger now.
      await removeTemporaryFilesOf(this.#path);
      const known = new Map<string, LedgerEntry | Replacing>([...this.entries, ...this.replacing]);
      await writeAtomic(this.#path, printLedger(known));
    }
    // A full disk may cut off the line, and the next one would then follow in the same line.
    this.#isClean = false;
    await appendLine(this.#path, line, this.#names);
    this.#isClean = true;
    if (line.state === 'replacing') this.replacing.set(line.partition, line);
    else {
      this.replacing.delete(line.partition);
      this.entries.set(line.partition, line);
    }
  }
}

interface ParsedLedger {
  readonly entries: Map<string, LedgerEntry>;
  /** Partitions whose files were being replaced by a process that was killed. */
  readonly replacing: Map<string, Replacing>;
  readonly lines: number;
  readonly isTorn: boolean;
}

/** Reads the text of a ledger, without the line that a killed process did not finish. Throws FileError for a damaged one. */
export function parseLedger(text: string, path: string): ParsedLedger {
  const lines = text.split('\n');
  const isTorn = lines.pop() !== '';
  const entries = new Map<string, LedgerEntry>();
  const replacing = new Map<string, Replacing>();
  for (const [index, line] of lines.entries()) {
    const entry = parse(line);
    if (entry === undefined)
      throw new FileError(`${path}:${index + 1} is damaged`, { path, code: 'damaged_ledger' });
    if (entry.state === 'replacing') {
      entries.delete(entry.partition);
      replacing.set(entry.partition, entry);
    } else {
      replacing.delete(entry.partition);
      entries.set(entry.partition, entry);
    }
  }
  return { entries, replacing, lines: lines.length, isTorn };
}

/** The text of a ledger, with one line for each partition. */
export function printLedger(entries: ReadonlyMap<string, object>): string {
  return [...entries.values()].map(entry => `${JSON.stringify(entry)}\n`).join('');
}

/** Appends a line of JSON to a file, also after one that a full disk cut off, and flushes it to the disk. Throws FileError. */
export async function appendLine(path: string, line: object, names: DurableNames): Promise<void> {
  await names.append(path, `${JSON.stringify(line)}\n`);
}

/** Undefined for a line that is damaged. */
function parse(line: string): LedgerEntry | Replacing | undefined {
  const entry = storedObject(line) as unknown as LedgerEntry | Replacing;
  return typeof entry.partition === 'string' && typeof entry.state === 'string' ? entry : undefined;
}
