import { expect, test } from 'vitest';
import { AdaptiveLimiter } from '../../src/http/adaptive-limiter.ts';
import type { Clock } from '../../src/http/clock.ts';

/** A clock whose sleepers wake when the test says so. */
function handClock() {
  let now = 0;
  const sleepers: { until: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    random: () => 0,
    sleep: ms => new Promise(wake => sleepers.push({ until: now + ms, wake })),
  };
  const pass = async (ms: number) => {
    now += ms;
    for (const sleeper of sleepers.splice(0)) {
      if (sleeper.until <= now) sleeper.wake();
      else sleepers.push(sleeper);
    }
    await new Promise(setImmediate);
  };
  return { clock, pass };
}

async function isThrough(entered: Promise<void>): Promise<boolean> {
  const later = new Promise<false>(resolve => setImmediate(() => resolve(false)));
  return await Promise.race([entered.then(() => true as const), later]);
}

const never = new AbortController().signal;

test('without a limit nobody waits', async () => {
  const { clock } = handClock();
  const pace = new AdaptiveLimiter(clock);
  for (let i = 0; i < 100; i += 1) expect(await isThrough(pace.enter(never))).toBe(true);
});

test('one limited request makes all the others wait, and halves them afterwards', async () => {
  const { clock, pass } = handClock();
  const pace = new AdaptiveLimiter(clock);
  for (let i = 0; i < 4; i += 1) await pace.enter(never);
  pace.backOff(1000);
  for (let i = 0; i < 4; i += 1) pace.leave();
  const entered = [0, 1, 2].map(() => pace.enter(never));
  expect(await isThrough(entered[0] as Promise<void>)).toBe(false);
  await pass(1000);
  expect(await Promise.all(entered.map(isThrough))).toEqual([true, true, false]);
  pace.leave();
  expect(await isThrough(entered[2] as Promise<void>)).toBe(true);
});

test('ten successes in a row let one more through', async () => {
  const { clock, pass } = handClock();
  const pace = new AdaptiveLimiter(clock);
  await pace.enter(never);
  pace.backOff(0);
  const second = pace.enter(never);
  await pass(0);
  expect(await isThrough(second)).toBe(false);
  for (let i = 0; i < 10; i += 1) pace.succeeded();
  expect(await isThrough(second)).toBe(true);
});

test('whoever waits for a place leaves when the user interrupts', async () => {
  const { clock } = handClock();
  const pace = new AdaptiveLimiter(clock);
  await pace.enter(never);
  pace.backOff(0);
  const stop = new AbortController();
  const waiting = pace.enter(stop.signal);
  const reason = new Error('stop');
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
