import { changeBetween, exactFigure, plain } from './exact-change.ts';
import { knownMetricKind } from './metric-kinds.ts';

/** How a figure changed between two periods. */
interface PeriodChange {
  /** The digits of the difference; undefined where it is of unequal periods. */
  readonly absolute: string | undefined;
  /** In percent of the earlier figure, or of that per day; undefined if it is zero or less. */
  readonly relative: string | undefined;
  /** Of unequal periods: the direction of the figure per day, which `relative` is of. */
  readonly perDay?: PerDay;
}

/** Whether a figure per day rose or fell. */
type PerDay = 'rose' | 'fell' | 'unchanged';

/**
 * How the figure of a metric changed between periods of so many days: a sum of unequal periods per day. Undefined for figures that are out
 * of all proportion, and where the periods are unequal and it is unknown whether the metric is a sum.
 */
export function periodChange(
  metric: string,
  { before, now }: { readonly before: string; readonly now: string },
  days: { readonly before: number; readonly now: number },
): PeriodChange | undefined {
  const kind = knownMetricKind(metric)?.kind;
  if (days.before === days.now || kind === 'ratio') return changeBetween(before, now);
  if (kind !== 'additive') return undefined;
  const weighted = (digits: string, count: number) => exactFigure(digits)?.times(count);
  const [then, own] = [weighted(before, days.now), weighted(now, days.before)];
  const change = then && own && changeBetween(plain(then), plain(own));
  if (change?.relative === undefined) return undefined;
  const { absolute, relative } = change;
  const perDay = absolute === '0' ? 'unchanged' : absolute.startsWith('-') ? 'fell' : 'rose';
  return { absolute: undefined, relative, perDay };
}
