import { type Grain, grainOfName, grainsOf } from '../../../analysis/periods.ts';
import { type DayRange, dayIn, isDay } from '../../../apis/bda/days.ts';
import { isPresent } from '../../../apis/bda/fields.ts';
import type { ReportFacts } from '../../../apis/bda-v1/definition.ts';
import type { DataTarget } from '../../../apis/bda-v1/requests.ts';
import { existingTimeZone } from '../../../config/resolve.ts';
import { UsageError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { DATE_GROUPINGS, type DateGrouping } from '../../../wire/bda-v1.ts';
import type { Context } from '../../framework/context.ts';
import { inlineColumns } from './run-flags.ts';
import { targetName } from './run-target.ts';

/** What a request has its rows grouped by. */
export function groupedBy({ DateGrouping: grouping }: JsonRecord): Grain | undefined {
  if (typeof grouping !== 'string' || !Object.hasOwn(DATE_GROUPINGS, grouping)) return undefined;
  return grainOfName(DATE_GROUPINGS[grouping as DateGrouping]);
}

/** The days of complete weeks or months alone. */
export async function wholeDays(request: JsonRecord, context: Context): Promise<DayRange> {
  const { completeDays } = await import('../rows/complete-periods.ts');
  const grouped = groupedBy(request);
  const named = grainsOf(inlineColumns(request)).map(({ grain }) => grain);
  return await completeDays(daysOf(request), grouped === undefined ? named : [grouped], context);
}

/** The days that a request names. */
export function daysOf({ StartDate: from, EndDate: to }: JsonRecord): DayRange | undefined {
  if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return undefined;
  return { from, to };
}

/** Throws UsageError for days that are missing, half there or turned round. */
export function checkDays(request: JsonRecord, target: DataTarget, facts: ReportFacts | undefined): void {
  const { StartDate: start, EndDate: end } = request;
  const hints = ['type --last 7d, --previous month, or --from DAY --to DAY'];
  if (!isPresent(start) && !isPresent(end)) {
    if ('inline' in target) throw new UsageError('columns need days', { code: 'missing_argument', hints });
    if (facts?.dateBase !== 'BASE_NOT_SELECTED') return;
    throw new UsageError(`${targetName(target)} has no days of its own (BASE_NOT_SELECTED)`, {
      code: 'missing_argument',
      hints,
    });
  }
  for (const [field, day] of [
    ['StartDate', start],
    ['EndDate', end],
  ] as const) {
    if (typeof day === 'string' && isDay(day)) continue;
    throw new UsageError(`${field} ${isPresent(day) ? 'is no day, written YYYY-MM-DD' : 'is missing'}`, {
      code: 'invalid_value',
      hints,
    });
  }
  if (String(start) > String(end))
    throw new UsageError(`the days begin on ${start}, after their end on ${end}`, {
      code: 'invalid_value',
      hints,
    });
}

/** A range of the report's own moves on with the days: an export must not go on with another one tomorrow. */
export async function requestedOn(request: JsonRecord, context: Context): Promise<JsonRecord> {
  if (isPresent(request.StartDate)) return {};
  const timeZone = existingTimeZone(await context.settings()) ?? 'UTC';
  return { AskedOn: dayIn(context.clock.now(), timeZone) };
}
