import { DAY_MS } from '../../wire/day.ts';

/** UTC days as numbers: days since 1970-01-01. */

const DAY_SHAPE = /^\d{4}-\d{2}-\d{2}$/;

/** Number of days with data, including today. */
export const DAYS_OF_DATA = 400;

export interface DayRange {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/** The day of a time in milliseconds. */
export function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / DAY_MS);
}

/** `YYYY-MM-DD`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Parses `YYYY-MM-DD`; undefined if it is not a valid day. */
export function readDay(text: string): number | undefined {
  if (!DAY_SHAPE.test(text)) return undefined;
  const milliseconds = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  const day = dayOf(milliseconds);
  return dayText(day) === text ? day : undefined;
}

/** The days with data, as of `today`. */
export function daysWithData(today: number): DayRange {
  return { first: today - DAYS_OF_DATA + 1, last: today };
}
