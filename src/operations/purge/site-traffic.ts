import { rowNumber } from '../../analysis/column-roles.ts';
import { EXACT_ZERO, exactFigure } from '../../analysis/exact-change.ts';
import { addDays } from '../../apis/bda/days.ts';
import { withTotalOrder } from '../../apis/bda-v2/query.ts';
import { fetchRows } from '../../apis/bda-v2/query-rows.ts';
import { InvalidResponseError, UsageError } from '../../errors/index.ts';
import { type ExportStats, hasWarnings, isContradictory, warningsOf } from '../../export/export-audit.ts';
import type { JsonRecord } from '../../json/index.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import { type Analytics, bdaV2Site } from '../listings/analytics.ts';
import { columnNames } from '../listings/column-catalogue.ts';
import { sitesNamed } from '../listings/sites.ts';
import { todayOf } from '../today.ts';
import {
  type Impact,
  measureImpact,
  NO_TRAFFIC,
  pageKey,
  plus,
  type SiteTraffic,
  type Traffic,
} from './impact.ts';

/** The largest page of rows (spec, Limits), and pages of rows that are read. */
const ROWS_PER_REQUEST = 100_000;
const MAX_REQUESTS = 20;

/** Days over which an impact is measured. */
export const IMPACT_DAYS = 7;

/**
 * Fetches the traffic of the last complete days from v2, of a site or of all sites. Throws UsageError where the analytics have no column
 * with page URLs, InvalidResponseError for rows that contradict the request or their total, and the errors of the requests. With
 * `strict`, also for rows that may be incomplete, and UsageError for a site that the analytics do not list; otherwise these are warnings.
 */
