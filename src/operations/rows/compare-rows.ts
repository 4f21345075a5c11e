import { type Roles, rolesOf } from '../../analysis/column-roles.ts';
import {
  Calendar,
  type ComparedWith,
  daysBefore,
  haveSameWeekdays,
  overlapText,
} from '../../analysis/compared-days.ts';
import { Comparison, timesOf } from '../../analysis/comparison.ts';
import { missingText } from '../../analysis/data-days.ts';
import { daysOf } from '../../analysis/missing-days.ts';
import { type CalendarPeriod, type Grain, grainsOf, unfinishedText } from '../../analysis/periods.ts';
import { type DayRange, dayCount, weekday } from '../../apis/bda/days.ts';
import { UsageError } from '../../errors/index.ts';
import { type ExportStats, hasWarnings, isContradictory, warningsOf } from '../../export/export-audit.ts';
import { rowsInMemory } from '../../export/row-source.ts';
import type { JsonRecord } from '../../json/index.ts';
import { someRows } from '../../output/row-scope.ts';
import { counted, joined, type Sentence, sentence } from '../../output/sentence.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import { type CollectedRows, collectRows, recordsOf } from './collect-rows.ts';
import { dataDaysOf, isComplete, reportFlaws } from './completeness.ts';
import { missingDaysOf } from './missing-days.ts';
import type { RequestedRows, RowsQuery } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';
import { rowTotals } from './row-totals.ts';

/** Maximum number of rows per period, which are all in memory. */
const MAX_ROWS = 100_000;

interface ComparedRows {
  /** The joined rows of both periods. */
  readonly joined: RequestedRows;
  /** Of the requested period and of the earlier one. */
  readonly stats: readonly [ExportStats, ExportStats];
}

/** What rows are compared with. */
export interface ComparedPeriod {
  readonly kind: ComparedWith;
  /** Whether days shift by complete weeks. */
  readonly matchWeekdays: boolean;
}

/**
 * Runs the query for the earlier period and joins the rows. If only some rows of the requested period are fetched, earlier rows
 * without a match are omitted, because it is unknown whether they have disappeared. Throws UsageError.
 */
export async function compareRows(
  requested: RequestedRows,
  { kind, matchWeekdays }: ComparedPeriod,
  work: RowWork,
): Promise<ComparedRows> {
  const { query } = requested;
  const days = query?.days;
  if (query === undefined || days === undefined)
    throw new UsageError('--compare requires days', { reason: 'no_days' });
  const now = await collectRows(requested, work, tooMany);
  const nowRows = recordsOf(now.rows);
  // The time columns of a saved report are known only from its rows.
  const grains =
    nowRows.length === 0
      ? new Set(requestedGrains(query))
      : new Set(timesOf(nowRows, rolesIn(nowRows, requested), days).values());
  const before = comparedDays(days, kind, shiftGrains(grains, matchWeekdays), query.period);
  work.report({ kind: 'note', text: comparedText(before) });
  if (!grains.has('month') && !haveSameWeekdays(days, before, grains.has('day')))
    work.report({ kind: 'weekdays_differ', canShift: typeof kind !== 'object' });
  const open = await work.openDays();
  const unfinished = [days, before].flatMap(range => unfinishedText(range, open) ?? []);
  for (const text of unfinished)
    work.report({
      kind: 'note',
      text: sentence`${text}, so the requested days are not comparable with those before`,
    });
  const overlap = overlapText(days, before);
  if (overlap !== undefined) work.report({ kind: 'warning', text: overlap });
  const isAllRows = isComplete(now, requested);
  const calendar = new Calendar(days, before, kind);
  const { comparison, earlier } = await withEarlierRows(
    { requested, query, nowRows, isAllRows, calendar },
    work,
  );
  const data = await dataDaysOf(query);
  const isAllOfBoth = isAllRows && ![now.stats, earlier.stats].some(hasWarnings);
  const {
    days: daysMissing,
    texts,
    unknown,
  } = await missingDaysOf({ query, comparison, calendar, data, isAllRows: isAllOfBoth }, work);
  const missing = [
    ...(data === undefined ? [] : [days, before].flatMap(range => missingText(range, data) ?? [])),
    ...texts,
  ];
  const gaps = [...missing, ...unfinished];
  for (const text of missing)
    work.report({ kind: 'warning', text: sentence`the periods are not comparable: ${text}` });
  if (unknown !== undefined) work.report({ kind: 'note', text: unknown });
  const limit = isAllRows ? undefined : (limitOf(now, requested, []) ?? '');
  const verb = nowRows.length === 1 ? 'is' : 'are';
  const some = limit && (nowRows.length === 0 ? limit : sentence`only ${limit} ${verb} compared`);
  if (some !== undefined)
    work.report({ kind: 'some_compared', text: some, isUnasked: now.stats.hasMoreRows });
  const totals = () =>
    rowTotals({
      query,
      scope: {
        metrics: comparison.roles.figures,
        dimensions: comparison.roles.dimensions,
        limitedTo: limitOf(now, requested, [now.stats, earlier.stats]),
      },
      now: { days, rows: nowRows },
      before: { days: before, rows: comparison.earlierRows },
      gaps,
      reservations: [overlap, unknown].filter(text => text !== undefined),
    });
  reportFlaws(now.stats, requested, { isCompared: true }, work);
  for (const flaw of warningsOf(earlier.stats))
    work.report({ kind: 'warning', text: `in the days before: ${flaw}` });
  let stated: ReturnType<typeof totals> | undefined;
  const footnotes = [
    ...gaps.map(text => sentence`not comparable: ${text}`),
    ...[overlap, unknown].filter(text => text !== undefined),
    ...(grains.has('day') && weekday(days.from) !== weekday(before.from)
      ? ['each day is compared with another day of the week']
      : []),
  ];
  const openDays = [days, before].flatMap(range => daysOf(range).filter(day => day >= open.from));
  // A row by day counts no other day.
  const counted = comparison.dayColumn === undefined ? [...daysMissing, ...openDays] : openDays;
  return {
    joined: {
      ...requested,
      ...rowsInMemory(comparison.rows(data, counted), comparison.columns, requested.plan.start),
      figures: comparison.figures,
      days: { now: requested.days, before: { from: before.from, to: before.to } },
      comparison: {
        roles: comparison.roles,
        before,
        isCovered: gaps.length === 0 && unknown === undefined,
        limit: some,
        total: now.total,
        footnote: joined(footnotes),
        totals: () => (stated ??= totals()),
      },
    },
    stats: [now.stats, earlier.stats],
  };
}

