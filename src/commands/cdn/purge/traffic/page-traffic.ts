import type { Decimal } from 'decimal.js';
import { EXACT_ZERO, exactFigure } from '../../../../analysis/exact-change.ts';
import { addDays, type DayRange, dayIn } from '../../../../apis/bda/days.ts';
import { withTotalOrder } from '../../../../apis/bda-v2/query.ts';
import { fetchRows } from '../../../../apis/bda-v2/query-rows.ts';
import { UsageError } from '../../../../errors/index.ts';
import { digitsOf, isJsonNumber, type JsonRecord, textOf } from '../../../../json/index.ts';
import { groupDigits } from '../../../../terminal/numbers.ts';
import { columnNames } from '../../../bda/column-catalogue.ts';
import { timeZoneOf } from '../../../bda/day-flags.ts';
import { sitesFromFlags } from '../../../bda/domain-flag.ts';
import { bdaV2Site } from '../../../bda/site.ts';
import type { Context } from '../../../framework/context.ts';

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
}

/** The largest page of rows (spec, Limits), and pages of rows that are read. */
const ROWS_PER_REQUEST = 100_000;
const MAX_REQUESTS = 20;

export const NO_TRAFFIC: Traffic = { pageviews: EXACT_ZERO, visits: EXACT_ZERO, revenue: EXACT_ZERO };

/** The sum of two. */
export function plus(one: Traffic, other: Traffic): Traffic {
  return {
    pageviews: one.pageviews.plus(other.pageviews),
    visits: one.visits.plus(other.visits),
    revenue: one.revenue.plus(other.revenue),
  };
}

/** What is equal for two URLs of the same page: host, path and query, encoded alike, as analytics count them without fragments. */
export function pageKey(url: string): string {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(full)) return url;
  const { host, pathname, search } = new URL(full);
  return `${host}${pathname}${search}`;
}

/**
 * Fetches the traffic of the last complete days from v2, of a site or of all sites. Throws UsageError where the analytics have no column
 * with page URLs, and the errors of the requests.
 */
export async function siteTraffic(
  domain: string | undefined,
  dayCount: number,
  context: Context,
): Promise<SiteTraffic> {
  const column = await urlColumn(context);
  const yesterday = addDays(dayIn(context.clock.now(), await timeZoneOf(context)), -1);
  const days = { from: addDays(yesterday, 1 - dayCount), to: yesterday };
  const query: JsonRecord = withTotalOrder({
    data_set: 'pageview',
    date_range: { start_date: days.from, end_date: days.to },
    dimensions: [column],
    metrics: ['pageviews', 'visits', 'revenue'],
    sort: [{ column: 'pageviews', direction: 'desc' }],
    ...(await siteField(domain, context)),
    // A CDN caches each query separately, and requests contain no fragment.
    url_options: { query_params: 'include', fragments: 'exclude' },
  });
  const sender = await context.gateway();
  const site = await bdaV2Site(context);
  const pages = new Map<string, Traffic & { url: string }>();
  let total = NO_TRAFFIC;
  for (let request = 0; request < MAX_REQUESTS; request += 1) {
    const offset = request * ROWS_PER_REQUEST;
    const { rows } = await fetchRows(sender, site, { ...query, limit: ROWS_PER_REQUEST, offset });
    for (const row of rows) {
      const url = textOf(row[column]);
      const key = pageKey(url);
      const traffic = trafficOf(row);
      const known = pages.get(key);
      pages.set(key, { url: known?.url ?? url, ...(known === undefined ? traffic : plus(known, traffic)) });
      total = plus(total, traffic);
    }
    if (rows.length < ROWS_PER_REQUEST) return { days, pages, total };
  }
  context.log.warn(`only the ${groupDigits(MAX_REQUESTS * ROWS_PER_REQUEST)} most viewed pages were read`);
  return { days, pages, total };
}

async function siteField(domain: string | undefined, context: Context): Promise<JsonRecord> {
  if (domain === undefined) return {};
  try {
    const flags = { domain: [domain], domainId: undefined };
    const [site] = await sitesFromFlags(flags, 'v2', context, { maySend: true });
    return site === undefined ? {} : { domain_id: site.id };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    context.log.note(`analytics do not list ${domain}: the page views of all sites count`);
    return {};
  }
}

async function urlColumn(context: Context): Promise<string> {
  const names = await columnNames(context, { maySend: true });
  const found = names.find(name => name === 'page_url') ?? names.find(name => /(?:^|_)url$/i.test(name));
  if (found !== undefined) return found;
  throw new UsageError('the analytics have no column with page URLs', {
    code: 'unknown_name',
    hints: ['gatectl bda columns lists the columns; nothing was sent'],
  });
}

function trafficOf(row: JsonRecord): Traffic {
  const figure = (name: string) => {
    const value = row[name];
    return (isJsonNumber(value) ? exactFigure(digitsOf(value)) : undefined) ?? EXACT_ZERO;
  };
  return { pageviews: figure('pageviews'), visits: figure('visits'), revenue: figure('revenue') };
}
