import { readFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { basename, dirname } from 'node:path';

type Handle = Files.FileHandle;

/**
 * Does what `node:fs/promises` does and keeps account of what a power cut would leave of an export: bytes count once they were
 * synced, names once their folder was. After each step it looks whether a checkpoint that may be left tells of rows that may not.
 */
export class RecordedDisk {
  /** What was done, in order. */
  readonly steps: string[] = [];
  readonly violations: string[] = [];
  readonly #handles: Handle[] = [];
  /** The disk takes as long as this does to take in rows. */
  beforeSync: () => Promise<void> = async () => {};
  readonly #real: typeof Files;
  #bytes = 0;
  #surely = 0;
  #isNamed = false;
  readonly #syncedTexts = new Set<string>();
  /** Bytes that a checkpoint tells of, for each that may be left; undefined where none may be. */
  #told: (number | undefined)[] = [undefined];

  constructor(real: typeof Files) {
    this.#real = real;
  }

  /** How many of the files that were opened are open still. */
  get stillOpen(): number {
    return this.#handles.filter(({ fd }) => fd !== -1).length;
  }

  readonly open = async (...args: Parameters<typeof Files.open>): Promise<Handle> => {
    const path = String(args[0]);
    const handle = await this.#real.open(...args);
    this.#handles.push(handle);
    if ((await handle.stat()).isDirectory()) return this.#folder(handle);
    if (path.endsWith('.part')) return this.#rows(handle);
    return path.endsWith('.part.json.tmp') ? this.#text(handle, path) : handle;
  };

  readonly rename = async (from: string, to: string): Promise<void> => {
    // Locks are no part of what must outlive a power cut.
    if (isLock(from)) return await this.#real.rename(from, to);
    const text = readFileSync(from, 'utf8');
    await this.#real.rename(from, to);
    if (to.endsWith('.part.json')) {
      if (!this.#syncedTexts.has(from))
        this.violations.push('a checkpoint got its name before it was synced');
      this.#told.push(JSON.parse(text).progress.written.sinkBytes);
    } else if (this.#surely < this.#bytes) this.violations.push('the file got its name before it was synced');
    this.#step(`rename to ${basename(to)}`);
  };

  readonly unlink = async (path: string): Promise<void> => {
    await this.#real.unlink(path);
    if (path.endsWith('.part.json')) this.#told.push(undefined);
    if (!isLock(dirname(path))) this.#step(`unlink ${basename(path)}`);
  };

  #step(words: string): void {
    this.steps.push(words);
    // Once the whole file has its name, a checkpoint without rows is passed over.
    if (this.steps.includes('rename to rows.csv')) return;
    const there = this.#isNamed ? this.#surely : 0;
    for (const told of this.#told)
      if (told !== undefined && told > there)
        this.violations.push(`${words}: ${told} bytes may be told of, ${there} are surely there`);
  }

  #folder(handle: Handle): Handle {
    return withOther(handle, {
      sync: async () => {
        await handle.sync();
        this.#isNamed = true;
        this.#told = this.#told.slice(-1);
        this.#step('sync folder');
      },
    });
  }

  #rows(handle: Handle): Handle {
    const sync = async () => {
      const bytes = this.#bytes;
      await this.beforeSync();
      await handle.sync();
      this.#surely = Math.min(bytes, this.#bytes);
      this.#step('sync rows');
    };
    return withOther(handle, {
      sync,
      datasync: sync,
      truncate: async (bytes: number) => {
        await handle.truncate(bytes);
        this.#bytes = bytes;
        this.#surely = Math.min(this.#surely, bytes);
        this.#step('truncate rows');
      },
      write: async (chunk: Uint8Array, from: number, length: number, at: number) => {
        const done = await handle.write(chunk, from, length, at);
        this.#bytes = at + done.bytesWritten;
        this.#surely = Math.min(this.#surely, at);
        this.#step('write rows');
        return done;
      },
    });
  }

  #text(handle: Handle, path: string): Handle {
    this.#syncedTexts.delete(path);
    return withOther(handle, {
      sync: async () => {
        await handle.sync();
        this.#syncedTexts.add(path);
        this.#step('sync checkpoint');
      },
    });
  }
}

function isLock(path: string): boolean {
  return path.endsWith('.lock');
}

/** A handle some of whose methods are others. */
function withOther(handle: Handle, others: Readonly<Record<string, unknown>>): Handle {
  return new Proxy(handle, {
    get(target, name) {
      if (typeof name === 'string' && Object.hasOwn(others, name)) return others[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
