import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { JsonRecord } from '../json/index.ts';
import { storedObject } from '../json/stored.ts';
import { open, readdir, readFile } from './disk.ts';
import { appendText, syncFolder } from './disk-io.ts';
import { fileError, systemCode } from './file-error.ts';
import { makeFolder, syncName } from './folders.ts';
import { type LockMachine, withLock } from './lock.ts';

const LOCK_WAIT_MS = 10_000;
/** How long one process keeps the log for itself, while it has entries; how long it waits for more; and how long it then leaves it to others. */
const HOLD_MS = 250;
const LINGER_MS = 20;
const FREE_MS = 50;
const FILE_NAME = /^\d{4}-\d\d\.ndjson$/;
/** The hash before the first entry. */
const NOTHING = '0'.repeat(64);
const TAIL_BYTES = 1024 * 1024;

/** Where an entry is in the chain. */
interface Link {
  /** Counted from 1. */
  readonly seq: number;
  /** The SHA-256 of this entry, in hexadecimal digits. */
  readonly hash: string;
}

/** An entry that is not written yet. */
interface Waiting {
  readonly entry: JsonRecord;
  readonly isDurable: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A line of the log. */
export interface LogLine {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** Undefined for a line that is not an entry, such as that of a process that was killed while it wrote. */
  readonly entry: (JsonRecord & Link) | undefined;
  /** What contradicts the lines before it. */
  readonly fault: 'changed' | 'missing_before' | undefined;
}

/**
 * A log in a folder: a file for each month, a line of JSON for each entry, with its number and a hash over it and over the hash of the entry
 * before, also across files. So an entry that was changed, removed or moved is found; the last ones can be cut off unseen, unless their hash
 * is known elsewhere. Several processes append to it.
 */
export class ChainedLog {
  readonly #folder: string;
  readonly #machine: LockMachine;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #onMore: () => void = () => {};
  #isClosing = false;
  /** Whether a power cut cannot undo the names of the file and of its folder. */
  #isNamed = false;

  constructor(folder: string, machine: LockMachine) {
    this.#folder = folder;
    this.#machine = machine;
  }

  /**
   * Appends an entry and resolves when it is written; if `isDurable`, when it is on the disk. Those that wait for the same write are written
   * together. Throws FileError and LockedError.
   */
  append(entry: JsonRecord, { isDurable = true }: { readonly isDurable?: boolean } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, isDurable, resolve, reject });
      this.#onMore();
      this.#writing ??= this.#drain();
    });
  }

  /** Resolves when the log is free for others. Nothing may be appended after it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#onMore();
    await this.#writing;
  }

  /** Writes what waits, and keeps the lock for what follows at once: taking it takes longer than to write. */
  async #drain(): Promise<void> {
    const machine = this.#machine;
    while (this.#waiting.length > 0) {
      try {
        await makeFolder(this.#folder, 0o700, syncName);
        await withLock(join(this.#folder, 'log'), { machine, wait: LOCK_WAIT_MS }, () =>
          this.#writeWhileBusy(),
        );
      } catch (error) {
        for (const { reject } of this.#take()) reject(error);
      }
      if (this.#waiting.length > 0) await this.#pause(FREE_MS);
    }
    this.#writing = undefined;
  }

  async #writeWhileBusy(): Promise<void> {
    const until = this.#machine.now() + HOLD_MS;
    let last = await this.#last();
    while (this.#waiting.length > 0) {
      const group = this.#take();
      try {
        last = await this.#write(group, last);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
        return;
      }
      if (this.#machine.now() >= until) return;
      const more = new Promise<void>(resolve => {
        this.#onMore = resolve;
      });
      if (!this.#isClosing) await Promise.race([more, this.#pause(LINGER_MS)]);
    }
  }

  async #write(group: readonly Waiting[], last: Link): Promise<Link> {
    const path = join(this.#folder, `${new Date(this.#machine.now()).toISOString().slice(0, 7)}.ndjson`);
    let { seq, hash } = last;
    const lines = group.map(({ entry }) => {
      seq += 1;
      const line = lineOf(entry, seq, hash);
      hash = line.hash;
      return line.text;
    });
    const isDurable = group.some(each => each.isDurable);
    await appendText(path, lines.join(''), { isDurable, mode: 0o600 });
    if (isDurable && !this.#isNamed) {
      // Also where a process made them that was killed before it came to this.
      for (const folder of [this.#folder, dirname(this.#folder)]) await syncFolder(folder);
      this.#isNamed = true;
    }
    return { seq, hash };
  }

  #take(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** An interrupted command still logs what became of its requests. */
  async #pause(ms: number): Promise<void> {
    await this.#machine.sleep(ms).catch(() => undefined);
  }

  /** The link of the last entry. */
  async #last(): Promise<Link> {
    for (const file of (await logFiles(this.#folder)).reverse()) {
      const tail = await tailOf(file);
      const last = tail
        .split('\n')
        .map(entryOf)
        .findLast(entry => entry !== undefined);
      if (last !== undefined) return last;
    }
    return { seq: 0, hash: NOTHING };
  }
}

/** The lines of a log in order, with what is wrong with them. Throws FileError. */
export async function* readLog(folder: string): AsyncGenerator<LogLine> {
  let before: Link = { seq: 0, hash: NOTHING };
  for (const file of await logFiles(folder)) {
    // What is not UTF-8 was not written here, and is then a line that was changed.
    const lines = (await logText(file)).split('\n');
    for (const [index, text] of lines.entries()) {
      if (text === '') continue;
      const entry = entryOf(text);
      const place = { file, line: index + 1, text, entry };
      if (entry === undefined) {
        // A kill leaves the beginning of the next entry, and a power failure zeros after it.
        const next = `{"seq":${before.seq + 1},`;
        const written = text.replace(/\0+$/, '');
        const isCut = written.startsWith(next) || next.startsWith(written);
        yield { ...place, fault: isCut ? undefined : 'changed' };
        continue;
      }
      const { seq, prev, hash, ...rest } = entry;
      // Byte for byte: other spellings of the same JSON have the same hash.
      const isOwn = lineOf(rest, seq, String(prev)).text === `${text}\n`;
      const follows = seq === before.seq + 1 && prev === before.hash;
      yield { ...place, fault: !isOwn ? 'changed' : follows ? undefined : 'missing_before' };
      before = { seq, hash };
    }
  }
}

function lineOf(entry: JsonRecord, seq: number, prev: string): { text: string; hash: string } {
  const content = JSON.stringify({ seq, ...entry, prev });
  const hash = createHash('sha256').update(content).digest('hex');
  return { text: `${content.slice(0, -1)},"hash":"${hash}"}\n`, hash };
}

function entryOf(text: string): LogLine['entry'] {
  const entry = storedObject(text) as JsonRecord & Link;
  return typeof entry.seq === 'number' && typeof entry.hash === 'string' ? entry : undefined;
}

async function logText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(path, error, 'read');
  }
}

/** The files of the log, the oldest first; none if there is no folder. */
async function logFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(error => {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileError(folder, error, 'read');
  });
  return names
    .filter(name => FILE_NAME.test(name))
    .sort()
    .map(name => join(folder, name));
}

/** The end of a file, from the beginning of a line. */
async function tailOf(path: string): Promise<string> {
  const file = await open(path).catch(error => {
    throw fileError(path, error, 'read');
  });
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from });
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    throw fileError(path, error, 'read');
  } finally {
    await file.close().catch(() => undefined);
  }
}
