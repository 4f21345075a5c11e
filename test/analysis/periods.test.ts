import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  completePeriods,
  GRAINS,
  grainOf,
  partText,
  periodDays,
  periodStart,
  periodsBetween,
  startOf,
} from '../../src/analysis/periods.ts';
import { addDays, addMonths, dayCount } from '../../src/apis/bda/days.ts';

test.each([
  ['report_day', ['2026-02-01', '2026-02-02'], 'day'],
  ['report_week', ['2026-02-02'], 'week'],
  ['report_month', ['2026-02'], 'month'],
  ['x', ['2026-02', '2026-03'], 'month'],
  ['Week', ['2026-02-02T00:00:00Z'], 'week'],
  ['x', ['2026-02-30'], undefined],
  ['report_day', ['total', '2026-02-01'], undefined],
  ['report_day', [], undefined],
])('%s with %j is of the grain %s', (column, labels, grain) => {
  expect(grainOf(column, labels)).toBe(grain);
});

test('the start of a label is its first day', () => {
  expect(['2026-02-05', '2026-02', '2026-02-05 00:00:00', '5 Feb', '2026-13'].map(startOf)).toEqual([
    '2026-02-05',
    '2026-02-01',
    '2026-02-05',
    undefined,
    undefined,
  ]);
});

describe('a period', () => {
  test('counts the days that were requested and are over', () => {
    const week = periodDays('2026-03-09', 'week');
    const asked = { from: '2026-03-01', to: '2026-03-31' };
    const openFrom = (from: string, isInUtc = false) => ({ from, isInUtc });
    const days = (from: string, to: string) => ({ from, to });
    expect(partText(week, asked, openFrom('2026-03-14'))).toBe('5 of 7 days and part of today');
    expect(partText(week, asked, openFrom('2026-03-14', true))).toBe('5 of 7 days and part of today in UTC');
    expect(partText(week, days('2026-03-01', '2026-03-13'), openFrom('2026-03-14'))).toBe('5 of 7 days');
    expect(partText(week, asked, openFrom('2026-03-16'))).toBeUndefined();
    expect(partText(week, days('2026-03-11', '2026-03-31'), openFrom('2026-04-01'))).toBe('5 of 7 days');
    expect(partText(week, days('2026-03-14', '2026-03-14'), openFrom('2026-03-14'))).toBe(
      '0 of 7 days and part of today',
    );
    const day = periodDays('2026-03-14', 'day');
    expect(partText(day, asked, openFrom('2026-03-14'))).toBe('not ended');
    expect(partText(day, asked, openFrom('2026-03-13', true))).toBe('not ended in UTC');
    // A day beyond those with data has ended.
    expect(partText(day, days('2026-03-01', '2026-03-10'), openFrom('2026-03-15'))).toBeUndefined();
  });

  test.each([
    ['week', { from: '2026-02-25', to: '2026-03-13' }, { from: '2026-03-02', to: '2026-03-08' }],
    ['month', { from: '2026-01-02', to: '2026-03-13' }, { from: '2026-02-01', to: '2026-02-28' }],
    ['month', { from: '2026-02-01', to: '2026-02-28' }, { from: '2026-02-01', to: '2026-02-28' }],
    ['day', { from: '2026-03-10', to: '2026-03-14' }, { from: '2026-03-10', to: '2026-03-13' }],
    ['month', { from: '2026-03-01', to: '2026-03-31' }, undefined],
    ['week', { from: '2026-03-10', to: '2026-03-13' }, undefined],
  ] as const)('whole %ss of %j are %j', (grain, asked, whole) => {
    expect(completePeriods(asked, grain, '2026-03-14')).toEqual(whole);
  });

  test('is found again by its distance', () => {
    const day = fc.integer({ min: 0, max: 40_000 }).map(count => addDays('1990-01-01', count));
    fc.assert(
      fc.property(
        day,
        fc.constantFrom(...GRAINS),
        fc.integer({ min: -300, max: 300 }),
        (any, grain, count) => {
          const start = periodStart(any, grain);
          expect(
            periodsBetween(
              start,
              grain === 'month'
                ? addMonths(start, count)
                : addDays(start, grain === 'week' ? 7 * count : count),
              grain,
            ),
          ).toBe(count);
          const days = periodDays(start, grain);
          expect(days.from <= any && any <= days.to).toBe(true);
          expect(periodStart(days.to, grain)).toBe(start);
          expect(dayCount(days)).toBeGreaterThan(0);
        },
      ),
    );
  });
});
