import { isPresent } from '../../../apis/bda/fields.ts';
import { DATA_REQUEST } from '../../../documents/bda-v1.ts';
import { defineCommand, optional } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { checkChartFlags } from '../flags/chart-flags.ts';
import { checkedReport } from '../flags/checked-report.ts';
import { RUN_FLAGS, requestsAllRows } from '../flags/report-flags.ts';
import { requestFrom } from '../flags/request-input.ts';
import { checkRowFlags, resumeCommand, rowCountOf, tableRowsOf } from '../flags/row-flags.ts';

export const reportRun = defineCommand({
  name: 'run',
  effect: 'read',
  summary: 'run a saved report, or query columns',
  description: `Runs a predefined report by name, a custom report by --id, or a query of the columns in -d and -m. --request reads a data request as JSON; flags override its fields.

Some reports have a default date range. For others, and for columns, set the days: --last 7d, --previous month, or --from and --to.

A filter is a column, an operator and one value: 'visits>3', 'visits>=3', or an API operator between colons: 'page_url:contains:news'. To match several values, such as countries, create a segment and pass it with --segment. Several segments split each row.

Tables, md and html show the first 100 rows; --all shows all. Files, charts and all other formats contain all rows unless --limit is given. All rows are fetched in pages of 10,000 (see --page-size) until a page is empty or the same as the previous one: this API reports no total.`,
  arguments: { name: optional('name', 'a predefined report', { completes: 'report' }) },
  options: RUN_FLAGS,
  examples: {
    'gatectl bda report run Countries --previous month --limit 10':
      'run a predefined report for the last month',
    "gatectl bda report run --id 101 --last 4w --segment 'North America' --segment 2 --out report.csv":
      'export a custom report, split by two segments',
    'gatectl bda report run Countries --last 4w --all --compare year -o html > countries.html':
      'compare a report with a year earlier, as an HTML page',
    'gatectl bda report run -d country -m visits,revenue --sort visits:desc --group-by week --last 4w':
      'query columns per week without a saved report',
  },
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
    let tableRows: number | undefined;
    const report = await checkedReport(flags, body, context, async () => {
      const all = flags.all || (requestsAllRows(body) && flags.limit === undefined);
      const hasLimit = isPresent(body.MaxItems) && !requestsAllRows(body);
      const count = await rowCountOf({ ...flags, all }, hasLimit, context);
      tableRows = count.tableRows;
      return count.all;
    });
    // The export engine is large, and only a request that is sent needs it.
    const { writeRows } = await import('../output/write-rows.ts');
    await report.run(async rows => {
      const output = {
        ...{ ...rows, flags, tableRows: tableRowsOf(tableRows, report.sites) },
        resumeCommand: resumeCommand(RUN_FLAGS, report.exactDays, context),
        readsStdin: flags.request === '-',
      };
      await writeRows(output, context);
    });
  },
});
