import { connectEngine, type EngineConnection } from '../../../../sync/engine/connect.ts';
import type { Engine } from '../../../../sync/engine/engine-url.ts';
import { windowOf } from '../../../../sync/engine/rate.ts';
import { UnitQueue } from '../../../../sync/engine/unit-queue.ts';
import type { WorkerSync } from '../../../../sync/engine/worker-options.ts';
import type { Context } from '../../../framework/context.ts';
import { machineClock } from '../../../framework/lock-machine.ts';
import { latestDaysOf, lookbackOf, type PreparedSync } from '../prepare.ts';
import type { LimitFlags } from './flags.ts';

/** The queue of the account whose key this command uses. */
export interface AccountQueue {
  readonly queue: UnitQueue;
  readonly connection: EngineConnection;
}

/**
 * Runs `work` with the queue of the account. `creates` allows creating the tables of a PostgreSQL engine. Throws UsageError,
 * AuthError, NetworkError and the errors of `work`.
 */
export async function withAccountQueue<Value>(
  engine: Engine,
  context: Context,
  { creates }: { readonly creates: boolean },
  work: (queue: AccountQueue) => Promise<Value>,
): Promise<Value> {
  const account = await accountOf(context);
  const clock = machineClock(context);
  const connection = await connectEngine(engine, creates, clock);
  try {
    warnOfClock(connection, context);
    const queue = new UnitQueue(connection, account, clock);
    try {
      return await work({ queue, connection });
    } finally {
      await queue.close();
    }
  } finally {
    await connection.close();
  }
}

/** The clocks of workers count how long a unit is locked, and in PostgreSQL the windows of the rate. */
const MOST_SKEW_MS = 2000;

function warnOfClock({ engine, skewMs }: EngineConnection, { log }: Context): void {
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return;
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  log.warn(
    `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} that of ${engine.name}: workers exceed the rate of the account, or request units twice; synchronize the clocks (NTP)`,
  );
}

/** Identifies the key and its gateway in the name of a queue, without showing the key. Throws AuthError without a key. */
async function accountOf(context: Context): Promise<string> {
  const { baseUrl } = await context.settings();
  const origin = baseUrl.value === undefined ? '' : new URL(baseUrl.value).origin;
  return await context.keyHash(`sync queue of ${origin}`);
}

/** A sync as a worker uses it. */
export function workerSync(prepared: PreparedSync, context: Context): WorkerSync {
  const { config, destination, kindOf, today, domains } = prepared;
  return {
    ...{ name: config.destination, destination, tables: config.tables, kindOf, today, domains },
    plan: async () => {
      const lookback = await lookbackOf(undefined, prepared, context);
      return { lookback, latestDays: await latestDaysOf(prepared, lookback, context) };
    },
  };
}

/** Stores the limits that a command line sets. */
export async function setLimits(queue: UnitQueue, flags: LimitFlags): Promise<void> {
  const { 'account-rate': rate, 'account-concurrency': concurrency } = flags;
  await queue.setLimits({ rate: rate === undefined ? undefined : windowOf(rate), concurrency });
}
