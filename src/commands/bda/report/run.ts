import { type Grain, grainOfName, grainsOf } from '../../../analysis/periods.ts';
import { type DayRange, dayIn, isDay } from '../../../apis/bda/days.ts';
import { isPresent } from '../../../apis/bda/fields.ts';
import {
  inlineColumns,
  inlineMetrics,
  rowColumns,
  withDataDays,
  withDataFields,
} from '../../../apis/bda-v1/data-request.ts';
import type { ReportInfo } from '../../../apis/bda-v1/definition.ts';
import { reportRows } from '../../../apis/bda-v1/report-rows.ts';
import type { DataTarget } from '../../../apis/bda-v1/requests.ts';
import { existingTimeZone } from '../../../config/resolve.ts';
import { DATA_REQUEST } from '../../../documents/bda-v1.ts';
import { PartialError, UsageError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { bdaV1Site } from '../../../operations/listings/analytics.ts';
import { unitsOf } from '../../../operations/listings/column-catalogue.ts';
import { listingOf } from '../../../operations/listings/listings.ts';
import type { RequestedRows, Site } from '../../../operations/rows/requested-rows.ts';
import { DATE_GROUPINGS, type DateGrouping } from '../../../wire/bda-v1.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, optional } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { checkChartFlags } from '../flags/chart-flags.ts';
import { requestFrom } from '../flags/request-input.ts';
import { checkRowFlags, resumeCommand, rowCountOf, tableRowsOf } from '../flags/row-flags.ts';
import { rowWork } from '../output/row-work.ts';
import {
  allRows,
  checkColumns,
  orderOf,
  planOf,
  RUN_FLAGS,
  requestFromFlags,
  requestsAllRows,
} from './run-flags.ts';
import { infoIfRequired, noteOverridden, targetName, targetOf } from './run-target.ts';
import { withReportHints } from './saved-reports.ts';

export const reportRun = defineCommand({
  name: 'run',
  summary: 'run a saved report, or query columns',
  description: `Runs a predefined report by name, a custom report by --id, or a query of the columns in -d and -m. --request reads a data request as JSON; flags override its fields.

Some reports have a default date range. For others, and for columns, set the days: --last 7d, --previous month, or --from and --to.

A filter is a column, an operator and one value: 'visits>3', 'visits>=3', or an API operator between colons: 'page_url:contains:news'. To match several values, such as countries, create a segment and pass it with --segment. Several segments split each row.

Tables, md and html show the first 100 rows; --all shows all. Files, charts and all other formats contain all rows unless --limit is given. All rows are fetched in pages of 10,000 (see --page-size) until a page is empty or the same as the previous one: this API reports no total.`,
  arguments: { name: optional('name', 'a predefined report', { completes: 'report' }) },
  options: RUN_FLAGS,
  examples: [
    {
      does: 'run a predefined report for the last month',
      command: 'gatectl bda report run Countries --previous month --limit 10',
    },
    {
      does: 'export a custom report, split by two segments',
      command:
        "gatectl bda report run --id 101 --last 4w --segment 'North America' --segment 2 --out report.csv",
    },
    {
      does: 'compare a report with a year earlier, as an HTML page',
      command: 'gatectl bda report run Countries --last 4w --all --compare year -o html > countries.html',
    },
    {
      does: 'query columns per week without a saved report',
      command:
        'gatectl bda report run -d country -m visits,revenue --sort visits:desc --group-by week --last 4w',
    },
  ],
  output: listOf({
    '(column)': ['any', 'each column of the report; numbers keep all digits'],
  }),
  async run(flags, context) {
    checkRowFlags(flags);
    checkChartFlags(flags);
    const body = await requestFrom(flags.request, context, 'data request', {
      declaration: DATA_REQUEST,
      allowUnknown: flags.allowUnknown,
    });
    const target = targetOf(flags, body);
    const { request: fromFlags, days, hasFilters, sites } = await requestFromFlags(flags, body, context);
    const completeDays = flags.completePeriods ? await completeDaysOf(fromFlags, context) : undefined;
    const unordered = completeDays === undefined ? fromFlags : withDataDays(fromFlags, completeDays);
    checkColumns(inlineColumns(unordered));
    const info = await infoIfRequired(target, unordered, flags, context);
    checkDays(unordered, target, info);
    const order =
      flags.sort === undefined
        ? undefined
        : orderOf(
            flags.sort,
            'inline' in target ? inlineColumns(unordered) : info?.columns,
            targetName(target),
          );
    if (!('inline' in target) && (order !== undefined || hasFilters))
      context.log.note(
        'the API documents filters and order for columns (-d, -m) only; a saved report may ignore them',
      );
    noteOverridden(target, unordered, info, context);
    const { all, tableRows } = await rowCountOf(
      { ...flags, all: flags.all || (requestsAllRows(body) && flags.limit === undefined) },
      isPresent(body.MaxItems) && !requestsAllRows(body),
      context,
    );
    const plan = planOf(body, flags, all);
    const ordered = order === undefined ? unordered : withDataFields(unordered, new Map([['Order', order]]));
    const { StartItem: _, MaxItems: __, ...request } = ordered;
    let isCut = false;
    const [gateway, site] = [await context.gateway(), await bdaV1Site(context)];
    const sourceOf = (dataRequest: JsonRecord) =>
      reportRows(gateway, site, {
        target,
        request: dataRequest,
        columns: rowColumns(dataRequest),
        onRepeated: ({ offset }) => {
          // After a page that was not full there may be no more rows.
          isCut = (offset - plan.start) % plan.pageSize === 0;
        },
      });
    const exactDays = completeDays ?? (days.isRelative ? days : undefined);
    const requested = await requestDayOf(request, context);
    const rowsOf = (request: JsonRecord): RequestedRows => ({
      source: sourceOf(request),
      plan,
      figures: inlineMetrics(request),
      request: { ...target, ...request, ...requested },
      days: isPresent(request.StartDate) ? { StartDate: request.StartDate, EndDate: request.EndDate } : null,
      query: {
        dimensions: inlineColumns(request).filter(name => !inlineMetrics(request).includes(name)),
        groupedBy: groupedBy(request),
        days: daysOf(request),
        period: completeDays === undefined ? days.period : undefined,
        forDays: other => ({
          source: sourceOf(withDataDays(request, other)),
          plan: allRows(0, flags),
        }),
        isSorted: isPresent(request.Order),
        units: () => unitsOf(inlineMetrics(request), context, () => listingOf('columns', 'v1', context)),
      },
    });
    const rowsOfSite = ({ id }: Site) => rowsOf(withDataFields(request, new Map([['DomainId', id]])));
    // The export engine is large, and only a request that is sent needs it.
    const { writeRows } = await import('../output/write-rows.ts');
    try {
      const { rowsOfSites } = await (sites.length < 2
        ? {}
        : import('../../../operations/rows/rows-of-sites.ts'));
      const rows = rowsOfSites?.(sites, rowsOfSite, await rowWork(context)) ?? rowsOf(request);
      const output = {
        ...{ ...rows, flags, tableRows: tableRowsOf(tableRows, sites) },
        resumeCommand: resumeCommand(RUN_FLAGS, exactDays, context),
        readsStdin: flags.request === '-',
      };
      await writeRows(output, context);
    } catch (error) {
      throw 'reportName' in target ? await withReportHints(error, target.reportName, context) : error;
    }
    if (isCut)
      throw new PartialError('the server ignores StartItem: rows after the first page are missing', {
        code: 'page_repeated',
      });
  },
});

/** The grouping of a request. */
function groupedBy({ DateGrouping: grouping }: JsonRecord): Grain | undefined {
  if (typeof grouping !== 'string' || !Object.hasOwn(DATE_GROUPINGS, grouping)) return undefined;
  return grainOfName(DATE_GROUPINGS[grouping as DateGrouping]);
}

/** The days of complete weeks or months, for --complete-periods. */
async function completeDaysOf(request: JsonRecord, context: Context): Promise<DayRange> {
  const { completeDays } = await import('../flags/complete-days.ts');
  const grouped = groupedBy(request);
  const named = grainsOf(inlineColumns(request)).map(({ grain }) => grain);
  return await completeDays(daysOf(request), grouped === undefined ? named : [grouped], context);
}

/** The days of a request. */
function daysOf({ StartDate: from, EndDate: to }: JsonRecord): DayRange | undefined {
  if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return undefined;
  return { from, to };
}

/** Throws UsageError for missing, incomplete or reversed days. */
function checkDays(request: JsonRecord, target: DataTarget, info: ReportInfo | undefined): void {
  const { StartDate: start, EndDate: end } = request;
  const hints = ['pass --last 7d, --previous month, or --from DAY --to DAY'];
  if (!isPresent(start) && !isPresent(end)) {
    if ('inline' in target) throw new UsageError('columns require days', { code: 'missing_argument', hints });
    if (info?.dateBase !== 'BASE_NOT_SELECTED') return;
    throw new UsageError(`${targetName(target)} has no default date range (BASE_NOT_SELECTED)`, {
      code: 'missing_argument',
      hints,
    });
  }
  for (const [field, day] of [
    ['StartDate', start],
    ['EndDate', end],
  ] as const) {
    if (typeof day === 'string' && isDay(day)) continue;
    throw new UsageError(`${field} ${isPresent(day) ? 'is not a valid day, YYYY-MM-DD' : 'is missing'}`, {
      code: 'invalid_value',
      hints,
    });
  }
  if (String(start) > String(end))
    throw new UsageError(`the first day ${start} is after the last day ${end}`, {
      code: 'invalid_value',
      hints,
    });
}

/** A default date range depends on the current day, so an export must not be resumed on another day. */
async function requestDayOf(request: JsonRecord, context: Context): Promise<JsonRecord> {
  if (isPresent(request.StartDate)) return {};
  const timeZone = existingTimeZone(await context.settings()) ?? 'UTC';
  return { RequestedOn: dayIn(context.clock.now(), timeZone) };
}
