import { median } from './expected-figure.ts';

/** How many changes before the one in question show which are usual, and the fewest that do. */
export const USUAL_CHANGES = 26;
const LEAST_CHANGES = 8;
/** A change is usual up to so many times the median one. */
const MULTIPLE = 4;
/** Where so many changes have one direction, as from Saturdays to Sundays, they are usual as such; and one change where so many equal it. */
const ONE_WAY = 0.9;

/** Which changes are usual. Both ends are rounded outwards, to a decimal of a percentage or two digits of a figure. */
interface UsualChange {
  readonly unit: 'percent' | 'figure';
  readonly from: number;
  readonly to: number;
}

/** Most earlier changes are equal, but not so many that no other one is usual. */
interface UnsteadyChange {
  readonly unit: 'none';
  /** How many are equal. */
  readonly equal: number;
}

/**
 * The usual change, from those between earlier periods; undefined for too few. With `isRelative`, figures above zero are compared by
 * their ratio: a fall is then limited to -100 %, a rise is not.
 */
export function usualChange(
  earlier: readonly (readonly [before: number, now: number])[],
  isRelative: boolean,
): UsualChange | UnsteadyChange | undefined {
  const changes = earlier.length;
  if (changes < LEAST_CHANGES) return undefined;
  const byRatio = isRelative && earlier.every(pair => pair.every(figure => figure > 0));
  const moves = earlier.map(([before, now]) => (byRatio ? Math.log(now / before) : now - before));
  const rises = moves.filter(move => move > 0).length;
  const falls = moves.filter(move => move < 0).length;
  const middle = Math.max(rises, falls) >= ONE_WAY * changes ? median(moves) : 0;
  const distance = MULTIPLE * median(moves.map(move => Math.abs(move - middle)));
  const equal = moves.filter(move => move === middle).length;
  if (distance === 0 && equal < ONE_WAY * changes) return { unit: 'none', equal };
  const ends = [middle - distance, middle + distance] as const;
  if (byRatio) {
    const [from, to] = [
      Math.floor(Math.expm1(ends[0]) * 1000) / 10,
      Math.ceil(Math.expm1(ends[1]) * 1000) / 10,
    ];
    return { unit: 'percent', from, to };
  }
  const size = Math.max(...ends.map(Math.abs));
  const step = size === 0 ? 1 : 10 ** (Math.floor(Math.log10(size)) - 1);
  const rounded = (steps: number) => Number((steps * step).toPrecision(12));
  return {
    unit: 'figure',
    from: rounded(Math.floor(ends[0] / step)),
    to: rounded(Math.ceil(ends[1] / step)),
  };
}
