import { addDays, addMonths, type Day, type DayRange, isDay } from '../apis/bda/days.ts';
import {
  CALENDAR_PERIODS,
  type CalendarPeriod,
  periodContaining,
  periodDays,
  previousPeriod,
} from './periods.ts';

/** The days of a date or a phrase. */
export interface DatePhrase extends DayRange {
  /** The period of the calendar that the days are; absent for a single day and for a number of days. */
  readonly period?: CalendarPeriod;
  /** Whether the phrase depends on the current day. */
  readonly isRelative: boolean;
}

type Reader = (text: string, today: Day) => DatePhrase | undefined;

const READERS: readonly Reader[] = [
  readCalendarDay,
  readCalendarPeriod,
  readWord,
  readRelativePeriod,
  readAgo,
  readPastSpan,
  readNamedDate,
];

/**
 * Reads a date as people write it: `2026-10-05`, `2026/10/05`, `05.10.2026`, `10/16/2026`, `2026-10`, `2026-Q3`, `2026`, `today`, `yesterday`, `this week`, `last month`,
 * `-7d`, `7 days ago`, `last 7 days`, `1 Nov`, `Nov 2026`. Without a year, the latest such date that is not after `today`.
 * Undefined for anything else.
 */
export function readDatePhrase(text: string, today: Day): DatePhrase | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/[\s,_]+/g, ' ');
  for (const read of READERS) {
    const found = read(words, today);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The days of a span such as `7`, `7d`, `2 weeks` or `3m` that end on `end`; undefined for other text. `1m` that ends on 14 March begins on 15 February. */
export function lastDays(text: string, end: Day): DayRange | undefined {
  const span = readSpan(text.trim().toLowerCase());
  const from = span && before(addDays(end, 1), span);
  return from === undefined ? undefined : { from, to: end };
}

/** The period that a word such as `month`, `months` or `last month` names; undefined for any other text. */
export function periodNamed(text: string): CalendarPeriod | undefined {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/^(?:the )?(?:last|previous) /, '');
  return CALENDAR_PERIODS.find(period => word === period || word === `${period}s`);
}

function readCalendarDay(text: string): DatePhrase | undefined {
  const day = text.replace(/^(\d{4})\/(\d\d)\/(\d\d)$/, '$1-$2-$3');
  if (isDay(day)) return { from: day, to: day, isRelative: false };
  const [only, other] = [...new Set(daysWithYearLast(text))];
  return only === undefined || other !== undefined ? undefined : { from: only, to: only, isRelative: false };
}

/**
 * The days that a date with the year at its end may be: `16.11.2026` one, `11/16/2026` one, `03/10/2026` two, the day first and the month
 * first.
 */
