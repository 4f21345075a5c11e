import { KNOWN_METRICS, knownMetricKind, type MetricKind } from '../../../analysis/metric-kinds.ts';
import { nearest } from '../../../errors/nearest.ts';
import { conflict, invalidValue, missingArgument } from '../../../errors/usage.ts';
import { MAX_REQUESTS, TOP } from '../../../operations/explain/defaults.ts';
import { boolean, inGroup, integer, list, string, type ValuesOf } from '../../framework/define-command.ts';
import { CHART_FLAGS } from './chart-flags.ts';
import { QUERY_FLAGS } from './query-flags.ts';

const {
  dataSet,
  filter,
  anyOf,
  filterJson,
  from,
  to,
  last,
  this: thisPeriod,
  previous,
  month,
  period,
  includeToday,
} = QUERY_FLAGS;
const { domain, domainId, platform, queryParams, fragments, caseNormalization } = QUERY_FLAGS;
const { chart, title, ascii, compare, matchWeekdays } = CHART_FLAGS;

export const WHY_FLAGS = {
  ...inGroup('Change', {
    dataSet,
    metric: string('-m, --metric <column>', 'metric whose change to explain'),
    dimension: list(
      '-d, --dimension <columns>',
      'dimensions to examine (default: chosen from the listed columns)',
    ),
    filter,
    anyOf,
    filterJson,
    compare: { ...compare, summary: 'compare with previous (default), year (earlier) or 2026-09' },
    matchWeekdays,
    depth: integer('--depth <n>', 'levels: with 2, also explain the first value by the other dimensions', {
      min: 1,
      max: 2,
      fallback: 1,
    }),
    top: integer('--top <n>', 'number of values to list; the others are one row', {
      min: 1,
      max: 1000,
      fallback: TOP,
    }),
    maxRequests: integer('--max-requests <n>', 'maximum requests', {
      min: 4,
      max: 1000,
      fallback: MAX_REQUESTS,
    }),
    additive: list('--additive <columns>', 'metrics that are sums of their parts'),
    ratio: list('--ratio <definition>', "a metric that is a quotient: 'rpm=1000*revenue/visits'"),
  }),
  ...inGroup('Days', { from, to, last, this: thisPeriod, previous, month, period, includeToday }),
  ...inGroup('Chart', { chart, title, ascii }),
  ...inGroup('Pages', { domain, domainId, platform, queryParams, fragments, caseNormalization }),
  ...inGroup('Change', { strict: boolean('--strict', 'exit 7 if the periods are not comparable') }),
};

export type WhyFlags = ValuesOf<typeof WHY_FLAGS>;

/** The metric to explain. Throws UsageError. */
export function metricOf({ metric }: WhyFlags): string {
  if (metric !== undefined && metric.trim() !== '' && !metric.includes(',')) return metric.trim();
  throw missingArgument(
    metric?.includes(',') ? 'only one metric can be explained at a time' : '--metric is missing',
    'type -m revenue --last 7d; gatectl bda columns lists the metrics',
  );
}

const RATIO = /^([^=/*]+)=(?:(?:\s*(\d+(?:\.\d+)?)\s*\*)?([^=/*]+)\/)?([^=/*]+)$/;

type KindFlags = Pick<WhyFlags, 'additive' | 'ratio'>;

/** How the metric adds up, from flags or its name. Throws UsageError if neither says it. */
export function kindOf(metric: string, flags: KindFlags): MetricKind {
  const kind = statedKind(metric, flags);
  if (kind !== undefined) return kind;
  const meant = nearest(metric, KNOWN_METRICS);
  throw invalidValue(
    `cannot determine how ${metric} adds up`,
    ...(meant === undefined ? [] : [`if ${meant} is meant, type -m ${meant}`]),
    `if it is a sum of its parts, pass --additive ${metric}`,
    `if it is a quotient, pass --ratio '${metric}=DIVIDED/WEIGHT', such as --ratio 'rpm=1000*revenue/visits'`,
  );
}

/** The columns that a metric is calculated from. Throws UsageError for flags that define another one. */
export function columnsOfMetric(metric: string, flags: KindFlags): string[] {
  const kind = statedKind(metric, flags);
  return kind?.kind === 'ratio' ? [kind.numerator ?? metric, kind.weight] : [metric];
}

function statedKind(metric: string, { additive, ratio }: KindFlags): MetricKind | undefined {
  for (const text of ratio) {
    const [, name, factor, numerator, weight] = RATIO.exec(text)?.map(part => part?.trim()) ?? [];
    if (name === undefined || weight === undefined)
      throw invalidValue(
        `invalid --ratio '${text}'`,
        "type --ratio 'METRIC=DIVIDED/WEIGHT', 'METRIC=1000*DIVIDED/WEIGHT', or 'METRIC=WEIGHT' for a mean that is weighted",
      );
    if (numerator === weight || [numerator, weight].includes(name) || Number(factor ?? 1) === 0)
      throw invalidValue(
        `--ratio '${text}' defines no quotient of two other columns`,
        "type --ratio 'METRIC=DIVIDED/WEIGHT', such as --ratio 'rpm=1000*revenue/pageviews'",
      );
    if (name === metric)
      return {
        kind: 'ratio',
        weight,
        ...(numerator !== undefined && { numerator }),
        ...(factor !== undefined && { factor: Number(factor) }),
      };
  }
  const [other] = ratio;
  if (other !== undefined)
    throw conflict(
      `--ratio ${other} does not define the metric ${metric}`,
      `omit it, or type --ratio '${metric}=DIVIDED/WEIGHT'`,
    );
  if (additive.flatMap(names => names.split(',')).some(name => name.trim() === metric))
    return { kind: 'additive' };
  return knownMetricKind(metric);
}
