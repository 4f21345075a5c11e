import { exactFigure } from '../../analysis/exact-change.ts';
import { addDays, type Day } from '../../apis/bda/days.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { SyncTable } from '../config.ts';
import { columnsOfRows } from '../config.ts';
import type { DayTotals } from '../ledger.ts';
import type { Partition } from '../partitions.ts';
import type { PartitionRows } from '../rows/partition-rows.ts';
import type { Problem } from './broken-contract.ts';
import { boundsText } from './row-tests.ts';
import type { Jump } from './test-settings.ts';

/** What the tests of a partition look at besides its rows. */
interface TestContext {
  readonly today: Day;
  /** The totals of a day of another partition; null without rows, undefined where they are not known. */
  readonly totalsOf: (day: Day) => DayTotals | null | undefined;
  /** Whether a day of a later partition is known to have rows. */
  readonly isFollowed: (day: Day) => boolean;
  /** The last day up to one, of another partition, that was not rejected, with its totals. */
  readonly lastAccepted: (day: Day) => AcceptedDay | undefined;
}

/** A day that is compared with the next one. */
export interface AcceptedDay {
  readonly day: Day;
  /** Null without rows. */
  readonly totals: DayTotals | null;
}

/** The tests of a table that the rows of a partition fail, each with what was found. */
export function failedTests(
  table: SyncTable,
  { days: { from, to } }: Partition,
  rows: PartitionRows | undefined,
  { today, totalsOf, isFollowed, lastAccepted }: TestContext,
): readonly Problem[] {
  const { tests } = table;
  if (tests === undefined) return [];
  const count = rows?.rows ?? 0;
  const onDay = (day: Day) => {
    if (day >= from && day <= to) return rows?.days[day] ?? null;
    return day < table.start ? undefined : totalsOf(day);
  };
  const problems: Problem[] = [];
  for (const name of tests.not_null) {
    const nulls = count - (rows?.profiles[columnsOfRows(table).indexOf(name)]?.values ?? 0);
    const shownBy = {
      column: name,
      matches: (json: string) => json === 'null',
      words: (_: string, day: Day) => `the first on ${day}`,
    };
    const text = `not_null: ${nulls} of ${pluralize(count, 'row')} without ${name}`;
    if (nulls > 0) problems.push({ text, shownBy });
  }
  const add = (text: string) => problems.push({ text });
  for (const text of rows?.tests?.problems() ?? []) add(text);
  const { min_rows: least = 0, fresh_within: age } = tests;
  if (count < least) add(`min_rows: ${pluralize(count, 'row')}, fewer than ${least}`);
  if (age !== undefined && to === addDays(today, -1)) {
    const first = addDays(today, -age);
    const latest = Array.from({ length: age }, (_, index) => onDay(addDays(first, index)));
    if (latest.every(totals => totals === null)) add(`fresh_within: no rows since ${first}`);
  }
  // Of the days after the last one with rows, there may be none yet.
  const ends = Object.keys(rows?.days ?? {}).sort();
  const last = tests.day_on_day.length > 0 && isFollowed(to) ? to : (ends.at(-1) ?? '');
  const own = (day: Day) => ({ day, totals: rows?.days[day] ?? null });
  const before = (day: Day) => (day > from ? own(addDays(day, -1)) : lastAccepted(addDays(from, -1)));
  for (const [metric, bounds] of tests.day_on_day) {
    const place = table.metrics.indexOf(metric) + 1;
    for (let day = from; day <= last; day = addDays(day, 1)) {
      const jump = jumpBetween(place, before(day), own(day), bounds);
      if (jump === undefined) continue;
      add(`day_on_day: ${metric} is ${jump}: the quotient is ${boundsText(bounds)}`);
      break;
    }
  }
  return problems;
}

/** Whether the quotient of the sums of two days is out of bounds: these sums. */
function jumpBetween(
  place: number,
  before: AcceptedDay | undefined,
  after: AcceptedDay,
  { min, max, accept }: Jump,
): string | undefined {
  if (before === undefined || accept.includes(after.day)) return undefined;
  const [was, is] = [before, after].map(({ totals }) =>
    totals === null ? '0' : (totals[place] as string | null | undefined),
  );
  const [base, now] = [was, is].map(digits => (digits == null ? undefined : exactFigure(digits)));
  if (base === undefined || now === undefined || !base.gt(0)) return undefined;
  const isLess = min !== undefined && now.lt(base.times(min));
  if (!isLess && (max === undefined || !now.gt(base.times(max)))) return undefined;
  const isNext = addDays(before.day, 1) === after.day;
  return `${is} on ${after.day}, after ${was} ${isNext ? 'the day before' : `on ${before.day}`}`;
}
