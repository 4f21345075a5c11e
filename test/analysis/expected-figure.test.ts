import { describe, expect, test } from 'vitest';
import {
  AS_THEY_ARE,
  type Comparable,
  LOGARITHMS,
  median,
  sameWeekdays,
  seasonMove,
  usualDeviation,
} from '../../src/analysis/expected-figure.ts';

test('the median is the middle figure, the mean of two of them, and none of nothing', () => {
  expect(median([10, 9, 100])).toBe(10);
  expect(median([10, 9, 100, 2])).toBe(9.5);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});

describe('the size of a figure', () => {
  const noHoliday = () => false;

  test('is its logarithm; a zero is half of the least figure until then, and unknown before any', () => {
    const sizes = LOGARITHMS.sizesOf([undefined, 0, 10, 0, 4, 0, 8, 0], noHoliday);
    const of = (value: number) => Math.log(value);
    expect(sizes).toEqual([undefined, undefined, of(10), of(5), of(4), of(2), of(8), of(2)]);
    expect(LOGARITHMS.figureOf(of(8))).toBeCloseTo(8, 12);
    expect(LOGARITHMS.unitOf([1, 2, 3])).toBe(1);
  });

  test('of a holiday makes no later zero smaller', () => {
    expect(LOGARITHMS.sizesOf([10, 4, 0], at => at === 1)).toEqual([10, 4, 5].map(Math.log));
  });

  test('of figures that may be negative is the figure, and a unit is what is usual', () => {
    const values = [undefined, 0, -5, 3];
    expect(AS_THEY_ARE.sizesOf(values, noHoliday)).toEqual(values);
    expect(AS_THEY_ARE.figureOf(-5)).toBe(-5);
    expect(AS_THEY_ARE.unitOf([-5, 1, 3])).toBe(3);
  });
});

