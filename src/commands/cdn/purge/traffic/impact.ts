import { plain } from '../../../../analysis/exact-change.ts';
import type { PurgeJournal } from '../../../../apis/cdn/journal.ts';
import { UsageError } from '../../../../errors/index.ts';
import { type JsonRecord, jsonNumber } from '../../../../json/index.ts';
import {
  type Impact,
  impactVerdict,
  percentAbove,
  percentOfViews,
  type Traffic,
} from '../../../../operations/purge/impact.ts';
import { IMPACT_DAYS, measuredImpact } from '../../../../operations/purge/site-traffic.ts';
import { groupDigits, pluralize } from '../../../../terminal/numbers.ts';
import type { Context, OutputSection } from '../../../framework/context.ts';
import type { PurgeFlags, Share } from '../flags.ts';

/** URLs that a sentence names at most. */
const MAX_NAMED = 3;

/** What the pages of a purge mean to readers, for the output. */
interface ImpactOutput {
  readonly fields: JsonRecord;
  readonly section: OutputSection;
}

/** What is about to be purged. */
interface Targets {
  /** The journal of the URLs; undefined for all of a domain. */
  readonly pages: Pick<PurgeJournal, 'remaining' | 'total'> | undefined;
  /** Number of surrogate keys. */
  readonly keys: number;
  /** The site; undefined for all sites of the account. */
  readonly domain: string | undefined;
}

/**
 * Measures the traffic of the pages of a purge over the last seven days, and prints it. Returns undefined without `--impact` and
 * `--max-impact`. Throws UsageError where the share of page views exceeds `--max-impact`, or is not known completely, and
 * InvalidResponseError where the page views cannot be read.
 */
export async function checkImpact(
  { pages, keys, domain }: Targets,
  { impact: isShown, maxImpact }: Pick<PurgeFlags, 'impact' | 'maxImpact'>,
  context: Context,
): Promise<ImpactOutput | undefined> {
  if (!isShown && maxImpact === undefined) return undefined;
  if (context.globals.curl)
    throw new UsageError('--impact and --curl cannot be combined: the impact requires a response', {
      code: 'conflicting_options',
      hints: ['use --dry-run'],
    });
  const isNothing = pages?.total === 0 && keys === 0;
  const strict = maxImpact !== undefined && !isNothing;
  const urls = pages === undefined ? undefined : () => pages.remaining(() => {});
  const impact = await measuredImpact({ domain, urls, keys }, context, { strict });
  const sentence = impactSentence(impact, domain);
  if (impact.completeness === 'complete') context.log.note(sentence);
  else context.log.warn(sentence);
  if (maxImpact !== undefined) assertWithin(impact, maxImpact);
  return outputOf(impact, domain, sentence);
}

/** Throws UsageError unless the impact is complete and within the limit. */
function assertWithin(impact: Impact, { text, percent }: Share): void {
  const verdict = impactVerdict(impact, percent);
  if (verdict === 'passes') return;
  if (verdict === 'exceeded')
    throw new UsageError(
      `these pages have ${percentAbove(impact, percent)}% of the page views, more than --max-impact ${text}`,
      { code: 'impact_exceeded', hints: ['nothing was sent'] },
    );
  throw new UsageError(`--max-impact ${text} cannot be checked: ${gaps(impact).join('; ')}`, {
    code: 'impact_unknown',
    hints: ['nothing was sent: to purge pages without figures, omit --max-impact'],
  });
}

