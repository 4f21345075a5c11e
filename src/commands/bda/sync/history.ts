import type { Context } from '../../framework/context.ts';
import { defineCommand } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { SYNC_ARGUMENT } from './flags.ts';
import type { OpenSync } from './prepare.ts';

export const syncHistory = defineCommand({
  name: 'history',
  summary: 'list the latest runs',
  description: 'Prints what the last 30 runs wrote, the latest first. Sends nothing.',
  arguments: SYNC_ARGUMENT,
  options: {},
  examples: [{ does: 'what changed lately', command: 'gatectl bda sync history' }],
  output: listOf({
    started_at: ['string', 'when it started'],
    finished_at: ['string', 'when it ended'],
    partitions: ['number', 'partitions written'],
    added: ['number', 'of those, new ones'],
    changed: ['number', 'of those, ones with other rows than before'],
    rows: ['number', 'rows written'],
    requests: ['number', 'queries sent'],
    failed: ['number', 'partitions that failed'],
  }),
  async run({ file }, context) {
    const { withSync } = await import('./prepare.ts');
    await withSync({ file, table: [] }, context, sync => printHistory(sync, context));
  },
});

async function printHistory({ destination }: OpenSync, context: Context): Promise<void> {
  const runs = (await destination.runs()).map(({ startedAt, finishedAt, unlisted: _, ...counts }) => ({
    started_at: startedAt,
    finished_at: finishedAt,
    ...counts,
  }));
  const number = (key: string, title: string) => ({ key, title, kind: 'number' as const });
  await context.out.print(runs, {
    columns: [
      { key: 'started_at', title: 'Started', kind: 'time' },
      { key: 'finished_at', title: 'Finished', kind: 'time' },
      number('partitions', 'Partitions'),
      number('added', 'Added'),
      number('changed', 'Changed'),
      number('rows', 'Rows'),
      number('requests', 'Requests'),
      number('failed', 'Failed'),
    ],
    empty: 'no runs yet',
  });
}
