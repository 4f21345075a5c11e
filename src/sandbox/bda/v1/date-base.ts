import { DAY_MS } from '../../../wire/day.ts';
import type { DayRange } from '../days.ts';

/** The supported date bases, in addition to `BASE_LAST_` with a number of days. */
export const DATE_BASES = [
  'BASE_NOT_SELECTED',
  'BASE_THIS_MONTH',
  'BASE_LAST_MONTH',
  'BASE_YESTERDAY',
] as const;

/** Whether a date base is supported. */
export function isDateBase(base: string): boolean {
  return (DATE_BASES as readonly string[]).includes(base) || lastDays(base) !== undefined;
}

/** The days of a date base, up to yesterday; undefined if a request must set them. */
export function daysOfBase(base: string, today: number): DayRange | undefined {
  const days = lastDays(base);
  if (days !== undefined) return { first: today - days, last: today - 1 };
  const first = today - (new Date(today * DAY_MS).getUTCDate() - 1);
  switch (base) {
    case 'BASE_YESTERDAY':
      return { first: today - 1, last: today - 1 };
    case 'BASE_THIS_MONTH':
      return { first, last: Math.max(first, today - 1) };
    case 'BASE_LAST_MONTH':
      return { first: first - new Date((first - 1) * DAY_MS).getUTCDate(), last: first - 1 };
    default:
      return undefined;
  }
}

function lastDays(base: string): number | undefined {
  const days = /^BASE_LAST_(\d{1,3})$/.exec(base)?.[1];
  return days === undefined || Number(days) === 0 ? undefined : Number(days);
}
