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

/** The first decline of a metric of 100 a day that falls by a share on day 150, and how many days it took. */
function afterFall(share: number, change: Partial<Parameters<typeof slowChecker>[0]> = {}, days = 200) {
  const values = Array.from({ length: days }, (_, at) => (at < 150 ? 100 : 100 * (1 - share)));
  const check = slowChecker({ comparable: values, all: values, minChange: 0.1, ...change });
  const found = values.map((_, at) => check(at));
  const first = found.findIndex(each => each !== undefined);
  return { days: first < 0 ? undefined : first - 149, decline: found[first] };
}
const without = (weekdays: readonly number[]) =>
  Array.from({ length: 200 }, (_, at) => (weekdays.includes(at % 7) ? undefined : at < 150 ? 100 : 70));

test('a fall by 30 % is a decline of the week against three weeks when it makes 18 %, with the means of both', () => {
  const { days, decline } = afterFall(0.3);
  expect(days).toBe(4);
  expect(decline).toMatchObject({ days: 7, before: 21, expected: 100 });
  expect(decline?.value).toBeCloseTo((3 * 100 + 4 * 70) / 7, 10);
  expect(decline?.change).toBeCloseTo(-0.12 / 0.7, 10);
});

test('a fall below the least change, or of 15 %, is none', () => {
  expect(afterFall(0.3, { minChange: 0.18 }).days).toBe(5);
  expect(afterFall(0.3, { minChange: 0.31 }).days).toBeUndefined();
  expect(afterFall(0.15).days).toBeUndefined();
});

test('a decline has the means of all days, also of those that are not comparable', () => {
  const all = Array.from({ length: 200 }, (_, at) => (at < 150 ? 100 : at === 152 ? undefined : 50));
  const { decline } = afterFall(0.3, { all });
  expect(decline?.value).toBeCloseTo((3 * 100 + 3 * 50) / 6, 10);
});

test('a decline takes five weekdays that have figures in both periods', () => {
  expect(afterFall(0.3, { comparable: without([1, 3]) }).days).toBeDefined();
  expect(afterFall(0.3, { comparable: without([1, 3, 5]) }).days).toBeUndefined();
});

test('where a figure is below zero in either period, there is no decline', () => {
  const values = (negative: number) =>
    Array.from({ length: 153 + 1 }, (_, at) => (at === negative ? -1 : at < 150 ? 100 : 60));
  const last = (negative: number) => {
    const all = values(negative);
    const check = slowChecker({ comparable: all, all, minChange: 0.1 });
    return all.map((_, at) => check(at)).at(-1);
  };
  expect(last(-1)).toMatchObject({ days: 7, before: 91 });
  expect(last(153)).toBeUndefined();
  expect(last(146)).toBeUndefined();
  // On the last day before the longest of the periods.
  expect(last(55)).toMatchObject({ days: 7, before: 91 });
});
