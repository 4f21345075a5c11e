import { join } from 'node:path';
import { openAtomic } from '../../../files/atomic-file.ts';
import { rm } from '../../../files/disk.ts';
import { namesIfThere } from '../../../files/if-there.ts';
import { TextList } from '../../../files/text-list.ts';
import { readLines } from '../../../files/text-source.ts';
import type { WritableFile } from '../../../files/writable-file.ts';
import { isRecord, stringifyJson, tryParseJson } from '../../../json/index.ts';
import { DECISIONS } from '../../../wire/subscriptions.ts';
import { HASH_LENGTH } from '../reader-hash.ts';
import { type Outcome, storable } from './results.ts';

/*
 * A run is a text file: a line of JSON about the run, a line for each result (hash, decision, reason code), and at the end of a
 * complete run another line of JSON. Each result ends with a mark, so that a truncated line is never read as another result, and line
 * breaks are written before a line, so that a line with a mark is complete.
 */
const MARK = '.';
const RESULT = new RegExp(`^([\\w-]{${HASH_LENGTH}})\\t([a-z_]+)\\t([\\w.-]*)\\t\\${MARK}$`);
const SUFFIX = '.audit';
const PART = `${SUFFIX}.part`;
const FORMAT = 1;
/** Results are written so many at a time: those of one batch are lost when the process is killed. */
const BATCH = 16;

/** The subject of a run; contains no reader. */
export interface RunHead {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly domain: string;
}

/** The results of an earlier run, by hash. */
export class StoredRun {
  readonly head: RunHead;
  /** RFC 3339; undefined for an interrupted run. */
  readonly finishedAt: string | undefined;
  /** Bytes up to the last complete line. */
  readonly bytes: number;
  readonly #hashes: TextList;
  readonly #outcomes: readonly Outcome[];
  readonly #numbers: Uint16Array;

  private constructor(parts: {
    head: RunHead;
    finishedAt: string | undefined;
    bytes: number;
    hashes: TextList;
    outcomes: readonly Outcome[];
    numbers: Uint16Array;
  }) {
    this.head = parts.head;
    this.finishedAt = parts.finishedAt;
    this.bytes = parts.bytes;
    this.#hashes = parts.hashes;
    this.#outcomes = parts.outcomes;
    this.#numbers = parts.numbers;
  }

  get size(): number {
    return this.#hashes.size;
  }

  outcomeOf(hash: string): Outcome | undefined {
    const index = this.#hashes.indexOf(hash);
    return index === undefined ? undefined : this.#outcomes[this.#numbers[index] ?? 0];
  }

  /** Reads a run up to its first damaged line. Undefined if the file is not a run. Throws FileError. */
  static async read(path: string): Promise<StoredRun | undefined> {
    const hashes = new TextList();
    const outcomes: Outcome[] = [];
    const outcomeNumbers = new Map<string, number>();
    let numbers = new Uint16Array(1024);
    let head: RunHead | undefined;
    let finishedAt: string | undefined;
    let bytes = 0;
    reading: for await (const block of readLines(path)) {
      for (const { text } of block) {
        const [, hash = '', decision, reason = ''] = RESULT.exec(text) ?? [];
        const known = DECISIONS.find(each => each === decision);
        if (head === undefined) {
          head = headIn(text);
          if (head === undefined) return undefined;
        } else if (known !== undefined) {
          const key = `${known} ${reason}`;
          const number = outcomeNumbers.get(key) ?? outcomes.length;
          if (number === outcomes.length) {
            outcomeNumbers.set(key, number);
            outcomes.push({ decision: known, reasonCode: reason || undefined });
          }
          // A reader that was checked again has two lines, of which the second counts.
          const index = hashes.add(hash) ? hashes.size - 1 : (hashes.indexOf(hash) ?? 0);
          if (index === numbers.length) numbers = grown(numbers);
          numbers[index] = number;
        } else {
          finishedAt = endIn(text);
          if (finishedAt === undefined) break reading;
        }
        bytes += Buffer.byteLength(text) + (bytes === 0 ? 0 : 1);
      }
    }
    if (head === undefined) return undefined;
    return new StoredRun({ head, finishedAt, bytes, hashes, outcomes, numbers });
  }
}

