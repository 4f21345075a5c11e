import { SYNC_FILE } from '../../../../sync/config.ts';
import type { UnitQueue } from '../../../../sync/engine/unit-queue.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import type { Progress } from '../../../../terminal/progress.ts';
import type { Context } from '../../../framework/context.ts';
import { readSync, withPreparedSync } from '../prepare.ts';
import { DEFAULT_TRIES } from '../submit.ts';
import { engineOf, withAccountQueue } from './account-queue.ts';
import { setAsideError, setAsideOf } from './queue-state.ts';
import { submitPlan } from './submit-units.ts';

/** How often to look at the queue, in milliseconds. */
const LOOK_MS = 1000;
/** Types settle within a few passes, because each only becomes wider. */
const MOST_PASSES = 8;

/** Waits until the queue is empty. Throws PartialError for set-aside units. */
export async function drainQueue(
  flags: { readonly file: string | undefined; readonly engine: string | undefined },
  context: Context,
): Promise<void> {
  const engine = engineOf(flags.engine, context);
  // Before the wait, which may take hours.
  await readSync(flags.file ?? SYNC_FILE, context, {
    reason: 'drain reads it to submit partitions again for which a type became wider',
  });
  await withAccountQueue(engine, context, { creates: false }, async ({ queue }) => {
    const waiter = new Waiter(queue, context);
    await waiter.wait();
    for (let pass = 0; pass < MOST_PASSES; pass++)
      if ((await submitWidened(flags, queue, context)) > 0) await waiter.wait();
      else break;
    const { failed, sections } = await setAsideOf(queue);
    const row = { account: queue.account, done: waiter.done };
    const first = {
      title: 'The queue is empty',
      data: [row],
      view: {
        columns: [
          { key: 'account', title: 'Account', kind: 'text' as const },
          { key: 'done', title: 'Done', kind: 'number' as const },
        ],
      },
    };
    const data = { ...row, failed: [...failed] };
    if (failed.length === 0) return await context.out.printResult(data, [first], [row]);
    await context.out.printSections(data, [first, ...sections], [...failed]);
    const error = await setAsideError(queue);
    if (error !== undefined) throw error;
  });
}

/** Submits the partitions that were written with narrower types than those of today, where files carry their own. Returns how many units. */
async function submitWidened(
  { file }: { readonly file: string | undefined },
  queue: UnitQueue,
  context: Context,
): Promise<number> {
  return await withPreparedSync({ file, table: [], domain: [] }, context, async prepared => {
    if (!prepared.destination.rewritesForTypes) return 0;
    const plan = { lookback: undefined, refetch: undefined, tries: DEFAULT_TRIES };
    return await submitPlan(prepared, plan, queue, context, ({ reason }) => reason === 'schema');
  });
}

/** Waits for a queue, with a line of progress. */
class Waiter {
  readonly #queue: UnitQueue;
  readonly #context: Context;
  done = 0;

  constructor(queue: UnitQueue, context: Context) {
    this.#queue = queue;
    this.#context = context;
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
