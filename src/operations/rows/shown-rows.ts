import { beforeColumn, FOUND_COLUMN, IN_BOTH } from '../../analysis/compared-days.ts';
import { grainsOf } from '../../analysis/periods.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import type { ExportStats } from '../../export/export-audit.ts';
import { fieldOf, isRecord, type Json } from '../../json/index.ts';
import { type ColumnFacts, presentationOf } from '../../output/presentation/index.ts';
import type { Column } from '../../output/view.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import type { RequestedRows } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';

/** The columns with the labels and units that the gateway `listed`; `labels` has others. */
export function presentedColumns(
  columns: readonly Column[],
  listed: ReadonlyMap<string, ColumnFacts> = new Map(),
  labels: ReadonlyMap<string, string> = new Map(),
): readonly Column[] {
  const factsOf = (name: string): ColumnFacts | undefined => {
    const [facts, label] = [listed.get(name), labels.get(name)];
    return label === undefined ? facts : { ...facts, label };
  };
  return columns.map(column => ({ ...column, presentation: presentationOf(column.key, factsOf) }));
}

/** The columns of a comparison that say nothing in these rows or, on a narrow terminal, are the first to go. */
export function comparedColumns(
  columns: readonly Column[],
  rows: readonly Json[],
): { readonly columns: readonly Column[]; readonly secondary: readonly string[] } {
  const isAlike = rows.every(row => !isRecord(row) || fieldOf(row, FOUND_COLUMN) === IN_BOTH);
  const shown = columns.filter(({ key }) => !isAlike || key !== FOUND_COLUMN);
  const names = new Set(shown.map(({ key }) => key));
  const metrics = shown.filter(({ key, kind }) => kind === 'number' && names.has(beforeColumn(key)));
  const isEarlier = ({ key }: Column) => [...names].some(name => beforeColumn(name) === key);
  const secondary = shown.filter(isEarlier).map(({ key }) => key);
  const [only, ...others] = metrics;
  return {
    columns: others.length === 0 && only ? shown.map(column => shortened(column, only)) : shown,
    secondary,
  };
}

/** A column that only one figure is compared in need not repeat its name: `Change` instead of `Visits change`. */
function shortened(column: Column, { key, presentation }: Column): Column {
  const own = column.presentation;
  const prefix = `${presentation?.label} `;
  if (own === undefined || column.key === key || !own.label.startsWith(prefix)) return column;
  const [first = '', ...rest] = own.label.slice(prefix.length);
  return { ...column, presentation: { ...own, label: first.toUpperCase() + rest.join('') } };
}

/** The number of rows shown, for html and md, which are read without stderr; undefined if all are shown. */
export function countText(
  shown: number,
  start: number,
  total: number | undefined,
  { hasMoreRows }: ExportStats,
): string | undefined {
  const some = `${start > 0 ? '' : 'First '}${groupDigits(shown)}`;
  if (total === undefined) return hasMoreRows ? `${some} rows` : undefined;
  return start + shown < total ? `${some} of ${groupDigits(total)} rows` : undefined;
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

/** Days that have not ended, whose lower figures look like a decrease. */
export async function unfinishedDays(
  days: DayRange,
  work: Pick<RowWork, 'today'>,
): Promise<string | undefined> {
  const today = await work.today();
  if (days.to < today) return undefined;
  const first = days.from > today ? days.from : today;
  const which = first === days.to ? `${first} has` : `${first} to ${days.to} have`;
  return `${which} not ended yet`;
}

/** Notes days that have not ended, and partial weeks and months. */
export async function notePeriods(
  { query, source, comparison }: Pick<RequestedRows, 'query' | 'source' | 'comparison'>,
  work: RowWork,
): Promise<void> {
  if (query?.days === undefined) return;
  // A comparison states them with its totals.
  const unfinished = comparison === undefined ? await unfinishedDays(query.days, work) : undefined;
  if (unfinished !== undefined) work.report({ kind: 'note', text: unfinished });
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
