import { stringifyJson } from '../../../json/index.ts';
import { boolean, defineCommand, inGroup, optional } from '../../framework/define-command.ts';
import { assertDistinctFiles } from '../../framework/file-arguments.ts';
import { inputName } from '../../framework/json-input.ts';
import { listOf } from '../../framework/output-schema.ts';
import { checkChartFlags } from '../rows/chart-flags.ts';
import { checkRowFlags } from '../rows/row-flags.ts';
import { checkSites } from '../rows/sites.ts';
import { checkedQuery } from './checked-query.ts';
import { QUERY_FLAGS } from './query-flags.ts';
import { misplacedName, requestFrom } from './query-input.ts';

export const query = defineCommand({
  name: 'query',
  summary: 'query analytics, or export all rows',
  description: `Queries analytics with flags, with JSON from a file or stdin, or both: flags override the JSON's fields. A table shows 100 rows, files and other formats contain all. Filters, days and exports: gatectl help filters, dates, output.`,
  arguments: {
    file: optional('file', 'query as JSON (- for stdin), before the flags', { completes: 'file' }),
  },
  options: {
    ...QUERY_FLAGS,
    ...inGroup('Query', { print: boolean('--print', 'print the query as JSON and send nothing') }),
  },
  examples: [
    {
      does: 'list the ten countries with the most visits in the last week',
      command:
        'gatectl bda query --data-set pageview -d country -m visits --sort visits:desc --limit 10 --last 7d',
    },
    {
      does: 'export all pages of last month with more than 100 visits',
      command:
        "gatectl bda query --data-set pageview -d page_url -m visits --filter 'visits>100' --previous month --out pages.csv",
    },
    {
      does: 'draw visits per day of last month, compared with the month before',
      command:
        'gatectl bda query --data-set pageview -d report_day -m visits --previous month --compare previous --chart',
    },
  ],
  output: listOf({
    '(column)': ['any', 'each requested dimension and metric; numbers keep all digits'],
  }),
  async run(flags, context) {
    checkRowFlags(flags);
    checkChartFlags(flags);
    assertDistinctFiles([['FILE', flags.file]], [['--out', flags.out]], context.io);
    const body = await requestFrom(flags.file, context).catch(error => {
      const columns = [...flags.dimension, ...flags.metric];
      throw (
        misplacedName(
          flags.file,
          { columns, hasDataSet: flags.dataSet !== undefined, last: flags.last },
          error,
        ) ?? error
      );
    });
    const checked = await checkedQuery(flags, body, context, {
      source: flags.file === undefined ? undefined : inputName(flags.file),
      isStdin: flags.file === '-',
      maySend: !flags.print && !context.globals.curl,
    });
    checkSites(checked.sites, flags);
    if (flags.print) return await context.out.printText(stringifyJson(checked.first, 2));
    try {
      const output = await checked.output();
      // The export engine is large, and only a query that is sent needs it.
      const { writeRows } = await import('../rows/write-rows.ts');
      await writeRows(output, context);
    } catch (error) {
      throw await checked.withFlags(error);
    }
  },
});
