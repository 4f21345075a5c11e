import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { defineCommand, list, oneOf, string } from '../../framework/define-command.ts';
import { NOTHING } from '../../framework/output-schema.ts';
import { splitNames } from '../request-flags.ts';
import { SYNC_ARGUMENT } from './flags.ts';

export const syncInit = defineCommand({
  name: 'init',
  summary: 'write a sync file',
  description:
    'Writes a sync file with one table, to be edited: more tables, filters and other settings are described in docs/sync.md. Sends nothing.',
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
    destination: string('--destination <folder>', 'the folder for the files (default lake)', {
      completes: 'directory',
    }),
  },
  examples: [
    {
      does: 'one table of all sites',
      command:
        'gatectl bda sync init --data-set pageview -d country,device -m visits,revenue --start 2026-01-01',
    },
  ],
  output: NOTHING,
  async run(flags, { io, log }) {
    const required = (name: string, value: string | undefined): string => {
      if (value !== undefined) return value;
      throw new UsageError(`${name} is required`, {
        code: 'missing_argument',
        hints: ['type gatectl bda sync init --data-set pageview -m visits --start 2026-01-01'],
      });
    };
    const dataSet = required('--data-set', flags.dataSet);
    const metrics = splitNames('--metric', flags.metric);
    required('--metric', metrics?.[0]);
    const { Document, isMap, isSeq } = await import('yaml');
    const { parseSyncConfig, SYNC_FILE } = await import('../../../sync/config.ts');
    const file = flags.file ?? SYNC_FILE;
    const document = new Document({
      destination: flags.destination ?? 'lake',
      domains: splitNames('--domain', flags.domain) ?? 'all',
      tables: {
        [flags.table ?? dataSet.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')]: {
          data_set: dataSet,
          dimensions: splitNames('--dimension', flags.dimension) ?? [],
          metrics: metrics ?? [],
          start: required('--start', flags.start),
          partition: flags.partition ?? 'month',
        },
      },
    });
    document.commentBefore = ` gatectl bda sync run ${file}`;
    const flow = (node: unknown): void => {
      if (isSeq(node)) node.flow = true;
      if (isMap(node)) for (const { value } of node.items) flow(value);
    };
    flow(document.contents);
    const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
    parseSyncConfig(file, text);
    const path = resolve(io.cwd, file);
    const exists = await stat(path).then(
      () => true,
      () => false,
    );
    if (exists)
      throw new UsageError(`${file} already exists`, {
        code: 'name_exists',
        hints: ['edit it, or name another file'],
      });
    await writeAtomic(path, text);
    log.info(`wrote ${file}; next: gatectl bda sync plan${flags.file === undefined ? '' : ` ${file}`}`);
  },
});
