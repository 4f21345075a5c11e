import { defineCommand } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { ENGINE_FLAG } from './engine/flags.ts';

export const syncRetry = defineCommand({
  name: 'retry',
  effect: 'read',
  summary: 'return the set-aside units to the queue',
  description:
    'Returns the units that failed and were set aside to the queue of the account, and resets their attempts. status lists them with their errors. Units whose sync file has changed since they were submitted fail again: remove them with cancel, and submit the plan again.',
  options: ENGINE_FLAG,
  examples: { 'gatectl bda sync retry --engine redis://queue.example.com': 'after the cause is fixed' },
  output: object({
    account: ['string', 'identifies the key, without showing it'],
    returned: ['number', 'units that wait again'],
  }),
  async run({ engine }, context) {
    const { engineOf } = await import('../../framework/engine.ts');
    const { withAccountQueue } = await import('./engine/account-queue.ts');
    const { printAccount } = await import('./columns.ts');
    const { pluralize } = await import('../../../terminal/numbers.ts');
    await withAccountQueue(engineOf(engine, context), context, { creates: false }, async ({ queue }) => {
      const returned = await queue.retry();
      const row = { account: queue.account, returned };
      const title = `${pluralize(returned, 'unit')} returned to the queue`;
      await printAccount(title, row, { returned: 'Returned' }, context);
    });
  },
});
