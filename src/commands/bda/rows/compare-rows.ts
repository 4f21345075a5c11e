import { type Roles, rolesOf } from '../../../analysis/column-roles.ts';
import { Calendar, type ComparisonKind, daysBefore } from '../../../analysis/compared-days.ts';
import { Comparison, timesOf } from '../../../analysis/comparison.ts';
import { missingText } from '../../../analysis/data-days.ts';
import { type Grain, grainsOf } from '../../../analysis/periods.ts';
import { type DayRange, dayCount } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import { type ExportStats, isContradictory } from '../../../export/export-audit.ts';
import { rowsInMemory } from '../../../export/row-source.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { type CollectedRows, collectRows, recordsOf } from '../../../operations/rows/collect-rows.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { todayOf } from '../day-flags.ts';
import { rowWork } from './export-options.ts';
import { dataDaysOf } from './missing-days.ts';
import { rowTotals } from './row-totals.ts';
import type { RowsOutput, RowsQuery } from './rows-output.ts';

/** Maximum number of rows per period, which are all in memory. */
const MAX_ROWS = 100_000;

export interface ComparedRows {
  /** The joined rows of both periods. */
  readonly output: RowsOutput;
  /** Of the requested period and of the earlier one. */
  readonly stats: readonly [ExportStats, ExportStats];
}

/**
 * Runs the query for the earlier period and joins the rows. If only some rows of the requested period are fetched, earlier rows
 * without a match are omitted, because it is unknown whether they have disappeared. Throws UsageError.
 */
export async function compareRows(
  output: RowsOutput,
  kind: ComparisonKind,
  context: Context,
): Promise<ComparedRows> {
  const { query } = output;
  const days = query?.days;
  if (query === undefined || days === undefined)
    throw new UsageError('--compare requires days', {
      hints: ['pass --last 7d, --previous month, or --from DAY --to DAY'],
    });
  const now = await collectRows(output, await rowWork(context), tooMany);
  const nowRows = recordsOf(now.rows);
  // The time columns of a saved report are known only from its rows.
  const grains =
    nowRows.length === 0
      ? new Set(requestedGrains(query))
      : new Set(timesOf(nowRows, rolesIn(nowRows, output), days).values());
  const before = daysBefore(days, kind, shiftGrains(grains, output.flags.matchWeekdays), query.period);
  context.log.note(`compared with ${daysText(before)}`);
  const unfinished = await unfinishedDays(days, context);
  if (unfinished !== undefined)
    context.log.note(`${unfinished}, so the requested days are not comparable with those before`);
  const isAllRows = isComplete(now, output);
  const calendar = new Calendar(days, before, kind);
  const { comparison, earlier } = await withEarlierRows(
    { output, query, nowRows, isAllRows, calendar },
    context,
  );
  const data = await dataDaysOf(query);
  const missing = data === undefined ? [] : [days, before].flatMap(range => missingText(range, data) ?? []);
  for (const text of missing) context.log.warn(`the periods are not comparable: there is ${text}`);
  const some = isAllRows ? undefined : `only ${limitOf(now, output, [])} are compared`;
  if (some !== undefined) {
    const text = `${some}; --all compares all, including rows that disappeared`;
    if (now.stats.hasMoreRows) context.log.warn(text);
    else context.log.note(text);
  }
  const totals = () =>
    rowTotals({
      query,
      scope: {
        metrics: comparison.roles.figures,
        dimensions: comparison.roles.dimensions,
        limitedTo: limitOf(now, output, [now.stats, earlier.stats]),
      },
      now: { days, rows: nowRows },
      before: { days: before, rows: comparison.earlierRows },
      gaps: missing,
      reservations: unfinished === undefined ? [] : [unfinished],
    });
  let stated: ReturnType<typeof totals> | undefined;
  const footnotes = [
    ...(some === undefined ? [] : [some]),
    ...missing.map(text => `not comparable: there is ${text}`),
  ];
  return {
    output: {
      ...output,
      ...rowsInMemory(comparison.rows(data), comparison.columns),
      figures: comparison.figures,
      footnote: footnotes.length === 0 ? undefined : footnotes.join('; '),
      days: { now: output.days, before: { from: before.from, to: before.to } },
      comparison: {
        roles: comparison.roles,
        before,
        isCovered: missing.length === 0,
        totals: () => (stated ??= totals()),
      },
    },
    stats: [now.stats, earlier.stats],
  };
}

/** The rows of a period, to join with those before. */
interface NowRows {
  readonly output: RowsOutput;
  readonly query: RowsQuery;
  readonly nowRows: readonly JsonRecord[];
  readonly isAllRows: boolean;
  readonly calendar: Calendar;
}