export async function siteTraffic(
  domain: string | undefined,
  dayCount: number,
  analytics: Analytics,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<SiteTraffic> {
  const column = await urlColumn(analytics);
  const { field, flaws } = await siteField(domain, strict, analytics);
  const yesterday = addDays(await todayOf(analytics), -1);
  const days = { from: addDays(yesterday, 1 - dayCount), to: yesterday };
  const query: JsonRecord = withTotalOrder({
    data_set: 'pageview',
    date_range: { start_date: days.from, end_date: days.to },
    dimensions: [column],
    metrics: ['pageviews', 'visits', 'revenue'],
    sort: [{ column: 'pageviews', direction: 'desc' }],
    ...field,
    // A CDN caches each query separately, and requests contain no fragment.
    url_options: { query_params: 'include', fragments: 'exclude' },
  });
  const sender = await analytics.gateway();
  const site = await bdaV2Site(analytics);
  const pages = new Map<string, Traffic & { url: string }>();
  let total = NO_TRAFFIC;
  const counts = new RowCounts([column, 'pageviews']);
  for (let request = 0; request < MAX_REQUESTS; request += 1) {
    const offset = request * ROWS_PER_REQUEST;
    const page = await fetchRows(sender, site, { ...query, limit: ROWS_PER_REQUEST, offset });
    counts.addPage(page.total);
    for (const row of page.rows) {
      const url = row[column];
      const hasUrl = typeof url === 'string' && url !== '';
      const unusable = [
        ...(hasUrl ? [] : [column]),
        ...(rowNumber(row.pageviews) === undefined ? ['pageviews'] : []),
      ];
      counts.addRow(row, unusable);
      const traffic = trafficOf(row);
      total = plus(total, traffic);
      if (!hasUrl) continue;
      const key = pageKey(url);
      const known = pages.get(key);
      pages.set(key, { url: known?.url ?? url, ...(known === undefined ? traffic : plus(known, traffic)) });
    }
    if (page.rows.length < ROWS_PER_REQUEST) {
      return { days, pages, total, flaws: [...flaws, ...measuredFlaws(counts.stats(), strict, analytics)] };
    }
  }
  const cut = `only the ${groupDigits(MAX_REQUESTS * ROWS_PER_REQUEST)} most viewed pages were read`;
  if (strict) throw new InvalidResponseError(cut, { code: 'unexpected_shape' });
  analytics.log.warn(cut);
  return { days, pages, total, flaws: [...flaws, cut] };
}

/** What the impact of a purge is measured of. */
interface MeasuredPurge {
  readonly domain: string | undefined;
  /** Undefined for all of a site, and for keys alone. */
  readonly urls: (() => AsyncIterable<readonly { readonly url: string }[]>) | undefined;
  readonly keys: number;
}

/** Measures what a purge means to readers, over the last seven days. Throws what `siteTraffic` throws. */
export async function measuredImpact(
  { domain, urls, keys }: MeasuredPurge,
  analytics: Analytics,
  { strict = true }: { readonly strict?: boolean } = {},
): Promise<Impact> {
  return await measureImpact(urls?.(), keys, await siteTraffic(domain, IMPACT_DAYS, analytics, { strict }));
}

/** Counts rows, and those without a value in a column. */
class RowCounts {
  readonly #columns: readonly string[];
  readonly #missing = new Map<string, number>();
  #rows = 0;
  #pages = 0;
  #firstTotal: number | undefined;
  #lastTotal: number | undefined;
  #otherTotal: number | undefined;

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  addPage(total: number | undefined): void {
    if (this.#pages === 0) this.#firstTotal = total;
    else if (total !== this.#firstTotal) this.#otherTotal = total;
    this.#pages += 1;
    this.#lastTotal = total;
  }

  /** `unusable`: columns whose value in this row is of no use. */
  addRow(row: JsonRecord, unusable: readonly string[]): void {
    this.#rows += 1;
    for (const column of this.#columns)
      if (!Object.hasOwn(row, column) || unusable.includes(column))
        this.#missing.set(column, (this.#missing.get(column) ?? 0) + 1);
  }

  stats(): ExportStats {
    return {
      rows: this.#rows,
      expected: this.#lastTotal,
      firstTotal: this.#firstTotal,
      lastTotal: this.#lastTotal,
      otherTotal: this.#otherTotal,
      isUncounted: this.#lastTotal === undefined,
      repeated: 0,
      sawAll: false,
      missing: this.#missing,
      extra: new Map(),
      surplus: 0,
      isCut: false,
      hasMoreRows: false,
      repeatsPage: false,
      dropped: false,
    };
  }
}

/** Why the rows may not be all, each as a warning. Throws InvalidResponseError for rows that are not. */
function measuredFlaws(stats: ExportStats, strict: boolean, { log }: Analytics): readonly string[] {
  const flaws = warningsOf(stats);
  const { rows, expected, otherTotal } = stats;
  const isWrong = (expected !== undefined && rows !== expected) || otherTotal !== undefined;
  if (isWrong || isContradictory(stats) || (strict && hasWarnings(stats)))
    throw new InvalidResponseError(`the page views are not complete: ${flaws.join('; ')}`, {
      code: 'unexpected_shape',
    });
  for (const flaw of flaws) log.warn(`the page views may not be complete: ${flaw}`);
  return flaws;
}

/** The field that selects a site, and what is wrong where the analytics do not list it. */
async function siteField(
  domain: string | undefined,
  strict: boolean,
  analytics: Analytics,
): Promise<{ readonly field: JsonRecord; readonly flaws: readonly string[] }> {
  if (domain === undefined) return { field: {}, flaws: [] };
  try {
    const [site] = await sitesNamed([domain], 'v2', analytics, { maySend: true });
    return { field: site === undefined ? {} : { domain_id: site.id }, flaws: [] };
  } catch (error) {
    if (strict || !(error instanceof UsageError)) throw error;
    const flaw = `analytics do not list ${domain}: the page views of all sites count`;
    analytics.log.note(flaw);
    return { field: {}, flaws: [flaw] };
  }
}

async function urlColumn(analytics: Analytics): Promise<string> {
  const names = await columnNames(analytics, { maySend: true });
  const found = names.find(name => name === 'page_url') ?? names.find(name => /(?:^|_)url$/i.test(name));
  if (found !== undefined) return found;
  throw new UsageError('the analytics have no column with page URLs', {
    code: 'unknown_name',
    reason: 'no_url_column',
  });
}

function trafficOf(row: JsonRecord): Traffic {
  const figure = (name: string) => {
    const digits = rowNumber(row[name]);
    return (digits === undefined ? undefined : exactFigure(digits)) ?? EXACT_ZERO;
  };
  return { pageviews: figure('pageviews'), visits: figure('visits'), revenue: figure('revenue') };
}
