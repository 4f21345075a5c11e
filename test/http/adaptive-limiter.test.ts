import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AdaptiveLimiter, type LimiterOptions, type Permit } from '../../src/http/adaptive-limiter.ts';
import { forEachConcurrently } from '../../src/http/concurrent.ts';
import { VirtualTime } from './virtual-time.ts';

/** A server as its clients see it: how long it takes, and whether it refuses. */
interface Server {
  /** Milliseconds for a request that arrives as the `inFlight`th. */
  readonly takes: (inFlight: number, time: VirtualTime) => number;
  readonly refuses?: (inFlight: number, time: VirtualTime) => boolean;
  /** Whether it answers with a 503 or closes the connection, after `failsAfterMs`. */
  readonly fails?: (inFlight: number, time: VirtualTime) => boolean;
  readonly failsAfterMs?: number;
  /** Of the refusals; without it the client waits for 250 ms. */
  readonly retryAfterMs?: number;
}

interface Outcome {
  readonly ms: number;
  /** The most requests that were in flight, and the most after the first refusal had come. */
  readonly most: number;
  readonly mostAfterRefusal: number;
  readonly refused: number;
  readonly failed: number;
  readonly limit: number;
}

const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

/** Sends requests as a purge does: each again until it is accepted. */
async function purge(
  server: Server,
  requests: number,
  { fixed, seed = 1, ...options }: LimiterOptions & { fixed?: number; seed?: number } = {},
): Promise<Outcome> {
  const time = new VirtualTime(seed);
  const limiter = new AdaptiveLimiter(time, fixed === undefined ? options : { start: fixed, most: fixed });
  let inFlight = 0;
  let accepted = 0;
  let most = 0;
  let mostAfterRefusal = 0;
  let refused = 0;
  let failed = 0;
  let learned = false;

  const send = async (): Promise<void> => {
    for (;;) {
      const permit = await limiter.acquire(NEVER);
      const began = time.now();
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (learned) mostAfterRefusal = Math.max(mostAfterRefusal, inFlight);
      const isRefused = server.refuses?.(accepted + 1, time) ?? false;
      if (server.fails?.(accepted + 1, time)) {
        await time.sleep(server.failsAfterMs ?? 1);
        inFlight -= 1;
        failed += 1;
        limiter.failed(permit);
        limiter.release(permit);
        await time.sleep(Math.round(100 * time.random()));
        continue;
      }
      if (!isRefused) accepted += 1;
      await time.sleep(isRefused ? 1 : server.takes(accepted, time));
      if (!isRefused) accepted -= 1;
      inFlight -= 1;
      if (isRefused) {
        refused += 1;
        limiter.backOff(permit, server.retryAfterMs ?? 250);
        limiter.release(permit);
        // What was sent with it is refused in the same moment.
        setImmediate(() => {
          learned = true;
        });
        continue;
      }
      limiter.release(permit);
      limiter.succeeded(permit, time.now() - began);
      return;
    }
  };
  const items = (async function* () {
    yield* Array.from({ length: requests }, (_, index) => index);
  })();
  const { ms } = await time.run(
    forEachConcurrently(items, send, { most: undefined, capacity: () => limiter.limit }),
  );
  return { ms, most, mostAfterRefusal, refused, failed, limit: limiter.limit };
}

describe('requests to a server that takes 20 ms, however many they are', () => {
  const server: Server = { takes: () => 20 };

  test('soon take a fraction of the time of eight at once', async () => {
    const { ms } = await purge(server, 1000);
    expect(ms).toBeLessThan(0.3 * (1000 / 8) * 20);
  });

  test('are never more than the most that is allowed', async () => {
    const { most } = await purge(server, 500, { most: 10 });
    expect(most).toBe(10);
  });
});

