import { defineCommand, list, oneOf, optional, string } from '../../framework/define-command.ts';
import { NOTHING } from '../../framework/output-schema.ts';
import { COMPARED, REPORT_DAYS } from './new-report-file.ts';

export const reportInit = defineCommand({
  name: 'init',
  effect: 'read',
  summary: 'write a report file',
  description:
    'Writes a report file for bda report build, to be edited: the metrics per day, and by each dimension. On a terminal, it prompts for what no flag sets, and offers the data sets and columns of the gateway. With --data-set and --metric it sends nothing. An existing file is never overwritten.',
  arguments: { file: optional('file', 'the new file (default report.yaml)') },
  options: {
    title: string('--title <text>', 'the title of the report'),
    dataSet: string('--data-set <name>', 'the data set (see bda data-sets)', { completes: 'data-set' }),
    metric: list('-m, --metric <columns>', 'these metrics, comma-separated or repeated'),
    dimension: list('-d, --dimension <columns>', 'a section for each of these columns'),
    days: oneOf('--days <days>', 'the last days, or the previous week or month (default 7d)', REPORT_DAYS),
    compare: oneOf('--compare <with>', 'compare the days with previous (default) or year', COMPARED),
  },
  examples: {
    'gatectl bda report init': 'with prompts',
    'gatectl bda report init monthly.yaml --data-set pageview -m visits,revenue -d country --days month':
      'visits and revenue of a month, by country',
  },
  output: NOTHING,
  async run(flags, context) {
    const { writeReportFile } = await import('./write-report-file.ts');
    await writeReportFile(flags, context);
  },
});