/** The rows of a period, to join with those before. */
interface NowRows {
  readonly requested: RequestedRows;
  readonly query: RowsQuery;
  readonly nowRows: readonly JsonRecord[];
  readonly isAllRows: boolean;
  readonly calendar: Calendar;
}

/** Fetches the earlier rows and adds them: all, or those that match. */
async function withEarlierRows(
  { requested, query, nowRows, isAllRows, calendar }: NowRows,
  work: RowWork,
): Promise<{ readonly comparison: Comparison; readonly earlier: CollectedRows }> {
  const side = (rows: readonly JsonRecord[], range: DayRange): Comparison => {
    const roles = rolesIn(rows, requested);
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
    work,
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
  { plan }: Pick<RequestedRows, 'plan'>,
  stats: readonly ExportStats[],
): Sentence | undefined {
  if (stats.some(isContradictory)) return 'the rows that were received';
  if (isComplete({ rows, total }, { plan })) return undefined;
  return someRows({ start: plan.start, count: rows.length, total });
}

/** With `matchWeekdays`, days shift by complete weeks. Throws UsageError for months. */
export function shiftGrains(grains: ReadonlySet<Grain>, matchWeekdays = false): ReadonlySet<Grain> {
  if (!matchWeekdays) return grains;
  if (grains.has('month'))
    throw new UsageError('--match-weekdays cannot be combined with months', {
      code: 'conflicting_options',
      reason: 'weekdays_of_months',
    });
  return new Set<Grain>([...grains, 'week']);
}

/** The grains of the request. */
function requestedGrains({ dimensions, groupedBy }: RowsQuery): Grain[] {
  return groupedBy === undefined ? grainsOf(dimensions).map(({ grain }) => grain) : [groupedBy];
}

function rolesIn(rows: readonly JsonRecord[], { query, figures, source }: RequestedRows): Roles {
  const requested = { dimensions: query?.dimensions ?? [], figures };
  return rolesOf(rows, requested, { mayHaveOthers: source.columns.length === 0 });
}

function checkNames(columns: readonly string[]): void {
  const duplicate = columns.find((name, index) => columns.indexOf(name) !== index);
  if (duplicate === undefined) return;
  throw new UsageError(`--compare adds a column ${duplicate}, and the query already has one`, {
    reason: 'compared_column_taken',
  });
}

function tooMany(count: number): void {
  if (count > MAX_ROWS)
    throw new UsageError(`more than ${groupDigits(MAX_ROWS)} rows are too many for --compare`, {
      code: 'output_too_large',
      reason: 'too_many_rows',
    });
}

/** The days that a period is compared with. Throws UsageError for the period itself. */
export function comparedDays(
  days: DayRange,
  kind: ComparedWith,
  grains: ReadonlySet<Grain>,
  period?: CalendarPeriod,
): DayRange {
  const before = daysBefore(days, kind, grains, period);
  if (before.from !== days.from || before.to !== days.to) return before;
  const { from, to } = days;
  throw new UsageError(`${from === to ? from : `${from} to ${to}`} would be compared with itself`, {
    reason: 'compared_with_itself',
  });
}

/** The days that others are compared with, in words. */
export function comparedText(before: DayRange): Sentence {
  return sentence`compared with ${before}, ${counted(dayCount(before), 'day')}`;
}
