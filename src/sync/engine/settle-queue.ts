import { type ConvergeOptions, converge } from '../converge.ts';
import { queryHash } from '../table-query.ts';
import type { UnitContext } from '../unit-record.ts';
import type { QueueClock } from './job-queue.ts';
import { jobOf } from './unit-job.ts';
import type { UnitQueue } from './unit-queue.ts';
import type { WorkerSync } from './worker-options.ts';

/**
 * Adds units to a queue for the files that were written before a column type became wider, and waits for them, until there are none.
 * Resolves to whether there are none. Throws what `untilEmpty` throws.
 */
export async function settleQueue(
  { name, destination, tables, kindOf, today, plan, domains }: WorkerSync,
  queue: UnitQueue,
  {
    tries,
    clock,
    untilEmpty,
  }: {
    /** How often a unit is tried. */
    readonly tries: number;
    readonly clock: Pick<QueueClock, 'now'>;
    /** Resolves when no unit waits or is worked on. */
    readonly untilEmpty: () => Promise<void>;
  },
): Promise<boolean> {
  const listed = new Set(domains.map(({ id }) => id));
  const options: ConvergeOptions = {
    ...{ tables, destination },
    queryOf: table => queryHash(table, kindOf),
    isDue: (_, id) => listed.has(id),
  };
  return await converge(options, async units => {
    const plannedAt = new Date(clock.now()).toISOString();
    let context: UnitContext | undefined;
    for await (const unit of units) {
      context ??= { destination: name, today, plannedAt, kindOf, ...(await plan()) };
      await queue.add([jobOf(unit, queue.account, context)], tries);
    }
    if (context !== undefined) await untilEmpty();
  });
}
