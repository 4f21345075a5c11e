import { defineCommand, integer } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { ENGINE_FLAG, LIMIT_FLAGS } from './engine/flags.ts';
import { PLAN_FLAGS, SCOPE_FLAGS, SYNC_ARGUMENT } from './flags.ts';

/** How often a unit is tried before it is set aside. */
export const DEFAULT_TRIES = 5;

const TRIES_FLAG = {
  tries: integer('--tries <n>', 'maximum attempts per unit before it is set aside', {
    min: 1,
    max: 100,
    fallback: DEFAULT_TRIES,
  }),
};

export const syncSubmit = defineCommand({
  name: 'submit',
  effect: 'read',
  summary: 'add the units of a plan to a queue for workers',
  description:
    'Plans as run does, and adds each unit to the queue of the account in BullMQ, on Redis or PostgreSQL, for the workers of any number of machines. A unit that is in the queue already is not added twice. Limits hold for all workers of the account together.',
  arguments: SYNC_ARGUMENT,
  options: { ...ENGINE_FLAG, ...PLAN_FLAGS, ...SCOPE_FLAGS, ...LIMIT_FLAGS, ...TRIES_FLAG },
  examples: {
    'gatectl bda sync submit --engine redis://queue.example.com': 'to Redis',
    'gatectl bda sync submit --engine postgres://gatectl@db.example.com/jobs --account-rate 20':
      'to PostgreSQL, at most 20 units a second',
  },
  output: object({
    account: ['string', 'identifies the key, without showing it'],
    submitted: ['number', 'units of the plan, including those that were in the queue before'],
    waiting: ['number', 'units that wait, of all plans'],
    delayed: ['number', 'units that wait for their next try'],
    active: ['number', 'units in progress'],
    set_aside: ['number', 'units that failed, and are not tried again'],
  }),
  async run(flags, context) {
    const { submitUnits } = await import('./engine/submit-units.ts');
    await submitUnits(flags, context);
  },
});