describe('the same weekdays of eight weeks before', () => {
  const days = (sizes: readonly (number | undefined)[]) =>
    sizes.map((size): Comparable | undefined =>
      size === undefined ? undefined : { size, volume: 100, basis: 100, isPlain: true },
    );
  const series = (count: number, of: (at: number) => number | undefined) =>
    days(Array.from({ length: count }, (_, at) => of(at)));
  const sizes = (all: readonly (Comparable | undefined)[], at: number) =>
    sameWeekdays(all, at).map(({ size }) => size);

  test('are moved to the level of the days before', () => {
    expect(
      sizes(
        series(99, () => 5),
        99,
      ),
    ).toEqual(Array(8).fill(5));
    // Growth by one a day.
    expect(
      sizes(
        series(99, at => at),
        99,
      ),
    ).toEqual(Array(8).fill(99));
  });

  test('are as many as have five days of their time beside them', () => {
    expect(
      sizes(
        series(60, () => 5),
        60,
      ),
    ).toHaveLength(7);
    expect(
      sizes(
        series(61, () => 5),
        61,
      ),
    ).toHaveLength(8);
  });

  test('are moved by the median of 14 days, so that a new level counts when it has lasted for a week', () => {
    const since = (days: number) => series(99, at => (at >= 99 - days ? 10 : 0));
    expect(sizes(since(6), 99)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(sizes(since(7), 99)).toEqual([15, 5, 5, 5, 5, 5, 5, 5]);
    expect(sizes(since(8), 99).slice(1)).toEqual([10, 10, 10, 10, 10, 10, 10]);
  });

  test('are found if the level is known within 28 days', () => {
    const until = (last: number) => series(99, at => (at <= last ? 5 : undefined));
    expect(sizes(until(99 - 24), 99)).toEqual([5, 5, 5, 5, 5]);
    expect(sizes(until(99 - 25), 99)).toEqual([]);
  });
});

describe('what the season adds', () => {
  const AT = 800;
  /** Errors around a year and two years before a day. */
  const errors = (one: readonly number[], two: readonly number[], at = AT) => {
    const all: (number | undefined)[] = [];
    for (const [year, values] of [one, two].entries())
      for (const [index, value] of values.entries()) all[at - 364 * (year + 1) - 3 + index] = value;
    return Array.from(all);
  };
  const WEEK = [1, 1, 1, 1, 1, 1, 1];
  const week = (error: number) => WEEK.map(() => error);

  test('is the smaller of the medians of the weeks around a year and two years before', () => {
    expect(seasonMove(errors(week(0.3), week(0.2)), AT)).toBe(0.2);
    expect(seasonMove(errors(week(0.1), week(0.2)), AT)).toBe(0.1);
    expect(seasonMove(errors(week(-0.3), week(-0.2)), AT)).toBe(-0.2);
    expect(seasonMove(errors([9, 9, 9, 0.2, 0.1, 0.1, 0.1], week(0.3)), AT)).toBe(0.2);
  });

  test('is nothing where the years disagree, or one of them has less than three days', () => {
    expect(seasonMove(errors(week(0.3), week(-0.2)), AT)).toBe(0);
    expect(seasonMove(errors(week(-0.1), week(0.2)), AT)).toBe(0);
    expect(seasonMove(errors(week(0.3), [0.2, 0.2]), AT)).toBe(0);
    expect(seasonMove(errors([0.3, 0.3], week(0.2)), AT)).toBe(0);
    expect(seasonMove(errors([0.3, 0.3, 0.3], [0.2, 0.2, 0.2]), AT)).toBe(0.2);
    expect(seasonMove([], AT)).toBe(0);
  });

  test('is of no day beyond three before and after', () => {
    const all = errors(week(0.2), week(0.2));
    for (const middle of [AT - 364, AT - 728]) for (const away of [-4, 4]) all[middle + away] = 9;
    for (const middle of [AT - 364, AT - 728]) for (const away of [-1, 0, 1, 2, 3]) delete all[middle + away];
    expect(seasonMove(all, AT)).toBe(0);
  });

  test('needs two years', () => {
    const all = Array(1000).fill(0.5);
    expect(seasonMove(all, 728)).toBe(0.5);
    expect(seasonMove(all, 725)).toBe(0);
    expect(seasonMove(all, 364)).toBe(0);
  });
});

describe('the usual deviation', () => {
  const AT = 300;
  const MANY = { volume: 1e9, unit: 1 };
  const at = (...places: readonly (readonly [at: number, error: number])[]) => {
    const all: (number | undefined)[] = Array(AT).fill(undefined);
    for (const [place, error] of places) all[place] = error;
    return all;
  };
  /** The same error on some days before. */
  const daily = (count: number, error: number, until = AT - 1) =>
    Array.from({ length: count }, (_, back) => [until - back, error] as const);
  /** Errors on the same weekday, beginning so many weeks before. */
  const weekly = (first: number, ...values: readonly number[]) =>
    values.map((error, week) => [AT - 7 * (first + week), error] as const);
  const deviation = (weekdays: readonly number[], errors: readonly (number | undefined)[], of = MANY) =>
    usualDeviation(weekdays, errors, AT, of);

  test('is that of the weekdays, more where little is known, as of normal noise', () => {
    expect(deviation([0.1, -0.1, 0.1, 0.3], [])).toBeCloseTo((1.4826 * 0.1) / 0.75, 12);
  });

  test('is that of all days of eight weeks, from three weeks of them on', () => {
    expect(deviation([0], at(...daily(21, -0.1)))).toBeCloseTo(1.4826 * 0.1, 12);
    expect(deviation([0], at(...daily(20, 0.1)))).toBe(0.005);
    expect(deviation([0], at(...daily(21, 0.1, AT - 36)))).toBeCloseTo(1.4826 * 0.1, 12);
    expect(deviation([0], at(...daily(21, 0.1, AT - 37)))).toBe(0.005);
    expect(deviation([0.1], at(...daily(21, 0.01)))).toBeCloseTo(0.75 * 1.4826 * 0.1, 12);
  });

  test('is at least that of counting, and half a percent', () => {
    expect(deviation([0], [], { volume: 100, unit: 1 })).toBeCloseTo(0.1, 12);
    expect(deviation([0], [], { volume: 0, unit: 1 })).toBe(1);
    expect(deviation([0], [], { volume: 100, unit: 30 })).toBeCloseTo(3, 12);
    expect(deviation([0], [], { volume: 1e9, unit: 30 })).toBeCloseTo(0.15, 12);
  });

  test('is as large as rare errors of the weekday in half a year make it, from eight on', () => {
    const others = (count: number) => Array(count).fill(0.018);
    expect(deviation([0], at(...weekly(1, -0.09, ...others(7))))).toBeCloseTo(0.05, 12);
    expect(deviation([0], at(...weekly(1, 0.09, ...others(6))))).toBe(0.005);
    expect(deviation([0], at(...weekly(19, 0.09, ...others(7))))).toBeCloseTo(0.05, 12);
    expect(deviation([0], at(...weekly(20, 0.09, ...others(7))))).toBe(0.005);
    // One in eleven is not rare enough.
    expect(deviation([0], at(...weekly(1, 0.09, 0.09, ...others(9))))).toBeCloseTo(0.05, 12);
    expect(deviation([0], at(...weekly(1, 0.09, ...others(10))))).toBeCloseTo(0.01, 12);
  });

  test('is no larger than leaves half of what is expected an alert', () => {
    expect(deviation([0], at(...weekly(1, ...Array(8).fill(0.9))))).toBe(0.18);
    expect(deviation([0], at(...weekly(1, ...Array(8).fill(90))), { volume: 1e9, unit: 10 })).toBeCloseTo(
      1.8,
      12,
    );
  });

  test('with rare errors counts those of few days, and of all days, for less', () => {
    const rare = weekly(1, ...Array(8).fill(0.001));
    expect(deviation([0.1], at(...rare))).toBeCloseTo(1.4826 * 0.1, 12);
    const all = at(...daily(56, 0.1));
    expect(deviation([0], all)).toBeCloseTo(0.75 * 1.4826 * 0.1, 12);
  });
});