/** Fetches the earlier rows and adds them: all, or those that match. */
async function withEarlierRows(
  { output, query, nowRows, isAllRows, calendar }: NowRows,
  context: Context,
): Promise<{ readonly comparison: Comparison; readonly earlier: CollectedRows }> {
  const side = (rows: readonly JsonRecord[], range: DayRange): Comparison => {
    const roles = rolesIn(rows, output);
    const part = new Comparison(nowRows, roles, timesOf(rows, roles, range), calendar);
    checkNames(part.columns);
    return part;
  };
  let comparison = nowRows.length === 0 ? undefined : side(nowRows, calendar.now);
  // Without rows in the requested period, the columns are known only from the earlier rows.
  const earlierRows: JsonRecord[] = [];
  let matching = 0;
  const earlier = await collectRows(
    query.forDays(calendar.before),
    await rowWork(context),
    () => {},
    row => {
      const [record] = recordsOf([row]);
      if (record === undefined || !(isAllRows || comparison?.hasMatch(record))) return false;
      matching += 1;
      tooMany(matching);
      if (comparison === undefined) earlierRows.push(record);
      else comparison.addEarlier(record);
      return false;
    },
  );
  comparison ??= side(earlierRows, calendar.before);
  for (const row of earlierRows) comparison.addEarlier(row);
  return { comparison, earlier };
}

/** What the rows are limited to, in words; undefined where they are all. */
export function limitOf(
  { rows, total }: Pick<CollectedRows, 'rows' | 'total'>,
  { plan }: Pick<RowsOutput, 'plan'>,
  stats: readonly ExportStats[],
): string | undefined {
  if (stats.some(isContradictory)) return 'the rows that were received';
  if (isComplete({ rows, total }, { plan })) return undefined;
  const count = groupDigits(rows.length);
  const some = total === undefined ? count : `${count} of ${groupDigits(total)}`;
  return plan.start > 0 ? `${some} rows` : `the first ${some} rows`;
}

/** With `matchWeekdays`, days shift by complete weeks. Throws UsageError for months. */
export function shiftGrains(grains: ReadonlySet<Grain>, matchWeekdays = false): ReadonlySet<Grain> {
  if (!matchWeekdays) return grains;
  if (grains.has('month'))
    throw new UsageError('--match-weekdays cannot be combined with months', {
      code: 'conflicting_options',
      hints: ['group by days or weeks, or drop --match-weekdays'],
    });
  return new Set<Grain>([...grains, 'week']);
}

/** The grains of the request. */
function requestedGrains({ dimensions, groupedBy }: RowsQuery): Grain[] {
  return groupedBy === undefined ? grainsOf(dimensions).map(({ grain }) => grain) : [groupedBy];
}

function rolesIn(rows: readonly JsonRecord[], { query, figures, source }: RowsOutput): Roles {
  const requested = { dimensions: query?.dimensions ?? [], figures };
  return rolesOf(rows, requested, { mayHaveOthers: source.columns.length === 0 });
}

function checkNames(columns: readonly string[]): void {
  const duplicate = columns.find((name, index) => columns.indexOf(name) !== index);
  if (duplicate === undefined) return;
  throw new UsageError(`--compare adds a column ${duplicate}, and the query already has one`, {
    hints: ['omit that column'],
  });
}

/** Days that have not ended, whose lower figures look like a decrease. */
export async function unfinishedDays(days: DayRange, context: Context): Promise<string | undefined> {
  const today = await todayOf(context);
  if (days.to < today) return undefined;
  const first = days.from > today ? days.from : today;
  const which = first === days.to ? `${first} has` : `${first} to ${days.to} have`;
  return `${which} not ended yet`;
}

/** Whether all matching rows are fetched. */
function isComplete(
  { rows, total }: Pick<CollectedRows, 'rows' | 'total'>,
  { plan }: Pick<RowsOutput, 'plan'>,
): boolean {
  if (plan.start > 0) return false;
  if (total !== undefined) return rows.length >= total;
  return !plan.single || rows.length < plan.pageSize;
}

function tooMany(count: number): void {
  if (count > MAX_ROWS)
    throw new UsageError(`more than ${groupDigits(MAX_ROWS)} rows are too many for --compare`, {
      code: 'output_too_large',
      hints: ['reduce them with --limit, --filter or fewer dimensions'],
    });
}

function daysText(days: DayRange): string {
  return `${days.from} to ${days.to}: ${pluralize(dayCount(days), 'day')}`;
}
