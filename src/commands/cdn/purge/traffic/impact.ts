import { plain, quotient } from '../../../../analysis/exact-change.ts';
import type { PurgeJournal } from '../../../../apis/cdn/journal.ts';
import { UsageError } from '../../../../errors/index.ts';
import { type JsonRecord, jsonNumber } from '../../../../json/index.ts';
import { groupDigits, pluralize } from '../../../../terminal/numbers.ts';
import type { Context, OutputSection } from '../../../framework/context.ts';
import type { PurgeFlags } from '../flags.ts';
import { NO_TRAFFIC, pageKey, plus, type SiteTraffic, siteTraffic, type Traffic } from './page-traffic.ts';

const DAYS = 7;

/** What the pages of a purge mean to readers, for the output. */
export interface Impact {
  readonly fields: JsonRecord;
  readonly section: OutputSection;
}

/** The journal of a purge that is about to start; undefined for a purge of a domain. */
type Pages = Pick<PurgeJournal, 'remaining' | 'total'> | undefined;

/**
 * Finds the traffic of the pages of a purge over the last seven days, and prints it. Returns undefined without `--impact` and
 * `--max-impact`. Throws UsageError where the share of page views exceeds `--max-impact`, or is not known, and InvalidResponseError
 * where the page views cannot be read.
 */
export async function checkImpact(
  pages: Pages,
  domain: string | undefined,
  { impact, maxImpact }: Pick<PurgeFlags, 'impact' | 'maxImpact'>,
  context: Context,
): Promise<Impact | undefined> {
  if (!impact && maxImpact === undefined) return undefined;
  if (context.globals.curl)
    throw new UsageError('--impact and --curl cannot be combined: the impact requires a response', {
      code: 'conflicting_options',
      hints: ['use --dry-run'],
    });
  // Nothing to purge needs no guard.
  const isGuarded = maxImpact !== undefined && pages?.total !== 0;
  const site = await siteTraffic(domain, DAYS, context, { strict: isGuarded });
  const { traffic, viewed } =
    pages === undefined ? { traffic: site.total, viewed: site.pages.size } : await trafficOf(pages, site);
  const { days, total } = site;
  if (total.pageviews.isZero()) {
    const unknown = `there are no page views from ${days.from} to ${days.to}, so the impact is not known`;
    if (isGuarded)
      throw new UsageError(unknown, {
        code: 'impact_unknown',
        hints: ['nothing was sent: remove --max-impact to purge without this check'],
      });
    context.log.warn(unknown);
  }
  const percent = total.pageviews.isZero()
    ? '0'
    : plain(quotient(traffic.pageviews, total.pageviews).times(100).toDecimalPlaces(2));
  const [pageviews, visits, revenue] = [traffic.pageviews, traffic.visits, traffic.revenue].map(plain) as [
    string,
    string,
    string,
  ];
  const count = pages === undefined ? 'all pages' : pluralize(pages.total, 'page');
  context.log.note(
    `impact of ${count} from ${days.from} to ${days.to}: ${groupDigits(pageviews)} page views (${percent}%), ${groupDigits(visits)} visits, revenue ${shortened(revenue)}; ${groupDigits(viewed)} had views`,
  );
  if (maxImpact !== undefined && Number(percent) > maxImpact.share * 100)
    throw new UsageError(
      `these pages have ${percent}% of the page views, more than --max-impact ${maxImpact.text}`,
      {
        code: 'impact_exceeded',
        hints: ['nothing was sent'],
      },
    );
  const figures = {
    pages_with_views: viewed,
    pageviews: jsonNumber(pageviews),
    pageviews_percent: jsonNumber(percent),
    visits: jsonNumber(visits),
    revenue: jsonNumber(revenue),
  };
  return {
    fields: { impact: { ...days, ...figures } },
    section: {
      title: `Impact over ${DAYS} days`,
      data: figures,
      view: { columns: COLUMNS },
    },
  };
}

const COLUMNS = [
  { key: 'pages_with_views', title: 'Pages with views', kind: 'number' },
  { key: 'pageviews', title: 'Page views', kind: 'number' },
  { key: 'pageviews_percent', title: 'Share of page views', unit: '%' },
  { key: 'visits', title: 'Visits', kind: 'number' },
  { key: 'revenue', title: 'Revenue', kind: 'number' },
] as const;

/** Two decimals are enough for a note. */
function shortened(figure: string): string {
  const [integer = '0', decimals] = figure.split('.');
  return decimals === undefined ? groupDigits(integer) : `${groupDigits(integer)}.${decimals.slice(0, 2)}`;
}

async function trafficOf(
  pages: NonNullable<Pages>,
  site: SiteTraffic,
): Promise<{ traffic: Traffic; viewed: number }> {
  const counted = new Set<string>();
  let traffic = NO_TRAFFIC;
  for await (const block of pages.remaining(() => {})) {
    for (const { url } of block) {
      const key = pageKey(url);
      const own = site.pages.get(key);
      // http and https are one page.
      if (own === undefined || counted.has(key)) continue;
      counted.add(key);
      traffic = plus(traffic, own);
    }
  }
  return { traffic, viewed: counted.size };
}
