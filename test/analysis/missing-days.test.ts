import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Calendar } from '../../src/analysis/compared-days.ts';
import { daysOf, missingDays } from '../../src/analysis/missing-days.ts';
import { addDays, type Day, type DayRange } from '../../src/apis/bda/days.ts';
import { type JsonRecord, parseJson } from '../../src/json/index.ts';

const MAY = { from: '2026-05-01', to: '2026-05-31' };
const FEBRUARY = { from: '2026-02-01', to: '2026-02-28' };
const WEEK = { from: '2026-03-09', to: '2026-03-15' };
const WEEK_BEFORE = { from: '2026-03-02', to: '2026-03-08' };

/** The missing days of two periods whose other days have such a row. */
function missingOf(now: DayRange, before: DayRange, lost: readonly Day[], figures = '"visits":100'): Day[] {
  const days = new Set([...daysOf(before), ...daysOf(now)].filter(day => !lost.includes(day)));
  const rows = [...days].map(day => parseJson(`{"report_day":"${day}",${figures}}`) as JsonRecord);
  const names = Object.keys(JSON.parse(`{${figures}}`));
  return missingDays({
    calendar: new Calendar(now, before, before),
    column: 'report_day',
    figures: names,
    rows,
  });
}

describe('a day without rows is missing', () => {
  test('in the longer of two periods, after the days that the shorter one has', () => {
    const last = ['2026-05-29', '2026-05-30', '2026-05-31'];
    expect(missingOf(MAY, FEBRUARY, last)).toEqual(last);
    expect(missingOf(FEBRUARY, MAY, last)).toEqual(last);
  });

  test('in periods of any length, unless its day of the week is closed or its counterpart lacks rows, too', () => {
    const start = fc.integer({ min: 0, max: 60 });
    const length = fc.integer({ min: 14, max: 40 });
    fc.assert(
      fc.property(start, length, length, fc.integer({ min: 0, max: 39 }), (gap, ofNow, ofBefore, at) => {
        const before = { from: '2026-01-01', to: addDays('2026-01-01', ofBefore - 1) };
        const from = addDays(before.to, 1 + gap);
        const now = { from, to: addDays(from, ofNow - 1) };
        const lost = addDays(from, at % ofNow);
        expect(missingOf(now, before, [lost])).toEqual([lost]);
      }),
    );
  });

  test('where a whole period has none, but those of days of the week without rows', () => {
    expect(missingOf(WEEK, WEEK_BEFORE, daysOf(WEEK))).toEqual(daysOf(WEEK));
    expect(missingOf(WEEK, WEEK_BEFORE, daysOf(WEEK_BEFORE))).toEqual(daysOf(WEEK_BEFORE));
    const closed = ['2026-03-08', '2026-03-15'];
    expect(missingOf(WEEK, WEEK_BEFORE, [...daysOf(WEEK), ...closed])).toEqual(daysOf(WEEK).slice(0, -1));
    expect(missingOf(WEEK, WEEK_BEFORE, [...daysOf(WEEK), ...daysOf(WEEK_BEFORE)])).toEqual([]);
  });

  test('where it is one day, compared with another one that has rows', () => {
    const [friday, thursday] = ['2026-03-13', '2026-03-12'].map(day => ({ from: day, to: day })) as [
      DayRange,
      DayRange,
    ];
    expect(missingOf(friday, thursday, ['2026-03-13'])).toEqual(['2026-03-13']);
    expect(missingOf(friday, thursday, ['2026-03-12', '2026-03-13'])).toEqual([]);
  });

  test.each([
    ['visits of one or two a day', '"visits":2', true],
    ['visits of hundreds a day', '"visits":200', false],
    ['a few dollars a day, which may be of many visits', '"revenue":2.5', false],
    ['a few seconds a day', '"engaged_time":5', false],
    ['a ratio', '"bounce_rate":0.4', false],
    ['a ratio beside a few dollars', '"bounce_rate":0.4,"revenue":2.5', false],
    ['a few dollars of one or two visits', '"revenue":2.5,"visits":2', true],
  ])('unless its counts are of rare events: %s', (_, figures, isRare) => {
    expect(missingOf(WEEK, WEEK_BEFORE, ['2026-03-11'], figures)).toEqual(isRare ? [] : ['2026-03-11']);
  });
});
