import { expect, test } from 'vitest';
import { addDays, isDay } from '../../src/apis/bda/days.ts';
import { readSeries } from './read-series.ts';

test.each([
  ['chicago-2001.csv', 2915, 4],
  ['chicago-2009.csv', 2783, 8],
  ['us-flights.csv', 181, 13],
  ['bird-strikes.csv', 4383, 1],
  ['bird-strikes-by-phase.csv', 1461, 7],
  ['us-arrivals.csv', 181, 16],
  ['us-births.csv', 2191, 1],
  ['page-views.csv', 1340, 1],
])('%s has a count for each column and day, without a gap', (name, days, columns) => {
  const series = readSeries(name);
  expect([series.days.length, series.columns.size]).toEqual([days, columns]);
  const [first = ''] = series.days;
  expect(isDay(first)).toBe(true);
  expect(series.days).toEqual(series.days.map((_, at) => addDays(first, at)));
  for (const values of series.columns.values()) {
    expect(values).toHaveLength(days);
    expect(values.every(value => Number.isInteger(value) && value >= 0)).toBe(true);
  }
});
