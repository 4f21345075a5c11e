import { plain } from '../../../../analysis/exact-change.ts';
import type { PurgeJournal } from '../../../../apis/cdn/journal.ts';
import { UsageError } from '../../../../errors/index.ts';
import { type JsonRecord, jsonNumber } from '../../../../json/index.ts';
import { factsOf } from '../../../../operations/listings/column-catalogue.ts';
import {
  type Impact,
  impactVerdict,
  percentAbove,
  percentOfViews,
  type Traffic,
} from '../../../../operations/purge/impact.ts';
import { IMPACT_DAYS, measuredImpact } from '../../../../operations/purge/site-traffic.ts';
import {
  type ColumnFacts,
  type FigureStyle,
  figuresFormat,
  labelled,
  type Presentation,
  presentationOf,
  withUnit,
} from '../../../../output/presentation/index.ts';
import { counted, joined, type Sentence, sentence, sentenceText } from '../../../../output/sentence.ts';
import type { Column } from '../../../../output/view.ts';
import type { Context, OutputSection } from '../../../framework/context.ts';
import type { Share } from '../../../framework/share.ts';
import type { PurgeFlags } from '../flags.ts';

/** Decimals with which no share of a site looks like none of it. */
const EXACT = 20;
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
  const facts = await factsOf(['pageviews', 'visits', 'revenue'], 'v2', context);
  const figures = presentedFigures(name => facts.get(name));
  const style = await context.out.style();
  const text = sentenceText(impactSentence(impact, domain, figures, style), style);
  if (impact.completeness === 'complete') context.log.note(text);
  else context.log.warn(text);
  if (maxImpact !== undefined) assertWithin(impact, maxImpact, style);
  return outputOf(impact, domain, text, figures);
}

/** How people read the figures of an impact. */
type PresentedFigures = Readonly<Record<'pageviews' | 'share' | 'visits' | 'revenue', Presentation>>;

function presentedFigures(factsOf: (name: string) => ColumnFacts | undefined): PresentedFigures {
  return {
    pageviews: presentationOf('pageviews', factsOf),
    share: labelled('Share of page views', { figure: 'percent', isShare: true }),
    visits: presentationOf('visits', factsOf),
    revenue: presentationOf('revenue', factsOf),
  };
}

/** Throws UsageError unless the impact is complete and within the limit. */
function assertWithin(impact: Impact, { text, percent }: Share, style: FigureStyle): void {
  const verdict = impactVerdict(impact, percent);
  if (verdict === 'passes') return;
  if (verdict === 'exceeded')
    throw new UsageError(
      `these pages have ${percentAbove(impact, percent)}% of the page views, more than --max-impact ${text}`,
      { code: 'impact_exceeded', hints: ['nothing was sent'] },
    );
  const reason = sentenceText(joined(gaps(impact)) ?? '', style);
  throw new UsageError(`--max-impact ${text} cannot be checked: ${reason}`, {
    code: 'impact_unknown',
    hints: ['nothing was sent: to purge pages without figures, omit --max-impact'],
  });
}

/** The sentence about an impact: what was measured, and what was not. */
export function impactSentence(
  impact: Impact,
  domain: string | undefined,
  shown: PresentedFigures = presentedFigures(() => undefined),
  style: FigureStyle = {},
): Sentence {
  const { completeness, days, urls, keys, pages } = impact;
  const counts = [
    ...(urls !== undefined && (urls.requested > 0 || keys === 0) ? [counted(urls.requested, 'URL')] : []),
    ...(keys > 0 ? [counted(keys, 'surrogate key')] : []),
  ];
  const of = sentence`impact of ${joined(counts, ' and ') ?? 'all pages'} from ${days}`;
  const missing = joined(gaps(impact));
  if (completeness === 'unmeasured') return sentence`${of} is not known: ${missing ?? ''}`;
  const [pageviews, visits, revenue] = digitsOf(impact.traffic);
  const least = completeness === 'incomplete' ? 'at least ' : '';
  const figure = (presentation: Presentation, digits: string) =>
    figuresFormat(presentation, [digits], style)(digits);
  const share = `${figure(shown.share, percentOfViews(impact, EXACT) ?? '')} of ${domain ?? 'all sites'}`;
  const earned = withUnit(figure(shown.revenue, revenue), shown.revenue);
  const count = (digits: string, presentation: Presentation, noun: string) =>
    `${figure(presentation, digits)} ${noun}${digits === '1' ? '' : 's'}`;
  const figures = `${least}${count(pageviews, shown.pageviews, 'page view')} (${share}), ${count(visits, shown.visits, 'visit')}, revenue ${earned}`;
  const rest = missing ?? (urls === undefined ? sentence`${counted(pages, 'page')} had views` : undefined);
  return rest === undefined ? sentence`${of}: ${figures}` : sentence`${of}: ${figures}; ${rest}`;
}

/** What an impact does not include, and why. */
function gaps({ completeness, days, urls, missing, keys, total, flaws }: Impact): Sentence[] {
  if (!total.pageviews.gt(0) && completeness !== 'complete')
    return [sentence`there are no page views from ${days}`];
  const count = urls === undefined ? 0 : urls.requested - urls.found;
  const named = missing.slice(0, MAX_NAMED);
  const more = count > named.length ? sentence` and ${count - named.length} more` : '';
  const of =
    urls?.requested === 1
      ? 'the URL is'
      : sentence`${count} of ${counted(urls?.requested ?? 0, 'URL')} ${count === 1 ? 'is' : 'are'}`;
  return [
    ...(count > 0 ? [sentence`${of} not in the page views from ${days}: ${named.join(', ')}${more}`] : []),
    ...(keys > 0 ? [sentence`the pages of ${counted(keys, 'surrogate key')} are not known`] : []),
    ...flaws,
  ];
}

function outputOf(
  impact: Impact,
  domain: string | undefined,
  text: string,
  shown: PresentedFigures,
): ImpactOutput {
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
      ? { title, data: figures, view: { columns: columnsOf(shown) } }
      : { title, data: [text], view: { prose: true } },
  };
}

function columnsOf({ pageviews, share, visits, revenue }: PresentedFigures): Column[] {
  const pages = labelled('Pages with views', { figure: 'count' });
  const shown = { pages_with_views: pages, pageviews, pageviews_percent: share, visits, revenue };
  return Object.entries(shown).map(([key, presentation]) => ({ key, presentation, kind: 'number' }));
}

function digitsOf({ pageviews, visits, revenue }: Traffic): [string, string, string] {
  return [plain(pageviews), plain(visits), plain(revenue)];
}
