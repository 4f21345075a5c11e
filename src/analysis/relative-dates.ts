import { addDays, addMonths, type Day, type DayRange, isDay, weekday } from '../apis/bda/days.ts';

export const PERIODS = ['week', 'month', 'quarter', 'year'] as const;
/** Weeks begin on Monday. */
export type Period = (typeof PERIODS)[number];

/** A length of time as it is typed: `7d`, `4w`, `3m`, `1y`. */
interface Span {
  readonly count: number;
  readonly unit: 'd' | 'w' | 'm' | 'y';
}

/** Reads `YYYY-MM-DD`, `today`, `yesterday`, or a time ago such as `-7d`, `-4w`, `-3m`, `-1y`; undefined for anything else. */
export function readDay(text: string, today: Day): Day | undefined {
  if (text === 'today') return today;
  if (text === 'yesterday') return addDays(today, -1);
  const span = text.startsWith('-') ? readSpan(text.slice(1)) : undefined;
  if (span !== undefined) return before(today, span);
  return isDay(text) ? text : undefined;
}

/** The days of a span such as `7d` that end on `end`; undefined for text that is no span. `1m` that ends on 14 March begins on 15 February. */
export function lastDays(text: string, end: Day): DayRange | undefined {
  const span = readSpan(text);
  return span && { from: before(addDays(end, 1), span), to: end };
}

/** The period in which a day lies, whole. */
export function periodAround(period: Period, day: Day): DayRange {
  const from = periodStart(period, day);
  return { from, to: addDays(nextStart(period, from), -1) };
}

/** The whole period before the one in which a day lies. */
export function periodBefore(period: Period, day: Day): DayRange {
  return periodAround(period, addDays(periodStart(period, day), -1));
}

function readSpan(text: string): Span | undefined {
  const [found, count, unit] = /^([1-9]\d{0,3})([dwmy])$/.exec(text) ?? [];
  return found === undefined ? undefined : { count: Number(count), unit: unit as Span['unit'] };
}

function before(day: Day, { count, unit }: Span): Day {
  switch (unit) {
    case 'd':
      return addDays(day, -count);
    case 'w':
      return addDays(day, -7 * count);
    case 'm':
      return addMonths(day, -count);
    case 'y':
      return addMonths(day, -12 * count);
  }
}

function periodStart(period: Period, day: Day): Day {
  const month = Number(day.slice(5, 7));
  switch (period) {
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

function nextStart(period: Period, start: Day): Day {
  if (period === 'week') return addDays(start, 7);
  return addMonths(start, { month: 1, quarter: 3, year: 12 }[period]);
}
