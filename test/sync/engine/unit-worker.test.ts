import { expect, test } from 'vitest';
import type { SyncTable } from '../../../src/sync/config.ts';
import type { EngineConnection } from '../../../src/sync/engine/connect.ts';
import { jobOf } from '../../../src/sync/engine/unit-job.ts';
import { UnitQueue } from '../../../src/sync/engine/unit-queue.ts';
import { UnitWorker } from '../../../src/sync/engine/unit-worker.ts';
import type { UnitOutcome, WorkerOptions } from '../../../src/sync/engine/worker-options.ts';
import { tableOf } from '../tables.ts';

/** A clock whose waits end only when they are no longer needed. */
function endlessClock() {
  let waits = 0;
  const sleep = async (_ms: number, signal?: AbortSignal) => {
    waits += 1;
    await new Promise((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
    }).finally(() => {
      waits -= 1;
    });
  };
  return { now: () => 0, sleep, waits: () => waits };
}

type OnError = (error: Error) => void;

/** The classes of BullMQ, of a server whose queues are empty, and what listens to errors of the workers. */
function emptyQueues() {
  const onErrors: OnError[] = [];
  const bullmq = {
    Queue: class {
      on() {}
      async waitUntilReady() {}
      async getJobCounts() {
        return {};
      }
    },
    Worker: class {
      on(event: string, listener: OnError) {
        if (event === 'error') onErrors.push(listener);
      }
      async waitUntilReady() {}
      async run() {}
      async startStalledCheckTimer() {}
      async getNextJob() {}
      async close() {}
      async disconnect() {}
    },
  };
  return { bullmq, onErrors };
}

function workerOf(
  { bullmq }: { readonly bullmq: object },
  clock: ReturnType<typeof endlessClock>,
  onEngineError = (_message: string) => {},
  others: object = {},
) {
  const connection = { bullmq, connection: {}, backend: undefined } as unknown as EngineConnection;
  const queue = new UnitQueue(connection, 'account', clock);
  const options = {
    connection,
    queue,
    clock,
    name: 'host/1',
    concurrency: 1,
    lostAfter: 1000,
    onEngineError,
    ...others,
  };
  return new UnitWorker(options as unknown as WorkerOptions);
}

test('a worker that was stopped waits for nothing, so that its process ends at once', async () => {
  const clock = endlessClock();
  const worker = workerOf(emptyQueues(), clock);
  worker.start();
  await worker.stop();
  await new Promise(setImmediate);
  expect(clock.waits()).toBe(0);
});

test('connections that end after a worker was stopped are no failures of the queue', async () => {
  const queues = emptyQueues();
  const failures: string[] = [];
  const worker = workerOf(queues, endlessClock(), message => failures.push(message));
  worker.start();
  const [first, ...others] = queues.onErrors;
  first?.(new Error('lost'));
  await worker.stop();
  for (const onError of [first, ...others]) onError?.(new Error('Connection terminated unexpectedly'));
  expect([queues.onErrors.length, failures]).toEqual([2, ['lost']]);
});

interface CarriedOut {
  readonly table: SyncTable;
  /** The sync file of the worker. */
  readonly tables: readonly SyncTable[];
  readonly isInQueue: boolean;
}

/** Carries out the first try of a unit, whose lock is gone while its site is locked; resolves to its outcome and the error for BullMQ. */
async function carryOut({ table, tables, isInQueue }: CarriedOut) {
  const unit = { table, domain: { id: 7, name: 'site-7.example.com' }, partitions: [], rows: undefined };
  const days = { from: '2026-03-13', to: '2026-03-13' };
  const { id, data } = jobOf({ ...unit, days, requests: 1 }, 'account', {
    ...{ destination: 'lake', today: '2026-03-14', plannedAt: '2026-03-14T12:00:00.000Z', lookback: 7 },
    ...{ latestDays: new Map(), kindOf: () => undefined },
  });
  const held = new AbortController();
  const fails: ((ids: readonly string[]) => void)[] = [];
  let work: (job: object, token: string, lost: AbortSignal) => Promise<void> = async () => {};
  const queues = emptyQueues();
  const bullmq = {
    WaitingError: class WaitingError extends Error {},
    UnrecoverableError: class UnrecoverableError extends Error {},
    Queue: class extends queues.bullmq.Queue {
      async getJob() {
        return isInQueue ? { id } : undefined;
      }
    },
    Worker: class extends queues.bullmq.Worker {
      constructor(_name: string, process: typeof work | undefined) {
        super();
        if (process !== undefined) work = process;
      }
      override on(event: string, listener: never) {
        if (event === 'lockRenewalFailed') fails.push(listener);
      }
      cancelJob() {
        held.abort();
      }
    },
  };
  let outcome: unknown[] = [];
  const destination = {
    lockSite: async (_table: string, _id: number, write: () => Promise<void>) => {
      await new Promise(resolve => {
        held.signal.addEventListener('abort', resolve);
      });
      await write();
    },
  };
  workerOf({ bullmq }, endlessClock(), () => {}, {
    signal: new AbortController().signal,
    redact: (text: string) => text,
    syncs: [{ name: 'lake', destination, tables, kindOf: () => undefined }],
    onStarted: () => {},
    onFinished: ({ result, error }: Pick<UnitOutcome, 'result' | 'error'>) => {
      outcome = [result, error];
    },
  });
  const carriedOut = work({ id, data, opts: { attempts: 5 }, attemptsMade: 0 }, 'token', held.signal);
  // The worker of groups is opened first.
  fails.at(-1)?.([id]);
  const error = await carriedOut.catch((error: Error) => error.constructor.name);
  return { outcome, error };
}

test.each([
  ['is not in the queue any more is lost', false, 'lost', 'the queue no longer has it'],
  ['has another lock is returned', true, 'returned', 'another worker has taken it over'],
])('a unit in hand that %s', async (_, isInQueue, result, error) => {
  const table = tableOf();
  expect(await carryOut({ table, tables: [table], isInQueue })).toEqual({
    outcome: [result, error],
    error: 'WaitingError',
  });
});

test.each([
  [
    'another query',
    [tableOf({ metrics: ['revenue'] })],
    'the sync file of this worker has another query for',
  ],
  ['no such table', [], 'this worker has no sync file with the table pages in lake'],
])('a unit is set aside at once at a worker whose sync file has %s', async (_, tables, message) => {
  const { outcome, error } = await carryOut({ table: tableOf(), tables, isInQueue: true });
  expect([outcome, error]).toEqual([['set_aside', expect.stringContaining(message)], 'UnrecoverableError']);
});
