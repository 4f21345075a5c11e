import { isFilledStructure, isPresent } from '../../../apis/bda/fields.ts';
import { withDataDays, withDataFields } from '../../../apis/bda-v1/data-request.ts';
import { reportRows } from '../../../apis/bda-v1/report-rows.ts';
import { PartialError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { defineCommand, optional } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { unitsOf } from '../column-catalogue.ts';
import type { Site } from '../domain-flag.ts';
import { listingOf } from '../listings.ts';
import { requestFrom } from '../query/query-input.ts';
import { checkChartFlags } from '../rows/chart-flags.ts';
import { resumeCommand } from '../rows/resume-command.ts';
import { checkRowFlags, rowCountOf } from '../rows/row-flags.ts';
import type { RowsOutput } from '../rows/rows-output.ts';
import { checkSites, rowsOfSites } from '../rows/sites.ts';
import { bdaV1Site } from '../site.ts';
import { checkDays, daysOf, groupedBy, requestedOn, wholeDays } from './run-days.ts';
import {
  checkColumns,
  inlineColumns,
  inlineMetrics,
  orderOf,
  RUN_FLAGS,
  requestFromFlags,
} from './run-flags.ts';
import { allRows, asksForAll, planOf } from './run-plan.ts';
import { deciding, noteOverridden, targetName, targetOf } from './run-target.ts';
import { pointingAtReports } from './saved-reports.ts';

export const reportRun = defineCommand({
  name: 'run',
  summary: 'run a saved report, or ask for columns',
  description: `Runs a predefined report by its name, a custom one by --id, or asks for columns named with -d and -m. --request takes the API's data request from JSON; flags take the place of its fields.

Some reports have a range of days of their own. For the others, and for columns, say the days: --last 7d, --previous month, or --from and --to.

A filter is a column, an operator and one value: 'visits>3', 'visits>=3', or an operator word of the API between colons: 'page_url:contains:news'. For one of several values, such as countries, make a segment and name it with --segment. Several segments give each row once for every segment.

Tables, md and html show the first 100 rows; --all shows all of them. Files, charts and all other formats contain all rows unless --limit is given. All rows are fetched in pages of 10,000 (see --page-size) until a page is short, empty or the same as the previous one: this API reports no total.`,
  arguments: { name: optional('name', 'a predefined report', { completes: 'report' }) },
  options: RUN_FLAGS,
  examples: [
    {
      does: 'a predefined report over the last month',
      command: 'gatectl bda report run Countries --previous month --limit 10',
    },
    {
      does: 'all rows of a custom report, split by two segments, for a spreadsheet',
      command:
        "gatectl bda report run --id 101 --last 4w --segment 'North America' --segment 2 --out report.csv",
    },
    {
      does: 'a report beside that of a year earlier, as a page for mail',
      command: 'gatectl bda report run Countries --last 4w --all --compare year -o html > countries.html',
    },
    {
      does: 'columns without a saved report, week by week',
      command:
        'gatectl bda report run -d country -m visits,revenue --sort visits:desc --group-by week --last 4w',
    },
  ],
  answers: listOf({
    '(column)': ['any', 'each column of the report, digit for digit as the API sent it'],
  }),
  async run(flags, context) {
    checkRowFlags(flags);
    checkChartFlags(flags);
    const body = await requestFrom(flags.request, context, 'data request');
    const target = targetOf(flags, body);
    const { request: inFull, days, hasFilters, sites } = await requestFromFlags(flags, body, context);
    checkSites(sites, flags);
    const whole = flags.completePeriods ? await wholeDays(inFull, context) : undefined;
    const unordered = whole === undefined ? inFull : withDataDays(inFull, whole);
    checkColumns(inlineColumns(unordered));
    const facts = await deciding(target, unordered, flags, context);
    checkDays(unordered, target, facts);
    const order =
      flags.sort === undefined
        ? undefined
        : orderOf(
            flags.sort,
            'inline' in target ? inlineColumns(unordered) : facts?.columns,
            targetName(target),
          );
    if (!('inline' in target) && (order !== undefined || hasFilters))
      context.log.note(
        'the API documents filters and order for columns (-d, -m); a saved report may take no notice of them',
      );
    noteOverridden(target, unordered, facts, context);
    const { all, tableRows } = await rowCountOf(
      { ...flags, all: flags.all || (asksForAll(body) && flags.limit === undefined) },
      isPresent(body.MaxItems) && !asksForAll(body),
      context,
    );
    const plan = planOf(body, flags, all);
    const ordered = order === undefined ? unordered : withDataFields(unordered, new Map([['Order', order]]));
    const { StartItem: _, MaxItems: __, ...request } = ordered;
    let repeated = false;
    let isCut = false;
    const [gateway, site] = [await context.gateway(), await bdaV1Site(context)];
    const rowsOf = (asked: JsonRecord) =>
      reportRows(gateway, site, {
        target,
        request: asked,
        columns: isSplit(asked) ? [] : inlineColumns(asked),
        onRepeated: ({ offset, limit }) => {
          repeated = true;
          // After a page that was not full there may be no more rows.
          isCut = offset % limit === 0;
          context.log.warn('the gateway sent the same rows twice, as if it did not page: the rows end there');
        },
      });
    const exact = whole ?? (days.isRelative ? days : undefined);
    const requested = await requestedOn(request, context);
    const outputOf = (request: JsonRecord): RowsOutput => ({
      source: rowsOf(request),
      plan,
      tableRows,
      figures: inlineMetrics(request),
      flags,
      request: { ...target, ...request, ...requested },
      days: isPresent(request.StartDate) ? { StartDate: request.StartDate, EndDate: request.EndDate } : null,
      question: {
        dimensions: inlineColumns(request).filter(name => !inlineMetrics(request).includes(name)),
        groupedBy: groupedBy(request),
        days: daysOf(request),
        period: whole === undefined ? days.period : undefined,
        over: other => ({
          source: rowsOf(withDataDays(request, other)),
          plan: allRows(0, flags),
        }),
        isSorted: isPresent(request.Order),
        units: () => unitsOf(inlineMetrics(request), context, () => listingOf('columns', 'v1', context)),
      },
      resumeCommand: resumeCommand(RUN_FLAGS, exact, context),
      readsStdin: flags.request === '-',
    });
    const outputOfSite = ({ id }: Site) => outputOf(withDataFields(request, new Map([['DomainId', id]])));
    // The export engine is large, and only a request that is sent needs it.
    const { writeRows } = await import('../rows/write-rows.ts');
    try {
      const output = await rowsOfSites(sites, outputOfSite, context);
      await writeRows(output ?? outputOf(request), context);
    } catch (error) {
      throw 'reportName' in target ? await pointingAtReports(error, target.reportName, context) : error;
    }
    if (isCut)
      throw new PartialError('the server ignores StartItem: rows after the first page are missing', {
        code: 'page_repeated',
      });
    if (repeated && flags.strict)
      throw new PartialError('the rows may not be complete (--strict)', { code: 'rows_incomplete' });
  },
});

/** Whether the answer has columns that the request does not name. */
function isSplit({ SegmentIds, DateGrouping }: JsonRecord): boolean {
  return isFilledStructure(SegmentIds) || isPresent(DateGrouping);
}
