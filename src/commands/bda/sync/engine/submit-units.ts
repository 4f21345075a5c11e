import { UsageError } from '../../../../errors/index.ts';
import { schemeOf } from '../../../../sync/destinations/schemes.ts';
import { groupsOf } from '../../../../sync/engine/unit-job.ts';
import type { UnitQueue } from '../../../../sync/engine/unit-queue.ts';
import { plannedBatches } from '../../../../sync/planned-units.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';
import { engineOf } from '../../../framework/engine.ts';
import { printAccount } from '../columns.ts';
import type { PlanFlags, SyncFlags } from '../flags.ts';
import { planOf } from '../plan-of.ts';
import { type PreparedSync, withPreparedSync } from '../prepare.ts';
import { setLimits, withAccountQueue } from './account-queue.ts';
import type { LimitFlags, QueueFlags } from './flags.ts';
import { setAsideError } from './queue-state.ts';

type SubmitFlags = SyncFlags & PlanFlags & QueueFlags & LimitFlags & { readonly tries: number };

/** Adds the units of a plan to the queue of the account, and prints how many. */
export async function submitUnits(flags: SubmitFlags, context: Context): Promise<void> {
  const engine = engineOf(flags.engine, context);
  await withPreparedSync(flags, context, async prepared => {
    requireSharedDestination(prepared);
    await withAccountQueue(engine, context, { creates: true }, async ({ queue }) => {
      await setLimits(queue, flags);
      const units = await submitPlan(prepared, flags, queue, context);
      await printSubmitted(units, prepared, queue, context);
    });
  });
}

async function printSubmitted(
  units: number,
  { destination }: PreparedSync,
  queue: UnitQueue,
  context: Context,
): Promise<void> {
  const { log } = context;
  const counts = await queue.counts();
  if (units === 0) log.note(`nothing to submit: ${destination.name} has all that the plan requires`);
  const failed = await setAsideError(queue);
  if (failed !== undefined) log.warn(failed.message, await context.hintsFor(failed));
  const row = { account: queue.account, submitted: units, ...counts };
  const titles = { submitted: 'Of the plan', waiting: 'Waiting', active: 'Active', set_aside: 'Set aside' };
  await printAccount(`${pluralize(units, 'unit')} of the plan in the queue`, row, titles, context);
}

/** Adds the units of a plan; those that are in the queue already remain as they are. Returns how many the plan has. */
async function submitPlan(
  prepared: PreparedSync,
  flags: SubmitFlags,
  queue: UnitQueue,
  context: Context,
): Promise<number> {
  const { tables, domains, destination } = prepared;
  const { options, unitContext } = await planOf(prepared, flags, context);
  const line = context.log.progress(undefined, 'units');
  const units = async function* () {
    for await (const batch of plannedBatches(tables, domains, destination, options)) {
      context.signal.throwIfAborted();
      yield batch;
    }
  };
  try {
    const groups = groupsOf(units(), queue.account, unitContext);
    return await queue.addGroups(groups, flags.tries, count => line.advance(count));
  } finally {
    line.finish();
  }
}

/** Throws UsageError for a destination that only one process can write. */
export function requireSharedDestination({ config, destination }: PreparedSync): void {
  if (schemeOf(config.destination) !== 'duckdb') return;
  throw new UsageError(
    `one process at a time can write ${destination.name}, so that workers cannot share it`,
    {
      code: 'invalid_input',
      hints: [
        'let workers write a lake (destination: FOLDER), and query it with gatectl bda sql --sync',
        'or fill the file with one process: gatectl bda sync run',
      ],
    },
  );
}
