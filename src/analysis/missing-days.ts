import { addDays, type Day, type DayRange, dayCount, weekday } from '../apis/bda/days.ts';
import { fieldOf, type JsonRecord, textOf } from '../json/index.ts';
import { joined, type Sentence, sentence } from '../output/sentence.ts';
import { rowNumber } from './column-roles.ts';
import type { Calendar } from './compared-days.ts';
import { exactFigure } from './exact-change.ts';
import { median } from './expected-figure.ts';
import { isCount } from './metric-kinds.ts';
import { startOf } from './periods.ts';

/** A day of so few events may have none. */
const RARE = 10;
/** More separate days are counted. */
const MOST_NAMED = 4;

/** Whether days have so few events, in the median, that one without rows may have had none. */
export function areRare(events: readonly number[]): boolean {
  return median(events) < RARE;
}

/** All days of a range. */
export function daysOf({ from, to }: DayRange): Day[] {
  return Array.from({ length: dayCount({ from, to }) }, (_, at) => addDays(from, at));
}

/** Days in words, consecutive ones as one period; many are counted. */
export function namedDays(days: readonly Day[]): Sentence {
  const ranges: DayRange[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last !== undefined && addDays(last.to, 1) >= day)
      ranges[ranges.length - 1] = { from: last.from, to: day };
    else ranges.push({ from: day, to: day });
  }
  if (ranges.length > MOST_NAMED) return sentence`${days.length} days`;
  return (
    joined(
      ranges.map(range => sentence`${range}`),
      ', ',
    ) ?? ''
  );
}

/** Days that lack rows, or the rows of a site, as a sentence like `missingText`; undefined for none. */
export function missingDaysText(days: readonly Day[], site?: string): Sentence | undefined {
  if (days.length === 0) return undefined;
  return sentence`there are no rows${site === undefined ? '' : ` of ${site}`} for ${namedDays(days)}`;
}

/** All rows of two periods by day. */
interface RowsByDay {
  readonly calendar: Calendar;
  readonly column: string;
  readonly figures: readonly string[];
  readonly rows: readonly JsonRecord[];
}

/**
 * The days that lack rows in one of two periods, which makes their sums incomparable: not those that both lack, as far as they are
 * compared with each other. A day of the week without rows in either period is closed, unless it is one day in a period without any, and a
 * day of few events may have none. None is named where both periods lack all rows.
 */
export function missingDays({ calendar, column, figures, rows }: RowsByDay): Day[] {
  const dayOf = (row: JsonRecord) => startOf(textOf(fieldOf(row, column)));
  const known = new Set(rows.flatMap(row => dayOf(row) ?? []));
  const ranges = [calendar.before, calendar.now];
  const open = new Set([...known].map(weekday));
  const all = ranges.flatMap(daysOf);
  const isOnce = (day: Day) => all.filter(other => weekday(other) === weekday(day)).length === 1;
  const isMissing = (day: Day, range: DayRange) =>
    !known.has(day) &&
    (open.has(weekday(day)) || (isOnce(day) && daysOf(range).every(other => !known.has(other))));
  const isWithin = (day: Day) => ranges.some(({ from, to }) => from <= day && day <= to);
  const partnerOf = (day: Day, range: DayRange) =>
    range === calendar.now ? calendar.earlier(day, 'day') : calendar.counterpart(day, 'day');
  const missing = ranges.flatMap(range =>
    daysOf(range).filter(day => {
      const partner = partnerOf(day, range);
      return isMissing(day, range) && (partner === undefined || !isWithin(partner) || known.has(partner));
    }),
  );
  if (missing.length === 0 || known.size === 0 || hasRareEvents(rows, dayOf, figures)) return [];
  return [...new Set(missing)].sort();
}

/** Whether all counts are of rare events. */
function hasRareEvents(
  rows: readonly JsonRecord[],
  dayOf: (row: JsonRecord) => Day | undefined,
  figures: readonly string[],
): boolean {
  const counted = figures.filter(isCount);
  return (
    counted.length > 0 &&
    counted.every(name => {
      const sums = new Map<Day, number>();
      for (const row of rows) {
        const [day, size] = [dayOf(row), exactFigure(rowNumber(fieldOf(row, name)) ?? 'NaN')];
        if (day !== undefined && size !== undefined)
          sums.set(day, (sums.get(day) ?? 0) + size.abs().toNumber());
      }
      return areRare([...sums.values()]);
    })
  );
}
