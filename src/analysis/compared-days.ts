import { addDays, addMonths, type Day, type DayRange, dayCount, isDay, weekday } from '../apis/bda/days.ts';
import { type Sentence, sentence } from '../output/sentence.ts';
import {
  type CalendarPeriod,
  type Grain,
  periodContaining,
  periodDays,
  periodStart,
  periodsBetween,
  previousPeriod,
} from './periods.ts';
import { type DatePhrase, readDatePhrase } from './relative-dates.ts';

export const COMPARISONS = ['previous', 'year'] as const;
/** With as much time before, or with the same time a year earlier. */
export type ComparisonKind = (typeof COMPARISONS)[number];
/** What days are compared with: days of their own, or those of a kind. */
export type ComparedWith = ComparisonKind | DayRange;

/** Reads `previous`, `year`, a period such as `2026-09`, or two of them as `2026-09-01..2026-09-14`; undefined for anything else. */
export function readComparison(text: string, today: Day): ComparedWith | undefined {
  const kind = COMPARISONS.find(known => known === text);
  if (kind !== undefined) return kind;
  const days = readDays(text, today);
  return days && { from: days.from, to: days.to };
}

/** Reads a date, a period or a phrase, or two of them as `2026-09-01..2026-09-14`; undefined for anything else. */
export function readDays(text: string, today: Day): DatePhrase | undefined {
  const [start = '', end, ...others] = text.split('..');
  const first = readDatePhrase(start, today);
  if (end === undefined) return first;
  const last = readDatePhrase(end, today);
  if (first === undefined || last === undefined || others.length > 0 || first.from > last.to)
    return undefined;
  return { from: first.from, to: last.to, isRelative: first.isRelative || last.isRelative };
}

/** Moved by so many weeks, the days of a year earlier are the same days of the week. */
const WEEKS_A_YEAR = 52;

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** The column that says where a compared row was found. */
export const FOUND_COLUMN = 'compared';
export const IN_BOTH = 'both';

/** The column of the days before for a figure or a time dimension. */
export function beforeColumn(column: string): string {
  return `${column}_before`;
}

/** The column of the difference. */
export function changeColumn(column: string): string {
  return `${column}_change`;
}

/** The column of the change in percent. */
export function percentColumn(column: string): string {
  return `${column}_change_percent`;
}

/**
 * The days to compare with. Where `grains`, those of the time dimensions, have weeks or months, the days are shifted by complete ones, so
 * that a week or month that the days cut is compared with one that is cut in the same place. `period` is set where the days are one
 * of the calendar, or the days so far of one that is not over: then they are compared with the period before it, or with as much of it.
 */
export function daysBefore(
  days: DayRange,
  kind: ComparedWith,
  grains: ReadonlySet<Grain>,
  period?: CalendarPeriod,
): DayRange {
  if (typeof kind === 'object') return kind;
  if (grains.has('week')) {
    const weeks = kind === 'year' ? WEEKS_A_YEAR : Math.ceil(dayCount(days) / 7);
    return { from: addDays(days.from, -7 * weeks), to: addDays(days.to, -7 * weeks) };
  }
  if (period === 'week' && kind === 'previous')
    return { from: addDays(days.from, -7), to: addDays(days.to, -7) };
  if (period !== undefined && period !== 'week') {
    const earlier =
      kind === 'year'
        ? periodContaining(addMonths(days.from, -12), period)
        : previousPeriod(days.from, period);
    const isOver = days.to === periodContaining(days.from, period).to;
    return isOver
      ? earlier
      : { from: earlier.from, to: monthsEarlier(days.to, kind === 'year' ? 12 : MONTHS[period]) };
  }
  if (grains.has('month')) {
    const months = kind === 'year' ? 12 : monthsOf(days);
    return { from: addMonths(days.from, -months), to: monthsEarlier(days.to, months) };
  }
  if (kind === 'year') return { from: addMonths(days.from, -12), to: addMonths(days.to, -12) };
  return { from: addDays(days.from, -dayCount(days)), to: addDays(days.from, -1) };
}

