import type { Decimal } from 'decimal.js';
import { EXACT_ZERO, quotient } from './exact-change.ts';

/** The figures of one value of a dimension in both periods; of a ratio, those of the numerator, with its weights. */
export interface Part {
  readonly before: Decimal;
  readonly now: Decimal;
  readonly weightBefore?: Decimal;
  readonly weightNow?: Decimal;
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

/** The contributions of the parts of a sum: their own changes. */
export function additiveContributions(parts: readonly Part[]): Contributions {
  const before = sumOf(parts.map(part => part.before));
  const now = sumOf(parts.map(part => part.now));
  return {
    before,
    now,
    change: now.minus(before),
    parts: parts.map(part => ({ total: part.now.minus(part.before) })),
  };
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
  const before = rounded(quotient(n0, w0));
  const now = rounded(quotient(n1, w1));
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
  const quotients = numerators.map(numerator => quotient(numerator.times(UNIT), denominator));
  const floors = quotients.map(quotient => quotient.floor());
  let missing = sum.times(UNIT).minus(sumOf(floors)).toNumber();
  const order = quotients
    .map((quotient, at) => ({ at, lost: quotient.minus(floors[at] ?? EXACT_ZERO) }))
    .sort((a, b) => b.lost.cmp(a.lost) || a.at - b.at);
  for (let place = 0; missing !== 0 && order.length > 0; place = (place + 1) % order.length) {
    const { at } = order[place] as { at: number };
    const step = Math.sign(missing);
    floors[at] = (floors[at] ?? EXACT_ZERO).plus(step);
    missing -= step;
  }
  return floors.map(floor => EXACT_ZERO.plus(floor).div(UNIT));
}

function rounded(figure: Decimal): Decimal {
  return EXACT_ZERO.plus(figure.toDecimalPlaces(RATIO_DECIMALS));
}

function sumOf(figures: readonly Decimal[]): Decimal {
  return figures.reduce((sum, figure) => sum.plus(figure), EXACT_ZERO);
}
