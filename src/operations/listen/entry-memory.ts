import { createHash } from 'node:crypto';
import { type ContentEvent, EVENT_LISTS } from '../../apis/cdn/events/content-event.ts';
import type { EntryStore, KnownEntry, QueuedEvent } from './event-store.ts';

/** Entries that are kept in memory where they cannot be stored. */
const MOST_UNSTORED = 10_000;

/** Former names of an entry that are kept: any of them may redirect to the present one. */
const MOST_FORMER = 20;

/**
 * What the entries of a CMS were before: most systems send where an entry is, but not where it was, and of one that is withdrawn not even
 * that. Entries of several types may have the same number, and those of several locales have.
 */
export class EntryMemory {
  readonly #store: EntryStore;
  /** What the events since the last `keep` said, by the name of the entry. */
  readonly #changed = new Map<string, readonly KnownEntry[]>();

  constructor(store: EntryStore) {
    this.#store = store;
  }

  /** The event with what is known of its entry from earlier ones. Throws NetworkError. */
  async completed({ event, sender }: QueuedEvent): Promise<ContentEvent> {
    if (event.entry === '') return event;
    const name = nameOf(sender, event.entry);
    const all = this.#changed.get(name) ?? (await this.#store.read(name));
    const known = knownOf(event, all);
    const { paths, slugs, tags, authors, sections } = event;
    if (known === undefined) {
      this.#changed.set(name, [...all, keptOf(event)]);
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
    const { type, locale, unsaid = [] } = completed;
    const isNamed = paths.length + slugs.length > 0;
    const others = all.filter(each => each.type !== type || each.locale !== locale);
    const present: KnownEntry = {
      ...{ type, locale },
      paths: isNamed ? paths : known.paths,
      slugs: isNamed ? slugs : known.slugs,
      old_paths: completed.old_paths.slice(0, MOST_FORMER),
      old_slugs: completed.old_slugs.slice(0, MOST_FORMER),
      tags: unsaid.includes('tags') ? known.tags : tags,
      authors: unsaid.includes('authors') ? known.authors : authors,
      sections: unsaid.includes('sections') ? known.sections : sections,
    };
    this.#changed.set(name, [...others, present]);
    const hasMoved = [
      ...known.paths.filter(each => !paths.includes(each)),
      ...known.slugs.filter(each => !slugs.includes(each)),
    ];
    const isMoved = isNamed && event.kind === 'updated' && hasMoved.length > 0;
    return isMoved ? { ...completed, kind: 'moved' } : completed;
  }

  /** Stores what the events since the last call said. Call it when they are purged. Throws FileError and NetworkError. */
  async keep(): Promise<void> {
    // Where the disk is full for long, those that changed first are forgotten.
    for (const name of [...this.#changed.keys()].slice(0, -MOST_UNSTORED)) this.#changed.delete(name);
    if (this.#changed.size === 0) return;
    await this.#store.write(this.#changed);
    this.#changed.clear();
  }
}

/** What is stored of an event. */
function keptOf(event: ContentEvent): KnownEntry {
  const names = ['type', 'locale', ...EVENT_LISTS] as const;
  return Object.fromEntries(names.map(name => [name, event[name]])) as unknown as KnownEntry;
}

/** How an entry of a sender is named where it is stored. */
function nameOf(sender: string, entry: string): string {
  return createHash('sha256')
    .update(JSON.stringify([sender, entry]))
    .digest('hex');
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
