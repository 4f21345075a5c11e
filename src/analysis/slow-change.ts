import { median, YEAR_DAYS } from './expected-figure.ts';

/** Days before the recent ones without which nothing is judged. */
const QUARTER_DAYS = 91;
/**
 * Recent days, the days before that they are compared with, the usual deviations from which their decline is an alert, and the least decline
 * (as a logarithm).
 */
const WINDOWS = [
  { recent: 7, before: 21, deviations: 3.5, least: 0.16 },
  { recent: 14, before: 28, deviations: 3.5, least: 0.15 },
  { recent: 7, before: QUARTER_DAYS, deviations: 4, least: 0.2 },
  { recent: 14, before: QUARTER_DAYS, deviations: 3.5, least: 0.15 },
  { recent: 28, before: QUARTER_DAYS, deviations: 3, least: 0.12 },
];
/** The least decline where no year before shows which part of it is the season. */
const LEAST_WITHOUT_YEAR = 0.18;
/** What 2 % less each day make of the last week against the three weeks before, after three weeks: never too little for an alert. */
const MOST_REACH = 0.26;
/** Moves of as many days show which are usual; those of the last weeks may be the decline itself. */
const USUAL_DAYS = 364;
const RECENT_DAYS = 28;
const LEAST_USUAL_DAYS = 56;
const UNKNOWN_DEVIATION = 0.05;
const MAD_SIGMA = 1.4826;
/** Weekdays that must have figures in both periods. */
const LEAST_WEEKDAYS = 5;

/** A decline that a level following the figures cannot see: its figures are plain means of the days that have one. */
export interface Decline {
  /** The recent days, and those before that they are compared with. */
  readonly days: number;
  readonly before: number;
  /** The mean of the recent days, that of those before, and the change against it, as a share. */
  readonly value: number;
  readonly expected: number;
  readonly change: number;
}

interface SlowInput {
  /** By day; undefined for days that cannot be compared. */
  readonly comparable: ByDay;
  /** By day, incidents included; undefined for holidays and for days without a figure. */
  readonly all: ByDay;
  /** The least decline of the means, as a share. */
  readonly minChange: number;
}

type ByDay = readonly (number | undefined)[];

/**
 * Compares the last 7, 14 and 28 days with the quarter before them, 7 and 14 with three and four weeks before, and that change with the one
 * a year before; call it for one day after the other.
 */
export function slowChecker({
  comparable: values,
  all,
  minChange,
}: SlowInput): (at: number) => Decline | undefined {
  const checks = WINDOWS.map(window => ({
    ...window,
    moves: [] as (number | undefined)[],
    seasonless: [] as (number | undefined)[],
  }));
  return at => {
    const declines = checks.flatMap(({ recent, before, deviations, least, moves, seasonless }) => {
      const move = moveOf(values, at, { recent, before });
      const lastYear = moves[at - YEAR_DAYS];
      const own = move === undefined || lastYear === undefined ? undefined : move - lastYear;
      moves[at] = move;
      seasonless[at] = own;
      if (move === undefined || move > -least) return [];
      const usual = (own === undefined ? moves : seasonless)
        .slice(Math.max(0, at - RECENT_DAYS - USUAL_DAYS), Math.max(0, at - RECENT_DAYS))
        .filter(each => each !== undefined);
      const sigma =
        usual.length < LEAST_USUAL_DAYS ? UNKNOWN_DEVIATION : MAD_SIGMA * median(usual.map(Math.abs));
      const usualReach = Math.max(deviations * sigma, own === undefined ? LEAST_WITHOUT_YEAR : least);
      const reach = Math.min(usualReach, MOST_REACH);
      if (move >= -reach || (own ?? move) >= -reach) return [];
      const begin = at + 1 - recent;
      // A mean of figures on both sides of zero changes by any share.
      if (values.slice(begin - before, at + 1).some(value => value !== undefined && value < 0)) return [];
      const [value, expected] = [meanOf(all.slice(begin, at + 1)), meanOf(all.slice(begin - before, begin))];
      const change = value / expected - 1;
      return expected > 0 && change <= -minChange ? [{ days: recent, before, value, expected, change }] : [];
    });
    return declines.at(-1);
  };
}

function meanOf(values: ByDay): number {
  const known = values.filter(value => value !== undefined);
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** The logarithm of the recent level against that of the days before, by weekdays that both have. */
function moveOf(
  values: ByDay,
  at: number,
  { recent, before: earlier }: { readonly recent: number; readonly before: number },
): number | undefined {
  const begin = at + 1 - recent;
  if (begin < QUARTER_DAYS) return undefined;
  const [now, before] = [sums(values, begin, at + 1), sums(values, begin - earlier, begin)];
  let [sumNow, sumBefore, weekdays] = [0, 0, 0];
  for (let weekday = 0; weekday < 7; weekday += 1) {
    const [count, countBefore] = [now.counts[weekday] ?? 0, before.counts[weekday] ?? 0];
    if (count === 0 || countBefore === 0) continue;
    sumNow += (now.sums[weekday] ?? 0) / count;
    sumBefore += (before.sums[weekday] ?? 0) / countBefore;
    weekdays += 1;
  }
  return weekdays < LEAST_WEEKDAYS || sumNow <= 0 || sumBefore <= 0
    ? undefined
    : Math.log(sumNow / sumBefore);
}

/** By weekday: the sum of the figures, and how many there are. */
function sums(values: ByDay, from: number, to: number) {
  const found = { sums: [0, 0, 0, 0, 0, 0, 0], counts: [0, 0, 0, 0, 0, 0, 0] };
  for (let at = from; at < to; at += 1) {
    const value = values[at];
    if (value === undefined) continue;
    found.sums[at % 7] = (found.sums[at % 7] ?? 0) + value;
    found.counts[at % 7] = (found.counts[at % 7] ?? 0) + 1;
  }
  return found;
}
