import { UsageError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, list, string } from '../../framework/define-command.ts';
import type { OpenSync } from '../../framework/open-sync.ts';
import { listOf } from '../../framework/output-schema.ts';
import { numberColumns } from './columns.ts';
import { SYNC_ARGUMENT } from './flags.ts';

export const syncHistory = defineCommand({
  name: 'history',
  effect: 'read',
  summary: 'list the latest runs, or the files of an earlier day',
  description:
    'Prints what the last 30 runs wrote, the latest first. With --as-of, prints the files that contained the rows of each partition at the end of that day (UTC), for tables with history: true. Sends nothing.',
  arguments: SYNC_ARGUMENT,
  options: {
    asOf: string('--as-of <day>', 'list the files with the rows that the tables had on this day'),
    table: list('--table <names>', 'with --as-of, only these tables, comma-separated or repeated'),
  },
  examples: {
    'gatectl bda sync history': 'what changed lately',
    "gatectl bda sync history --as-of 2026-03-31 --jq '[.[].path]'":
      'the files with the figures of the end of March',
  },
  output: listOf({
    started_at: ['string?', 'of a run: when it started'],
    finished_at: ['string?', 'of a run: when it finished'],
    partitions: ['number?', 'of a run: partitions that it replaced or found unchanged'],
    added: ['number?', 'of a run: new partitions'],
    changed: ['number?', 'of a run: partitions with other rows than before'],
    requests: ['number?', 'of a run: queries sent'],
    failed: ['number?', 'of a run: partitions that failed'],
    rows: ['number', 'rows in these partitions, or in the file'],
    table: ['string?', 'of a file: the table'],
    domain: ['string?', 'of a file: the site'],
    domain_id: ['number?', 'of a file: the id of the site'],
    partition: ['string?', 'of a file: the partition'],
    valid_from: ['string?', 'of a file: when its rows were first written'],
    valid_to: ['string|null?', 'of a file: when they were replaced; null for those that are in force'],
    path: [
      'string|null?',
      'of a file: where it is; null if it was changed or removed before it could be stored',
    ],
  }),
  async run(flags, context) {
    const { asOf, table, file } = flags;
    if (asOf === undefined && table.length > 0)
      throw new UsageError('--table requires --as-of', { code: 'missing_argument' });
    const { withSync } = await import('../../framework/open-sync.ts');
    await withSync({ file, table }, context, async sync => {
      if (asOf === undefined) return await printHistory(sync, context);
      const { printVersions } = await import('./print-versions.ts');
      await printVersions(sync, asOf, context);
    });
  },
});

async function printHistory({ destination }: OpenSync, context: Context): Promise<void> {
  const runs = (await destination.runs()).map(({ startedAt, finishedAt, unlisted: _, ...counts }) => ({
    started_at: startedAt,
    finished_at: finishedAt,
    ...counts,
  }));
  await context.out.print(runs, {
    columns: [
      { key: 'started_at', title: 'Started', kind: 'time' },
      { key: 'finished_at', title: 'Finished', kind: 'time' },
      ...numberColumns({ partitions: 'Partitions', added: 'Added', changed: 'Changed' }),
      ...numberColumns({ rows: 'Rows', requests: 'Requests', failed: 'Failed' }),
    ],
    empty: 'no runs yet',
  });
}
