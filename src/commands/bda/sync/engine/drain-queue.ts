import type { PartialError } from '../../../../errors/index.ts';
import { SYNC_FILE } from '../../../../sync/config.ts';
import { earlierTypesError } from '../../../../sync/converge.ts';
import { settleQueue } from '../../../../sync/engine/settle-queue.ts';
import type { UnitQueue } from '../../../../sync/engine/unit-queue.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import type { Progress } from '../../../../terminal/progress.ts';
import type { Context } from '../../../framework/context.ts';
import { engineOf } from '../../../framework/engine.ts';
import { machineClock } from '../../../framework/lock-machine.ts';
import { readSync } from '../../../framework/open-sync.ts';
import { accountSection } from '../columns.ts';
import type { AnyRunFlags, SyncFlags } from '../flags.ts';
import { withPreparedSync } from '../prepare.ts';
import { DEFAULT_TRIES } from '../submit.ts';
import { withAccountQueue, workerSync } from './account-queue.ts';
import { type Deadline, deadlineOf } from './deadline.ts';
import type { QueueFlags } from './flags.ts';
import { setAsideError, setAsideOf } from './queue-state.ts';

/** How often to look at the queue, in milliseconds. */
const LOOK_MS = 1000;

type DrainFlags = Pick<SyncFlags, 'file'> & QueueFlags & Pick<AnyRunFlags, 'deadline'>;

/** Waits until the queue is empty. Throws PartialError for set-aside units, for what is left at the deadline, and for earlier column types. */
export async function drainQueue(flags: DrainFlags, context: Context): Promise<void> {
  const engine = engineOf(flags.engine, context);
  // Before the wait, which may take hours.
  await readSync(flags.file ?? SYNC_FILE, context, {
    reason: 'drain reads it to submit partitions again for which a type became wider',
  });
  await withAccountQueue(engine, context, { creates: false }, async ({ queue }) => {
    const waiter = new Waiter(queue, context, deadlineOf(flags.deadline, machineClock(context)));
    await waiter.wait();
    const unsettled = await settle(flags, queue, waiter, context);
    const { failed, sections } = await setAsideOf(queue);
    const row = { account: queue.account, done: waiter.done };
    const first = accountSection('The queue is empty', row, { done: 'Done' });
    const data = { ...row, failed: [...failed] };
    if (failed.length === 0) {
      await context.out.printResult(data, [first], [row]);
      if (unsettled !== undefined) throw unsettled;
      return;
    }
    await context.out.printSections(data, [first, ...sections], [...failed]);
    const error = await setAsideError(queue);
    if (error !== undefined) throw error;
  });
}

/** Has the partitions written again that have earlier column types; resolves to the error if some are left. */
async function settle(
  { file }: Pick<DrainFlags, 'file'>,
  queue: UnitQueue,
  waiter: Waiter,
  context: Context,
): Promise<PartialError | undefined> {
  return await withPreparedSync({ file, table: [], domain: [] }, context, async prepared => {
    const sync = workerSync(prepared, context);
    const lasting = { tries: DEFAULT_TRIES, clock: machineClock(context), untilEmpty: () => waiter.wait() };
    return (await settleQueue(sync, queue, lasting)) ? undefined : earlierTypesError(sync);
  });
}

/** Waits for a queue, with a line of progress. */
class Waiter {
  readonly #queue: UnitQueue;
  readonly #context: Context;
  readonly #deadline: Deadline;
  done = 0;

  constructor(queue: UnitQueue, context: Context, deadline: Deadline) {
    this.#queue = queue;
    this.#context = context;
    this.#deadline = deadline;
  }

  async wait(): Promise<void> {
    const { clock, log, signal } = this.#context;
    const workers = await this.#queue.workers();
    let left = await this.#left();
    if (left > 0 && workers === 0)
      log.note(
        `${pluralize(left, 'unit')} in the queue, and no worker: start some with gatectl bda sync worker`,
      );
    const line: Progress = log.progress(left, 'units');
    try {
      while (left > 0) {
        this.#deadline.check(left);
        await clock.sleep(LOOK_MS, signal);
        const now = await this.#left();
        // Units that workers add for what is left of others make the queue longer again.
        if (now < left) {
          this.done += left - now;
          line.advance(left - now);
        }
        left = now;
      }
    } finally {
      line.finish();
    }
  }

  async #left(): Promise<number> {
    const { waiting, delayed, active } = await this.#queue.counts();
    return waiting + delayed + active;
  }
}