/** The sentence about an impact: what was measured, and what was not. */
export function impactSentence(impact: Impact, domain: string | undefined): string {
  const { completeness, days, urls, keys, pages } = impact;
  const counts = [
    ...(urls !== undefined && (urls.requested > 0 || keys === 0) ? [pluralize(urls.requested, 'URL')] : []),
    ...(keys > 0 ? [pluralize(keys, 'surrogate key')] : []),
  ];
  const of = `impact of ${urls === undefined ? 'all pages' : counts.join(' and ')} from ${days.from} to ${days.to}`;
  const missing = gaps(impact).join('; ');
  if (completeness === 'unmeasured') return `${of} is not known: ${missing}`;
  const [pageviews, visits, revenue] = digitsOf(impact.traffic);
  const least = completeness === 'incomplete' ? 'at least ' : '';
  const percent = `${percentOfViews(impact) ?? ''}% of ${domain ?? 'all sites'}`;
  const rest = missing === '' && urls === undefined ? `${pluralize(pages, 'page')} had views` : missing;
  return `${of}: ${least}${groupDigits(pageviews)} page views (${percent}), ${groupDigits(visits)} visits, revenue ${shortened(revenue)}${rest === '' ? '' : `; ${rest}`}`;
}

/** What an impact does not include, and why. */
function gaps({ completeness, days, urls, missing, keys, total, flaws }: Impact): string[] {
  if (!total.pageviews.gt(0) && completeness !== 'complete')
    return [`there are no page views from ${days.from} to ${days.to}`];
  const count = urls === undefined ? 0 : urls.requested - urls.found;
  const named = missing.slice(0, MAX_NAMED);
  const more = count > named.length ? ` and ${groupDigits(count - named.length)} more` : '';
  const of =
    urls?.requested === 1
      ? 'the URL is'
      : `${groupDigits(count)} of ${pluralize(urls?.requested ?? 0, 'URL')} ${count === 1 ? 'is' : 'are'}`;
  return [
    ...(count > 0
      ? [`${of} not in the page views from ${days.from} to ${days.to}: ${named.join(', ')}${more}`]
      : []),
    ...(keys > 0 ? [`the pages of ${pluralize(keys, 'surrogate key')} are not known`] : []),
    ...flaws,
  ];
}

function outputOf(impact: Impact, domain: string | undefined, sentence: string): ImpactOutput {
  const { completeness, days, urls, missing, keys, pages, traffic, flaws } = impact;
  const isMeasured = completeness !== 'unmeasured';
  const [pageviews, visits, revenue] = digitsOf(traffic).map(digits =>
    isMeasured ? jsonNumber(digits) : null,
  );
  const percent = percentOfViews(impact);
  const figures = {
    pages_with_views: pages,
    pageviews: pageviews ?? null,
    pageviews_percent: percent === undefined ? null : jsonNumber(percent),
    visits: visits ?? null,
    revenue: revenue ?? null,
  };
  const fields = {
    ...days,
    domain: domain ?? null,
    completeness,
    urls: urls?.requested ?? null,
    urls_without_figures: urls === undefined ? 0 : urls.requested - urls.found,
    without_figures: [...missing],
    keys,
    flaws: [...flaws],
    ...figures,
  };
  const title = `Impact over ${IMPACT_DAYS} days${completeness === 'incomplete' ? ', at least' : ''}`;
  return {
    fields: { impact: fields },
    section: isMeasured
      ? { title, data: figures, view: { columns: COLUMNS } }
      : { title, data: [sentence], view: { prose: true } },
  };
}

const COLUMNS = [
  { key: 'pages_with_views', title: 'Pages with views', kind: 'number' },
  { key: 'pageviews', title: 'Page views', kind: 'number' },
  { key: 'pageviews_percent', title: 'Share of page views (%)' },
  { key: 'visits', title: 'Visits', kind: 'number' },
  { key: 'revenue', title: 'Revenue', kind: 'number' },
] as const;

function digitsOf({ pageviews, visits, revenue }: Traffic): [string, string, string] {
  return [plain(pageviews), plain(visits), plain(revenue)];
}

/** Two decimals are enough for a note. */
function shortened(figure: string): string {
  const [integer = '0', decimals] = figure.split('.');
  return decimals === undefined ? groupDigits(integer) : `${groupDigits(integer)}.${decimals.slice(0, 2)}`;
}
