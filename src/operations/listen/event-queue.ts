import { join } from 'node:path';
import { EventRefused } from '../../apis/cdn/events/content-event.ts';
import { invariant } from '../../errors/invariant.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { createReadStream, type FileHandle, open, readdir, rm, stat } from '../../files/disk.ts';
import { syncFolder, writeAll } from '../../files/disk-io.ts';
import { fileError } from '../../files/file-error.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { textIfThere } from '../../files/if-there.ts';
import { storedObject } from '../../json/stored.ts';
import { type EventBatch, type EventStore, MOST_WAITING, type QueuedEvent, Wake } from './event-store.ts';

/** Where in the queue: a file, and a byte in it. */
interface Position {
  readonly file: number;
  readonly at: number;
}

interface QueueOptions {
  readonly now: () => number;
  /** For how long the id of an event is remembered, in milliseconds. */
  readonly rememberMs: number;
  /** Called for a line that cannot be read. */
  readonly onDamage: (place: string) => void;
}

/** Bytes of a file, after which the next one is begun. */
const FILE_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
const FILE_NAME = /^events-(\d{8})\.ndjson$/;
const NEWLINE = 0x0a;

/**
 * A queue of events in a folder: files that lines are appended to, and the position up to which all is done. What `append` has resolved for
 * is on the disk. Memory holds ids of the last minutes, and no waiting event. One process may use it at a time.
 */
export class EventQueue implements EventStore {
  readonly isShared = false;
  readonly losses = { count: 0, isRecent: false };
  trouble: string | undefined;
  readonly #folder: string;
  readonly #options: QueueOptions;
  readonly #ids = new Map<string, number>();
  readonly #writing = new Map<string, Promise<void>>();
  #done: Position = { file: 1, at: 0 };
  #end: Position = { file: 1, at: 0 };
  #handle: FileHandle | undefined;
  /** Whether the last file has bytes after `#end`: of a write that failed, or of a process that was killed. */
  #isCut = false;
  #waiting = 0;
  #lines: { text: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #flushing: Promise<void> | undefined;
  readonly #more = new Wake();
  /** Whether the last write failed: only another one can tell that there is room again. */
  #hasFailed = false;

