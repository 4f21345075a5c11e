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

/** The classes of BullMQ, of a server whose queues are empty. */
const BULLMQ = {
  Queue: class {
    on() {}
    async waitUntilReady() {}
    async getJobCounts() {
      return {};
    }
  },
  Worker: class {
    on() {}
    async waitUntilReady() {}
    async run() {}
    async startStalledCheckTimer() {}
    async getNextJob() {}
    async close() {}
    async disconnect() {}
  },
};

test('a worker that was stopped waits for nothing, so that its process ends at once', async () => {
  const clock = endlessClock();
  const connection = { bullmq: BULLMQ, connection: {}, backend: undefined } as unknown as EngineConnection;
  const queue = new UnitQueue(connection, 'account', clock);
  const options = { connection, queue, clock, name: 'host/1', concurrency: 1, lostAfter: 1000 };
  const worker = new UnitWorker(options as unknown as WorkerOptions);
  worker.start();
  await worker.stop();
  await new Promise(setImmediate);
  expect(clock.waits()).toBe(0);
});
