import { type DeclaredMetricKind, knownMetricKind } from '../analysis/metric-kinds.ts';
import type { SyncTable } from './config.ts';

/** How a metric of a table adds up: as the sync file says, else by its name; undefined if neither is known. */
export function metricKindIn(
  { additive, metricKinds = {} }: Pick<SyncTable, 'additive' | 'metricKinds'>,
  metric: string,
): DeclaredMetricKind | undefined {
  if (additive.includes(metric)) return { kind: 'additive' };
  return Object.hasOwn(metricKinds, metric) ? metricKinds[metric] : knownMetricKind(metric);
}

/**
 * The metrics of a table whose values may be summed: the built-in ones, and those that the sync file names. None for a table
 * with a filter on a metric, which applies to its rows and not to the totals of a day.
 */
export function additiveMetrics(table: SyncTable): readonly string[] {
  const { metrics, filters } = table;
  if (filters.some(({ column }) => metrics.includes(column) || knownMetricKind(column) !== undefined))
    return [];
  return metrics.filter(metric => metricKindIn(table, metric)?.kind === 'additive');
}

/** The other metrics of a table: no sum of its rows is the gateway's own value of a day. */
export function unsummedMetrics(table: SyncTable): readonly string[] {
  const additive = additiveMetrics(table);
  return table.metrics.filter(metric => !additive.includes(metric));
}

/** A metric in a view of totals. */
export type TotalOf =
  | { readonly metric: string; readonly total: 'sum' }
  /** `factor` times the sum of one metric by the sum of another. */
  | {
      readonly metric: string;
      readonly total: 'quotient';
      readonly of: string;
      readonly by: string;
      readonly factor: number;
    }
  /** The mean, weighted by another metric. */
  | { readonly metric: string; readonly total: 'mean'; readonly by: string };

/** A metric that a view of totals omits, and why. */
interface OmittedMetric {
  readonly metric: string;
  readonly reason: string;
}

/** How the metrics of a table become totals, and which ones cannot. What is unknown is not summed. */
export function totalsOf(table: SyncTable): {
  readonly totals: readonly TotalOf[];
  readonly omitted: readonly OmittedMetric[];
} {
  const totals: TotalOf[] = [];
  const omitted: OmittedMetric[] = [];
  const isSum = (metric: string) =>
    table.metrics.includes(metric) && metricKindIn(table, metric)?.kind === 'additive';
  for (const metric of table.metrics) {
    const kind = metricKindIn(table, metric);
    if (kind === undefined)
      omitted.push({
        metric,
        reason: 'not known to be additive; if it is, add it to additive in the sync file',
      });
    else if (kind.kind === 'additive') totals.push({ metric, total: 'sum' });
    else if (kind.kind === 'distinct')
      omitted.push({ metric, reason: 'a distinct count, whose values in several rows cannot be summed' });
    else if (!isSum(kind.weight))
      omitted.push({ metric, reason: `a ratio, whose mean requires ${kind.weight} as its weight` });
    else if (kind.numerator !== undefined && isSum(kind.numerator))
      totals.push({
        metric,
        total: 'quotient',
        of: kind.numerator,
        by: kind.weight,
        factor: kind.factor ?? 1,
      });
    else totals.push({ metric, total: 'mean', by: kind.weight });
  }
  return { totals, omitted };
}
