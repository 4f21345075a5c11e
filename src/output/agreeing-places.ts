import { decimalsIn, roundDecimals } from './number.ts';

/** Two figures and how much they differ. */
export interface Difference {
  readonly before: string;
  readonly now: string;
  readonly difference: string;
}

/** The figures and their difference in a list. */
export function figuresOf({ before, now, difference }: Difference): string[] {
  return [before, now, difference];
}

/** Rounds two figures and their difference; without places, as they are usually rounded. */
export type RoundsDifference = (figures: Difference, places: number | undefined) => Difference;

/**
 * How rounded figures agree with their rounded difference:
 * - `visible`: none of two figures that differ look equal, and no change looks like none
 * - `close`: they also differ by the difference; from ten units of their last place on, one unit more or less
 * - `exact`: they differ by exactly the difference, and no figure but zero looks like zero
 */
type Agreement = 'visible' | 'close' | 'exact';

/** From so many units of the last place on, figures that agree closely may differ by one unit more or less. */
const VISIBLE_UNITS = 10n;

/** The first decimals of those to try with which all of the figures agree; undefined if with none. */
export function agreeingPlaces(
  compared: readonly Difference[],
  tried: readonly (number | undefined)[],
  agreement: Agreement,
  round: RoundsDifference,
): number | undefined {
  return tried.find(places =>
    compared.every(figures => isAgreeing(figures, round(figures, places), agreement)),
  );
}

/**
 * The decimals with which two figures in a sentence agree with their difference: the usual ones, or as many more as it takes. The
 * difference then has two digits. Undefined for figures that agree as they are usually rounded.
 */
export function statedPlaces(
  figures: Difference,
  usual: number,
  round: RoundsDifference,
  agreement: Agreement = 'exact',
): number | undefined {
  const most = Math.max(usual, ...figuresOf(figures).map(decimalsIn));
  // In the unit that is shown.
  const size = Math.abs(Number(round(figures, most).difference)) || 1;
  const least = Math.min(most, Math.max(usual, 1 - Math.floor(Math.log10(size))));
  return agreeingPlaces([figures], [undefined, ...placesBetween(least, most)], agreement, round);
}

/** From the least to the most decimals. */
export function placesBetween(least: number, most: number): number[] {
  return Array.from({ length: most - least + 1 }, (_, more) => least + more);
}

/** Texts that are not numbers agree. */
function isAgreeing(figures: Difference, rounded: Difference, agreement: Agreement): boolean {
  const [all, shown] = [unitsOf(figures), unitsOf(rounded)];
  if (all === undefined || shown === undefined) return true;
  const isHidden = (key: keyof Difference) => shown[key] === 0n && all[key] !== 0n;
  const gap = shown.now - shown.before - shown.difference;
  if (agreement === 'exact')
    return gap === 0n && !isHidden('before') && !isHidden('now') && !isHidden('difference');
  if (isHidden('difference') || (shown.now === shown.before && all.difference !== 0n)) return false;
  const isEven = new Set(figuresOf(rounded).map(decimalsIn)).size === 1;
  const isLarge = shown.difference >= VISIBLE_UNITS || shown.difference <= -VISIBLE_UNITS;
  return agreement === 'visible' || gap === 0n || (isEven && isLarge && gap >= -1n && gap <= 1n);
}

/** In units of the last decimal that one of them has; undefined for texts that are not numbers. */
function unitsOf(figures: Difference): Record<keyof Difference, bigint> | undefined {
  const texts = figuresOf(figures);
  const places = Math.max(...texts.map(decimalsIn));
  const units = texts.map(digits => roundDecimals(digits, places).replace('.', ''));
  if (!units.every(text => /^-?\d+$/.test(text))) return undefined;
  const [before, now, difference] = units.map(BigInt) as [bigint, bigint, bigint];
  return { before, now, difference };
}