/** That two periods have days in common, which are then compared with themselves; undefined if they have none. */
export function overlapText(days: DayRange, before: DayRange): Sentence | undefined {
  const from = days.from > before.from ? days.from : before.from;
  const to = days.to < before.to ? days.to : before.to;
  return from > to ? undefined : sentence`both periods contain ${{ from, to }}`;
}

/** Whether each day of the week has the same share of both ranges; `byDay`: whether they have the same days in the same order. */
export function haveSameWeekdays(a: DayRange, b: DayRange, byDay: boolean): boolean {
  const [days, others] = [dayCount(a), dayCount(b)];
  if (!byDay && days % 7 === 0 && others % 7 === 0) return true;
  return days === others && weekday(a.from) === weekday(b.from);
}

/** Maps the periods of two ranges of days to each other. */
export class Calendar {
  readonly now: DayRange;
  readonly before: DayRange;
  /** A year apart, days and months have the same date. Weeks begin on other dates each year. */
  readonly #isByDate: boolean;

  constructor(now: DayRange, before: DayRange, kind: ComparedWith) {
    this.now = now;
    this.before = before;
    this.#isByDate = kind === 'year' && periodsBetween(before.from, now.from, 'week') === undefined;
  }

  /** The position of a period in the requested days; periods with the same position are compared. */
  position(start: Day, grain: Grain): string {
    if (this.#isByDate) return yearEarlier(start);
    return String(place(this.now.from, start, grain));
  }

  /** The place of a period among the days before. */
  positionBefore(start: Day, grain: Grain): string {
    return this.#isByDate ? start : String(place(this.before.from, start, grain));
  }

  /** The requested period that an earlier period is compared with; undefined if there is none. */
  counterpart(start: Day, grain: Grain): Day | undefined {
    const found = this.#later(start, grain);
    const { from, to } = this.now;
    return found !== undefined && isDay(found) && found <= to && periodDays(found, grain).to >= from
      ? found
      : undefined;
  }

  /** The period before that a period now would be compared with; undefined where the calendar has none. */
  earlier(start: Day, grain: Grain): Day | undefined {
    if (this.#isByDate) {
      const day = yearEarlier(start);
      return isDay(day) ? day : undefined;
    }
    const { now, before } = this;
    if (grain === 'month') return addMonths(periodStart(before.from, grain), place(now.from, start, grain));
    return addDays(start, -shift(before.from, now.from, grain));
  }

  #later(start: Day, grain: Grain): Day | undefined {
    if (this.#isByDate) return yearLater(start);
    const { now, before } = this;
    if (grain === 'month') return addMonths(periodStart(now.from, grain), place(before.from, start, grain));
    return addDays(start, shift(before.from, now.from, grain));
  }
}

/** By how many days days are moved; weeks by complete ones. */
function shift(before: Day, now: Day, grain: Grain): number {
  return periodsBetween(periodStart(before, grain), periodStart(now, grain), 'day') ?? 0;
}

/** How many periods after the first one a period begins; one that begins in between counts as the one before it. */
function place(from: Day, start: Day, grain: Grain): number {
  const first = periodStart(from, grain);
  const exact = periodsBetween(first, start, grain);
  if (exact !== undefined) return exact;
  return periodsBetween(first, periodStart(start, grain), grain) ?? 0;
}

/** The date a year earlier, also where the calendar does not have it: then nothing is compared with it. */
function yearEarlier(day: Day): string {
  return `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`;
}

function yearLater(day: Day): Day | undefined {
  const later = `${String(Number(day.slice(0, 4)) + 1).padStart(4, '0')}${day.slice(4)}`;
  return isDay(later) ? later : undefined;
}

/** How many months earlier the same days of the month all lie before the days. */
function monthsOf(days: DayRange): number {
  let months = 1;
  while (monthsEarlier(days.to, months) >= days.from) months += 1;
  return months;
}

/** The same day of an earlier month; of a month's last day, that month's last. */
function monthsEarlier(day: Day, months: number): Day {
  const next = addDays(day, 1);
  return next.endsWith('-01') ? addDays(addMonths(next, -months), -1) : addMonths(day, -months);
}