describe('requests to a server that degrades with load', () => {
  test.each<[string, Server['takes']]>([
    ['does one after the other', inFlight => 20 * inFlight],
    ['takes a little longer for each', inFlight => 20 * (1 + inFlight / 16)],
    ['is best at four', inFlight => 20 * (1 + (inFlight / 4) ** 2)],
    ['is best at eight', inFlight => 20 * (1 + (inFlight / 8) ** 2)],
    ['is best at two', inFlight => 20 * (1 + (inFlight / 2) ** 2)],
    ['breaks down above six', inFlight => (inFlight > 6 ? 400 : 20)],
    ['takes as long as it likes', (_, time) => -20 * Math.log(1 - time.random())],
  ])('that %s: no worse than a fixed four', async (_, takes) => {
    const fixed = await purge({ takes }, 2000, { fixed: 4 });
    const adaptive = await purge({ takes }, 2000);
    expect(adaptive.ms).toBeLessThan(1.1 * fixed.ms);
  });

  test('whatever the curve: no worse than a fixed four, by more than a tenth', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          knee: fc.double({ min: 1, max: 40, noNaN: true }),
          power: fc.double({ min: 0, max: 2, noNaN: true }),
          noise: fc.double({ min: 0, max: 0.5, noNaN: true }),
          seed: fc.nat(),
        }),
        async ({ knee, power, noise, seed }) => {
          const takes: Server['takes'] = (inFlight, time) =>
            20 * (1 + (inFlight / knee) ** power) * (1 + noise * time.random());
          const fixed = await purge({ takes }, 1500, { fixed: 4, seed });
          const adaptive = await purge({ takes }, 1500, { seed });
          expect(adaptive.ms).toBeLessThan(1.1 * fixed.ms);
        },
      ),
      { numRuns: 30, seed: 20 },
    );
  });

  test('decrease when the server slows down under load, and increase when it is fast again', async () => {
    const limits: number[] = [];
    const from = new VirtualTime().now();
    const takes: Server['takes'] = (inFlight, time) => {
      const isBusy = time.now() - from > 2_000 && time.now() - from < 6_000;
      limits.push(inFlight);
      return isBusy ? 20 * inFlight : 20;
    };
    await purge({ takes }, 12_000);
    expect(Math.max(...limits.slice(0, 4_000))).toBe(64);
    expect(limits.at(-1)).toBeGreaterThan(16);
  });
});

describe('requests to a server that rejects a fifth in flight', () => {
  const server: Server = { takes: () => 20, refuses: inFlight => inFlight > 4 };

  test('are never more than four again once one was rejected', async () => {
    const { mostAfterRefusal, refused } = await purge(server, 3000);
    expect(mostAfterRefusal).toBe(4);
    expect(refused).toBe(4);
  });

  test('take about as long as four at once', async () => {
    const { ms } = await purge(server, 3000);
    expect(ms).toBeLessThan(1.1 * (3000 / 4) * 20);
  });

  test('try one more after a while, and each time later', async () => {
    const { refused } = await purge(server, 60_000);
    // Five minutes: after 30 s, 60 s more, and 120 s more.
    expect(refused).toBe(4 + 3);
  });

  test('find any other number too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async bound => {
        const { ms } = await purge({ ...server, refuses: inFlight => inFlight > bound }, 1500);
        expect(ms).toBeLessThan(1.3 * (1500 / bound) * 20 + 2500);
      }),
      { numRuns: 20, seed: 20 },
    );
  });
});

describe('requests to a server that fails a fifth in flight, with a 503 or a closed connection', () => {
  const fails: Server['fails'] = inFlight => inFlight > 4;

  test('are four at once after a few failures', async () => {
    const { ms, failed } = await purge({ takes: () => 20, fails }, 3000);
    expect(ms).toBeLessThan(1.1 * (3000 / 4) * 20);
    expect(failed).toBeLessThan(20);
  });

  test('find any other number too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 20 }),
        async (bound, takes) => {
          const server: Server = {
            takes: () => 20,
            fails: inFlight => inFlight > bound,
            failsAfterMs: takes,
          };
          const { ms, failed } = await purge(server, 1500);
          expect(ms).toBeLessThan(1.5 * (1500 / bound) * 20 + 500);
          expect(failed).toBeLessThan(192);
        },
      ),
      { numRuns: 40, seed: 20 },
    );
  });

  test('are as many as without failures if one in fifty fails by chance', async () => {
    const { ms } = await purge({ takes: () => 20, fails: (_, time) => time.random() < 0.02 }, 3000);
    expect(ms).toBeLessThan(0.8 * (3000 / 4) * 20);
  });

  test('stay as many during an outage, so that the error comes as soon', () => {
    const limiter = new AdaptiveLimiter(new VirtualTime());
    for (let request = 0; request < 100; request += 1) {
      const permit = limiter.tryAcquire(NEVER);
      if (permit === undefined) throw new Error('no permit');
      limiter.failed(permit);
      limiter.release(permit);
    }
    expect(limiter.limit).toBe(4);
  });
});

describe('a response with Retry-After', () => {
  test('pauses all requests for as long', async () => {
    const sent: number[] = [];
    const from = new VirtualTime().now();
    let refusals = 0;
    const refuses: Server['refuses'] = (_, time) => {
      sent.push(time.now() - from);
      refusals += 1;
      return refusals === 3;
    };
    await purge({ takes: () => 20, refuses, retryAfterMs: 5000 }, 40);
    expect(sent.filter(at => at > 20 && at < 5000)).toEqual([]);
    expect(sent.length).toBe(41);
  });

  test('from a server with a limit per second: no request is lost, and the pauses are respected', async () => {
    let left = 50;
    let second = 0;
    const refuses: Server['refuses'] = (_, time) => {
      const now = Math.floor(time.now() / 1000);
      if (now !== second) left = 50;
      second = now;
      left -= 1;
      return left < 0;
    };
    const { ms } = await purge({ takes: () => 20, refuses, retryAfterMs: 1000 }, 500);
    expect(ms).toBeLessThan(25_000);
  });
});

