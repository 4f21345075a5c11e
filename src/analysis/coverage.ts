import { type DayRange, dayCount } from '../apis/bda/days.ts';

/** The part of some days that has data; undefined where none has. */
export function daysWithData(days: DayRange, data: DayRange): DayRange | undefined {
  const from = days.from > data.from ? days.from : data.from;
  const to = days.to < data.to ? days.to : data.to;
  return from <= to ? { from, to } : undefined;
}

/** Whether there is data for each of the days. */
export function isCovered(days: DayRange, data: DayRange): boolean {
  return days.from >= data.from && days.to <= data.to;
}

/** Which of the days have data, as a phrase; undefined where all have. */
export function missingText(days: DayRange, data: DayRange): string | undefined {
  if (isCovered(days, data)) return undefined;
  const there = daysWithData(days, data);
  const requested = `${days.from} to ${days.to}`;
  if (there === undefined) return `no data for ${requested} (data: ${data.from} to ${data.to})`;
  return `data for ${dayCount(there)} of the ${dayCount(days)} days from ${requested} only (${there.from} to ${there.to})`;
}
