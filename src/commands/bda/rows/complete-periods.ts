import {
  completePeriods,
  type Grain,
  partialPeriodOf,
  periodDays,
  periodStart,
  startOf,
} from '../../../analysis/periods.ts';
import { type Day, type DayRange, dayCount } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import { fieldOf, isRecord, type Json, textOf } from '../../../json/index.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { todayOf } from '../day-flags.ts';

/** The days of complete periods, for `--complete-periods`. `grains` are those of the requested time dimensions. Throws UsageError. */
export async function completeDays(
  days: DayRange | undefined,
  grains: readonly Grain[],
  context: Context,
): Promise<DayRange> {
  const [grain, other] = [...new Set(grains)].filter(grain => grain !== 'day' || grains.length === 1);
  if (grain === undefined)
    throw new UsageError('--complete-periods requires weeks or months', {
      hints: ['add the dimension report_week or report_month, or for a saved report --group-by week'],
    });
  if (other !== undefined)
    throw new UsageError(`--complete-periods cannot combine ${grain}s and ${other}s`, {
      hints: ['request one of them'],
    });
  if (days === undefined)
    throw new UsageError('--complete-periods requires days', {
      hints: ['pass --last 8w, --previous quarter, or --from DAY --to DAY'],
    });
  const complete = completePeriods(days, grain, await todayOf(context));
  if (complete === undefined)
    throw new UsageError(`no complete ${grain} from ${days.from} to ${days.to}`, {
      hints: ['request more days, or omit --complete-periods'],
    });
  if (complete.from !== days.from || complete.to !== days.to)
    context.log.note(
      `complete ${grain}s only: ${complete.from} to ${complete.to}, ${pluralize(dayCount(complete), 'day')}`,
    );
  return complete;
}

/** Notes partial weeks and months. */
export async function notePartialPeriods(
  days: DayRange,
  columns: readonly { readonly column: string; readonly grain: Grain }[],
  context: Context,
): Promise<void> {
  const today = await todayOf(context);
  for (const { column, grain } of columns) {
    for (const start of new Set([periodStart(days.from, grain), periodStart(days.to, grain)])) {
      const part = partialPeriodText(start, grain, days, today);
      if (part !== undefined)
        context.log.note(`${column} ${start.slice(0, grain === 'month' ? 7 : 10)} is partial (${part})`);
    }
  }
}

/** Marks partial weeks and months in a table with the number of their days. */
export async function markPartialPeriods(
  rows: readonly Json[],
  days: DayRange,
  columns: readonly { readonly column: string; readonly grain: Grain }[],
  context: Context,
): Promise<readonly Json[]> {
  const today = await todayOf(context);
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
