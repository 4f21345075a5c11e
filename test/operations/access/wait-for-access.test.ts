import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckedAccess } from '../../../src/apis/subscriptions/access.ts';
import { ApiError, NetworkError } from '../../../src/errors/index.ts';
import type { Clock } from '../../../src/http/clock.ts';
import { waitForAccess } from '../../../src/operations/access/wait-for-access.ts';
import { DECISIONS, type Decision } from '../../../src/wire/subscriptions.ts';

/** What one check does: a decision, or an error. */
type Step = Decision | 'unreachable';

const access = (decision: Decision): CheckedAccess => ({
  decision,
  reasonCode: decision,
  allowed: decision === 'allowed',
  data: { decision },
});

/** A watch over checks that take 100 ms each, on a clock of its own; the last step is repeated. */
async function watched(
  steps: readonly Step[],
  options: { until?: 'allowed' | 'denied'; timeLimit?: number } = {},
) {
  let now = 0;
  let checks = 0;
  const starts: number[] = [];
  const failures: string[] = [];
  const clock: Clock = {
    now: () => now,
    random: () => 0,
    sleep: async ms => {
      now += ms;
    },
  };
  const changes: string[] = [];
  const watch = waitForAccess(
    async () => {
      starts.push(now);
      now += 100;
      const step = steps[Math.min(checks, steps.length - 1)] ?? 'allowed';
      checks += 1;
      if (step === 'unreachable') throw new NetworkError('unreachable', { code: 'connection_refused' });
      return access(step);
    },
    {
      until: options.until ?? 'allowed',
      timeLimit: options.timeLimit ?? 60_000,
      interval: 5000,
      clock,
      signal: new AbortController().signal,
      onFailure: error => failures.push(error.message),
    },
  );
  let error: unknown;
  try {
    for await (const change of watch)
      changes.push(`${change.at} ${change.access.decision} ${change.isAwaited}`);
  } catch (thrown) {
    error = thrown;
  }
  return { changes, starts, failures, error };
}

test('each change is seen within one interval, and the awaited one ends the watch', async () => {
  const { changes, starts } = await watched(['denied', 'denied', 'expired', 'allowed', 'denied']);
  expect(changes).toEqual(['100 denied false', '10300 expired false', '15400 allowed true']);
  expect(starts).toEqual([0, 5100, 10_200, 15_300]);
});

test('a watch for denied ends at any decision but allowed', async () => {
  expect((await watched(['allowed', 'revoked'], { until: 'denied' })).changes).toEqual([
    '100 allowed false',
    '5200 revoked true',
  ]);
});

test('without time there is one check', async () => {
  expect((await watched(['denied'], { timeLimit: 0 })).starts).toEqual([0]);
});

test('a last check is made when the time is over', async () => {
  const { starts, changes } = await watched(['denied'], { timeLimit: 12_000 });
  expect(starts).toEqual([0, 5100, 10_200, 12_000]);
  expect(changes).toEqual(['100 denied false']);
});

test('failed checks are repeated and reported once in a row', async () => {
  const { changes, failures, error } = await watched(['denied', 'unreachable', 'unreachable', 'allowed']);
  expect(changes).toEqual(['100 denied false', '15400 allowed true']);
  expect(failures).toEqual(['unreachable']);
  expect(error).toBeUndefined();
});

test('a watch whose last check failed ends with that failure', async () => {
  const { error } = await watched(['denied', 'unreachable'], { timeLimit: 7000 });
  expect(error).toBeInstanceOf(NetworkError);
});

test('a permanent error ends the watch immediately', async () => {
  const broken = new ApiError('not a site of this account', { code: 'validation_error' });
  const watch = waitForAccess(() => Promise.reject(broken), {
    until: 'allowed',
    timeLimit: 60_000,
    interval: 1000,
    clock: { now: () => 0, random: () => 0, sleep: () => Promise.reject(new Error('slept')) },
    signal: new AbortController().signal,
    onFailure: () => {},
  });
  await expect(watch.next()).rejects.toBe(broken);
});

test('whatever happens, checks never overlap and start an interval apart', async () => {
  const step = fc.constantFrom<Step>(...DECISIONS, 'unreachable');
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 0, max: 90_000 }),
      async (steps, timeLimit) => {
        const { starts, changes } = await watched(steps, { timeLimit });
        const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
        for (const gap of gaps.slice(0, -1)) expect(gap).toBe(5100);
        expect(starts.length).toBeLessThanOrEqual(Math.ceil(timeLimit / 5100) + 1);
        const decisions = changes.map(change => change.split(' ')[1]);
        for (const [index, decision] of decisions.entries()) expect(decision).not.toBe(decisions[index - 1]);
      },
    ),
  );
});
