import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { type ContentEvent, EVENT_LISTS } from '../../apis/cdn/events/content-event.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { textIfThere } from '../../files/if-there.ts';
import { storedObject } from '../../json/stored.ts';
import type { QueuedEvent } from './event-queue.ts';

/** Files that are written at once. */
const AT_ONCE = 16;

/** Entries that are kept in memory where they cannot be stored. */
const MOST_UNSTORED = 10_000;

/** Former names of an entry that are kept: any of them may redirect to the present one. */
const MOST_FORMER = 20;

/** What an entry was when its last event was purged, in one locale. */
type KnownEntry = Pick<ContentEvent, 'type' | 'locale' | (typeof EVENT_LISTS)[number]>;

/**
 * What the entries of a CMS were before, a small file for each number or name: most systems send where an entry is, but not where it was, and
 * of one that is withdrawn not even that. Entries of several types may have the same number, and those of several locales have.
 */
export class EntryMemory {
  readonly #folder: string;
  /** What the events since the last `keep` said, by file. */
  readonly #changed = new Map<string, readonly KnownEntry[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The event with what is known of its entry from earlier ones. Throws FileError. */
  async completed({ event, sender }: QueuedEvent): Promise<ContentEvent> {
    if (event.entry === '') return event;
    const path = this.#pathOf(sender, event.entry);
    const all = this.#changed.get(path) ?? (await knownIn(path));
    const known = knownOf(event, all);
    const { paths, slugs, tags, authors, sections } = event;
    if (known === undefined) {
      this.#changed.set(path, [...all, event]);
      return event;
    }
    const completed: ContentEvent = {
      ...event,
      type: event.type || known.type,
      old_paths: union(event.old_paths, known.paths, known.old_paths).filter(each => !paths.includes(each)),
      old_slugs: union(event.old_slugs, known.slugs, known.old_slugs).filter(each => !slugs.includes(each)),
      tags: union(tags, known.tags),
      authors: union(authors, known.authors),
      sections: union(sections, known.sections),
    };
    const { type, locale } = completed;
    const isNamed = paths.length + slugs.length > 0;
    const others = all.filter(each => each.type !== type || each.locale !== locale);
    const present: KnownEntry = {
      ...{ type, locale },
      paths: isNamed ? paths : known.paths,
      slugs: isNamed ? slugs : known.slugs,
      old_paths: completed.old_paths.slice(0, MOST_FORMER),
      old_slugs: completed.old_slugs.slice(0, MOST_FORMER),
      ...{ tags, authors, sections },
    };
    this.#changed.set(path, [...others, present]);
    const hasMoved = [
      ...known.paths.filter(each => !paths.includes(each)),
      ...known.slugs.filter(each => !slugs.includes(each)),
    ];
    const isMoved = isNamed && event.kind === 'updated' && hasMoved.length > 0;
    return isMoved ? { ...completed, kind: 'moved' } : completed;
  }

  /** Stores what the events since the last call said. Call it when they are purged. Throws FileError. */
  async keep(): Promise<void> {
    // Where the disk is full for long, those that changed first are forgotten.
    const changed = [...this.#changed];
    for (const [path] of changed.slice(0, -MOST_UNSTORED)) this.#changed.delete(path);
    const write = async ([path, entries]: readonly [string, readonly KnownEntry[]]) => {
      await makePrivateFolder(dirname(path));
      const names = ['type', 'locale', ...EVENT_LISTS] as const;
      const kept = entries.map(entry => Object.fromEntries(names.map(name => [name, entry[name]])));
      await writeAtomic(path, `${JSON.stringify({ entries: kept })}\n`, { mode: 0o600 });
    };
    for (let at = 0; at < changed.length; at += AT_ONCE)
      await Promise.all(changed.slice(at, at + AT_ONCE).map(write));
    this.#changed.clear();
  }

  #pathOf(sender: string, entry: string): string {
    const name = createHash('sha256')
      .update(JSON.stringify([sender, entry]))
      .digest('hex');
    return join(this.#folder, name.slice(0, 2), `${name.slice(2, 34)}.json`);
  }
}

function union(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/**
 * What is known of the entry of an event. One that names no locale, or no type, is about what is known of all locales, or of the only type that
 * is known.
 */
function knownOf(
  { type, locale }: Pick<ContentEvent, 'type' | 'locale'>,
  all: readonly KnownEntry[],
): KnownEntry | undefined {
  const named = type === '' && new Set(all.map(each => each.type)).size === 1 ? all[0]?.type : type;
  const found = all.filter(each => each.type === named && (locale === '' || each.locale === locale));
  const [first] = found;
  if (first === undefined) return undefined;
  const lists = EVENT_LISTS.map(name => [name, union(...found.map(each => each[name]))]);
  return { ...first, ...Object.fromEntries(lists) };
}

async function knownIn(path: string): Promise<readonly KnownEntry[]> {
  const { entries } = storedObject((await textIfThere(path)) ?? '');
  if (!Array.isArray(entries)) return [];
  return entries.flatMap(stored => {
    if (typeof stored?.type !== 'string') return [];
    const lists = EVENT_LISTS.map(name => [name, Array.isArray(stored[name]) ? stored[name] : []]);
    const locale = typeof stored.locale === 'string' ? stored.locale : '';
    return [{ type: stored.type, locale, ...Object.fromEntries(lists) } as KnownEntry];
  });
}
