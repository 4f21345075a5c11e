import { expect, test } from 'vitest';
import { slowChecker } from '../../src/analysis/slow-change.ts';
import { seeded } from './simulated-years.ts';

/** The days on which there is a decline, and the last one found. */
function declines(values: readonly (number | undefined)[]) {
  const check = slowChecker({ comparable: values, all: values, minChange: 0.1 });
  const found = values.map((_, at) => check(at));
  return { days: found.flatMap((each, at) => (each === undefined ? [] : [at])), last: found.at(-1) };
}

const noisy = (days: number, of: (at: number) => number) => {
  const random = seeded(5);
  return Array.from({ length: days }, (_, at) => of(at) * (0.9 + 0.2 * random()));
};
const season = (at: number) => 1_000 * (1 + 0.4 * Math.sin((2 * Math.PI * at) / 364));

test('finds a decline that a level following it hides, and no season that the year before had', () => {
  const steady = noisy(900, season);
  expect(declines(steady).days.filter(at => at > 2 * 364)).toEqual([]);
  for (const [daily, within] of [
    [0.98, 25],
    [0.99, 45],
  ] as const) {
    const falling = steady.map((value, at) => value * daily ** Math.max(0, at - 800));
    const [first = Number.NaN] = declines(falling).days.filter(at => at > 2 * 364);
    expect(first).toBeGreaterThan(800);
    expect(first).toBeLessThanOrEqual(800 + within);
    expect(declines(falling).last?.change).toBeLessThan(-0.2);
  }
});

test('without a year before, it finds a decline of 2 % a day within three weeks, wherever it begins', () => {
  const steady = noisy(220, () => 1_000);
  expect(declines(steady).days).toEqual([]);
  for (let from = 105; from < 195; from += 5) {
    const [first = Number.NaN] = declines(
      steady.map((value, at) => value * 0.98 ** Math.max(0, at - from)),
    ).days;
    expect(first - from).toBeGreaterThan(5);
    expect(first - from).toBeLessThanOrEqual(17);
  }
});

test('without a year before, only a decline of a quarter counts; without a quarter before, none', () => {
  expect(declines(noisy(200, at => 1_000 * 0.998 ** at)).days).toEqual([]);
  expect(declines(noisy(200, at => 1_000 * 0.98 ** Math.max(0, at - 150))).days[0]).toBeLessThan(180);
  expect(declines(noisy(90, at => 1_000 * 0.9 ** at)).days).toEqual([]);
  expect(declines(Array(400).fill(undefined)).days).toEqual([]);
  expect(declines(Array(400).fill(0)).days).toEqual([]);
});
