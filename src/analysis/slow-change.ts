import { median, YEAR_DAYS } from './expected-figure.ts';

/** Days before the recent ones without which nothing is judged. */
const QUARTER_DAYS = 91;
/**
 * Recent days, the days before that they are compared with, the usual deviations from which their decline is an alert, and the least decline
 * (as a logarithm).
 */
const WINDOWS = [
  { recent: 14, before: 28, deviations: 3.5, least: 0.15 },
  { recent: 7, before: QUARTER_DAYS, deviations: 4, least: 0.2 },
  { recent: 14, before: QUARTER_DAYS, deviations: 3.5, least: 0.15 },
  { recent: 28, before: QUARTER_DAYS, deviations: 3, least: 0.12 },
];
/** The least decline where no year before shows which part of it is the season. */
const LEAST_WITHOUT_YEAR = 0.22;
/** Moves of as many days show which are usual; those of the last weeks may be the decline itself. */
const USUAL_DAYS = 364;
const RECENT_DAYS = 28;
const LEAST_USUAL_DAYS = 56;
const UNKNOWN_DEVIATION = 0.06;
const MAD_SIGMA = 1.4826;
/** Weekdays that must have figures in both periods. */
const LEAST_WEEKDAYS = 5;

/** A decline that a level following the figures cannot see. */
interface Decline {
  /** The recent days, those before that they are compared with, and their change against them, as a share. */
  readonly days: number;
  readonly before: number;
  readonly change: number;
}

/**
 * Compares the last 7, 14 and 28 days with the quarter before them, and 14 with four weeks before, and that change with the one a year
 * before; call it for one day after the other. `values` by day; undefined for days that cannot be compared.
 */
export function slowChecker(values: readonly (number | undefined)[]): (at: number) => Decline | undefined {
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
      const reach = Math.max(deviations * sigma, own === undefined ? LEAST_WITHOUT_YEAR : least);
      return move < -reach && (own ?? move) < -reach
        ? [{ days: recent, before, change: Math.expm1(move) }]
        : [];
    });
    return declines.at(-1);
  };
}

/** The logarithm of the recent level against that of the days before, by weekdays that both have. */
function moveOf(
  values: readonly (number | undefined)[],
  at: number,
  { recent, before: earlier }: { readonly recent: number; readonly before: number },
): number | undefined {
  const begin = at + 1 - recent;
  if (begin < QUARTER_DAYS) return undefined;
  const [now, before] = [means(values, begin, at + 1), means(values, begin - earlier, begin)];
  let [sumNow, sumBefore, weekdays] = [0, 0, 0];
  for (const [weekday, mean] of now) {
    const then = before.get(weekday);
    if (then === undefined) continue;
    sumNow += mean;
    sumBefore += then;
    weekdays += 1;
  }
  return weekdays < LEAST_WEEKDAYS || sumNow <= 0 || sumBefore <= 0
    ? undefined
    : Math.log(sumNow / sumBefore);
}

function means(values: readonly (number | undefined)[], from: number, to: number): Map<number, number> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (let at = from; at < to; at += 1) {
    const value = values[at];
    if (value === undefined) continue;
    const { sum, count } = sums.get(at % 7) ?? { sum: 0, count: 0 };
    sums.set(at % 7, { sum: sum + value, count: count + 1 });
  }
  return new Map([...sums].map(([weekday, { sum, count }]) => [weekday, sum / count]));
}
