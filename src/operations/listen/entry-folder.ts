import { dirname, join } from 'node:path';
import { EVENT_LISTS } from '../../apis/cdn/events/content-event.ts';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { rename } from '../../files/disk.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { textIfThere } from '../../files/if-there.ts';
import { storedObject } from '../../json/stored.ts';
import type { EntryStore, KnownEntry } from './event-store.ts';

/** Files that are written at once. */
const AT_ONCE = 16;

/** What entries were, a small file for each number or name. */
export class EntryFolder implements EntryStore {
  readonly #folder: string;
  readonly #onDamage: (path: string) => void;

  /** `onDamage` is called for a file that cannot be used, which is renamed to `….damaged` where that is possible. */
  constructor(folder: string, onDamage: (path: string) => void) {
    this.#folder = folder;
    this.#onDamage = onDamage;
  }

  async read(name: string): Promise<readonly KnownEntry[]> {
    const path = this.#pathOf(name);
    try {
      const text = await textIfThere(path);
      if (text === undefined) return [];
      const entries = knownIn(storedObject(text).entries);
      if (entries !== undefined) return entries;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
    this.#onDamage(path);
    // What cannot be moved is replaced with the next event of the entry, or is a warning again.
    await rename(path, `${path}.damaged`).catch(() => {});
    return [];
  }

  async write(entries: ReadonlyMap<string, readonly KnownEntry[]>): Promise<void> {
    const writeOne = async ([name, known]: readonly [string, readonly KnownEntry[]]) => {
      const path = this.#pathOf(name);
      await makePrivateFolder(dirname(path));
      await writeAtomic(path, `${JSON.stringify({ entries: known })}\n`, { mode: 0o600 });
    };
    const all = [...entries];
    for (let at = 0; at < all.length; at += AT_ONCE)
      await Promise.all(all.slice(at, at + AT_ONCE).map(writeOne));
  }

  #pathOf(name: string): string {
    return join(this.#folder, name.slice(0, 2), `${name.slice(2, 34)}.json`);
  }
}

/** Stored entries; undefined for what is none. */
export function knownIn(stored: unknown): readonly KnownEntry[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  return stored.flatMap(each => {
    if (typeof each?.type !== 'string') return [];
    const lists = EVENT_LISTS.map(name => [name, Array.isArray(each[name]) ? each[name] : []]);
    const locale = typeof each.locale === 'string' ? each.locale : '';
    return [{ type: each.type, locale, ...Object.fromEntries(lists) } as KnownEntry];
  });
}
