import { boolean, defineCommand, inGroup, optional } from '../../framework/define-command.ts';
import { assertDistinctFiles } from '../../framework/file-arguments.ts';
import { inputName } from '../../framework/json-input.ts';
import { listOf } from '../../framework/output-schema.ts';
import { QUERY_FLAGS } from '../flags/query-flags.ts';
import { misplacedName, requestFrom } from '../flags/request-input.ts';
import { runQuery } from '../output/run-query.ts';

/** The flags of a query that runs. */
export const RUN_FLAGS = {
  ...QUERY_FLAGS,
  ...inGroup('Query', { print: boolean('--print', 'print the query as JSON and send nothing') }),
};

export const QUERY_OUTPUT = listOf({
  '(column)': ['any', 'each requested dimension and metric; numbers keep all digits'],
});

export const query = defineCommand({
  name: 'query',
  effect: 'read',
  summary: 'query analytics, or export all rows',
  description: `Queries analytics with flags, with JSON from a file or stdin, or both: flags override the JSON's fields. A table shows 100 rows, files and other formats contain all. Filters, days and exports: gatectl help filters, dates, output.`,
  arguments: {
    file: optional('file', 'query as JSON (- for stdin), before the flags'),
  },
  options: RUN_FLAGS,
  examples: {
    'gatectl bda query --data-set pageview -d country -m visits --sort visits:desc --limit 10 --last 7d':
      'list the ten countries with the most visits in the last week',
    "gatectl bda query --data-set pageview -d page_url -m visits --filter 'visits>100' --previous month --out pages.csv":
      'export all pages of last month with more than 100 visits',
    'gatectl bda query --data-set pageview -d report_day -m visits --previous month --compare previous --chart':
      'draw visits per day of last month, compared with the month before',
  },
  output: QUERY_OUTPUT,
  async run(flags, context) {
    const readBody = async () => {
      assertDistinctFiles([['FILE', flags.file]], [['--out', flags.out]], context.io);
      return await requestFrom(flags.file, context).catch(async error => {
        const columns = [...flags.dimension, ...flags.metric];
        const { queryFiles } = await import('../../../config/query-files.ts');
        const isSaved = (file: string) => queryFiles(context.io).some(({ name }) => name === file);
        const words = { columns, hasDataSet: flags.dataSet !== undefined, isSaved };
        throw misplacedName(flags.file, words, error) ?? error;
      });
    };
    const source = flags.file === undefined ? undefined : inputName(flags.file);
    await runQuery({ flags, readBody, source, isStdin: flags.file === '-' }, context);
  },
});
