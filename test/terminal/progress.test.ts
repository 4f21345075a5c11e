import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progressOn } from '../../src/terminal/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

async function progress(isTTY: boolean) {
  const written: string[] = [];
  const stream = {
    isTTY,
    columns: 60,
    write: (text: string) => written.push(text.replaceAll('\r\u001b[2K', '|')),
  };
  const options = { total: undefined, unit: 'rows', now: Date.now, unicode: true, bar: true };
  const shown = progressOn(stream as unknown as Parameters<typeof progressOn>[0], options);
  await vi.dynamicImportSettled();
  return { shown, written };
}

test('a terminal shows how long a job waits for its first items', async () => {
  const { shown, written } = await progress(true);
  vi.advanceTimersByTime(900);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1200);
  expect(written).toEqual(['|waiting for the first rows: 1 s', '|waiting for the first rows: 2 s']);
  shown.advance(10);
  vi.advanceTimersByTime(5000);
  expect(written.slice(2)).toEqual(['|10 rows  4.8/s']);
});

test.each([
  ['a finished job', true, 0],
  ['a stream that is no terminal', false, 60_000],
])('%s is silent', async (_, isTTY, wait) => {
  const { shown, written } = await progress(isTTY);
  vi.advanceTimersByTime(wait);
  shown.finish();
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual([]);
});
