/** Figures of one scale: logarithms, whose differences are shares, or figures that may be negative, as they are. */
export interface Scale {
  /** By day; undefined for a zero that no figure above it precedes. Holidays show no other day's size. */
  sizesOf(values: ByDay<number>, isHoliday: (at: number) => boolean): ByDay<number>;
  figureOf(size: number): number;
  /** The size of a change by all of what is usual, which the sizes of the same weekdays show. */
  unitOf(sizes: readonly number[]): number;
}

/** A figure of a day that others may be compared with. */
export interface Comparable {
  readonly size: number;
  readonly volume: number;
  /** What the least volume is of. */
  readonly basis: number;
  /** Whether it is neither a holiday nor beside one. */
  readonly isPlain: boolean;
}

/** By day; undefined for a day that no other is compared with. */
type ByDay<Value> = readonly (Value | undefined)[];

/** The weeks before a day that it is compared with. */
export const WEEKS = 8;
/** Days before, and the most to search for them, that show the level. */
const LEVEL_DAYS = 14;
const LEAST_LEVEL_DAYS = 5;
const LEVEL_SEARCH_DAYS = 28;
/** Years before that show a season, in days that keep the weekday; and the days around one of which the median is taken. */
const YEARS = 2;
export const YEAR_DAYS = 364;
const SEASON_REACH = 3;
/** Days whose errors show which deviations are usual, and weeks whose errors on the same weekday show the rare ones. */
const ERROR_DAYS = 56;
const LEAST_ERROR_DAYS = 21;
const ERROR_WEEKS = 26;
const LEAST_ERROR_WEEKS = 8;
/** A median absolute deviation as a standard deviation of normal noise. */
const MAD_SIGMA = 1.4826;
/** Of few days of the same weekday, and of all weekdays together, a deviation counts for less. */
const WEIGHT = 0.75;
/** The share of errors that lie within so many deviations: wider than normal noise has it, because rare days are wilder. */
const TAIL = { share: 0.9, sigmas: 1.8 };
/** Rare days make no deviation larger than this, so that half of what is expected stays an alert. */
const MOST_TAIL = 0.18;
/** Figures without noise would make any change one of many deviations. */
const LEAST_SIGMA = 0.005;

/** Days before a day that are examined to judge it. */
export const DAYS_BEFORE = YEARS * YEAR_DAYS + 7 * WEEKS + LEVEL_SEARCH_DAYS + ERROR_DAYS;

/** Zero has no logarithm: it is half of the least figure above it until then, so that no later day changes it. */
export const LOGARITHMS: Scale = {
  sizesOf(values, isHoliday) {
    let least = Number.POSITIVE_INFINITY;
    return values.map((value, at) => {
      if (value === undefined) return undefined;
      if (value > 0 && !isHoliday(at)) least = Math.min(least, value);
      if (value > 0) return Math.log(value);
      return Number.isFinite(least) ? Math.log(least / 2) : undefined;
    });
  },
  figureOf: Math.exp,
  unitOf: () => 1,
};

export const AS_THEY_ARE: Scale = {
  sizesOf: values => values,
  figureOf: size => size,
  unitOf: sizes => median(sizes.map(Math.abs)),
};

/** The same weekday of the weeks before, at the level of the days just before. */
export function sameWeekdays(comparable: ByDay<Comparable>, at: number): Comparable[] {
  const found: Comparable[] = [];
  for (let week = 1; week <= WEEKS; week += 1) {
    const then = comparable[at - 7 * week];
    const move = then === undefined ? undefined : levelMove(comparable, at, week);
    if (then !== undefined && move !== undefined) found.push({ ...then, size: then.size + move });
  }
  return found;
}

/** How much the level moved within so many weeks: the median of the moves of the days before. */
function levelMove(comparable: ByDay<Comparable>, at: number, weeks: number): number | undefined {
  const moves: number[] = [];
  for (let back = 1; back <= LEVEL_SEARCH_DAYS && moves.length < LEVEL_DAYS; back += 1) {
    const [now, then] = [comparable[at - back], comparable[at - back - 7 * weeks]];
    if (now !== undefined && then !== undefined) moves.push(now.size - then.size);
  }
  return moves.length < LEAST_LEVEL_DAYS ? undefined : median(moves);
}

/**
 * What the season adds at this time of the year, from how the days around it a year and two years before differed from what the weeks
 * before them let expect: the smaller of both, and nothing where they disagree.
 */
export function seasonMove(errors: ByDay<number>, at: number): number {
  const moves: number[] = [];
  for (let year = 1; year <= YEARS; year += 1) {
    const middle = at - year * YEAR_DAYS;
    const around = errors.slice(Math.max(0, middle - SEASON_REACH), Math.max(0, middle + SEASON_REACH + 1));
    const known = around.filter(error => error !== undefined);
    if (known.length < SEASON_REACH) return 0;
    moves.push(median(known));
  }
  const least = moves.reduce((a, b) => (Math.abs(a) < Math.abs(b) ? a : b));
  return moves.every(move => Math.sign(move) === Math.sign(least)) ? least : 0;
}

/**
 * The usual deviation of a day of whose weekday the deviations of the weeks before are given; `errors` are those of the expectations
 * before `at`. Counts (`volume`) vary by their square root at least. `unit` is the size of a change by all of what is expected.
 */
export function usualDeviation(
  weekdays: readonly number[],
  errors: ByDay<number>,
  at: number,
  { volume, unit }: { readonly volume: number; readonly unit: number },
): number {
  const own = MAD_SIGMA * median(weekdays.map(Math.abs));
  const recent = errors.slice(Math.max(0, at - ERROR_DAYS), at).filter(error => error !== undefined);
  const usual = recent.length < LEAST_ERROR_DAYS ? own / WEIGHT : MAD_SIGMA * median(recent.map(Math.abs));
  const same: number[] = [];
  for (let week = 1; week <= ERROR_WEEKS; week += 1) {
    const error = errors[at - 7 * week];
    if (error !== undefined) same.push(Math.abs(error));
  }
  const floor = unit * Math.max(1 / Math.sqrt(Math.max(volume, 1)), LEAST_SIGMA);
  if (same.length < LEAST_ERROR_WEEKS) return Math.max(WEIGHT * own, usual, floor);
  const rare = same.sort((a, b) => a - b)[Math.floor(same.length * TAIL.share)] ?? 0;
  return Math.max(WEIGHT * own, WEIGHT * usual, Math.min(rare / TAIL.sigmas, MOST_TAIL * unit), floor);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[middle - 1], sorted[middle]];
  if (high === undefined) return Number.NaN;
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2;
}
