import { defineCommand, list, oneOf, string } from '../../framework/define-command.ts';
import { NOTHING } from '../../framework/output-schema.ts';
import { SYNC_ARGUMENT } from './flags.ts';

export const syncInit = defineCommand({
  name: 'init',
  effect: 'read',
  summary: 'write a sync file',
  description:
    'Writes a sync file with one table, to be edited: more tables, filters and other settings are described in gatectl docs sync. On a terminal, it prompts for what no flag sets, and offers the data sets, columns and sites of the gateway. With --data-set, --metric and --start it sends nothing.',
  arguments: SYNC_ARGUMENT,
  options: {
    table: string('--table <name>', 'the name of the table (default that of the data set)'),
    dataSet: string('--data-set <name>', 'the data set (see bda data-sets)', { completes: 'data-set' }),
    dimension: list('-d, --dimension <columns>', 'group by these columns, comma-separated or repeated', {
      completes: 'column',
    }),
    metric: list('-m, --metric <columns>', 'these metrics, comma-separated or repeated', {
      completes: 'column',
    }),
    start: string('--start <day>', 'the first day, YYYY-MM-DD'),
    partition: oneOf('--partition <size>', 'what one file contains (default month)', ['month', 'day']),
    domain: list('--domain <names>', 'only these sites, comma-separated or repeated (default: all)', {
      completes: 'domain',
      isPasted: true,
    }),
    destination: string('--destination <place>', 'a folder (default lake), duckdb:FILE, or a URL', {
      completes: 'directory',
    }),
  },
  examples: {
    'gatectl bda sync init': 'with prompts',
    'gatectl bda sync init --data-set pageview -d country,device -m visits,revenue --start 2026-01-01':
      'one table of all sites',
  },
  output: NOTHING,
  async run(flags, context) {
    const { writeSyncFile } = await import('./write-sync-file.ts');
    await writeSyncFile(flags, context);
  },
});
