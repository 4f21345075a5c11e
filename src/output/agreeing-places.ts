import { decimalsIn, roundDecimals } from './number.ts';

/** Two figures and how much they differ. */
export interface Difference {
  readonly before: string;
  readonly now: string;
  readonly difference: string;
}

/**
 * The decimals with which two rounded figures differ by their rounded difference: the usual ones, one more, fewer, or more.
 * The difference keeps two digits, and none but a zero looks like one. Undefined for figures that agree as they are usually rounded.
 */
export function agreeingPlaces(
  figures: Difference,
  usual: number,
  roundedWith: (places: number | undefined) => Difference,
): number | undefined {
  const { before, now, difference } = figures;
  const most = Math.max(usual, ...[before, now, difference].map(decimalsIn));
  const all = Array.from({ length: most + 1 }, (_, places) => places);
  // In the unit that is shown.
  const size = Math.abs(Number(roundedWith(most).difference));
  const fewer = all.slice(0, usual).reverse();
  const inOrder = [usual, usual + 1, ...fewer, ...all.slice(usual + 2)];
  const tried = [undefined, ...inOrder.filter(places => places >= most || size >= 10 ** (1 - places))];
  const isZero = (digits: string) => /^-?[0.]*$/.test(digits);
  const isVisible = (rounded: Difference) =>
    (['before', 'now', 'difference'] as const).every(key => !isZero(rounded[key]) || isZero(figures[key]));
  const found = tried.findIndex(places => {
    const rounded = roundedWith(places);
    return isDifference(rounded) && isVisible(rounded);
  });
  return found < 0 ? most : tried[found];
}

/** Whether the figures differ by exactly their difference. Texts that are not numbers do. */
function isDifference({ before, now, difference }: Difference): boolean {
  const figures = [before, now, difference];
  const places = Math.max(...figures.map(decimalsIn));
  const scaled = figures.map(digits => roundDecimals(digits, places).replace('.', ''));
  if (!scaled.every(text => /^-?\d+$/.test(text))) return true;
  const [from, to, size] = scaled.map(BigInt) as [bigint, bigint, bigint];
  return to - from === size;
}
