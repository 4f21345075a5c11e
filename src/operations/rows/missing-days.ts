import type { Calendar } from '../../analysis/compared-days.ts';
import type { Comparison } from '../../analysis/comparison.ts';
import { isCovered } from '../../analysis/data-days.ts';
import { missingDays, missingDaysText } from '../../analysis/missing-days.ts';
import { addDays, type Day, type DayRange, dayCount } from '../../apis/bda/days.ts';
import { fieldOf, type JsonRecord, textOf } from '../../json/index.ts';
import { type Sentence, sentence } from '../../output/sentence.ts';
import type { RowsByDay, RowsQuery } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';

/** The documented time dimension of days. */
export const DAY_COLUMN = 'report_day';

/** The days that have rows in one of two periods only, or that it is unknown which these are. */
interface MissingDays {
  readonly days: readonly Day[];
  /** They, or those of each site, in words. */
  readonly texts: readonly Sentence[];
  readonly unknown?: Sentence;
}

const NONE: MissingDays = { days: [], texts: [] };

interface ComparedRows {
  readonly query: RowsQuery;
  readonly comparison: Comparison;
  readonly calendar: Calendar;
  /** The days with data, if they are known. */
  readonly data: DayRange | undefined;
  /** Whether the rows of both periods are all there. */
  readonly isAllRows: boolean;
}

/**
 * The days that lack rows in one period, though they have ended and there may be data for them: by the rows where these are by day, else
 * by a request for the metrics by day.
 */
export async function missingDaysOf(
  { query, comparison, calendar, data, isAllRows }: ComparedRows,
  work: Pick<RowWork, 'openDays'>,
): Promise<MissingDays> {
  const { dayColumn, roles, rowsOfNow, earlierRows } = comparison;
  if (rowsOfNow.length === 0 && earlierRows.length === 0) return NONE;
  const isByDay = dayColumn !== undefined && isAllRows;
  // Filters may drop the rows of a day by their figures.
  if (await query.selectsByFigures?.())
    return isByDay ? NONE : unknown(': filters may select rows by their figures');
  if (!isByDay && query.byDay === undefined) return unknown('');
  const found = isByDay
    ? { rows: [...rowsOfNow, ...earlierRows] }
    : await rowsByDay(query, comparison, calendar);
  if ('reason' in found) return unknown(sentence`: ${found.reason}`);
  const open = await work.openDays();
  const column = isByDay ? dayColumn : DAY_COLUMN;
  const missingIn = (rows: readonly JsonRecord[]) =>
    missingDays({ calendar, column, figures: roles.figures, rows }).filter(
      day => day < open.from && (data === undefined || isCovered({ from: day, to: day }, data)),
    );
  const { siteColumn } = query;
  if (siteColumn === undefined) {
    const days = missingIn(found.rows);
    return { days, texts: [missingDaysText(days)].filter(text => text !== undefined) };
  }
  const siteOf = (row: JsonRecord) => textOf(fieldOf(row, siteColumn));
  const texts = [...new Set(found.rows.map(siteOf))].flatMap(
    site => missingDaysText(missingIn(found.rows.filter(row => siteOf(row) === site)), site) ?? [],
  );
  return { days: [], texts };
}

async function rowsByDay(
  { byDay }: RowsQuery,
  { rowsOfNow, earlierRows }: Comparison,
  { now, before }: Calendar,
): Promise<RowsByDay> {
  const ranges = rangesByDay([before, now]);
  const of = (rows: readonly JsonRecord[], { from }: DayRange) =>
    rows.map(row => ({ ...row, [DAY_COLUMN]: from }));
  // The rows of a single day are of that day.
  if (ranges.length === 0) return { rows: [...of(rowsOfNow, now), ...of(earlierRows, before)] };
  const rows = [];
  for (const range of ranges) {
    const found = (await byDay?.(range)) ?? { rows: [] };
    if ('reason' in found) return found;
    rows.push(...found.rows);
  }
  return { rows };
}

/** The periods to request by day: one for periods that follow one another, and none for single days, which have rows or none. */
export function rangesByDay(ranges: readonly DayRange[]): DayRange[] {
  if (ranges.every(range => dayCount(range) === 1)) return [];
  const found: DayRange[] = [];
  for (const { from, to } of [...ranges].sort((one, other) => (one.from < other.from ? -1 : 1))) {
    const last = found.at(-1);
    if (last === undefined || from > addDays(last.to, 1)) found.push({ from, to });
    else found[found.length - 1] = { from: last.from, to: to > last.to ? to : last.to };
  }
  return found;
}

function unknown(reason: Sentence): MissingDays {
  return { ...NONE, unknown: sentence`it is unknown which days have no rows${reason}` };
}
