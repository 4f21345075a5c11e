import { daysFrom, type Grain, startAfter, stretchAround, stretchesBetween } from './buckets.ts';
import { addDays, addMonths, type Day, type DayRange, dayCount, isDay } from './dates.ts';

export const COMPARISONS = ['previous', 'year'] as const;
/** With as many days before, or with the same days a year earlier. */
export type ComparisonWay = (typeof COMPARISONS)[number];

/** The column of the days before for a figure or a time dimension. */
export function beforeColumn(column: string): string {
  return `${column}_before`;
}

/** The days to compare with. `byMonth`: whole months are compared with as many whole months before, whatever their lengths. */
export function daysBefore(days: DayRange, way: ComparisonWay, byMonth: boolean): DayRange {
  if (way === 'year') return { from: addMonths(days.from, -12), to: addMonths(days.to, -12) };
  const end = addDays(days.from, -1);
  const months = byMonth ? wholeMonths(days) : undefined;
  const from = months === undefined ? addDays(days.from, -dayCount(days)) : addMonths(days.from, -months);
  return { from, to: end };
}

/** Where the stretches of two ranges of days stand beside each other. */
export class Calendar {
  readonly #now: DayRange;
  readonly #before: DayRange;
  readonly #way: ComparisonWay;

  constructor(now: DayRange, before: DayRange, way: ComparisonWay) {
    this.#now = now;
    this.#before = before;
    this.#way = way;
  }

  /** The place of a stretch among the days asked about; stretches with the same place are compared. */
  placeNow(start: Day, grain: Grain): string {
    if (this.#isByDate(grain)) return yearEarlier(start);
    return String(place(this.#now.from, start, grain));
  }

  /** The place of a stretch among the days before. */
  placeBefore(start: Day, grain: Grain): string {
    return this.#isByDate(grain) ? start : String(place(this.#before.from, start, grain));
  }

  /** The stretch now that a stretch before would be compared with; undefined where the days asked about have none. */
  counterpart(start: Day, grain: Grain): Day | undefined {
    const found = this.#isByDate(grain)
      ? yearLater(start)
      : startAfter(stretchAround(this.#now.from, grain), grain, place(this.#before.from, start, grain));
    const { from, to } = this.#now;
    return found !== undefined && found <= to && daysFrom(found, grain).to >= from ? found : undefined;
  }

  /** A year apart, days and months have the same date. Weeks begin on other dates each year. */
  #isByDate(grain: Grain): boolean {
    return this.#way === 'year' && grain !== 'week';
  }
}

/** How many stretches after the first one a stretch begins; one that begins in between counts as the one before it. */
function place(from: Day, start: Day, grain: Grain): number {
  const first = stretchAround(from, grain);
  const exact = stretchesBetween(first, start, grain);
  if (exact !== undefined) return exact;
  return stretchesBetween(first, stretchAround(start, grain), grain) ?? 0;
}

/** The date a year earlier, also where the calendar does not have it: then nothing is compared with it. */
function yearEarlier(day: Day): string {
  return `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`;
}

function yearLater(day: Day): Day | undefined {
  const later = `${String(Number(day.slice(0, 4)) + 1).padStart(4, '0')}${day.slice(4)}`;
  return isDay(later) ? later : undefined;
}

/** How many months the days are, where they are whole months. */
function wholeMonths({ from, to }: DayRange): number | undefined {
  if (!from.endsWith('-01') || !addDays(to, 1).endsWith('-01')) return undefined;
  return stretchesBetween(from, addDays(to, 1), 'month');
}
