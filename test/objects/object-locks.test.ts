import { expect, onTestFinished, test } from 'vitest';
import type { LockMachine } from '../../src/files/lock.ts';
import { Bucket } from '../../src/objects/bucket.ts';
import { ObjectLocks } from '../../src/objects/object-locks.ts';
import { parseS3Url } from '../../src/objects/s3-location.ts';
import { BUCKET, fakeS3 } from '../support/fake-s3.ts';
import { someTime, until } from '../support/wait.ts';

const TIMING = { heartbeatMs: 40, expiryMs: 60_000, pollMs: 5 };

/** A store, and processes on machines of their own. */
async function machines() {
  const store = await fakeS3();
  onTestFinished(() => store.close());
  const on = (host: string, { pid = 1, isRunning = true, now = Date.now, timing = TIMING } = {}) => {
    const identity = { pid, host, boot: host, pidNamespace: undefined, startTime: undefined };
    const machine = {
      platform: process.platform,
      identify: () => identity,
      find: () => (isRunning ? { startTime: undefined } : undefined),
      now,
      sleep: (ms: number) => someTime(Math.min(ms, 20)),
    } as unknown as LockMachine;
    const bucket = new Bucket(parseS3Url(`s3://${BUCKET}/lake`), {
      env: store.env,
      signal: new AbortController().signal,
    });
    onTestFinished(() => bucket.close());
    return new ObjectLocks(bucket, machine, timing);
  };
  /** The object of a process that was killed. */
  const leave = (host: string, pid: number, modified = Date.now()) => {
    const body = JSON.stringify({ id: 'abc', pid, host, boot: host, since: '2026-03-14T12:00:00.000Z' });
    store.objects.set('lake/run.lock/abc.json', {
      body: Buffer.from(body),
      etag: 'x',
      modified: new Date(modified),
    });
  };
  return { store, on, leave };
}

const ignore = () => {};

test('many processes that start at once take turns', async () => {
  const { store, on } = await machines();
  let inside = 0;
  let most = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: 4 }, (_, index) =>
      on(`host-${index}.example.com`).hold('run', ignore, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await someTime(5);
        inside -= 1;
        done += 1;
      }),
    ),
  );
  expect([most, done]).toEqual([1, 4]);
  expect([...store.objects.keys()]).toEqual([]);
});

test('the process that holds the lock is named to one that waits', async () => {
  const { on } = await machines();
  let holder = '';
  let second: Promise<void> = Promise.resolve();
  await on('a.example.com', { pid: 7 }).hold('run', ignore, async () => {
    const isWaiting = new Promise<void>(resolve => {
      second = on('b.example.com').hold(
        'run',
        message => {
          holder = message;
          resolve();
        },
        async () => {},
      );
    });
    await isWaiting;
  });
  await second;
  expect(holder).toMatch(/^s3:\/\/news-data\/lake is locked by pid 7 on a\.example\.com since /);
});

test('the lock of a process that was killed on this machine is taken over at once', async () => {
  const { store, on, leave } = await machines();
  leave('a.example.com', 42);
  let waited = 0;
  await on('a.example.com', { isRunning: false }).hold(
    'run',
    () => {
      waited += 1;
    },
    async () => {},
  );
  expect([waited, store.objects.size]).toEqual([0, 0]);
});

test('the lock of a process on another machine is taken over when it has not been renewed for a minute by the clock of the store', async () => {
  const { store, on, leave } = await machines();
  // The clock of the store is an hour ahead.
  const now = Date.now() + 3_600_000;
  store.now = () => now;
  leave('a.example.com', 42, now - 59_000);
  expect(await on('b.example.com').isLocked('run')).toBe(true);
  leave('a.example.com', 42, now - 62_000);
  expect(await on('b.example.com').isLocked('run')).toBe(false);
  await on('b.example.com').hold('run', ignore, async () => {});
  expect(store.objects.size).toBe(0);
});

test('a lock is renewed while it is held', async () => {
  const { store, on } = await machines();
  await on('a.example.com').hold('run', ignore, async () => {
    const writes = () => store.writes().length;
    const before = writes();
    await until(() => writes() >= before + 3);
  });
  const count = store.writes().length;
  await someTime(3 * TIMING.heartbeatMs);
  expect(store.writes().length).toBe(count);
});

test('a process that was stopped for too long, and lost its lock meanwhile, writes no more', async () => {
  const { store, on } = await machines();
  let now = Date.now();
  const stopped = on('a.example.com', { now: () => now, timing: { ...TIMING, heartbeatMs: 3_600_000 } });
  await stopped.hold('run', ignore, async () => {
    await stopped.assertHeld();
    now += 120_000;
    store.now = () => now;
    // Still there: nobody wanted it.
    await stopped.assertHeld();
    now += 120_000;
    await on('b.example.com').hold('run', ignore, async () => {
      await expect(stopped.assertHeld()).rejects.toThrow('the lock of s3://news-data/lake was lost');
    });
    await expect(stopped.assertHeld()).rejects.toThrow('was lost');
  });
  expect(store.objects.size).toBe(0);
});

test('a store whose listings lag behind is rejected', async () => {
  const { store, on } = await machines();
  store.intercept = ({ key }) =>
    key === ''
      ? { status: 200, body: '<?xml version="1.0"?><ListBucketResult></ListBucketResult>' }
      : undefined;
  await expect(on('a.example.com').hold('run', ignore, async () => {})).rejects.toThrow(
    's3://news-data/lake: a listing lacks an object that was just written',
  );
  expect(store.objects.size).toBe(0);
});
