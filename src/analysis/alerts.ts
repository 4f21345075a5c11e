import { addDays, type Day, type DayRange } from '../apis/bda/days.ts';

/** The figure of a metric on one day. */
export interface DayFigure {
  readonly value: number;
  /** What the figure is based on, such as the visits of a ratio; for a sum, the figure itself. */
  readonly volume: number;
}

export const DIRECTIONS = ['drop', 'rise', 'both'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface AlertRules {
  /** How many usual deviations a figure must be away from the expected one. */
  readonly threshold: number;
  /** The least change that matters, as a share of the expected figure. */
  readonly minChange: number;
  /** The least usual volume of a day that is judged. */
  readonly minVolume: number;
  readonly direction: Direction;
  /** Days that no other day is compared with. */
  readonly isHoliday: (day: Day) => boolean;
}

/**
 * `ok` and `alert` were judged. `no_data`: no figure. `low_volume`: the usual volume is too low. `too_few_days`: less than four of the
 * same weekdays in the eight weeks before can be compared. `holiday`: not comparable.
 */
export type DayStatus = 'ok' | 'alert' | 'holiday' | 'no_data' | 'low_volume' | 'too_few_days';

export interface JudgedDay {
  readonly day: Day;
  readonly status: DayStatus;
  readonly value: number | undefined;
  /** The median of the same weekdays of the weeks before, at the level of the days before. */
  readonly expected: number | undefined;
  /** The change against the expected figure, as a share of it. */
  readonly change: number | undefined;
  /** The change in usual deviations. */
  readonly deviations: number | undefined;
  /** Same weekdays that it was compared with. */
  readonly compared: number;
}

/** The weeks before a day that it is compared with. */
const WEEKS = 8;
const LEAST_WEEKS = 4;
/** Days before, and the most to search for them, that show the level. */
const LEVEL_DAYS = 14;
const LEAST_LEVEL_DAYS = 5;
const LEVEL_SEARCH_DAYS = 28;
/** Days with a known error of the expectation that show which deviations are usual. */
const ERROR_DAYS = 7 * WEEKS;
const LEAST_ERROR_DAYS = 21;
/** A median absolute deviation as a standard deviation of normal noise. */
const MAD_SIGMA = 1.4826;
/** Of the same weekday alone there are too few values for a good estimate. */
const WEEKDAY_WEIGHT = 0.75;
/** Figures without noise would make any change one of many deviations. */
const LEAST_SIGMA = 0.005;

/** Days before the first judged one that are examined, so that it is judged like any later one. */
export const DAYS_BEFORE = 7 * WEEKS + LEVEL_SEARCH_DAYS + ERROR_DAYS;

/**
 * Judges days one after the other, each by the days before it. A day that is an alert is not compared with later, so that an incident
 * does not become what is expected before it lasts for weeks.
 *
 * The same weekdays of eight weeks are brought to the level of the day by the median change of the days before, which allows for trend
 * and season. Their median is the expected figure. The usual deviation is the larger of the median absolute deviation (MAD) of these
 * weekdays and that of the errors of the expectation in the eight weeks before.
 */
export function judgeDays(
  figures: ReadonlyMap<Day, DayFigure>,
  { from, to }: DayRange,
  rules: AlertRules,
): JudgedDay[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  const comparable = days.map(day => (rules.isHoliday(day) ? undefined : figures.get(day)));
  const errors: (number | undefined)[] = [];
  return days.map((day, at) => {
    const judged = judge(day, at);
    const { status, change } = judged;
    if (status === 'alert') comparable[at] = undefined;
    errors.push(status === 'ok' ? change : undefined);
    return judged;
  });

  function judge(day: Day, at: number): JudgedDay {
    const figure = figures.get(day);
    const none = { expected: undefined, change: undefined, deviations: undefined, compared: 0 };
    const unjudged = (status: DayStatus): JudgedDay => ({ day, status, value: figure?.value, ...none });
    if (rules.isHoliday(day)) return unjudged('holiday');
    if (figure === undefined) return unjudged('no_data');
    const weekdays = sameWeekdays(comparable, at);
    if (weekdays.length < LEAST_WEEKS) return unjudged('too_few_days');
    const expected = median(weekdays.map(({ value }) => value));
    const usualVolume = median(weekdays.map(({ volume }) => volume));
    if (usualVolume < rules.minVolume || expected <= 0) return unjudged('low_volume');
    const change = figure.value / expected - 1;
    const sigma = usualDeviation(
      weekdays.map(({ value }) => value / expected - 1),
      errors.slice(-ERROR_DAYS).filter(error => error !== undefined),
      usualVolume,
    );
    const deviations = change / sigma;
    const isAlert =
      Math.abs(deviations) >= rules.threshold &&
      Math.abs(change) >= rules.minChange &&
      (rules.direction === 'both' || rules.direction === (change < 0 ? 'drop' : 'rise'));
    const status = isAlert ? 'alert' : 'ok';
    return { day, status, value: figure.value, expected, change, deviations, compared: weekdays.length };
  }
}

/** The figures of the same weekday in the weeks before, at the level of the days just before; and their volumes. */
function sameWeekdays(comparable: readonly (DayFigure | undefined)[], at: number): DayFigure[] {
  const found: DayFigure[] = [];
  for (let week = 1; week <= WEEKS; week += 1) {
    const then = comparable[at - 7 * week];
    const ratio = then === undefined ? undefined : levelChange(comparable, at, week);
    if (then !== undefined && ratio !== undefined)
      found.push({ value: then.value * ratio, volume: then.volume });
  }
  return found;
}

/** How much the level changed within so many weeks: the median of the changes of the days before. */
function levelChange(
  comparable: readonly (DayFigure | undefined)[],
  at: number,
  weeks: number,
): number | undefined {
  const ratios: number[] = [];
  for (let back = 1; back <= LEVEL_SEARCH_DAYS && ratios.length < LEVEL_DAYS; back += 1) {
    const [now, then] = [comparable[at - back], comparable[at - back - 7 * weeks]];
    if (now !== undefined && then !== undefined && then.value > 0) ratios.push(now.value / then.value);
  }
  return ratios.length < LEAST_LEVEL_DAYS ? undefined : median(ratios);
}

/** As a share of the expected figure. Counts vary by their square root at least. */
function usualDeviation(weekdays: readonly number[], errors: readonly number[], volume: number): number {
  const own = MAD_SIGMA * median(weekdays.map(Math.abs));
  const recent =
    errors.length < LEAST_ERROR_DAYS ? own / WEEKDAY_WEIGHT : MAD_SIGMA * median(errors.map(Math.abs));
  return Math.max(WEEKDAY_WEIGHT * own, recent, 1 / Math.sqrt(Math.max(volume, 1)), LEAST_SIGMA);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[middle - 1], sorted[middle]];
  if (high === undefined) return Number.NaN;
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2;
}

