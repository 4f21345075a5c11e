import type { Presentation } from '../output/presentation/column.ts';

/**
 * How the figures of a metric add up. An additive one is the sum of its parts; a ratio is the mean of its parts, weighted by another
 * metric. `numerator` is the metric that is divided, times `factor`; without it, the ratio times its weight takes its place.
 */
export type MetricKind =
  | { readonly kind: 'additive' }
  | {
      readonly kind: 'ratio';
      readonly weight: string;
      readonly numerator?: string;
      readonly factor?: number;
    };

/** How a metric adds up as a file may say it. The values of a distinct count cannot be summed: a reader may be in several rows. */
export type DeclaredMetricKind = MetricKind | { readonly kind: 'distinct' };

/** The documented metrics, by their names. */
const KNOWN: Readonly<Record<string, MetricKind>> = {
  visits: { kind: 'additive' },
  pageviews: { kind: 'additive' },
  engaged_page_pageviews: { kind: 'additive' },
  engaged_time: { kind: 'additive' },
  revenue: { kind: 'additive' },
  epmv: { kind: 'ratio', numerator: 'revenue', weight: 'visits', factor: 1000 },
  bounce_rate: { kind: 'ratio', weight: 'visits' },
  engaged_pageviews_per_visit: { kind: 'ratio', numerator: 'engaged_page_pageviews', weight: 'visits' },
  pageviews_per_visit: { kind: 'ratio', numerator: 'pageviews', weight: 'visits' },
  copy_paste_per_pageview: { kind: 'ratio', weight: 'pageviews' },
};

/** The names of the documented metrics. */
export const KNOWN_METRICS: readonly string[] = Object.keys(KNOWN);

/** How a metric adds up; undefined if its name is unknown. */
export function knownMetricKind(metric: string): MetricKind | undefined {
  return Object.hasOwn(KNOWN, metric) ? KNOWN[metric] : undefined;
}

/** Sums that are no counts: how many dollars or seconds are few depends on what they are of. */
const SUMS_OF_VISITS = new Set(['revenue', 'engaged_time']);

/** The metric that shows how much a figure of another rests on: the weight of a ratio, the visits of money and time, or a count itself. */
export function basisMetric(metric: string): string {
  const kind = knownMetricKind(metric);
  if (kind?.kind === 'ratio') return kind.weight;
  return SUMS_OF_VISITS.has(metric) ? 'visits' : metric;
}

/** Whether the figures of a metric are known to count events: not money or seconds, of which a few may be of many. */
export function isCount(metric: string): boolean {
  return knownMetricKind(metric)?.kind === 'additive' && !SUMS_OF_VISITS.has(metric);
}

/** Whether a figure of a day is no part of a sum: a ratio, or a count per something. */
export function isMean(metric: string, { figure, label }: Pick<Presentation, 'figure' | 'label'>): boolean {
  return (
    knownMetricKind(metric)?.kind === 'ratio' ||
    figure === 'ratio' ||
    figure === 'percent' ||
    /\bper\b/i.test(label)
  );
}

/** Why rows that their own figures select are not summed. */
export const SELECTED_BY_FIGURES =
  'its filters may select rows by their figures, and the sum of such rows is no total';
