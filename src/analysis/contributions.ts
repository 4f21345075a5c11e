import type { Decimal } from 'decimal.js';
import { EXACT_ZERO, quotient } from './exact-change.ts';

/** The figures of one value of a dimension in both periods; of a ratio, those of the numerator, with its weights. */
export interface Part {
  readonly before: Decimal;
  readonly now: Decimal;
  readonly weightBefore?: Decimal;
  readonly weightNow?: Decimal;
  /** The period in which the value has no rows. */
  readonly absent?: 'before' | 'now' | undefined;
}

/** What one part adds to the change. For a ratio, `mix` is what its share of the weight adds, and `rate` its own ratio; they add up. */
export interface Contribution {
  readonly total: Decimal;
  readonly mix?: Decimal;
  readonly rate?: Decimal;
}

export interface Contributions {
  readonly before: Decimal;
  readonly now: Decimal;
  /** The sum of all contributions, exactly. */
  readonly change: Decimal;
  readonly parts: readonly Contribution[];
}

/** Decimals of the contributions to a ratio, which are quotients. */
const RATIO_DECIMALS = 10;
const UNIT = 10 ** RATIO_DECIMALS;

/** The days that each period counts. */
export interface PeriodLengths {
  readonly before: number;
  readonly now: number;
}

/** The contributions of the parts of a sum: their own changes, per day where the periods differ in length. */
export function additiveContributions(
  parts: readonly Part[],
  days: PeriodLengths = { before: 1, now: 1 },
): Contributions {
  const before = sumOf(parts.map(part => part.before));
  const now = sumOf(parts.map(part => part.now));
  if (days.before === days.now) {
    const changes = parts.map(part => ({ total: part.now.minus(part.before) }));
    return { before, now, change: now.minus(before), parts: changes };
  }
  const perDay = { before: perDayOf(before, days.before), now: perDayOf(now, days.now) };
  const change = perDay.now.minus(perDay.before);
  const numerators = parts.map(part => part.now.times(days.before).minus(part.before.times(days.now)));
  const totals = apportioned(numerators, EXACT_ZERO.plus(days.before * days.now), change);
  return { ...perDay, change, parts: totals.map(total => ({ total })) };
}

/** A figure per day, rounded like the contributions to it. */
export function perDayOf(figure: Decimal, days: number): Decimal {
  return divided(figure, EXACT_ZERO.plus(days));
}

/**
 * The contributions of the parts of a ratio by the midpoint rule, which for two factors is the Shapley value: the change of a part's
 * share times the distance of its mean ratio from the mean ratio of all (mix), and the change of its ratio times its mean share (rate).
 * Rounded so that the contributions add up to the rounded change, with no remainder. Undefined if a period has no weight.
 */
export function ratioContributions(parts: readonly Part[], factor: number): Contributions | undefined {
  const weights = parts.map(
    ({ weightBefore, weightNow }) => [weightBefore ?? EXACT_ZERO, weightNow ?? EXACT_ZERO] as const,
  );
  const [w0, w1] = [sumOf(weights.map(([before]) => before)), sumOf(weights.map(([, now]) => now))];
  if (w0.isZero() || w1.isZero()) return undefined;
  const scaled = parts.map(({ before, now }) => [before.times(factor), now.times(factor)] as const);
  const [n0, n1] = [sumOf(scaled.map(([before]) => before)), sumOf(scaled.map(([, now]) => now))];
  const before = divided(n0, w0);
  const now = divided(n1, w1);
  // With the common denominator 2·w0²·w1², each contribution has an exact numerator.
  const denominator = w0.times(w0).times(w1).times(w1).times(2);
  const twiceMean = n0.times(w1).plus(n1.times(w0));
  const numerators = parts.map((_, at) => {
    const [own0, own1] = scaled[at] as readonly [Decimal, Decimal];
    const [weight0, weight1] = weights[at] as readonly [Decimal, Decimal];
    const shift = weight1.times(w0).minus(weight0.times(w1));
    return own1
      .times(w0)
      .times(w0)
      .times(w1)
      .times(2)
      .minus(own0.times(w0).times(w1).times(w1).times(2))
      .minus(shift.times(twiceMean));
  });
  const change = now.minus(before);
  const totals = apportioned(numerators, denominator, change);
  const mean = quotient(twiceMean, w0.times(w1).times(2));
  return {
    before,
    now,
    change,
    parts: totals.map((total, at) => {
      const [own0, own1] = scaled[at] as readonly [Decimal, Decimal];
      const [weight0, weight1] = weights[at] as readonly [Decimal, Decimal];
      // A part without weight in one period has no ratio there: its ratio counts as unchanged.
      const rate0 = weight0.isZero() ? undefined : quotient(own0, weight0);
      const rate1 = weight1.isZero() ? undefined : quotient(own1, weight1);
      const ratio = (rate0 ?? rate1 ?? mean).plus(rate1 ?? rate0 ?? mean).div(2);
      const mix = rounded(quotient(weight1, w1).minus(quotient(weight0, w0)).times(ratio.minus(mean)));
      return { total, mix, rate: total.minus(mix) };
    }),
  };
}

/** Quotients rounded down, with the rest of their sum added to those that lost the most. */
function apportioned(numerators: readonly Decimal[], denominator: Decimal, sum: Decimal): Decimal[] {
  const scaled = numerators.map(numerator => numerator.times(UNIT));
  const floors = scaled.map(numerator => floorOf(numerator, denominator));
  let missing = sum.times(UNIT).minus(sumOf(floors)).toNumber();
  const order = scaled
    .map((numerator, at) => ({ at, lost: numerator.minus(denominator.times(floors[at] ?? EXACT_ZERO)) }))
    .sort((a, b) => b.lost.cmp(a.lost) || a.at - b.at);
  for (let place = 0; missing !== 0; place = (place + 1) % order.length) {
    const { at } = order[place] as { at: number };
    const step = Math.sign(missing);
    floors[at] = (floors[at] ?? EXACT_ZERO).plus(step);
    missing -= step;
  }
  return floors.map(floor => floor.div(UNIT));
}

/** The largest integer that is not above the quotient, with all of its digits; the divisor is above zero. */
function floorOf(dividend: Decimal, divisor: Decimal): Decimal {
  const integer = EXACT_ZERO.plus(dividend).divToInt(divisor);
  return dividend.isNegative() && !integer.times(divisor).eq(dividend) ? integer.minus(1) : integer;
}

/** The quotient with the decimals of contributions, rounded half up, and all digits before them. */
function divided(dividend: Decimal, divisor: Decimal): Decimal {
  const size = divisor.abs();
  const doubled = dividend.times(divisor.isNegative() ? -2 * UNIT : 2 * UNIT).plus(size);
  return floorOf(doubled, size.times(2)).div(UNIT);
}

function rounded(figure: Decimal): Decimal {
  return EXACT_ZERO.plus(figure.toDecimalPlaces(RATIO_DECIMALS));
}

function sumOf(figures: readonly Decimal[]): Decimal {
  return figures.reduce((sum, figure) => sum.plus(figure), EXACT_ZERO);
}
