import type { Decimal } from 'decimal.js';
import { EXACT_ZERO, exactFigure, plain, quotient } from '../../analysis/exact-change.ts';
import type { DayRange } from '../../apis/bda/days.ts';

/** The traffic of one page, or of several. */
export interface Traffic {
  readonly pageviews: Decimal;
  readonly visits: Decimal;
  readonly revenue: Decimal;
}

/** The traffic of the pages of a site, by `pageKey`, the most viewed page first. */
export interface SiteTraffic {
  readonly days: DayRange;
  readonly pages: ReadonlyMap<string, Traffic & { readonly url: string }>;
  readonly total: Traffic;
  /** Why pages may be missing, or views of them. */
  readonly flaws: readonly string[];
}

/** Traffic of nothing. */
export const NO_TRAFFIC: Traffic = { pageviews: EXACT_ZERO, visits: EXACT_ZERO, revenue: EXACT_ZERO };

/** The sum of two. */
export function plus(one: Traffic, other: Traffic): Traffic {
  return {
    pageviews: one.pageviews.plus(other.pageviews),
    visits: one.visits.plus(other.visits),
    revenue: one.revenue.plus(other.revenue),
  };
}

/** The host of a URL without `www.`, and with a port that is not the default of its scheme. */
export function bareHost({ host }: URL): string {
  return host.replace(/^www\./, '');
}

/**
 * What is equal for two URLs of the same page: host without `www.`, path and query, encoded alike. Scheme, default port and fragment do
 * not count.
 */
export function pageKey(url: string): string {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(full)) return url;
  const parsed = new URL(full);
  return `${bareHost(parsed)}${parsed.pathname}${parsed.search}`;
}

/** The key under which the figures have a page: with or without a slash at the end of its path, its own form first. */
export function keyInFigures(pages: ReadonlyMap<string, unknown>, url: string): string | undefined {
  const key = pageKey(url);
  if (pages.has(key)) return key;
  const at = key.indexOf('?');
  const [path, query] = at < 0 ? [key, ''] : [key.slice(0, at), key.slice(at)];
  const other = (path.endsWith('/') ? path.slice(0, -1) : `${path}/`) + query;
  return pages.has(other) ? other : undefined;
}

/**
 * How far a conclusion rests on its figures: on all of them, on the part that the user asked for, on some of what it should rest on, or on
 * none.
 */
export type Completeness = 'complete' | 'limited' | 'incomplete' | 'unmeasured';

/** What the pages of a purge mean to readers. Where it is not complete, the traffic is a lower bound. */
export interface Impact {
  readonly completeness: Completeness;
  readonly days: DayRange;
  /** URLs to purge, and those that the figures have; undefined for all of a site. */
  readonly urls: { readonly requested: number; readonly found: number } | undefined;
  /** URLs that the figures do not have; the first of them. */
  readonly missing: readonly string[];
  /** Surrogate keys to purge: which pages they clear is not known. */
  readonly keys: number;
  /** Pages with views, each once. */
  readonly pages: number;
  readonly traffic: Traffic;
  /** Of all pages of the figures. */
  readonly total: Traffic;
  readonly flaws: readonly string[];
}

/** URLs that an impact names at most. */
const MAX_MISSING = 10;

/** Sums the traffic of URLs, or of all pages where `urls` is undefined. */
export async function measureImpact(
  urls: AsyncIterable<readonly { readonly url: string }[]> | undefined,
  keys: number,
  { days, pages, total, flaws }: SiteTraffic,
): Promise<Impact> {
  const known = { days, keys, total, flaws };
  if (urls === undefined) {
    const completeness = completenessOf(pages.size, 0, known);
    return { ...known, completeness, urls, missing: [], pages: pages.size, traffic: total };
  }
  const counted = new Set<string>();
  const missing: string[] = [];
  let traffic = NO_TRAFFIC;
  let [requested, found] = [0, 0];
  for await (const block of urls) {
    for (const { url } of block) {
      requested += 1;
      const key = keyInFigures(pages, url);
      const own = key === undefined ? undefined : pages.get(key);
      if (key === undefined || own === undefined) {
        if (missing.length < MAX_MISSING) missing.push(url);
        continue;
      }
      found += 1;
      if (counted.has(key)) continue;
      counted.add(key);
      traffic = plus(traffic, own);
    }
  }
  const completeness = requested + keys === 0 ? 'complete' : completenessOf(found, requested - found, known);
  return { ...known, completeness, urls: { requested, found }, missing, pages: counted.size, traffic };
}

function completenessOf(
  found: number,
  missing: number,
  { keys, total, flaws }: Pick<Impact, 'keys' | 'total' | 'flaws'>,
): Completeness {
  if (found === 0 || !total.pageviews.isPositive() || total.pageviews.isZero()) return 'unmeasured';
  return missing + keys + flaws.length > 0 ? 'incomplete' : 'complete';
}

/** Percent of all page views, with two decimals by default; undefined where nothing was measured. */
export function percentOfViews({ completeness, traffic, total }: Impact, decimals = 2): string | undefined {
  if (completeness === 'unmeasured') return undefined;
  return total.pageviews.isZero() ? '0' : percentOf(traffic, total, decimals);
}

/** Whether a purge may be sent: only a complete impact with at most `percent` of all page views passes. */
export function impactVerdict(
  { completeness, traffic, total }: Impact,
  percent: string,
): 'passes' | 'exceeded' | 'unknown' {
  const isMeasured = completeness !== 'unmeasured';
  const limit = exactFigure(percent);
  if (isMeasured && limit !== undefined && traffic.pageviews.times(100).gt(total.pageviews.times(limit)))
    return 'exceeded';
  return completeness === 'complete' && limit !== undefined ? 'passes' : 'unknown';
}

/** Percent of all page views, with as many decimals as show that it is more than `percent`. */
export function percentAbove({ traffic, total }: Impact, percent: string): string {
  for (let decimals = 2; decimals < 20; decimals += 1) {
    const shown = percentOf(traffic, total, decimals);
    if (exactFigure(shown)?.gt(percent)) return shown;
  }
  return percentOf(traffic, total, 40);
}

function percentOf(traffic: Traffic, total: Traffic, decimals: number): string {
  return plain(quotient(traffic.pageviews, total.pageviews).times(100).toDecimalPlaces(decimals));
}
