import { DAY_MS } from '../../wire/day.ts';
/** Calendar days without time and time zone; only the current day depends on a zone. */

/** `YYYY-MM-DD`. */
export type Day = string;

/** A range of days, both inclusive. */
export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** Whether the text is a valid day, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && dayOf(time) === text;
}

/** The day at `now` (milliseconds since the epoch) in a time zone (IANA name). */
export function dayIn(now: number, timeZone: string): Day {
  const parts = dayFormat(timeZone).formatToParts(now);
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${part.year?.padStart(4, '0')}-${part.month}-${part.day}`;
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** Creating a format takes much longer than using it. */
function dayFormat(timeZone: string): Intl.DateTimeFormat {
  const known = dayFormats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  dayFormats.set(timeZone, format);
  return format;
}

export function addDays(day: Day, count: number): Day {
  return dayOf(timeOf(day) + count * DAY_MS);
}

/** The same day of another month, or its last day if it is shorter: a month before 31 March is 28 February. */
export function addMonths(day: Day, count: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const index = year * 12 + (month - 1) + count;
  const first = monthStart(Math.floor(index / 12), index - Math.floor(index / 12) * 12);
  const last = addDays(monthStart(Math.floor((index + 1) / 12), (((index + 1) % 12) + 12) % 12), -1);
  const sameDay = addDays(first, date - 1);
  return sameDay < last ? sameDay : last;
}

/** Number of days in a range; 0 if it is reversed. */
export function dayCount({ from, to }: DayRange): number {
  return Math.max(0, Math.round((timeOf(to) - timeOf(from)) / DAY_MS) + 1);
}

/** Monday is 0. */
export function weekday(day: Day): number {
  return (new Date(timeOf(day)).getUTCDay() + 6) % 7;
}

function monthStart(year: number, month: number): Day {
  return `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}-01`;
}

function timeOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(time: number): Day {
  return new Date(time).toISOString().slice(0, 10);
}
