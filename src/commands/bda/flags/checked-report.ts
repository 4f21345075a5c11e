import { type Grain, grainOfName, grainsOf } from '../../../analysis/periods.ts';
import { type DayRange, isDay } from '../../../apis/bda/days.ts';
import { isPresent } from '../../../apis/bda/fields.ts';
import { inlineColumns, withDataDays, withDataFields } from '../../../apis/bda-v1/data-request.ts';
import type { ReportInfo } from '../../../apis/bda-v1/definition.ts';
import type { DataTarget } from '../../../apis/bda-v1/requests.ts';
import { invalidValue, missingArgument } from '../../../errors/usage.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { daysOfRequest, runReport } from '../../../operations/query/run-report.ts';
import type { RequestedRows, Site } from '../../../operations/rows/requested-rows.ts';
import { DATE_GROUPINGS, type DateGrouping } from '../../../wire/bda-v1.ts';
import type { Context } from '../../framework/context.ts';
import { rowWork } from '../output/row-work.ts';
import type { RequestedDays } from './day-flags.ts';
import {
  allRows,
  checkColumns,
  orderOf,
  planOf,
  type ReportFlags,
  requestFromFlags,
} from './report-flags.ts';
import { infoIfRequired, noteOverridden, targetName, targetOf } from './report-target.ts';
import { withReportHints } from './saved-reports.ts';

/** A data request that was checked, and not sent yet. */
interface CheckedReport {
  /** Days in full, where the same flags may mean other days tomorrow. */
  readonly exactDays: Pick<RequestedDays, 'from' | 'to'> | undefined;
  readonly sites: readonly Site[];
  /**
   * Calls `write` with the rows, which are requested when they are read. Throws what it throws, with advice for an unknown report, and
   * PartialError for pages that the server repeats.
   */
  run(write: (rows: RequestedRows) => Promise<void>): Promise<void>;
}

/**
 * Checks a v1 data request from JSON and flags. `countRows` says whether all rows are requested, and is called once the request is
 * valid. Throws UsageError, and ApiError for an unknown report.
 */
export async function checkedReport(
  flags: ReportFlags,
  body: JsonRecord,
  context: Context,
  countRows: () => Promise<boolean>,
): Promise<CheckedReport> {
  const target = targetOf(flags, body);
  const { request: fromFlags, days, hasFilters, sites } = await requestFromFlags(flags, body, context);
  const completeDays = flags.completePeriods ? await completeDaysOf(fromFlags, context) : undefined;
  const unordered = completeDays === undefined ? fromFlags : withDataDays(fromFlags, completeDays);
  checkColumns(inlineColumns(unordered));
  const info = await infoIfRequired(target, unordered, flags, context);
  checkDays(unordered, target, info);
  const columns = 'inline' in target ? inlineColumns(unordered) : info?.columns;
  const order = flags.sort === undefined ? undefined : orderOf(flags.sort, columns, targetName(target));
  if (!('inline' in target) && (order !== undefined || hasFilters))
    context.log.note(
      'the API documents filters and order for columns (-d, -m) only; a saved report may ignore them',
    );
  noteOverridden(target, unordered, info, context);
  const plan = planOf(body, flags, await countRows());
  const ordered = order === undefined ? unordered : withDataFields(unordered, new Map([['Order', order]]));
  const { StartItem: _, MaxItems: __, ...request } = ordered;
  return {
    exactDays: completeDays ?? (days.isRelative ? days : undefined),
    sites,
    async run(write) {
      const period = completeDays === undefined ? days.period : undefined;
      const grouped = { groupedBy: groupedBy(request), period };
      const report = { target, request, plan, allRows: allRows(0, flags), sites, ...grouped };
      const ran = await runReport(report, context, await rowWork(context));
      try {
        await write(ran.rows);
      } catch (error) {
        throw 'reportName' in target ? await withReportHints(error, target.reportName, context) : error;
      }
      ran.assertPaged();
    },
  };
}

/** The grouping of a request. */
function groupedBy({ DateGrouping: grouping }: JsonRecord): Grain | undefined {
  if (typeof grouping !== 'string' || !Object.hasOwn(DATE_GROUPINGS, grouping)) return undefined;
  return grainOfName(DATE_GROUPINGS[grouping as DateGrouping]);
}

/** The days of complete weeks or months, for --complete-periods. */
async function completeDaysOf(request: JsonRecord, context: Context): Promise<DayRange> {
  const { completeDays } = await import('./complete-days.ts');
  const grouped = groupedBy(request);
  const named = grainsOf(inlineColumns(request)).map(({ grain }) => grain);
  return await completeDays(daysOfRequest(request), grouped === undefined ? named : [grouped], context);
}

/** Throws UsageError for missing, incomplete or reversed days. */
function checkDays(request: JsonRecord, target: DataTarget, info: ReportInfo | undefined): void {
  const { StartDate: start, EndDate: end } = request;
  const hints = ['pass --last 7d, --previous month, or --from DAY --to DAY'];
  if (!isPresent(start) && !isPresent(end)) {
    if ('inline' in target) throw missingArgument('columns require days', ...hints);
    if (info?.dateBase !== 'BASE_NOT_SELECTED') return;
    throw missingArgument(`${targetName(target)} has no default date range (BASE_NOT_SELECTED)`, ...hints);
  }
  for (const [field, day] of [
    ['StartDate', start],
    ['EndDate', end],
  ] as const) {
    if (typeof day === 'string' && isDay(day)) continue;
    throw invalidValue(
      `${field} ${isPresent(day) ? 'is not a valid day, YYYY-MM-DD' : 'is missing'}`,
      ...hints,
    );
  }
  if (String(start) > String(end))
    throw invalidValue(`the first day ${start} is after the last day ${end}`, ...hints);
}
