import { exactFigure } from '../../analysis/exact-change.ts';
import { addDays, type Day, type DayRange } from '../../apis/bda/days.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { SyncTable } from '../config.ts';
import { columnsOfRows } from '../config.ts';
import type { DayTotals } from '../ledger.ts';
import type { Partition } from '../partitions.ts';
import type { PartitionRows } from '../rows/partition-rows.ts';
import { boundsText } from './row-tests.ts';
import type { Bounds } from './test-settings.ts';

/** What the tests of a partition look at besides its rows. */
interface TestContext {
  readonly today: Day;
  /** The totals of a day of another partition; null without rows, undefined where they are not known. */
  readonly totalsOf: (day: Day) => DayTotals | null | undefined;
}

/** The tests of a table that the rows of a partition fail, each with what was found. */
export function failedTests(
  table: SyncTable,
  { days: { from, to } }: Partition,
  rows: PartitionRows | undefined,
  { today, totalsOf }: TestContext,
): readonly string[] {
  const { tests } = table;
  if (tests === undefined) return [];
  const count = rows?.rows ?? 0;
  const onDay = (day: Day) => {
    if (day >= from && day <= to) return rows?.days[day] ?? null;
    return day < table.start ? undefined : totalsOf(day);
  };
  const problems: string[] = [];
  for (const name of tests.not_null) {
    const nulls = count - (rows?.profiles[columnsOfRows(table).indexOf(name)]?.values ?? 0);
    if (nulls > 0) problems.push(`not_null: ${nulls} of ${pluralize(count, 'row')} without ${name}`);
  }
  problems.push(...(rows?.tests?.problems() ?? []));
  const { min_rows: least = 0, fresh_within: age } = tests;
  if (count < least) problems.push(`min_rows: ${pluralize(count, 'row')}, fewer than ${least}`);
  if (age !== undefined && to === addDays(today, -1)) {
    const first = addDays(today, -age);
    const latest = Array.from({ length: age }, (_, index) => onDay(addDays(first, index)));
    if (latest.every(totals => totals === null)) problems.push(`fresh_within: no rows since ${first}`);
  }
  // Of the days after the last one with rows, there may be none yet.
  const ends = Object.keys(rows?.days ?? {}).sort();
  const last = onDay(addDays(to, 1)) == null ? (ends.at(-1) ?? '') : to;
  for (const [metric, bounds] of tests.day_on_day) {
    const jump = firstJump(table.metrics.indexOf(metric), { from, to: last }, bounds, onDay);
    if (jump !== undefined)
      problems.push(`day_on_day: ${metric} is ${jump}: the quotient is ${boundsText(bounds)}`);
  }
  return problems;
}

/**
 * The first day whose sum, divided by that of the day before, is outside of bounds. Days after the last one with rows are not compared,
 * nor those after a day that is not known, or has no positive sum.
 */
function firstJump(
  metric: number,
  { from, to }: DayRange,
  { min, max }: Bounds,
  onDay: TestContext['totalsOf'],
): string | undefined {
  const sumOn = (day: Day) => {
    const totals = onDay(day);
    return totals === null ? '0' : (totals?.[metric + 1] as string | null | undefined);
  };
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const [was, is] = [sumOn(addDays(day, -1)), sumOn(day)];
    const [base, now] = [was, is].map(digits => (digits == null ? undefined : exactFigure(digits)));
    if (base === undefined || now === undefined || !base.gt(0)) continue;
    const isLess = min !== undefined && now.lt(base.times(min));
    if (isLess || (max !== undefined && now.gt(base.times(max))))
      return `${is} on ${day}, after ${was} the day before`;
  }
  return undefined;
}
