import { defineCommand } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { ENGINE_FLAG } from './engine/flags.ts';

export const syncCancel = defineCommand({
  name: 'cancel',
  effect: 'read',
  summary: 'remove the waiting and set-aside units of the queue',
  description:
    'Removes the units of the account that no worker has started, and those set aside. Workers finish the units in progress. Nothing is lost: the next plan has what the destination lacks.',
  options: ENGINE_FLAG,
  examples: { 'gatectl bda sync cancel --engine redis://queue.example.com': 'stop a backfill' },
  output: object({
    account: ['string', 'identifies the key, without showing it'],
    waiting: ['number', 'waiting units that were removed'],
    set_aside: ['number', 'set-aside units that were removed'],
    active: ['number', 'units still in progress'],
  }),
  async run({ engine }, context) {
    const { engineOf } = await import('../../framework/engine.ts');
    const { withAccountQueue } = await import('./engine/account-queue.ts');
    const { printAccount } = await import('./columns.ts');
    const { pluralize } = await import('../../../terminal/numbers.ts');
    await withAccountQueue(engineOf(engine, context), context, { creates: false }, async ({ queue }) => {
      const removed = await queue.cancel();
      const { active } = await queue.counts();
      const row = { account: queue.account, ...removed, active };
      const title = `${pluralize(removed.waiting + removed.set_aside, 'unit')} removed`;
      await printAccount(
        title,
        row,
        { waiting: 'Waiting', set_aside: 'Set aside', active: 'Active' },
        context,
      );
    });
  },
});
