import { expect, test } from 'vitest';
import type { EngineConnection } from '../../../src/sync/engine/connect.ts';
import { UnitQueue } from '../../../src/sync/engine/unit-queue.ts';
import { UnitWorker } from '../../../src/sync/engine/unit-worker.ts';
import type { WorkerOptions } from '../../../src/sync/engine/worker-options.ts';

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
  { bullmq }: ReturnType<typeof emptyQueues>,
  clock: ReturnType<typeof endlessClock>,
  onEngineError = (_message: string) => {},
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