/** An alert that has not cleared: the first and the last day on which the figure was off. */
interface OpenAlert {
  readonly since: Day;
  readonly last: Day;
}

/** The state of a metric that is stored between runs. */
export interface WatchedSeries {
  /** The last day that was judged. */
  readonly seenTo: Day;
  readonly open?: OpenAlert | undefined;
}

/** `opened`: new, to be reported. `open`: reported before. `cleared`: reported before and over. */
export type AlertEvent = 'opened' | 'open' | 'cleared' | 'none';

/**
 * Updates a metric's alert with the days since the last run; without one, with all days. A day that cannot be
 * judged neither opens nor clears an alert. `missed` are alerts that opened and cleared since the last run.
 */
export function followAlert(
  before: WatchedSeries | undefined,
  judged: readonly JudgedDay[],
): { readonly series: WatchedSeries; readonly event: AlertEvent; readonly missed: readonly OpenAlert[] } {
  const last = judged.at(-1);
  if (last === undefined) throw new RangeError('no days were judged');
  const fresh = judged.filter(({ day }) => before === undefined || day > before.seenTo);
  let open = before?.open;
  const missed: OpenAlert[] = [];
  // Without an earlier run, all days count, so that an incident starts on its first day.
  for (const { day, status } of fresh) {
    if (status === 'alert') open = { since: open?.since ?? day, last: day };
    else if (status === 'ok') {
      if (before !== undefined && open !== undefined && open.since !== before.open?.since) missed.push(open);
      open = undefined;
    }
  }
  const isSame = before?.open !== undefined && open?.since === before.open.since;
  const event =
    open !== undefined ? (isSame ? 'open' : 'opened') : before?.open === undefined ? 'none' : 'cleared';
  const seenTo = before !== undefined && before.seenTo > last.day ? before.seenTo : last.day;
  return { series: { seenTo, ...(open !== undefined && { open }) }, event, missed };
}
