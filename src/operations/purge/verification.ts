import type { Freshness, FreshnessResult, Observation } from '../../apis/cdn/freshness.ts';
import type { Completeness } from './impact.ts';

/** Where a page redirects to: another page, or what is not one, in words. */
type RedirectTarget = { readonly url: URL } | { readonly what: string };

/** A page that was fetched before and after its purge. A text says why it could not be fetched. */
export interface VerifiedPage extends FreshnessResult {
  readonly url: string;
  readonly before: Observation | string;
  readonly after: Observation | string;
  /** Not followed: what is cached under its target is another page. */
  readonly redirect?: RedirectTarget;
}

/** What the verified pages of a purge show. */
interface VerificationSummary {
  readonly completeness: Completeness;
  /** URLs that were purged, and those that were fetched again. */
  readonly purged: number;
  readonly checked: number;
  readonly fresh: number;
  readonly stale: number;
  readonly unknown: number;
}

/** Counts the verdicts. Only fresh and stale pages were measured. */
export function summaryOf(
  pages: readonly Pick<VerifiedPage, 'verdict'>[],
  purged: number,
): VerificationSummary {
  const count = (verdict: Freshness) => pages.filter(page => page.verdict === verdict).length;
  const [fresh, stale, unknown] = [count('fresh'), count('stale'), count('unknown')];
  const checked = pages.length;
  const completeness =
    fresh + stale === 0 ? 'unmeasured' : unknown > 0 || checked < purged ? 'incomplete' : 'complete';
  return { completeness, purged, checked, fresh, stale, unknown };
}

/** Where a response redirects to; undefined for one that does not. */
export function redirectTarget(
  status: number,
  location: string | undefined,
  from: string,
): RedirectTarget | undefined {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  if (!URL.canParse(location, from)) return { what: 'an invalid URL' };
  const url = new URL(location, from);
  const isWeb = (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== '';
  return isWeb ? { url } : { what: `a ${url.protocol} address` };
}

/** A URL as requests have it, for comparisons: normalized, without a fragment. */
export function requestedUrl(url: string | URL): string {
  const { href, hash } = new URL(url);
  return href.slice(0, href.length - hash.length).replace(/#$/, '');
}

/** The name of a target: without a user name and without its query, which may contain secrets. */
export function redirectName(target: RedirectTarget): string {
  if ('what' in target) return target.what;
  const { origin, pathname, search } = target.url;
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

/** Whether the target of a redirect is the page itself, was purged too, was not, or is not requested. */
type RedirectState = 'itself' | 'purged' | 'not purged' | 'not requested';

/** How the target of a redirect relates to a purge of these URLs, each as `requestedUrl` has it. */
export function redirectState(
  page: string,
  target: RedirectTarget,
  purged: ReadonlySet<string>,
): RedirectState {
  if ('what' in target) return 'not requested';
  const to = requestedUrl(target.url);
  if (to === requestedUrl(page)) return 'itself';
  return purged.has(to) ? 'purged' : 'not purged';
}

/** `https://example.com/old redirects to https://example.com/new, which was not purged`. */
export function redirectSentence(page: string, target: RedirectTarget, state: RedirectState): string {
  if (state === 'itself') return `${page} redirects to itself`;
  const fate = {
    purged: 'was purged too',
    'not purged': 'was not purged',
    'not requested': 'is not requested',
  };
  return `${page} redirects to ${redirectName(target)}, which ${fate[state]}`;
}