function grown(numbers: Uint16Array): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

function headIn(line: string): RunHead | undefined {
  const json = tryParseJson(line);
  if (!isRecord(json) || json.audit === undefined || stringifyJson(json.audit) !== String(FORMAT))
    return undefined;
  const { startedAt, domain } = json;
  return typeof startedAt === 'string' && typeof domain === 'string' ? { startedAt, domain } : undefined;
}

function endIn(line: string): string | undefined {
  const json = tryParseJson(line);
  return isRecord(json) && typeof json.finishedAt === 'string' ? json.finishedAt : undefined;
}

/** Writes the results of a run as they come. Every method throws FileError. */
export class RunWriter {
  readonly #file: WritableFile;
  #lines: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: WritableFile) {
    this.#file = file;
  }

  /** Starts the run at `path`, or continues the interrupted run that `resumed` was read from. */
  static async open(
    path: string,
    head: RunHead,
    { resumed, uid }: { readonly resumed: StoredRun | undefined; readonly uid: number | undefined },
  ): Promise<RunWriter> {
    const partial = { path: partPath(path), from: resumed?.bytes ?? 0, uid };
    const writer = new RunWriter(await openAtomic(path, { mode: 0o600, partial }));
    if (resumed === undefined) await writer.#write(stringifyJson({ audit: FORMAT, ...head }));
    return writer;
  }

  async add(hash: string, outcome: Outcome): Promise<void> {
    const { decision, reasonCode } = storable(outcome);
    this.#lines.push(`\n${hash}\t${decision}\t${reasonCode ?? ''}\t${MARK}`);
    if (this.#lines.length >= BATCH) await this.#flush();
  }

  /** Completes the run, which may be compared with from then on. */
  async finish(finishedAt: string): Promise<void> {
    await this.#flush();
    await this.#write(`\n${stringifyJson({ finishedAt })}`);
    await this.#file.commit();
  }

  /** Leaves the run to be resumed. */
  async closeUnfinished(): Promise<void> {
    await this.#flush().finally(() => this.#file.closeUnfinished());
  }

  async #flush(): Promise<void> {
    const lines = this.#lines.join('');
    this.#lines = [];
    await this.#write(lines);
  }

  /** One write at a time: the next one starts where this one ends. */
  async #write(text: string): Promise<void> {
    this.#writing = this.#writing.then(() => this.#file.write(text));
    await this.#writing;
  }
}

/** The file of a run that is not complete. */
export function partPath(path: string): string {
  return path.slice(0, -SUFFIX.length) + PART;
}

/** The path of a new run in a folder. */
export function newRunPath(folder: string, startedAt: string, pid: number): string {
  return join(folder, `${startedAt.replace(/[:.]/g, '-')}-${pid}${SUFFIX}`);
}

/** The runs in a folder, complete or not, each with the newest first. A missing folder has none. Throws FileError. */
export async function runsIn(
  folder: string,
): Promise<{ readonly complete: readonly string[]; readonly interrupted: readonly string[] }> {
  const names = [...(await namesIfThere(folder))].reverse();
  const complete = names.filter(name => name.endsWith(SUFFIX)).map(name => join(folder, name));
  const interrupted = names
    .filter(name => name.endsWith(PART))
    .map(name => join(folder, name.slice(0, -PART.length) + SUFFIX));
  return { complete, interrupted };
}

/** Removes a run, or the rest of an interrupted one. */
export async function removeRun(path: string): Promise<void> {
  for (const file of [path, partPath(path)]) await rm(file, { force: true });
}
