import { type Roles, rolesOf } from '../../../analysis/column-roles.ts';
import { Calendar, type ComparisonKind, daysBefore } from '../../../analysis/compared-days.ts';
import { Comparison, timesOf } from '../../../analysis/comparison.ts';
import { missingText } from '../../../analysis/coverage.ts';
import { type Grain, grainsOf } from '../../../analysis/periods.ts';
import { type DayRange, dayCount } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import { rowsInMemory } from '../../../export/rows-in-memory.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { todayOf } from '../day-flags.ts';
import { type CollectedRows, collectRows, recordsOf } from './collect-rows.ts';
import { dataDaysOf } from './outside-data.ts';
import type { RowsOutput, RowsQuery } from './rows-output.ts';

/** Both sides have to be here at once. */
const ROWS_MAX = 100_000;

export interface Compared {
  /** The rows of both, to be printed, written or drawn. */
  readonly delivery: RowsOutput;
  /** Of the days asked about, and of the days before. */
  readonly remarks: readonly [ExportStats, ExportStats];
}

/**
 * Asks the same question about the days before, and puts the rows side by side. Where only some rows of the days asked about come,
 * those that have no counterpart there are left out: whether they are missing is not known. Throws UsageError.
 */
export async function compareRows(
  delivery: RowsOutput,
  way: ComparisonKind,
  context: Context,
): Promise<Compared> {
  const { question } = delivery;
  const days = question?.days;
  if (question === undefined || days === undefined)
    throw new UsageError('--compare has to know the days', {
      hints: ['type --last 7d, --previous month, or --from DAY --to DAY'],
    });
  const now = await collectRows(delivery, context, tooMany);
  const nowRows = recordsOf(now.rows);
  // Which columns are times, a saved report tells by its rows alone.
  const grains =
    nowRows.length === 0
      ? new Set(grainsAsked(question))
      : new Set(timesOf(nowRows, rolesIn(nowRows, delivery), days).values());
  const before = daysBefore(days, way, shiftGrains(grains, delivery.flags.matchWeekdays), question.period);
  context.log.note(`compared with ${told(before)}`);
  await tellNotOver(days, context);
  const calendar = new Calendar(days, before, way);
  const side = (rows: readonly JsonRecord[], range: DayRange): Comparison => {
    const roles = rolesIn(rows, delivery);
    const made = new Comparison(nowRows, roles, timesOf(rows, roles, range), calendar);
    checkNames(made.columns);
    return made;
  };
  let comparison = nowRows.length === 0 ? undefined : side(nowRows, days);
  const isWhole = cameWhole(now, delivery);
  // Without rows now, only those of before tell what their columns are.
  const gone: JsonRecord[] = [];
  let kept = 0;
  const earlier = await collectRows(
    question.over(before),
    context,
    () => {},
    row => {
      const [record] = recordsOf([row]);
      if (record === undefined || !(isWhole || comparison?.hasPartner(record))) return false;
      kept += 1;
      tooMany(kept);
      if (comparison === undefined) gone.push(record);
      else comparison.takeBefore(record);
      return false;
    },
  );
  comparison ??= side(gone, before);
  for (const row of gone) comparison.takeBefore(row);
  const data = await dataDaysOf(question);
  const missing = data === undefined ? [] : [days, before].flatMap(range => missingText(range, data) ?? []);
  for (const text of missing) context.log.warn(`the periods are not comparable: there is ${text}`);
  const some = isWhole ? undefined : `only ${countText(now)} rows are compared`;
  if (some !== undefined) {
    const text = `${some}; --all compares all and shows rows that are gone`;
    if (now.remarks.leavesRows) context.log.warn(text);
    else context.log.note(text);
  }
  const footnotes = [
    ...(some === undefined ? [] : [some]),
    ...missing.map(text => `not comparable: there is ${text}`),
  ];
  return {
    delivery: {
      ...delivery,
      ...rowsInMemory(comparison.rows(data), comparison.columns),
      figures: comparison.figures,
      footnote: footnotes.length === 0 ? undefined : footnotes.join('; '),
      days: { now: delivery.days, before: { from: before.from, to: before.to } },
      comparison: { roles: comparison.roles, before, isCovered: missing.length === 0 },
    },
    remarks: [now.remarks, earlier.remarks],
  };
}

function countText({ rows, total }: CollectedRows): string {
  if (total === undefined) return `the first ${groupDigits(rows.length)}`;
  return `${groupDigits(rows.length)} of ${groupDigits(total)}`;
}

/** With `matchWeekdays`, days shift by whole weeks, as weeks do. Throws UsageError for months, which are no whole weeks. */
function shiftGrains(grains: ReadonlySet<Grain>, matchWeekdays = false): ReadonlySet<Grain> {
  if (!matchWeekdays) return grains;
  if (grains.has('month'))
    throw new UsageError('--match-weekdays cannot be combined with months', {
      code: 'conflicting_options',
      hints: ['group by days or weeks, or drop --match-weekdays'],
    });
  return new Set<Grain>([...grains, 'week']);
}

/** The grains that the request names. */
function grainsAsked({ dimensions, groupedBy }: RowsQuery): Grain[] {
  return groupedBy === undefined ? grainsOf(dimensions).map(({ grain }) => grain) : [groupedBy];
}

function rolesIn(rows: readonly JsonRecord[], { question, figures, source }: RowsOutput): Roles {
  const asked = { dimensions: question?.dimensions ?? [], figures };
  return rolesOf(rows, asked, { mayHaveOthers: source.columns.length === 0 });
}

function checkNames(columns: readonly string[]): void {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new UsageError(`--compare makes a column ${twice}, and there is one already`, {
    hints: ['leave that column out'],
  });
}

/** Days that are not over look like a loss. */
async function tellNotOver(days: DayRange, context: Context): Promise<void> {
  const today = await todayOf(context);
  if (days.to < today) return;
  const first = days.from > today ? days.from : today;
  const which = first === days.to ? `${first} is` : `${first} to ${days.to} are`;
  context.log.note(`${which} not over yet: the days asked about count less than those before`);
}

/** Whether all rows are here that match. */
function cameWhole({ rows, total }: CollectedRows, { plan }: RowsOutput): boolean {
  if (plan.start > 0) return false;
  if (total !== undefined) return rows.length >= total;
  return !plan.single || rows.length < plan.pageSize;
}

function tooMany(count: number): void {
  if (count > ROWS_MAX)
    throw new UsageError(`these are more than ${groupDigits(ROWS_MAX)} rows, too many for --compare`, {
      code: 'output_too_large',
      hints: ['ask for fewer: --limit, --filter, fewer dimensions'],
    });
}

function told(days: DayRange): string {
  return `${days.from} to ${days.to}: ${pluralize(dayCount(days), 'day')}`;
}
