import { missingText } from '../../analysis/data-days.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import { GatectlError, InterruptedError, PartialError } from '../../errors/index.ts';
import { type ExportStats, hasWarnings, warningsOf } from '../../export/export-audit.ts';
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

/** Whether to request the days that have data: calendar periods are often longer than the data. */
export function mayLackDays(
  { query }: Pick<RequestedRows, 'query'>,
  { rows, isStrict }: { readonly rows: number | undefined; readonly isStrict: boolean },
): boolean {
  return rows === 0 || isStrict || query?.period !== undefined;
}

/**
 * Warns if the requested days have no data, or data for some of them only, and returns which: `data for 3 of the 7 days …`. `rows` is
 * how many were written.
 */
export async function warnMissingDays(
  query: RowsQuery | undefined,
  rows: number | undefined,
  work: Pick<RowWork, 'report'>,
): Promise<string | undefined> {
  const { days } = query ?? {};
  if (query === undefined || days === undefined) return undefined;
  const data = await dataDaysOf(query);
  const missing = data === undefined ? undefined : missingText(days, data);
  if (missing !== undefined)
    work.report({ kind: 'warning', text: `${rows === 0 ? 'no rows: ' : ''}there is ${missing}` });
  return missing;
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
