import { distance } from '../../errors/nearest.ts';

/** Parameters that campaigns, mails and networks add to an address; they select no page. */
const TRACKING =
  /^(?:utm_\w+|mtm_\w+|pk_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid|_ga|_gl)$/i;
const SCHEME = /^https?:\/\//i;
/** A host and a path, without a scheme. */
const WITHOUT_SCHEME = /^(?:\/\/)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)/;
/** A fragment with a route, which selects a page of an application. */
const ROUTE = /^#[/!]/;
/** Typing errors in a path that still name the same page, most likely. */
const MOST_EDITS = 2;

interface Page {
  readonly host: string;
  readonly path: string;
  /** The parameters that may select a page. */
  readonly query: string;
  /** The fragment where it is a route. */
  readonly route: string;
}

/** The page that an item key names, if it is an address; undefined for any other key. */
function pageOf(key: string): Page | undefined {
  const text = key.trim();
  if (!SCHEME.test(text) && !WITHOUT_SCHEME.test(text)) return undefined;
  const address = SCHEME.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const parameters = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
  return {
    host: url.host.replace(/^(?:www|m|mobile|amp)\./, '').replace(/:(?:80|443)$/, ''),
    path: url.pathname.replace(/%[0-9a-f]{2}/gi, normalized).replace(/\/+$/, ''),
    query: new URLSearchParams(parameters).toString(),
    route: ROUTE.test(url.hash) ? url.hash : '',
  };
}

/** A page's address without the parameters of campaigns, and without those that `isForeign` names; other keys do not change. */
export function withoutTracking(key: string, isForeign: (name: string, value: string) => boolean): string {
  if (!SCHEME.test(key) || !URL.canParse(key)) return key;
  const url = new URL(key);
  for (const [name, value] of [...url.searchParams])
    if (TRACKING.test(name) || isForeign(name, value)) url.searchParams.delete(name, value);
  return url.search === new URL(key).search ? key : url.href;
}

/** An escape as RFC 3986 (6.2.2) compares it: in upper case, and none for a character that needs none. */
function normalized(code: string): string {
  const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : code.toUpperCase();
}

/** An address without tracking parameters and without a fragment that is no route; nothing else changes. */
function withoutDecoration(key: string): string {
  const [address = '', fragment = ''] = key.trim().split(/(?=#)/);
  const [page = '', query = ''] = address.split(/\?(.*)/s);
  const kept = query.split('&').filter(parameter => parameter !== '' && !isTracking(parameter));
  return `${page}${kept.length > 0 ? `?${kept.join('&')}` : ''}${ROUTE.test(fragment) ? key.trim().slice(address.length) : ''}`;
}

function isTracking(parameter: string): boolean {
  return TRACKING.test(parameter.replace(/=.*$/s, ''));
}

/** The keys of a reader's items that differ from a typed key in tracking and fragments alone. */
export function samePages(typed: string, held: readonly string[]): string[] {
  if (pageOf(typed) === undefined) return [];
  const key = withoutDecoration(typed);
  return [...new Set(held)].filter(
    other => other !== typed && pageOf(other) !== undefined && withoutDecoration(other) === key,
  );
}

/** The keys of a reader's items that most likely name the same page as a typed key, with another scheme, host or slash: other keys for the API. */
export function otherSpellings(typed: string, held: readonly string[]): string[] {
  const page = pageOf(typed);
  if (page === undefined) return [];
  const same = samePages(typed, held);
  const isSame = (key: string) => {
    const other = pageOf(key);
    return other !== undefined && PARTS.every(part => other[part] === page[part]);
  };
  return [...new Set(held)].filter(key => key !== typed && !same.includes(key) && isSame(key));
}

const PARTS = ['host', 'path', 'query', 'route'] as const;

/** The held key that is most likely meant by a typed key, though it is another one; undefined if none is close. */
export function nearMiss(typed: string, held: readonly string[]): string | undefined {
  const page = pageOf(typed);
  const edits = held.flatMap(key => {
    const other = pageOf(key);
    const count = page === undefined || other === undefined ? wordEdits(typed, key) : pageEdits(page, other);
    return key === typed || count > MOST_EDITS ? [] : [{ key, count }];
  });
  return edits.sort((a, b) => a.count - b.count)[0]?.key;
}

/** Another host or other parameters count as one edit each. */
function pageEdits(page: Page, other: Page): number {
  const differences =
    Number(page.host !== other.host) +
    Number(page.query !== other.query) +
    Number(page.route !== other.route);
  return wordEdits(page.path, other.path) + differences;
}

/** Short keys are all close to each other: one edit in six letters counts as close. */
function wordEdits(typed: string, key: string): number {
  const [one, other] = [typed.trim().toLowerCase(), key.trim().toLowerCase()];
  const edits = distance(one, other);
  return edits <= Math.floor(one.length / 6) ? edits : MOST_EDITS + 1;
}
