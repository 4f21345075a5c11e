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

/** The days of complete periods alone, for `--complete-periods`. `grains` are those of the time dimensions asked for. Throws UsageError. */
export async function completeDays(
  days: DayRange | undefined,
  grains: readonly Grain[],
  context: Context,
): Promise<DayRange> {
  const [grain, other] = [...new Set(grains)].filter(grain => grain !== 'day' || grains.length === 1);
  if (grain === undefined)
    throw new UsageError('--complete-periods goes with weeks or months', {
      hints: ['ask for report_week or report_month as a dimension, or in a saved report for --group-by week'],
    });
  if (other !== undefined)
    throw new UsageError(`--complete-periods can't serve ${grain}s and ${other}s at once`, {
      hints: ['ask for one of them'],
    });
  if (days === undefined)
    throw new UsageError('--complete-periods has to know the days', {
      hints: ['type --last 8w, --previous quarter, or --from DAY --to DAY'],
    });
  const whole = completePeriods(days, grain, await todayOf(context));
  if (whole === undefined)
    throw new UsageError(`from ${days.from} to ${days.to} there is no complete ${grain}`, {
      hints: ['ask for more days, or leave --complete-periods out'],
    });
  if (whole.from !== days.from || whole.to !== days.to)
    context.log.note(
      `complete ${grain}s alone: from ${whole.from} to ${whole.to}, ${pluralize(dayCount(whole), 'day')}`,
    );
  return whole;
}

/** Says which weeks and months of the answer do not count whole. */
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
        context.log.note(
          `${column} ${start.slice(0, grain === 'month' ? 7 : 10)} does not count whole: ${part}`,
        );
    }
  }
}

/** Rows for people: a week or month that does not count whole has behind it how many of its days do. */
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

/** `5 of 7 days`; undefined for a period that counts whole. */
export function partialPeriodText(start: Day, grain: Grain, days: DayRange, today: Day): string | undefined {
  const part = partialPeriodOf(periodDays(start, grain), days, today);
  return part && `${part.days} of ${pluralize(part.of, 'day')}`;
}
