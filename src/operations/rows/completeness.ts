import { daysWithData, missingText } from '../../analysis/data-days.ts';
import { grainOfName } from '../../analysis/periods.ts';
import { type DayRange, dayCount } from '../../apis/bda/days.ts';
import { GatectlError, InterruptedError, PartialError } from '../../errors/index.ts';
import { type ExportStats, hasWarnings, warningsOf } from '../../export/export-audit.ts';
import { type Sentence, sentence } from '../../output/sentence.ts';
import type { CollectedRows } from './collect-rows.ts';
import type { RequestedRows, RowsQuery } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';

/** Reports what is wrong with the rows, and how many are missing unless they are compared, which reports its own counts. */
export function reportFlaws(
  stats: ExportStats,
  { plan, source }: Pick<RequestedRows, 'plan' | 'source'>,
  { isCompared }: { readonly isCompared: boolean },
  { report }: Pick<RowWork, 'report'>,
): void {
  for (const text of warningsOf(stats)) report({ kind: 'warning', text });
  if (source.columns.length > 0 && stats.extra.size > 0) {
    const names = [...stats.extra.keys()].join(', ');
    report({ kind: 'note', text: `the rows have fields that were not requested: ${names}` });
  }
  if (isCompared || !plan.single) return;
  const { rows, lastTotal: total, hasMoreRows: isUnasked } = stats;
  if (total === undefined ? isUnasked : plan.start + rows < total)
    report({ kind: 'remaining', rows, total, isUnasked });
}

/** Whether the responses leave it open that rows are missing. */
export function lacksRows(
  stats: readonly ExportStats[],
  { isIncomplete }: Pick<RequestedRows, 'isIncomplete'>,
): boolean {
  return isIncomplete?.() === true || stats.some(hasWarnings);
}

/** The error for rows that are not all that were requested; `why` is added to its message. */
export function incompleteRows(why = ''): PartialError {
  return new PartialError(`the rows are not complete${why}`, { code: 'rows_incomplete' });
}

/**
 * Whether the days that have data are requested. `isForPrograms`: the rows are streamed to a program, where that request is saved unless
 * the result hardly makes sense without: no rows, calendar periods, weeks or months, and `--strict`.
 */
export function mayLackDays(
  { query }: Pick<RequestedRows, 'query'>,
  {
    rows,
    isStrict,
    isForPrograms,
  }: { readonly rows: number | undefined; readonly isStrict: boolean; readonly isForPrograms: boolean },
): boolean {
  if (!isForPrograms || isStrict || rows === 0 || query?.period !== undefined) return true;
  return query?.dimensions.some(name => (grainOfName(name) ?? 'day') !== 'day') === true;
}

/** How far the requested days have data. */
interface Coverage {
  /** The requested days that have data, as far as that is known. */
  readonly days: DayRange | undefined;
  /** Which have none, as a sentence: `there is data for 3 of the 7 days …`; undefined where all have, or if it is unknown. */
  readonly gap: Sentence | undefined;
}

/** Requests which days have data, unless the `rows` show it: one row for each of the days. */
export async function coverageOf(query: RowsQuery | undefined, rows?: number): Promise<Coverage> {
  const { days, dimensions = [] } = query ?? {};
  if (query === undefined || days === undefined) return { days, gap: undefined };
  const [only, ...others] = dimensions;
  const isByDay = others.length === 0 && only !== undefined && grainOfName(only) === 'day';
  const data = isByDay && rows === dayCount(days) ? undefined : await dataDaysOf(query);
  if (data === undefined) return { days, gap: undefined };
  return { days: daysWithData(days, data) ?? days, gap: missingText(days, data) };
}

/** Warns if the requested days have no data, or data for some of them only, and returns which. `rows` is how many were written. */
export async function warnMissingDays(
  query: RowsQuery | undefined,
  rows: number | undefined,
  work: Pick<RowWork, 'report'>,
): Promise<Sentence | undefined> {
  const { gap } = await coverageOf(query, rows);
  if (gap !== undefined)
    work.report({ kind: 'warning', text: sentence`${rows === 0 ? 'no rows: ' : ''}${gap}` });
  return gap;
}

/** The days with data; undefined if unknown. A failure is ignored, because the rows are already fetched. */
export async function dataDaysOf({ dataDays }: RowsQuery): Promise<DayRange | undefined> {
  try {
    return await dataDays?.();
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}

/** Whether all matching rows are fetched. */
export function isComplete(
  { rows, total }: Pick<CollectedRows, 'rows' | 'total'>,
  { plan }: Pick<RequestedRows, 'plan'>,
): boolean {
  if (plan.start > 0) return false;
  if (total !== undefined) return rows.length >= total;
  return !plan.single || rows.length < plan.pageSize;
}
