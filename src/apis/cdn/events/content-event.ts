import { isJsonNumber, isList, isRecord, type Json, textOf as jsonText } from '../../../json/index.ts';
import { DOT_SEGMENT, encodedAsTyped } from '../changes/url-text.ts';

export const EVENT_KINDS = ['published', 'updated', 'moved', 'unpublished'] as const;
type EventKind = (typeof EVENT_KINDS)[number];

/** What happened to one entry of a CMS. */
export interface ContentEvent {
  /** Identifies the event: a repeated delivery has the same id. */
  readonly id: string;
  readonly kind: EventKind;
  /** The type of the entry, such as `article`; empty where the CMS does not send it. */
  readonly type: string;
  /** Identifies the entry in the CMS. */
  readonly entry: string;
  /** Its locale; empty where the CMS does not send it. */
  readonly locale: string;
  /** When it happened (RFC 3339). */
  readonly time: string;
  /** Paths of its pages below the site, as requests have them, and those that it had before; of a page on its host that is not below it, the URL. */
  readonly paths: readonly string[];
  readonly old_paths: readonly string[];
  /** Its names in URLs, and those that it had before. */
  readonly slugs: readonly string[];
  readonly old_slugs: readonly string[];
  /** Those of the entry, now and before, by their names in URLs. */
  readonly tags: readonly string[];
  readonly authors: readonly string[];
  readonly sections: readonly string[];
  /** Those of the last three of which it says nothing: they are as they were. */
  readonly unsaid?: readonly Group[];
}

const GROUPS = ['tags', 'authors', 'sections'] as const;
type Group = (typeof GROUPS)[number];

/** The lists of names and paths in an event. */
export const EVENT_LISTS = [
  'paths',
  'old_paths',
  'slugs',
  'old_slugs',
  'tags',
  'authors',
  'sections',
] as const;

/** Why an event is not accepted. */
export type RefusalCode =
  | 'unsigned'
  | 'forged'
  | 'stale'
  | 'unknown_sender'
  | 'unknown_event'
  | 'invalid_event'
  | 'leads_to_nothing'
  | 'too_large'
  | 'method'
  | 'busy';

const STATUSES: Readonly<Record<RefusalCode, number>> = {
  unsigned: 401,
  forged: 401,
  stale: 401,
  unknown_sender: 404,
  unknown_event: 422,
  invalid_event: 422,
  leads_to_nothing: 422,
  too_large: 413,
  method: 405,
  busy: 503,
};

/** An event that is not accepted. Its message quotes nothing that was sent. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }

  /** The status that tells the sender. None is 410, at which Ghost removes the webhook. */
  get status(): number {
    return STATUSES[this.code];
  }
}

/** What identifies an event and dates it, from its signature or its content. */
export interface Delivery {
  readonly id: string;
  /** Milliseconds. */
  readonly time: number;
}

/** Longest list of names or paths, and longest text, that an event may have. */
const MOST_ITEMS = 200;
const MOST_CHARACTERS = 2000;

/**
 * The event that a JSON value describes, with the singular names as well: `path` and `tag` for one. `delivery` completes what it does not
 * say. Paths are below `site`: of a URL that is below it, too, the rest is the path; one on its host that is not below it stays a URL. Throws
 * EventRefused for a value that describes none.
 */
export function contentEvent(value: Json | undefined, delivery: Delivery, site?: string): ContentEvent {
  if (!isRecord(value)) throw invalid('the event is not an object');
  const kind = EVENT_KINDS.find(each => each === value.kind);
  if (kind === undefined) throw invalid(`its kind is none of ${EVENT_KINDS.join(', ')}`);
  const lists = Object.fromEntries(
    EVENT_LISTS.map(name => [name, textsIn(value[name] ?? value[name.slice(0, -1)], name)]),
  ) as Pick<ContentEvent, (typeof EVENT_LISTS)[number]>;
  const unsaid = GROUPS.filter(name => value[name] === undefined && value[name.slice(0, -1)] === undefined);
  const paths = lists.paths.map(path => pathOf(path, site));
  const oldPaths = lists.old_paths.map(path => pathOf(path, site)).filter(path => !paths.includes(path));
  const slugs = lists.slugs.length > 0 ? lists.slugs : paths.flatMap(slugOf);
  const oldSlugs = lists.old_slugs.length > 0 ? lists.old_slugs : oldPaths.flatMap(slugOf);
  const entry = textOf(value.entry, 'entry') ?? '';
  const locale = textOf(value.locale, 'locale') ?? '';
  const id = textOf(value.id, 'id') ?? delivery.id;
  const time = textOf(value.time, 'time') ?? new Date(delivery.time).toISOString();
  if (Number.isNaN(Date.parse(time))) throw invalid('its time is not a date');
  if (id === '') throw invalid('it has no id');
  const isMoved = kind === 'updated' && oldPaths.length + oldSlugs.filter(s => !slugs.includes(s)).length > 0;
  return {
    ...{ id, kind: isMoved ? 'moved' : kind, type: textOf(value.type, 'type') ?? '' },
    ...{ entry, locale, time },
    ...{ paths, old_paths: oldPaths, slugs, old_slugs: oldSlugs.filter(slug => !slugs.includes(slug)) },
    ...{ tags: lists.tags, authors: lists.authors, sections: lists.sections },
    ...(unsaid.length > 0 && { unsaid }),
  };
}

function textsIn(value: Json | undefined, name: string): readonly string[] {
  if (value === undefined || value === null) return [];
  const items = isList(value) ? value : [value];
  if (items.length > MOST_ITEMS) throw invalid(`${name} has more than ${MOST_ITEMS} items`);
  return [...new Set(items.flatMap(item => textOf(item, name) ?? []))].filter(text => text !== '');
}

function textOf(value: Json | undefined, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && !isJsonNumber(value)) throw invalid(`${name} is not a text`);
  const text = jsonText(value);
  if (text.length > MOST_CHARACTERS) throw invalid(`${name} is longer than ${MOST_CHARACTERS} characters`);
  return text;
}

/**
 * The path of a URL, or of a path, with its query and without the segments . and ..: the host of a CMS is often not that of the site. What is below the site has its folder in
 * its URL already.
 */
function pathOf(text: string, site: string | undefined): string {
  if (/^\/(?!\/).*[\s\\#]/s.test(text)) throw invalid('a path contains a blank, a backslash or #: encode it');
  if (text.startsWith('/') && !text.startsWith('//')) {
    const path = encodedAsTyped(text);
    if (!DOT_SEGMENT.test(path)) return path;
    const { pathname, search } = new URL(`http://x${path}`);
    return pathname + search;
  }
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw invalid('a path does not start with /');
  const { host, pathname, search } = new URL(text);
  const { host: own, origin, pathname: folder } = new URL(site ?? text);
  const below = site === undefined ? '' : folder.replace(/\/+$/, '');
  if (pathname === below || pathname.startsWith(`${below}/`))
    return (pathname.slice(below.length) || '/') + search;
  return (host === own ? origin : '') + pathname + search;
}

/** The last name in a path, or in the URL of a page that is not below the site. */
function slugOf(path: string): string[] {
  const [only = ''] = path.replace(/^https?:\/\/[^/]+/, '').split('?');
  const name = only.split('/').findLast(part => part !== '');
  return name === undefined ? [] : [name];
}

function invalid(problem: string): EventRefused {
  return new EventRefused('invalid_event', problem);
}
