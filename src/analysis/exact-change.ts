import { Decimal } from 'decimal.js';

/** Decimals of a relative change, the only number that is rounded. */
const PERCENT_DECIMALS = 4;
/** Figures with larger exponents are not worked with: their difference would have as many digits. */
const MAX_EXPONENT = 1_000;

/** More digits than any difference within these exponents has. */
const Exact = Decimal.clone({ precision: 2 * MAX_EXPONENT + 100 });
const Rounded = Decimal.clone({ precision: 40 });

/** Zero, for sums without a rounding. */
export const EXACT_ZERO = new Exact(0);

/** A quotient with 40 digits; sums, differences and products of exact figures have all of theirs. */
export function quotient(dividend: Decimal, divisor: Decimal): Decimal {
  return new Rounded(dividend).div(divisor);
}

interface Change {
  /** The digits of the difference, all of them. */
  readonly absolute: string;
  /** In percent of the earlier value; undefined if that is zero or less. */
  readonly relative: string | undefined;
}

/** How much a figure changed; undefined for figures that are out of all proportion. Both are texts of JSON numbers. */
export function changeBetween(before: string, now: string): Change | undefined {
  const [from, to] = [new Exact(before), new Exact(now)];
  if (![from, to].every(isWorkable)) return undefined;
  const difference = to.minus(from);
  const relative = from.gt(0)
    ? roundedPercent(new Rounded(difference.toString()).div(from.toString()).times(100))
    : undefined;
  return { absolute: plain(difference), relative: relative && plain(relative) };
}

/** Only a fall to zero is -100, and one below it is more. A last digit is no 5 that was rounded up: with fewer decimals, it would be rounded up again. */
function roundedPercent(percent: Decimal): Decimal {
  let places = PERCENT_DECIMALS;
  let rounded = percent.toDecimalPlaces(places);
  while (rounded.abs().gt(percent.abs()) && rounded.decimalPlaces() > 0 && rounded.toFixed().endsWith('5')) {
    places += 1;
    rounded = percent.toDecimalPlaces(places);
  }
  if (!rounded.eq(-100)) return rounded;
  return percent.toDecimalPlaces(PERCENT_DECIMALS, percent.gt(-100) ? Decimal.ROUND_DOWN : Decimal.ROUND_UP);
}

/** A figure to calculate with, exactly; undefined for one that is out of all proportion. */
export function exactFigure(digits: string): Decimal | undefined {
  const figure = new Exact(digits);
  return isWorkable(figure) ? figure : undefined;
}

function isWorkable(figure: Decimal): boolean {
  return figure.isFinite() && Math.abs(figure.e) <= MAX_EXPONENT && figure.decimalPlaces() <= MAX_EXPONENT;
}

/** The digits of a figure, without an exponent, and zero without a sign. */
export function plain(figure: Decimal): string {
  return figure.isZero() ? '0' : figure.toFixed();
}
