import { addDays, addMonths, type Day, type DayRange, dayCount, isDay, weekday } from '../apis/bda/days.ts';

/** Weeks begin on Monday. */
export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Period = (typeof PERIODS)[number];

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

/** A day with or without a time behind it, or a month. */
const LABEL = /^(\d{4}-\d\d)(?:(-\d\d)(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?)?$/;

/** The grain of a column that a request names; undefined for one that is not of time as far as its name tells. */
export function grainOfName(column: string): Grain | undefined {
  return Object.hasOwn(BY_NAME, column) ? BY_NAME[column] : undefined;
}

/** The time dimensions among some columns, as far as their names tell. */
export function grainsOf(columns: readonly string[]): { readonly column: string; readonly grain: Grain }[] {
  return columns.flatMap(column => {
    const grain = grainOfName(column);
    return grain === undefined ? [] : [{ column, grain }];
  });
}

/** The grain of a column by what it holds: undefined where one of the values is no time, or where there is none. */
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

/** The first day of the period that a label stands for; undefined for a label that is no time. */
export function startOf(label: string): Day | undefined {
  const [found, month, day = '-01'] = LABEL.exec(label) ?? [];
  if (found === undefined) return undefined;
  const start = `${month}${day}`;
  return isDay(start) ? start : undefined;
}

/** The first day of the period in which a day lies. */
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

/** The period in which a day lies. */
export function periodContaining(day: Day, period: Period): DayRange {
  return periodDays(periodStart(day, period), period);
}

/** The period before the one in which a day lies. */
export function previousPeriod(day: Day, period: Period): DayRange {
  return periodContaining(addDays(periodStart(day, period), -1), period);
}

/** How many periods lie between two starts; undefined where the second is not a whole number of them away. */
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

/** How many days of a period count, of how many; undefined for a period that counts whole. `asked` and `today` bound what can count. */
export function partialPeriodOf(
  period: DayRange,
  asked: DayRange,
  today: Day,
): { readonly days: number; readonly of: number } | undefined {
  const yesterday = addDays(today, -1);
  const to = [period.to, asked.to, yesterday].reduce((a, b) => (a < b ? a : b));
  const from = period.from > asked.from ? period.from : asked.from;
  const [days, of] = [dayCount({ from, to }), dayCount(period)];
  return days < of ? { days, of } : undefined;
}

/** The part of some days that is made of whole periods, all of them over; undefined where there is none. */
export function completePeriods(asked: DayRange, grain: Grain, today: Day): DayRange | undefined {
  let start = periodStart(asked.from, grain);
  if (start < asked.from) start = nextStart(start, grain);
  const yesterday = addDays(today, -1);
  const last = asked.to < yesterday ? asked.to : yesterday;
  const end = addDays(periodStart(addDays(last, 1), grain), -1);
  return start <= end ? { from: start, to: end } : undefined;
}
