import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs, RetryBudget, retryAfterMs } from '../../src/http/retry.ts';

describe('the pause before another try', () => {
  test('has full jitter under a ceiling that doubles from 100 ms to 20 s', () => {
    const almost = () => 0.999999;
    expect([0, 1, 2, 7, 8, 20].map(attempt => backoffMs(attempt, false, almost))).toEqual([
      100, 200, 400, 12_800, 20_000, 20_000,
    ]);
    expect(backoffMs(5, false, () => 0)).toBe(0);
  });

  test('starts at 500 ms after a rate or concurrency limit', () => {
    expect(backoffMs(0, true, () => 0.5)).toBe(250);
  });

  test('never leaves its bounds', () => {
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.boolean(),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, limited, chance) => {
          const wait = backoffMs(attempt, limited, () => chance);
          return wait >= 0 && wait <= 20_000;
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 2, 14, 12);

  test('is read as seconds', () => {
    expect(retryAfterMs('7', now)).toBe(7000);
    expect(retryAfterMs(' 0 ', now)).toBe(0);
  });

  test('is read as a date', () => {
    expect(retryAfterMs('Sat, 14 Mar 2026 12:00:30 GMT', now)).toBe(30_000);
  });

  test('in the past means now, and nonsense means nothing', () => {
    expect(retryAfterMs('Sat, 14 Mar 2026 11:00:00 GMT', now)).toBe(0);
    expect(retryAfterMs('soon', now)).toBeUndefined();
    expect(retryAfterMs(undefined, now)).toBeUndefined();
  });
});

describe('the retry budget of the process', () => {
  test('rides out one failure in five forever', () => {
    const budget = new RetryBudget();
    for (let round = 0; round < 1000; round += 1) {
      expect(budget.take()).toBe(true);
      for (let success = 0; success < 4; success += 1) budget.succeeded();
    }
  });

  test('ends after three retries of 64 requests in flight when nothing succeeds', () => {
    const budget = new RetryBudget();
    let taken = 0;
    while (budget.take()) taken += 1;
    expect(taken).toBe(192);
  });
});
