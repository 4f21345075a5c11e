import { addDays, addMonths, type Day, type DayRange, dayCount, isDay, weekday } from '../apis/bda/days.ts';
import { type Sentence, sentence } from '../output/sentence.ts';
import { pluralize } from '../terminal/numbers.ts';

/** Weeks begin on Monday. */
export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;
type Period = (typeof PERIODS)[number];

/** Periods of more than one day. */
export const CALENDAR_PERIODS = ['week', 'month', 'quarter', 'year'] as const;
export type CalendarPeriod = (typeof CALENDAR_PERIODS)[number];

/** The periods for which the APIs have time dimensions. */
export const GRAINS = ['day', 'week', 'month'] as const;
export type Grain = (typeof GRAINS)[number];

/** The time dimensions that the API documents, by name. */
const BY_NAME: Readonly<Record<string, Grain>> = {
  report_day: 'day',
  report_week: 'week',
  report_month: 'month',
};

/** A day, optionally followed by a time, or a month. */
const LABEL = /^(\d{4}-\d\d)(?:(-\d\d)(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?)?$/;

/** The grain of a column, by its name; undefined if it is not a time column. */
export function grainOfName(column: string): Grain | undefined {
  return Object.hasOwn(BY_NAME, column) ? BY_NAME[column] : undefined;
}

/** The time dimensions among some columns, by their names. */
export function grainsOf(columns: readonly string[]): { readonly column: string; readonly grain: Grain }[] {
  return columns.flatMap(column => {
    const grain = grainOfName(column);
    return grain === undefined ? [] : [{ column, grain }];
  });
}

/** The grain of a column, by its values; undefined if it is empty or one of them is not a time. */
export function grainOf(column: string, labels: Iterable<string>): Grain | undefined {
  let months = 0;
  let all = 0;
  for (const label of labels) {
    if (startOf(label) === undefined) return undefined;
    all += 1;
    if (/^\d{4}-\d\d$/.test(label)) months += 1;
  }
  if (all === 0) return undefined;
  if (months > 0) return 'month';
  return grainOfName(column) ?? (/week/i.test(column) ? 'week' : /month/i.test(column) ? 'month' : 'day');
}

/** The first day of the period of a label; undefined if it is not a time. */
export function startOf(label: string): Day | undefined {
  const [found, month, day = '-01'] = LABEL.exec(label) ?? [];
  if (found === undefined) return undefined;
  const start = `${month}${day}`;
  return isDay(start) ? start : undefined;
}

/** The first day of the period that contains a day. */
export function periodStart(day: Day, period: Period): Day {
  const month = Number(day.slice(5, 7));
  switch (period) {
    case 'day':
      return day;
    case 'week':
      return addDays(day, -weekday(day));
    case 'month':
      return `${day.slice(0, 7)}-01`;
    case 'quarter':
      return `${day.slice(0, 5)}${String(month - ((month - 1) % 3)).padStart(2, '0')}-01`;
    case 'year':
      return `${day.slice(0, 4)}-01-01`;
  }
}

/** The first day of the next period. */
export function nextStart(start: Day, period: Period): Day {
  if (period === 'day') return addDays(start, 1);
  if (period === 'week') return addDays(start, 7);
  return addMonths(start, { month: 1, quarter: 3, year: 12 }[period]);
}

/** The days of the period that begins on a day. */
export function periodDays(start: Day, period: Period): DayRange {
  return { from: start, to: addDays(nextStart(start, period), -1) };
}

/** The period that contains a day. */
export function periodContaining(day: Day, period: Period): DayRange {
  return periodDays(periodStart(day, period), period);
}

/** The period before the one that contains a day. */
export function previousPeriod(day: Day, period: Period): DayRange {
  return periodContaining(addDays(periodStart(day, period), -1), period);
}

/** The number of periods between two starts; undefined if it is not an integer. */
export function periodsBetween(first: Day, start: Day, grain: Grain): number | undefined {
  if (grain === 'month') {
    const [a, b] = [first, start].map(day => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)));
    const count = (b ?? 0) - (a ?? 0);
    return addMonths(first, count) === start ? count : undefined;
  }
  const days =
    first <= start ? dayCount({ from: first, to: start }) - 1 : 1 - dayCount({ from: start, to: first });
  const count = grain === 'week' ? days / 7 : days;
  return Number.isInteger(count) ? count : undefined;
}

/** The days that have not ended, or are not known to have. */
export interface OpenDays {
  /** The first of them. */
  readonly from: Day;
  /** Whether the first has ended for the user, but not in UTC, which may be the time zone of the gateway. */
  readonly isInUtc: boolean;
}

/**
 * What a period lacks of its days: `5 of 7 days`, `13 of 31 days and part of today`, or of a day `not ended`; undefined for a complete
 * period. `available` are the requested days, as far as there is data.
 */
export function partText(period: DayRange, available: DayRange, open: OpenDays): string | undefined {
  const where = open.isInUtc ? ' in UTC' : '';
  const of = dayCount(period);
  if (of === 1) return period.to >= open.from ? `not ended${where}` : undefined;
  const from = period.from > available.from ? period.from : available.from;
  const to = period.to < available.to ? period.to : available.to;
  const lastEnded = addDays(open.from, -1);
  const ended = dayCount({ from, to: to < lastEnded ? to : lastEnded });
  if (ended === of) return undefined;
  const hasOpen = from <= open.from && open.from <= to;
  return `${ended} of ${pluralize(of, 'day')}${hasOpen ? ` and part of today${where}` : ''}`;
}

/** Which of some days have not ended, or are in the future; undefined where all have ended. */
export function unfinishedText(days: DayRange, open: OpenDays): Sentence | undefined {
  if (days.to < open.from) return undefined;
  const today = open.isInUtc ? addDays(open.from, 1) : open.from;
  if (days.from > today) return sentence`${days} ${days.from === days.to ? 'is' : 'are'} in the future`;
  const from = days.from > open.from ? days.from : open.from;
  const verb = from === days.to ? 'has' : 'have';
  return sentence`${{ from, to: days.to }} ${verb} not ended yet${open.isInUtc ? ' in UTC' : ''}`;
}

/** The complete and finished periods in a range of days; undefined if there is none. */
export function completePeriods(requested: DayRange, grain: Grain, today: Day): DayRange | undefined {
  let start = periodStart(requested.from, grain);
  if (start < requested.from) start = nextStart(start, grain);
  const yesterday = addDays(today, -1);
  const last = requested.to < yesterday ? requested.to : yesterday;
  const end = addDays(periodStart(addDays(last, 1), grain), -1);
  return start <= end ? { from: start, to: end } : undefined;
}