  private constructor(folder: string, options: QueueOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Opens the queue of a folder, which is created. Throws FileError. */
  static async open(folder: string, options: QueueOptions): Promise<EventQueue> {
    const queue = new EventQueue(folder, options);
    await makePrivateFolder(folder);
    await queue.#load();
    return queue;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get isAvailable(): boolean {
    return !this.#hasFailed && this.#waiting < MOST_WAITING;
  }

  async append(queued: QueuedEvent): Promise<boolean> {
    const id = `${queued.sender} ${queued.event.id}`;
    const known = this.#writing.get(id);
    if (known !== undefined) {
      await known;
      return false;
    }
    this.#forget();
    if (this.#ids.has(id)) return false;
    if (this.#waiting >= MOST_WAITING) throw new EventRefused('busy', 'too many events wait to be purged');
    const written = new Promise<void>((resolve, reject) => {
      this.#lines.push({ text: `${JSON.stringify(queued)}\n`, resolve, reject });
      this.#flushing ??= this.#flush();
    });
    this.#writing.set(id, written);
    try {
      await written;
    } finally {
      this.#writing.delete(id);
    }
    this.#ids.set(id, this.#options.now());
    this.#waiting += 1;
    this.#more.now();
    return true;
  }

  async setTrouble(code: string | undefined): Promise<void> {
    this.trouble = code;
  }

  async untilWaiting(signal: AbortSignal): Promise<void> {
    if (this.#waiting === 0) await this.#more.next(signal);
  }

  async next(most: number): Promise<EventBatch> {
    const { events, end } = await this.#first(most);
    return { events, done: () => this.#advance(end, events.length) };
  }

  /** The first events that are not done, `most` at most, and the position after them. */
  async #first(most: number): Promise<{ readonly events: readonly QueuedEvent[]; readonly end: Position }> {
    const events: QueuedEvent[] = [];
    let { file, at } = this.#done;
    for (; file <= this.#end.file && events.length < most; file += 1, at = 0) {
      const limit = file === this.#end.file ? this.#end.at : Number.POSITIVE_INFINITY;
      for await (const line of this.#linesIn(file, at, limit)) {
        at = line.end;
        const queued = this.#read(line.text, file);
        if (queued !== undefined) events.push(queued);
        if (events.length === most) return { events, end: { file, at } };
      }
      if (file === this.#end.file) break;
    }
    return { events, end: { file, at } };
  }

  /** Records that `count` events before a position are done. Throws FileError where only this process knows it. */
  async #advance(end: Position, count: number): Promise<void> {
    const isBehind = end.file < this.#done.file || (end.file === this.#done.file && end.at < this.#done.at);
    invariant(!isBehind && count <= this.#waiting, `${count} of ${this.#waiting} events are done again`);
    this.#done = end;
    this.#waiting -= count;
    await writeAtomic(join(this.#folder, 'done.json'), `${JSON.stringify(end)}\n`, { mode: 0o600 });
    for (const file of await this.#files()) {
      if (file >= end.file) break;
      const path = this.#path(file);
      // Its ids may still be needed.
      const { mtimeMs } = await stat(path);
      if (mtimeMs < this.#options.now() - this.#options.rememberMs) await rm(path, { force: true });
    }
  }

  /** Resolves when what was appended is written. */
  async close(): Promise<void> {
    await this.#flushing;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #load(): Promise<void> {
    const stored = (await textIfThere(join(this.#folder, 'done.json'))) ?? '';
    const { file, at } = storedObject(stored);
    const files = await this.#files();
    const first = files[0] ?? 1;
    if (typeof file === 'number' && typeof at === 'number') this.#done = { file, at };
    if (this.#done.file < first) this.#done = { file: first, at: 0 };
    const last = Math.max(files.at(-1) ?? this.#done.file, this.#done.file);
    const since = this.#options.now() - this.#options.rememberMs;
    const newest = files.at(-1);
    // A process that was killed may have left lines in memory only, and what is read here counts as stored.
    if (newest !== undefined) await this.#sync(newest);
    let end = 0;
    for (const each of files) {
      const { size } = await stat(this.#path(each));
      end = 0;
      for await (const line of this.#linesIn(each, 0, size)) {
        end = line.end;
        const isWaiting = each > this.#done.file || (each === this.#done.file && end > this.#done.at);
        const queued = this.#read(line.text, each, isWaiting);
        if (queued === undefined) continue;
        if (isWaiting) this.#waiting += 1;
        const acceptedAt = Date.parse(queued.accepted_at);
        if (acceptedAt >= since) this.#ids.set(`${queued.sender} ${queued.event.id}`, acceptedAt);
      }
      this.#isCut = end < size;
    }
    this.#end = { file: last, at: files.at(-1) === last ? end : 0 };
  }

  async #sync(file: number): Promise<void> {
    const path = this.#path(file);
    try {
      const handle = await open(path, 'r+');
      await handle.datasync().finally(() => handle.close());
    } catch (error) {
      throw fileError(path, error, 'write');
    }
    await syncFolder(this.#folder);
  }

  /** Writes all that waits with one write, and again what came meanwhile. */
  async #flush(): Promise<void> {
    // What arrives in the same turn is written together.
    await Promise.resolve();
    while (this.#lines.length > 0) {
      const lines = this.#lines;
      this.#lines = [];
      try {
        await this.#write(lines.map(({ text }) => text).join(''));
        this.#hasFailed = false;
        for (const { resolve } of lines) resolve();
      } catch (error) {
        this.#hasFailed = true;
        for (const { reject } of lines) reject(error);
      }
    }
    this.#flushing = undefined;
  }

  async #write(text: string): Promise<void> {
    if (this.#end.at >= FILE_BYTES && !this.#isCut) {
      await this.#handle?.close();
      this.#handle = undefined;
      this.#end = { file: this.#end.file + 1, at: 0 };
    }
    const path = this.#path(this.#end.file);
    try {
      if (this.#handle === undefined) {
        const handle = await open(path, 'a', 0o600);
        // Until its name is on the disk, the next write tries again.
        await syncFolder(this.#folder).catch(error => handle.close().finally(() => Promise.reject(error)));
        this.#handle = handle;
      }
      // A line that lacks no more than its end would count when the next one is appended.
      if (this.#isCut) await this.#handle.truncate(this.#end.at);
      this.#isCut = true;
      await writeAll(this.#handle, text, null);
      await this.#handle.datasync();
      this.#isCut = false;
      this.#end = { ...this.#end, at: (await this.#handle.stat()).size };
    } catch (error) {
      throw fileError(path, error, 'write');
    }
  }

  /** The lines of a file from a byte to another, each with the byte after it. A line that was cut is omitted. */
  async *#linesIn(
    file: number,
    from: number,
    to: number,
  ): AsyncGenerator<{ readonly text: string; readonly end: number }> {
    if (from >= to) return;
    const path = this.#path(file);
    const end = to === Number.POSITIVE_INFINITY ? undefined : to - 1;
    const stream = createReadStream(path, {
      start: from,
      highWaterMark: READ_BYTES,
      ...(end !== undefined && { end }),
    });
    let rest: Buffer = Buffer.alloc(0);
    let at = from;
    try {
      for await (const chunk of stream) {
        const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        let start = 0;
        for (let stop = bytes.indexOf(NEWLINE); stop >= 0; stop = bytes.indexOf(NEWLINE, start)) {
          at += stop + 1 - start;
          yield { text: bytes.toString('utf8', start, stop), end: at };
          start = stop + 1;
        }
        rest = bytes.subarray(start);
      }
    } catch (error) {
      throw fileError(path, error, 'read');
    } finally {
      stream.destroy();
    }
  }

  #read(text: string, file: number, isReported = true): QueuedEvent | undefined {
    const stored = storedObject(text);
    if (typeof stored.event === 'object' && stored.event !== null && typeof stored.sender === 'string')
      return stored as unknown as QueuedEvent;
    if (text !== '' && isReported) this.#options.onDamage(this.#path(file));
    return undefined;
  }

  #forget(): void {
    const since = this.#options.now() - this.#options.rememberMs;
    for (const [id, at] of this.#ids) {
      if (at >= since) return;
      this.#ids.delete(id);
    }
  }

  async #files(): Promise<number[]> {
    const names = await readdir(this.#folder);
    return names.flatMap(name => Number(FILE_NAME.exec(name)?.[1] ?? Number.NaN) || []).sort((a, b) => a - b);
  }

  #path(file: number): string {
    return join(this.#folder, `events-${String(file).padStart(8, '0')}.ndjson`);
  }
}