export function daysWithYearLast(text: string): Day[] {
  const [, first = '', separator = '', second = '', year = ''] =
    /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(text.trim()) ?? [];
  const day = (month: string, date: string) => `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const dayFirst = day(second, first);
  return (separator === '.' ? [dayFirst] : [dayFirst, day(first, second)]).filter(isDay);
}

function readCalendarPeriod(text: string): DatePhrase | undefined {
  const [, year, month, quarter] = /^(\d{4})(?:-(\d\d)|[- ]?q([1-4]))?$/.exec(text) ?? [];
  const [, quarterFirst, yearLast] = /^q([1-4])[- ]?(\d{4})$/.exec(text) ?? [];
  if (year === undefined && yearLast === undefined) return undefined;
  const nth = quarter ?? quarterFirst;
  const period = nth !== undefined ? 'quarter' : month !== undefined ? 'month' : 'year';
  const first = nth === undefined ? (month ?? '01') : String(Number(nth) * 3 - 2).padStart(2, '0');
  return calendarPeriod(`${year ?? yearLast}-${first}-01`, period);
}

function calendarPeriod(start: string, period: CalendarPeriod, isRelative = false): DatePhrase | undefined {
  return isDay(start) ? { ...periodDays(start, period), period, isRelative } : undefined;
}

function readWord(text: string, today: Day): DatePhrase | undefined {
  const day = { today, yesterday: addDays(today, -1) }[text];
  return day === undefined ? undefined : { from: day, to: day, isRelative: true };
}

function readRelativePeriod(text: string, today: Day): DatePhrase | undefined {
  const [, which, word] = /^(this|current|last|previous)[ -]([a-z]+)$/.exec(text) ?? [];
  const period = CALENDAR_PERIODS.find(each => each === word);
  if (which === undefined || period === undefined) return undefined;
  const isThis = which === 'this' || which === 'current';
  const range = isThis ? periodContaining(today, period) : previousPeriod(today, period);
  return { ...range, period, isRelative: true };
}

function readAgo(text: string, today: Day): DatePhrase | undefined {
  const [, signed, counted] = /^(?:-(\S+)|(.+) ago)$/.exec(text) ?? [];
  const span = readSpan(signed ?? counted ?? '');
  const day = span && before(today, span);
  return day === undefined ? undefined : { from: day, to: day, isRelative: true };
}

function readPastSpan(text: string, today: Day): DatePhrase | undefined {
  const [, span] = /^(?:last|past)[ -](.*)$/.exec(text) ?? [];
  const range = span === undefined ? undefined : lastDays(span, addDays(today, -1));
  return range && { ...range, isRelative: true };
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const FULL_MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** `1 nov`, `nov 1`, `1 november 2026`, `nov 1 2026`, `nov`, `november 2026`. */
function readNamedDate(text: string, today: Day): DatePhrase | undefined {
  const [, dayBefore, name = '', dayAfter, year] =
    /^(?:(\d{1,2})(?:st|nd|rd|th)? )?([a-z]+)\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?(?: (\d{4}))?$/.exec(text) ??
    [];
  const month = monthNumber(name);
  if (month === undefined || (dayBefore !== undefined && dayAfter !== undefined)) return undefined;
  const date = dayBefore ?? dayAfter;
  const tail = `${String(month).padStart(2, '0')}-${(date ?? '1').padStart(2, '0')}`;
  const start = year === undefined ? latest(tail, today) : `${year}-${tail}`;
  if (start === undefined || !isDay(start)) return undefined;
  const isRelative = year === undefined;
  return date === undefined
    ? calendarPeriod(start, 'month', isRelative)
    : { from: start, to: start, isRelative };
}

function monthNumber(name: string): number | undefined {
  const index = Math.max(MONTHS.indexOf(name === 'sept' ? 'sep' : name), FULL_MONTHS.indexOf(name));
  return index < 0 ? undefined : index + 1;
}

/** The latest day with this month and date that is not after `today`; 29 February may be years ago. */
function latest(tail: string, today: Day): Day | undefined {
  const year = Number(today.slice(0, 4));
  for (let back = 0; back <= 8; back += 1) {
    const day = `${String(year - back).padStart(4, '0')}-${tail}`;
    if (isDay(day) && day <= today) return day;
  }
  return undefined;
}

interface Span {
  readonly count: number;
  readonly unit: 'd' | 'w' | 'm' | 'y';
}

/** `7`, `7d`, `7 days`, `4w`, `3 months`, `1y`: without a unit, days. */
function readSpan(text: string): Span | undefined {
  const [found, count, unit = 'd'] =
    /^([1-9]\d{0,3})(?: ?([dwmy])|[ -]?(?:(d)ay|(w)eek|(m)onth|(y)ear)s?)?$/
      .exec(text)
      ?.filter(part => part !== undefined) ?? [];
  return found === undefined ? undefined : { count: Number(count), unit: unit as Span['unit'] };
}

/** Undefined for a day before the year 1. */
function before(day: Day, { count, unit }: Span): Day | undefined {
  if (unit === 'd') return addDays(day, -count);
  if (unit === 'w') return addDays(day, -7 * count);
  const months = unit === 'm' ? count : 12 * count;
  return months < (Number(day.slice(0, 4)) - 1) * 12 ? addMonths(day, -months) : undefined;
}
