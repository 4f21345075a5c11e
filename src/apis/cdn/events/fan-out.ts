import type { ValueOf } from '../../../documents/forms.ts';
import { DOT_SEGMENT, encodedName, placeholdersOf } from '../changes/url-text.ts';
import { cleanUrl } from '../clean-url.ts';
import { keyProblem } from '../surrogate-keys.ts';
import { type ContentEvent, EventRefused } from './content-event.ts';
import type { EVENT_RULE } from './event-map-form.ts';

/** What events of one kind lead to. */
interface EventRule extends ValueOf<typeof EVENT_RULE> {
  /** Its number in the file, from 1. */
  readonly number: number;
}

/** What a map says about events. */
export interface EventMap {
  /** The URL that paths are below, without a slash at the end. */
  readonly site: string;
  /** Templates of URLs that every event purges. */
  readonly always: readonly string[];
  readonly rules: readonly EventRule[];
}

/** What an event leads to, each target once. */
export interface FanOut {
  /** The rule that decides. */
  readonly rule: EventRule;
  /** URLs of the entry, where it is and where it was. */
  readonly urls: readonly string[];
  /** URLs that show something of it. */
  readonly listings: readonly string[];
  /** URLs that every event purges. */
  readonly always: readonly string[];
  readonly keys: readonly string[];
  /** What its values make of a template, but can be neither a URL nor a key, and why. */
  readonly unusable: readonly Unusable[];
}

interface Unusable {
  readonly target: string;
  readonly problem: string;
}

/**
 * What an event leads to; undefined where a rule ignores it. A page that moved is purged where it was and where it is, because either may
 * redirect to the other. Throws EventRefused where no rule matches, and where the page of the entry cannot be told from it.
 */
export function fanOut(event: ContentEvent, { site, always, rules }: EventMap): FanOut | undefined {
  const rule = ruleOf(event, rules);
  if (rule.ignore) return undefined;
  const seen = new Set<string>();
  const unusable = new Map<string, Unusable>();
  const usable = ({ target, problem }: Filled): string[] => {
    if (problem === undefined) return [target];
    unusable.set(target, { target, problem });
    return [];
  };
  const targets = (templates: readonly string[], fill: (template: string) => readonly string[]) =>
    templates.flatMap(fill).filter(target => !seen.has(target) && seen.add(target));
  const urlsOf = (template: string) => filledIn(template, event, rule.pages, site).flatMap(usable);
  const found = {
    rule,
    urls: targets(rule.urls, urlsOf),
    listings: targets(rule.listings, urlsOf),
    always: targets(always, urlsOf),
    keys: [...new Set(rule.keys.flatMap(template => filledIn(template, event, rule.pages).flatMap(usable)))],
  };
  if (unusable.size === 0 && found.urls.length === 0 && found.keys.length === 0 && rule.urls.length > 0)
    throw new EventRefused(
      'leads_to_nothing',
      'the event does not name the page of its entry: it has no path and no slug, and fills no key of the rule',
    );
  return { ...found, unusable: [...unusable.values()] };
}

/** The first URL that an event leads to, but which is not on a domain. */
export function urlElsewhere({ urls, listings, always }: FanOut, domain: string): string | undefined {
  return [...urls, ...listings, ...always].find(url => 'problem' in cleanUrl(url, domain));
}

/** The rule that decides about an event. Throws EventRefused for an event that no rule matches. */
export function ruleOf({ type, kind }: ContentEvent, rules: readonly EventRule[]): EventRule {
  const found = rules.find(
    ({ on }) =>
      (on.type.length === 0 || on.type.includes(type)) && (on.event.length === 0 || on.event.includes(kind)),
  );
  if (found !== undefined) return found;
  throw new EventRefused('leads_to_nothing', 'no rule of the map is for events of this type');
}

/** A template with values. */
interface Filled {
  readonly target: string;
  /** Why it cannot be purged. */
  readonly problem: string | undefined;
}

/** The values of a template: one for each combination of what its placeholders stand for. With `site`, URLs; otherwise surrogate keys. */
function filledIn(template: string, event: ContentEvent, pages: number, site?: string): Filled[] {
  const names = [...new Set(placeholdersOf(template))];
  let texts = [template];
  for (const name of names) {
    const values = VALUES[name]?.(event, pages) ?? [];
    const written = site === undefined || name === 'path' ? values : values.map(encoded);
    const isPath = name === 'path' && site !== undefined;
    texts = texts.flatMap(text =>
      written.map(value => (isPath ? withPath(text, value) : withValue(text, name, value))),
    );
  }
  if (site === undefined) return texts.map(target => ({ target, problem: keyProblem(target) }));
  return texts.map(text => {
    const target = text.startsWith('/') ? site + text : text.replace(OUTSIDE, () => new URL(site).origin);
    if (DOT_SEGMENT.test(target)) return { target, problem: 'has . or .. as a part of its path' };
    const clean = cleanUrl(target, undefined);
    return 'url' in clean ? { target: clean.url, problem: undefined } : { target, problem: clean.problem };
  });
}

/** Begins a URL of a template whose page is on the host of the site, but not below it. */
const OUTSIDE = /^outside:(?=\/)/;

function withValue(template: string, name: string, value: string): string {
  return template.replaceAll(`{${name}}`, () => value);
}

/** A template with a path, whose query follows the whole path of the template. That of a page that is not below the site is not, either. */
function withPath(template: string, value: string): string {
  const [, origin = '', path = '', search = ''] = /^(https?:\/\/[^/?]+)?([^?]*)(.*)$/s.exec(value) ?? [];
  const [, before = '', query = ''] = /^([^?]*)(.*)$/s.exec(template) ?? [];
  if (!before.includes('{path}')) return withValue(template, 'path', path + search);
  const more = search === '' ? query : query.replace(/^\?/, '&');
  const filled = withValue(before, 'path', path) + search + withValue(more, 'path', path + search);
  return origin !== '' && filled.startsWith('/') ? `outside:${filled}` : filled;
}

const VALUES: Readonly<Record<string, (event: ContentEvent, pages: number) => readonly string[]>> = {
  path: ({ paths, old_paths }) => [...paths, ...old_paths],
  slug: ({ slugs, old_slugs }) => [...slugs, ...old_slugs],
  tag: ({ tags }) => tags,
  author: ({ authors }) => authors,
  section: ({ sections }) => sections,
  type: ({ type }) => (type === '' ? [] : [type]),
  entry: ({ entry }) => (entry === '' ? [] : [entry]),
  page: (_, pages) => Array.from({ length: pages - 1 }, (_, index) => String(index + 2)),
};

/** A name as a part of a path; one that a CMS has encoded already stays as it is. */
function encoded(name: string): string {
  if (/%[0-9a-f]{2}/i.test(name) && /^[\w%.~/-]+$/.test(name)) return name;
  return encodedName(name);
}
