import { beforeColumn } from '../../analysis/compared-days.ts';
import { grainsOf, unfinishedText } from '../../analysis/periods.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import type { ExportStats } from '../../export/export-audit.ts';
import { isRecord, type Json } from '../../json/index.ts';
import { type Locale, periodText } from '../../output/presentation/index.ts';
import { someRowsLine } from '../../output/row-scope.ts';
import type { Sentence } from '../../output/sentence.ts';
import { coverageOf } from './completeness.ts';
import type { PartOf, TimeColumn } from './partial-periods.ts';
import type { RequestedRows } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';

/** Which rows are shown, for html and md, which are read without stderr; undefined if all are shown. */
export function countText(
  shown: number,
  start: number,
  total: number | undefined,
  { hasMoreRows }: ExportStats,
): Sentence | undefined {
  const isAll = start === 0 && (total === undefined ? !hasMoreRows : shown >= total);
  // A table without rows says so itself.
  return isAll || shown === 0 ? undefined : someRowsLine({ start, count: shown, total });
}

/** Marks partial weeks and months in the rows, and days that have not ended. */
export async function withPartialMarks(
  rows: readonly Json[],
  requested: TimedRows,
  work: Pick<RowWork, 'openDays'>,
): Promise<readonly Json[]> {
  const [first] = rows;
  // If the request names no columns, they are those of the rows.
  const own = requested.source.columns.length === 0 && isRecord(first) ? Object.keys(first) : [];
  const partOf = await partialPeriods(requested, own, work);
  if (partOf === undefined) return rows;
  const { markPartialPeriods } = await import('./partial-periods.ts');
  return markPartialPeriods(rows, partOf);
}

type TimedRows = Pick<RequestedRows, 'query' | 'source' | 'comparison'>;

/** Which periods in the rows are partial; undefined where none is. `own` are columns that only the rows name. */
export async function partialPeriods(
  requested: TimedRows,
  own: readonly string[],
  work: Pick<RowWork, 'openDays'>,
): Promise<PartOf | undefined> {
  const columns = await withDays(timesOf(requested, own), requested);
  if (columns.length === 0) return undefined;
  const { partsOf } = await import('./partial-periods.ts');
  return await partsOf(columns, work);
}

/** Columns of times with the days that they may be of, as far as there is data, and those of the days before. */
async function withDays(
  times: readonly Omit<TimeColumn, 'days'>[],
  { query, comparison }: Pick<RequestedRows, 'query' | 'comparison'>,
): Promise<readonly TimeColumn[]> {
  if (times.length === 0) return [];
  const isByDay = times.every(({ grain }) => grain === 'day');
  const ofDays = async (range: DayRange | undefined, nameOf: (column: string) => string) => {
    const days = isByDay || query === undefined ? range : (await coverageOf({ ...query, days: range })).days;
    return days === undefined
      ? []
      : times.map(({ column, grain }) => ({ column: nameOf(column), grain, days }));
  };
  const now = await ofDays(query?.days, column => column);
  return [...now, ...(await ofDays(comparison?.before, beforeColumn))];
}

function timesOf({ query, source }: Pick<RequestedRows, 'query' | 'source'>, own: readonly string[] = []) {
  return grainsOf([...new Set([...(query?.dimensions ?? []), ...source.columns, ...own])]);
}

/** Days that have not ended, whose lower figures look like a decrease. */
export async function unfinishedDays(
  days: DayRange,
  work: Pick<RowWork, 'openDays'>,
): Promise<Sentence | undefined> {
  return unfinishedText(days, await work.openDays());
}

/**
 * What rows lack, in sentences: days that have not ended, unless they are marked in the rows, and days without data. A comparison states
 * both with its totals.
 */
export async function reservationsOf(
  { query, comparison }: Pick<RequestedRows, 'query' | 'comparison'>,
  { rows, isMarked }: { readonly rows: number; readonly isMarked: boolean },
  work: Pick<RowWork, 'openDays'>,
): Promise<Sentence[]> {
  if (comparison !== undefined || query?.days === undefined) return [];
  const { gap } = await coverageOf(query, rows);
  const unfinished = isMarked ? undefined : await unfinishedDays(query.days, work);
  return [...(unfinished === undefined ? [] : [unfinished]), ...(gap === undefined ? [] : [gap])];
}

/** Whether rows have a column of times, in which a table marks days that have not ended. */
export function hasTimes(requested: Pick<RequestedRows, 'query' | 'source'>): boolean {
  return timesOf(requested).length > 0;
}

/** Notes days that have not ended. */
export async function noteUnfinished(
  { query, comparison }: Pick<RequestedRows, 'query' | 'comparison'>,
  work: RowWork,
): Promise<void> {
  // A comparison states them with its totals.
  if (query?.days === undefined || comparison !== undefined) return;
  const unfinished = await unfinishedDays(query.days, work);
  if (unfinished !== undefined) work.report({ kind: 'note', text: unfinished });
}

/** Notes partial weeks and months, of `rows` or, where they are not in memory, of the days that have data. */
export async function notePeriods(
  { query, source, comparison }: TimedRows,
  rows: readonly Json[] | undefined,
  work: RowWork,
): Promise<void> {
  if (query?.days === undefined) return;
  const { groupedBy } = query;
  const named = grainsOf([...new Set([...query.dimensions, ...source.columns])]);
  const unnamed =
    groupedBy === undefined || named.some(({ grain }) => grain === groupedBy) ? [] : [groupedBy];
  const all = [...named, ...unnamed.map(grain => ({ column: grain, grain }))];
  const periods = all.filter(({ grain }) => grain !== 'day');
  if (periods.length === 0) return;
  const { notePartialPeriods } = await import('./partial-periods.ts');
  await notePartialPeriods(await withDays(periods, { query, comparison }), rows, work);
}

/** `7 to 13 March 2026, compared with 28 February to 6 March 2026`; undefined where the days are not known. */
export function daysText(
  days: DayRange | undefined,
  before: DayRange | undefined,
  locale?: Locale,
): string | undefined {
  if (days === undefined) return undefined;
  const compared = before === undefined ? '' : `, compared with ${periodText(before, { locale })}`;
  return periodText(days, { locale }) + compared;
}
