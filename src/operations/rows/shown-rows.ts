import { beforeColumn } from '../../analysis/compared-days.ts';
import { grainsOf } from '../../analysis/periods.ts';
import { shownUnit } from '../../analysis/units.ts';
import type { ExportStats } from '../../export/export-audit.ts';
import { isRecord, type Json } from '../../json/index.ts';
import type { Column } from '../../output/view.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import type { RequestedRows } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';

/** The columns with their units. The figures of an earlier period have the same. */
export async function withUnits(
  columns: readonly Column[],
  { query }: Pick<RequestedRows, 'query'>,
): Promise<readonly Column[]> {
  const units = (await query?.units()) ?? new Map<string, string>();
  const names = new Map(
    [...units.keys()].flatMap(name => [[name, name] as const, [beforeColumn(name), name]]),
  );
  return columns.map(column => {
    const unit = shownUnit(units.get(names.get(column.key) ?? ''));
    return unit === undefined ? column : { ...column, unit };
  });
}

/** The number of rows shown, for html and md, which are read without stderr; undefined if all are shown. */
export function countText(
  shown: number,
  start: number,
  total: number | undefined,
  { hasMoreRows }: ExportStats,
): string | undefined {
  if (total === undefined) return hasMoreRows ? `the first ${groupDigits(shown)} rows` : undefined;
  return start + shown < total ? `${groupDigits(shown)} of ${groupDigits(total)} rows` : undefined;
}

/** Marks partial weeks and months in the rows. */
export async function withPartialMarks(
  rows: readonly Json[],
  { query, source }: Pick<RequestedRows, 'query' | 'source'>,
  work: RowWork,
): Promise<readonly Json[]> {
  const days = query?.days;
  const [first] = rows;
  // If the request names no columns, they are those of the rows.
  const own = source.columns.length === 0 && isRecord(first) ? Object.keys(first) : [];
  const columns = [...(query?.dimensions ?? []), ...source.columns, ...own];
  const periods = grainsOf([...new Set(columns)]).filter(({ grain }) => grain !== 'day');
  if (days === undefined || periods.length === 0) return rows;
  const { markPartialPeriods } = await import('./partial-periods.ts');
  return await markPartialPeriods(rows, days, periods, work);
}

/** Notes partial weeks and months. */
export async function notePeriods(
  { query, source }: Pick<RequestedRows, 'query' | 'source'>,
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
  await notePartialPeriods(query.days, periods, work);
}
