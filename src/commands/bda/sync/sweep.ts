import { defineCommand } from '../../framework/define-command.ts';
import { concurrencyFlag } from '../../framework/shared-flags.ts';
import { METRICS_FLAG } from './engine/flags.ts';
import { SCOPE_FLAGS, SYNC_ARGUMENT } from './flags.ts';
import { RUN_OUTPUT } from './run.ts';

export const syncSweep = defineCommand({
  name: 'sweep',
  effect: 'read',
  summary: 'find figures that changed late, and request them again',
  description:
    'Compares what the gateway has of each metric on each day with what it had when the rows were requested, in one request for each site and table, and requests the partitions again of which a value changed, however old.',
  arguments: SYNC_ARGUMENT,
  options: { ...SCOPE_FLAGS, ...METRICS_FLAG, concurrency: concurrencyFlag() },
  examples: { 'gatectl bda sync sweep --quiet': 'every week' },
  output: RUN_OUTPUT,
  async run(flags, context) {
    const { sweepAll } = await import('./run-all.ts');
    await sweepAll(flags, context);
  },
});
