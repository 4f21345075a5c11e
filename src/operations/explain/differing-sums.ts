import type { Decimal } from 'decimal.js';
import type { Part } from '../../analysis/contributions.ts';
import { EXACT_ZERO } from '../../analysis/exact-change.ts';
import type { MetricKind } from '../../analysis/metric-kinds.ts';
import { type DayRange, dayCount } from '../../apis/bda/days.ts';
import type { DailyFigures } from './daily-figures.ts';

/** What the values of a dimension add up to in a period, and what its days add up to. */
export interface DifferingSums {
  readonly days: DayRange;
  readonly byValue: Decimal;
  readonly byDay: Decimal;
}

/** What the gateway may lose of a sum of doubles, and of one of ratios that it rounds, as a share of it. Integers lose nothing. */
const [LOST_OF_SUM, LOST_OF_RATIOS] = [1e-6, 0.005];

interface Sums {
  readonly parts: readonly Part[];
  readonly side: 'before' | 'now';
  readonly days: DayRange;
  readonly daily: DailyFigures;
  /** Of a ratio, the divided figures and their weights are compared. */
  readonly kind: MetricKind;
}

/** Sums of a period by value and by day, where all days have figures and they differ: a value was counted twice, or another was withheld. */
export function differingSums({ parts, side, days, daily, kind }: Sums): DifferingSums | undefined {
  if (daily.lacking(days).length + daily.unmeasured(days).length > 0) return undefined;
  const total = (figureOf: (part: Part) => Decimal | undefined) =>
    parts.reduce((sum, part) => sum.plus(figureOf(part) ?? EXACT_ZERO), EXACT_ZERO);
  const figures = { days, byValue: total(part => part[side]), byDay: daily.total(days) };
  const weights = {
    days,
    byValue: total(part => (side === 'now' ? part.weightNow : part.weightBefore)),
    byDay: daily.weight(days),
  };
  // A ratio without a numerator is multiplied by its weight.
  const isProduct = (sums: DifferingSums) =>
    sums === figures && kind.kind === 'ratio' && kind.numerator === undefined;
  const lostOf = (sums: DifferingSums) => {
    const { byValue, byDay } = sums;
    const decimals = Math.max(byValue.decimalPlaces(), byDay.decimalPlaces());
    if (decimals === 0 && !isProduct(sums)) return EXACT_ZERO;
    // Each of the figures may be rounded to so many decimals.
    const rounded = EXACT_ZERO.plus(`5e-${decimals + 1}`).times(parts.length + dayCount(days));
    return rounded.plus(byDay.abs().times(isProduct(sums) ? LOST_OF_RATIOS : LOST_OF_SUM));
  };
  return (kind.kind === 'ratio' ? [weights, figures] : [figures]).find(sums =>
    sums.byValue.minus(sums.byDay).abs().gt(lostOf(sums)),
  );
}
