import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateLimitError, UsageError } from '../../src/errors/index.ts';
import { backoffMs, isLongPause, isRetryable, RetryBudget, retryAfterMs } from '../../src/http/retry.ts';

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
    expect(retryAfterMs('120', now)).toBe(120_000);
    expect(retryAfterMs(' 0 ', now)).toBe(0);
  });

  test('is read as a date', () => {
    for (const text of [
      'Sat, 14 Mar 2026 12:00:30 GMT',
      'Saturday, 14-Mar-26 12:00:30 GMT',
      'Sat Mar 14 12:00:30 2026 GMT',
    ])
      expect(retryAfterMs(` ${text} `, now)).toBe(30_000);
  });

  test('in the past means now, and nonsense means nothing', () => {
    expect(retryAfterMs('Sat, 14 Mar 2026 11:00:00 GMT', now)).toBe(0);
    expect(retryAfterMs('soon', now)).toBeUndefined();
    for (const text of ['7 s', 'in 7', 'in 2030', '2.5', '-1'])
      expect(retryAfterMs(text, now)).toBeUndefined();
    expect(retryAfterMs('', now)).toBeUndefined();
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

describe('another try', () => {
  const MINUTE = 60_000;
  const kinds = ['unsent', 'transient', 'rate_limited', 'final'] as const;
  const retried = (idempotent: boolean, retryAfter?: number) =>
    kinds.filter(kind => isRetryable({ idempotent }, { kind, ...(retryAfter && { retryAfter }) }));

  test('is made of what was not sent, and of what may be sent twice, unless the failure is final', () => {
    expect(retried(false)).toEqual(['unsent']);
    expect(retried(true)).toEqual(['unsent', 'transient', 'rate_limited']);
  });

  test('is not made where the server asks to wait for more than a minute', () => {
    expect(retried(true, MINUTE)).toEqual(['unsent', 'transient', 'rate_limited']);
    expect(retried(true, MINUTE + 1)).toEqual([]);
  });

  test('after a limit, a pause of more than a minute is long', () => {
    const limited = (retryAfterMs?: number) =>
      new RateLimitError('no', {
        code: 'rate_limit_exceeded',
        request: {
          method: 'GET',
          origin: 'https://gateway.example.com',
          path: '/',
          ...(retryAfterMs && { retryAfterMs }),
        },
      });
    expect([undefined, MINUTE, MINUTE + 1].map(each => isLongPause(limited(each)))).toEqual([
      false,
      false,
      true,
    ]);
    expect(isLongPause(new RateLimitError('no', { code: 'rate_limit_exceeded' }))).toBe(false);
    expect(isLongPause(new UsageError('no'))).toBe(false);
  });
});

test('the retry budget is whole again when it is filled, and never more than that', () => {
  const budget = new RetryBudget();
  const left = () => {
    let taken = 0;
    while (budget.take()) taken += 1;
    return taken;
  };
  budget.succeeded();
  expect(left()).toBe(192);
  for (let success = 0; success < 3; success += 1) budget.succeeded();
  expect(budget.take()).toBe(false);
  budget.succeeded();
  expect(left()).toBe(1);
  budget.refill();
  expect(left()).toBe(192);
});
