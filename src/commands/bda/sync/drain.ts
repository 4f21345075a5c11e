import { defineCommand } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { DEADLINE_FLAG, ENGINE_FLAG } from './engine/flags.ts';
import { SYNC_ARGUMENT } from './flags.ts';

export const syncDrain = defineCommand({
  name: 'drain',
  effect: 'read',
  summary: 'wait until the workers have emptied the queue',
  description:
    'Waits until no unit of the account is waiting or in progress. Where files carry their own column types and a type became wider, it submits the earlier partitions again and waits for them, which requires the sync file. Exit code 7 if units are set aside, which it lists.',
  arguments: SYNC_ARGUMENT,
  options: { ...ENGINE_FLAG, ...DEADLINE_FLAG },
  examples: { 'gatectl bda sync submit && gatectl bda sync drain': 'submit, and wait for the workers' },
  output: object({
    account: ['string', 'identifies the key, without showing it'],
    done: ['number', 'units that left the queue while it waited'],
    failed: ['array', 'set-aside units: unit, table, domain, from, to, tries, error, at'],
  }),
  async run(flags, context) {
    const { drainQueue } = await import('./engine/drain-queue.ts');
    await drainQueue(flags, context);
  },
});
