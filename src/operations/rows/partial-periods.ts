import { type Grain, partialPeriodOf, periodDays, periodStart, startOf } from '../../analysis/periods.ts';
import type { Day, DayRange } from '../../apis/bda/days.ts';
import { fieldOf, isRecord, type Json, textOf } from '../../json/index.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { RowWork } from './row-progress.ts';

/** Notes partial weeks and months. */
export async function notePartialPeriods(
  days: DayRange,
  columns: readonly { readonly column: string; readonly grain: Grain }[],
  work: Pick<RowWork, 'today' | 'report'>,
): Promise<void> {
  const today = await work.today();
  for (const { column, grain } of columns) {
    for (const start of new Set([periodStart(days.from, grain), periodStart(days.to, grain)])) {
      const part = partialPeriodText(start, grain, days, today);
      if (part !== undefined)
        work.report({
          kind: 'note',
          text: `${column} ${start.slice(0, grain === 'month' ? 7 : 10)} is partial (${part})`,
        });
    }
  }
}

/** Marks partial weeks and months in a table with the number of their days. */
export async function markPartialPeriods(
  rows: readonly Json[],
  days: DayRange,
  columns: readonly { readonly column: string; readonly grain: Grain }[],
  work: Pick<RowWork, 'today'>,
): Promise<readonly Json[]> {
  const today = await work.today();
  return rows.map(row => {
    if (!isRecord(row)) return row;
    const marks = columns.flatMap(({ column, grain }) => {
      const label = textOf(fieldOf(row, column));
      const start = startOf(label);
      const part = start === undefined ? undefined : partialPeriodText(start, grain, days, today);
      return part === undefined ? [] : [[column, `${label} (${part})`]];
    });
    return marks.length === 0 ? row : { ...row, ...Object.fromEntries(marks) };
  });
}

/** `5 of 7 days`; undefined for a complete period. */
function partialPeriodText(start: Day, grain: Grain, days: DayRange, today: Day): string | undefined {
  const part = partialPeriodOf(periodDays(start, grain), days, today);
  return part && `${part.days} of ${pluralize(part.of, 'day')}`;
}
