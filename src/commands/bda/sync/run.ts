import { defineCommand } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { concurrencyFlag } from '../../framework/shared-flags.ts';
import { PLAN_FLAGS, SCOPE_FLAGS, SYNC_ARGUMENT } from './flags.ts';

/** What `run` and `sweep` write as JSON. */
export const RUN_OUTPUT = object({
  destination: ['string', 'where the tables are'],
  tables: [
    'array',
    'for each table: partitions written, added, changed, unchanged and failed ones, rows, requests',
  ],
  failures: ['array', 'what failed: table, domain, from, to and error'],
});

export const syncRun = defineCommand({
  name: 'run',
  summary: 'bring the tables up to date',
  description:
    'Requests the partitions that the destination lacks and those that may have changed, and replaces each as a whole. After an interruption, run it again: it continues where it stopped. Partitions that fail are listed, the others are written, and the exit code is 7.',
  arguments: SYNC_ARGUMENT,
  options: { ...PLAN_FLAGS, ...SCOPE_FLAGS, concurrency: concurrencyFlag() },
  examples: [
    { does: 'as gatectl.sync.yaml says', command: 'gatectl bda sync run' },
    { does: 'from cron: print problems only', command: 'gatectl bda sync run --quiet' },
    { does: 'request a month again', command: 'gatectl bda sync run --refetch 2026-03' },
  ],
  output: RUN_OUTPUT,
  async run(flags, context) {
    const { runAll } = await import('./run-all.ts');
    await runAll(flags, context);
  },
});
