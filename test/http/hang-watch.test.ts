import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HangWatch } from '../../src/http/hang-watch.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch with one request that waits, and later ones that were answered after so many milliseconds each. */
function overtakenBy(...latencies: readonly number[]) {
  const watch = new HangWatch();
  const waited: number[] = [];
  const request = watch.begin(ms => waited.push(ms));
  const answer = (ms: number | undefined) => watch.end(watch.begin(undefined), ms);
  for (const ms of latencies) answer(ms);
  return { watch, request, waited, answer };
}

test('a request hangs that two later ones have overtaken, after five seconds', () => {
  const { waited } = overtakenBy(20, 20);
  vi.advanceTimersByTime(4_999);
  expect(waited).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(waited).toEqual([5_000]);
  vi.advanceTimersByTime(600_000);
  expect(waited).toEqual([5_000]);
});

test('one later answer, or failures, prove nothing', () => {
  const { waited, answer } = overtakenBy(20);
  for (let i = 0; i < 9; i += 1) answer(undefined);
  vi.advanceTimersByTime(600_000);
  expect(waited).toEqual([]);
});

test('earlier requests prove nothing', () => {
  const watch = new HangWatch();
  const earlier = [0, 1, 2].map(() => watch.begin(undefined));
  const waited: number[] = [];
  watch.begin(ms => waited.push(ms));
  for (const request of earlier) watch.end(request, 20);
  vi.advanceTimersByTime(600_000);
  expect(waited).toEqual([]);
});

test('a slow server raises the limit to ten times its slowest response, even while a request waits', () => {
  const { waited, answer } = overtakenBy(900, 20);
  vi.advanceTimersByTime(8_999);
  answer(2_000);
  vi.advanceTimersByTime(11_000);
  expect(waited).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(waited).toEqual([20_000]);
});

test('a request that was answered in time does not hang, nor one that must not be sent again', () => {
  const { watch, request, waited, answer } = overtakenBy(20, 20);
  watch.begin(undefined);
  answer(20);
  answer(20);
  vi.advanceTimersByTime(4_000);
  watch.end(request, 4_000);
  vi.advanceTimersByTime(600_000);
  expect(waited).toEqual([]);
});