describe('requests that wait', () => {
  test('are served in their order', async () => {
    const time = new VirtualTime();
    const limiter = new AdaptiveLimiter(time, { start: 1, most: 1 });
    const first = await limiter.acquire(NEVER);
    const served: number[] = [];
    const waiting = [1, 2, 3].map(async number => {
      const permit = await limiter.acquire(NEVER);
      served.push(number);
      limiter.release(permit);
    });
    limiter.release(first);
    await Promise.all(waiting);
    expect(served).toEqual([1, 2, 3]);
  });

  test('leave when the user interrupts, and the next one is served', async () => {
    const limiter = new AdaptiveLimiter(new VirtualTime(), { start: 1 });
    const first = await limiter.acquire(NEVER);
    const stop = new AbortController();
    const reason = new Error('stop');
    const left = limiter.acquire(stop.signal);
    const next = limiter.acquire(NEVER);
    stop.abort(reason);
    await expect(left).rejects.toBe(reason);
    limiter.release(first);
    await next;
  });

  test('leave no timer behind when all of them leave during a pause', async () => {
    const time = new VirtualTime();
    const limiter = new AdaptiveLimiter(time);
    const permit = await limiter.acquire(NEVER);
    limiter.backOff(permit, 60_000);
    limiter.release(permit);
    const stop = new AbortController();
    const left = limiter.acquire(stop.signal);
    stop.abort(new Error('stop'));
    await expect(left).rejects.toThrow('stop');
    const later = limiter.acquire(NEVER);
    expect((await time.run(later)).ms).toBe(60_000);
  });

  test('fail with the refusal when a pause is too long to wait for, and so do later ones until a minute is left of five', async () => {
    const time = new VirtualTime();
    const limiter = new AdaptiveLimiter(time, { start: 2 });
    const refusal = (leftMs: number) => new Error(`${leftMs} ms left`);
    const permits = [await limiter.acquire(NEVER), await limiter.acquire(NEVER)] as const;
    const waiting = Promise.allSettled([limiter.acquire(NEVER), limiter.acquire(NEVER)]);
    limiter.backOff(permits[0], 7_200_000, refusal);
    const left = { status: 'rejected', reason: new Error('7200000 ms left') };
    expect(await time.run(waiting)).toEqual({ value: [left, left], ms: 0 });
    for (const permit of permits) limiter.release(permit);
    await time.run(time.sleep(200_000));
    expect(() => limiter.tryAcquire(NEVER)).toThrow('7000000 ms left');
    await expect(limiter.acquire(NEVER)).rejects.toThrow('7000000 ms left');
    await time.run(time.sleep(40_000));
    expect((await time.run(limiter.acquire(NEVER))).ms).toBe(60_000);
  });

  test.each([30_000, 7_200_000])('are served at once when a pause of %i ms is ended', async ms => {
    const time = new VirtualTime();
    const limiter = new AdaptiveLimiter(time, { start: 1 });
    const permit = await limiter.acquire(NEVER);
    limiter.backOff(permit, ms, () => new Error('refused'));
    limiter.release(permit);
    const waiting = ms < 60_000 ? [limiter.acquire(NEVER)] : [];
    limiter.endPause();
    const [served = await limiter.acquire(NEVER)] = await Promise.all(waiting);
    limiter.release(served);
    expect((await time.run(limiter.acquire(NEVER))).ms).toBe(0);
  });

  test('wait for a pause of a minute', async () => {
    const time = new VirtualTime();
    const limiter = new AdaptiveLimiter(time, { start: 1 });
    const permit = await limiter.acquire(NEVER);
    limiter.backOff(permit, 60_000, () => new Error('refused'));
    limiter.release(permit);
    expect((await time.run(limiter.acquire(NEVER))).ms).toBe(60_000);
  });

  test('of two commands on one limiter are served alike', async () => {
    const time = new VirtualTime();
    const limiter = new AdaptiveLimiter(time, { start: 4, most: 4 });
    const done = { one: 0, other: 0 };
    const flow = async (name: 'one' | 'other', workers: number) => {
      const work = async () => {
        while (done.one + done.other < 400) {
          const permit = await limiter.acquire(NEVER);
          await time.sleep(20);
          limiter.release(permit);
          done[name] += 1;
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
    };
    await time.run(Promise.all([flow('one', 4), flow('other', 4)]));
    expect(Math.abs(done.one - done.other)).toBeLessThan(10);
  });
});

describe('a request ahead of its turn', () => {
  test('is sent only where there is room and no other waits', async () => {
    const limiter = new AdaptiveLimiter(new VirtualTime(), { start: 2 });
    const first = await limiter.acquire(NEVER);
    expect(limiter.acquireAhead(() => true)).toBeDefined();
    expect(limiter.acquireAhead(() => true)).toBeUndefined();
    limiter.backOff(first, 1000);
    limiter.release(first);
    expect(limiter.acquireAhead(() => true)).toBeUndefined();
  });

  test('makes room for one whose turn it is, the newest first', async () => {
    const limiter = new AdaptiveLimiter(new VirtualTime(), { start: 3 });
    const revoked: string[] = [];
    const ahead = (name: string, mayGo = true) => {
      const permit: Permit | undefined = limiter.acquireAhead(() => {
        revoked.push(name);
        if (mayGo && permit !== undefined) setImmediate(() => limiter.release(permit));
        return mayGo;
      });
    };
    ahead('first');
    ahead('second');
    ahead('its turn has come', false);
    await limiter.acquire(NEVER);
    expect(revoked).toEqual(['its turn has come', 'second']);
    await limiter.acquire(NEVER);
    expect(revoked.at(-1)).toBe('first');
  });
});

describe('requests that hang', () => {
  /** Eight requests in flight, of which four are answered again and again, and the others not. */
  function halfHangs() {
    let now = 0;
    const limiter = new AdaptiveLimiter(
      { now: () => now, random: () => 0, sleep: async () => {} },
      { start: 8 },
    );
    const take = () => limiter.tryAcquire(NEVER) as Permit;
    const permits = Array.from({ length: 8 }, take);
    const answered = permits.slice(4);
    const answer = (rounds: number) => {
      for (let i = 0; i < rounds; i += 1)
        for (const [index, permit] of answered.entries()) {
          now += 40;
          limiter.succeeded(permit, 20);
          limiter.release(permit);
          answered[index] = take();
        }
    };
    return { limiter, hanging: permits.slice(0, 4), answer };
  }

  test('while some are overdue, the limit does not grow', () => {
    const { limiter, answer } = halfHangs();
    answer(30);
    expect(limiter.limit).toBe(8);
  });

  test('each lowers the limit by one, and it stays there', () => {
    const { limiter, hanging, answer } = halfHangs();
    answer(5);
    for (const permit of hanging) {
      limiter.hung(permit);
      limiter.release(permit);
    }
    expect(limiter.limit).toBe(4);
    answer(30);
    expect(limiter.limit).toBe(4);
  });

  test('the limit is at least one', () => {
    const limiter = new AdaptiveLimiter(new VirtualTime(1), { start: 1 });
    const permit = limiter.tryAcquire(NEVER) as Permit;
    limiter.hung(permit);
    limiter.release(permit);
    expect(limiter.limit).toBe(1);
  });
});

test('a rate limit response to a request that was alone pauses the next, and lowers no limit', async () => {
  const time = new VirtualTime(1);
  const limiter = new AdaptiveLimiter(time);
  const permit = await limiter.acquire(NEVER);
  limiter.backOff(permit, 500);
  limiter.release(permit);
  expect(limiter.limit).toBe(4);
  expect(limiter.tryAcquire(NEVER)).toBeUndefined();
  await time.run(time.sleep(500));
  const together = [1, 2, 3].map(() => limiter.tryAcquire(NEVER));
  expect(together).not.toContain(undefined);
  const [first] = together;
  if (first === undefined) return expect.unreachable();
  limiter.backOff(first, 500);
  expect(limiter.limit).toBe(1);
});

test('of requests with a deadline the newest is sent first, and none overtakes one without a deadline that is first', async () => {
  const limiter = new AdaptiveLimiter(new VirtualTime(1), { start: 1 });
  let held = await limiter.acquire(NEVER);
  const served: string[] = [];
  const wait = (name: string, hasDeadline: boolean) =>
    limiter.acquire(NEVER, hasDeadline).then(permit => {
      served.push(name);
      held = permit;
    });
  const waiting = [wait('a', true), wait('b', false), wait('c', true), wait('d', true), wait('e', false)];
  for (const _ of waiting) {
    const count = served.length;
    limiter.release(held);
    await expect.poll(() => served.length).toBe(count + 1);
  }
  expect(served).toEqual(['d', 'c', 'a', 'b', 'e']);
});
