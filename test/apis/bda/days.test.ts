import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CALENDAR_PERIODS,
  PERIODS,
  periodContaining,
  previousPeriod,
} from '../../../src/analysis/periods.ts';
import { lastDays, periodNamed, readDatePhrase } from '../../../src/analysis/relative-dates.ts';
import { addDays, addMonths, dayCount, dayIn, isDay, weekday } from '../../../src/apis/bda/days.ts';

const days = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10));

describe('days', () => {
  test.each([
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '0000-01-01',
    '26-01-01',
    '',
  ])('%j is not a day', text => {
    expect(isDay(text)).toBe(false);
  });

  test('29 February is a day in leap years', () => {
    expect(['2024-02-29', '2000-02-29', '1900-02-29'].map(isDay)).toEqual([true, true, false]);
  });

  test('adding and subtracting the same days changes nothing, and the count between is their number', () => {
    fc.assert(
      fc.property(days, fc.nat(40_000), (day, count) => {
        const later = addDays(day, count);
        expect(addDays(later, -count)).toBe(day);
        expect(dayCount({ from: day, to: later })).toBe(count + 1);
        expect((weekday(day) + count) % 7).toBe(weekday(later));
      }),
    );
  });

  test('a range that ends before it starts has no days', () => {
    expect(dayCount({ from: '2026-03-02', to: '2026-03-01' })).toBe(0);
    expect(dayCount({ from: '2026-03-09', to: '2026-03-01' })).toBe(0);
  });

  test.each([
    ['2026-03-31', -1, '2026-02-28'],
    ['2024-03-31', -1, '2024-02-29'],
    ['2026-01-31', 1, '2026-02-28'],
    ['2026-01-15', -1, '2025-12-15'],
    ['2025-12-31', 2, '2026-02-28'],
    ['2024-02-29', -12, '2023-02-28'],
    ['2026-05-31', -15, '2025-02-28'],
  ])('%s and %i months is %s', (day, count, expected) => {
    expect(addMonths(day, count)).toBe(expected);
  });

  test('months later or earlier stay in the right month and on the day, or on its last', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -600, max: 600 }), (day, count) => {
        const moved = addMonths(day, count);
        const index = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
        expect(isDay(moved)).toBe(true);
        expect(index(moved) - index(day)).toBe(count);
        const isSameDay = moved.slice(8) === day.slice(8);
        expect(isSameDay || addDays(moved, 1).slice(8) === '01').toBe(true);
      }),
    );
  });
});

describe('which day it is depends on where', () => {
  test.each([
    ['2026-03-14T23:30:00Z', 'Europe/Berlin', '2026-03-15'],
    ['2026-03-14T23:30:00Z', 'America/New_York', '2026-03-14'],
    ['2026-03-14T12:00:00Z', 'Pacific/Kiritimati', '2026-03-15'],
    ['2026-03-14T10:59:59Z', 'Pacific/Midway', '2026-03-13'],
    // the hour that does not exist, and the one that comes twice
    ['2026-03-29T00:59:59Z', 'Europe/Berlin', '2026-03-29'],
    ['2026-10-24T22:00:00Z', 'Europe/Berlin', '2026-10-25'],
    ['2026-10-25T22:59:59Z', 'Europe/Berlin', '2026-10-25'],
    ['2026-10-25T23:00:00Z', 'Europe/Berlin', '2026-10-26'],
    // midnight itself does not exist on this day
    ['2026-09-06T03:59:59Z', 'America/Santiago', '2026-09-05'],
    ['2026-09-06T04:00:00Z', 'America/Santiago', '2026-09-06'],
  ])('%s in %s is %s', (instant, timeZone, day) => {
    expect(dayIn(Date.parse(instant), timeZone)).toBe(day);
  });

  test('hour by hour through a year each day follows the one before, also where clocks change', () => {
    for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago']) {
      let day = dayIn(Date.UTC(2026, 0, 1), timeZone);
      for (let hour = 1; hour <= 365 * 24; hour += 1) {
        const next = dayIn(Date.UTC(2026, 0, 1, hour), timeZone);
        if (next !== day) expect(next).toBe(addDays(day, 1));
        day = next;
      }
    }
  });
});

describe('date phrases', () => {
  const today = '2026-03-14';

  test.each([
    ['today', '2026-03-14'],
    ['yesterday', '2026-03-13'],
    ['-7d', '2026-03-07'],
    ['-2w', '2026-02-28'],
    ['-1m', '2026-02-14'],
    ['-1y', '2025-03-14'],
    ['2026-01-02', '2026-01-02'],
    ['-7', '2026-03-07'],
    ['7 days ago', '2026-03-07'],
    ['1 week ago', '2026-03-07'],
    ['1 Mar', '2026-03-01'],
    ['15 March', '2025-03-15'],
    ['March 14th', '2026-03-14'],
    ['1 Nov', '2025-11-01'],
    ['Nov 1, 2024', '2024-11-01'],
    ['29 Feb', '2024-02-29'],
    ['1 sept. 2020', '2020-09-01'],
  ])('%s on 14 March 2026 is %s', (text, day) => {
    expect(readDatePhrase(text, today)).toMatchObject({ from: day, to: day });
  });

  test.each([
    ['2026-02', '2026-02-01', '2026-02-28', 'month', false],
    ['2025-Q3', '2025-07-01', '2025-09-30', 'quarter', false],
    ['2025q4', '2025-10-01', '2025-12-31', 'quarter', false],
    ['Q1 2024', '2024-01-01', '2024-03-31', 'quarter', false],
    ['2025', '2025-01-01', '2025-12-31', 'year', false],
    ['14.03.2026', '2026-03-14', '2026-03-14', undefined, false],
    ['1.11.2025', '2025-11-01', '2025-11-01', undefined, false],
    ['11/16/2025', '2025-11-16', '2025-11-16', undefined, false],
    ['16/11/2025', '2025-11-16', '2025-11-16', undefined, false],
    ['3/3/2026', '2026-03-03', '2026-03-03', undefined, false],
    ['this week', '2026-03-09', '2026-03-15', 'week', true],
    ['last week', '2026-03-02', '2026-03-08', 'week', true],
    ['last month', '2026-02-01', '2026-02-28', 'month', true],
    ['Last-Month', '2026-02-01', '2026-02-28', 'month', true],
    ['previous quarter', '2025-10-01', '2025-12-31', 'quarter', true],
    ['current year', '2026-01-01', '2026-12-31', 'year', true],
    ['Nov', '2025-11-01', '2025-11-30', 'month', true],
    ['march', '2026-03-01', '2026-03-31', 'month', true],
    ['November 2024', '2024-11-01', '2024-11-30', 'month', false],
    ['last 7 days', '2026-03-07', '2026-03-13', undefined, true],
    ['past 2 weeks', '2026-02-28', '2026-03-13', undefined, true],
  ] as const)('%s on 14 March 2026 is %s to %s', (text, from, to, period, isRelative) => {
    expect(readDatePhrase(text, today)).toEqual({ from, to, isRelative, ...(period && { period }) });
  });

  test.each([
    '7d',
    '-0d',
    '-7h',
    'tomorrow',
    '2026-02-30',
    '2026-13',
    '2026-00',
    '2026-Q5',
    '0000',
    '03.14.2026',
    '01/11/2026',
    '14.3/2026',
    '',
    '-99999d',
    '-2026y',
    '31 Feb',
    '1 Nov 2',
    '1 mars',
    'last',
    'last decade',
    'next week',
  ])('%j is not a date phrase', text => {
    expect(readDatePhrase(text, today)).toBeUndefined();
  });

  test('whatever is typed means days that exist, in order, or none', () => {
    const words = fc.constantFrom(
      'last',
      'this',
      'past',
      'ago',
      'nov',
      'q1',
      '2026',
      '-',
      '7',
      '1',
      'days',
      'm',
      'year',
    );
    fc.assert(
      fc.property(
        days,
        fc.array(words, { maxLength: 4 }),
        fc.constantFrom(' ', '-', ''),
        (on, parts, join) => {
          const found = readDatePhrase(parts.join(join), on);
          if (found === undefined) return;
          expect(isDay(found.from) && isDay(found.to) && found.from <= found.to).toBe(true);
        },
      ),
    );
  });

  test.each([
    ['7', '7d'],
    ['7 days', '7d'],
    ['2 weeks', '2w'],
    ['1 month', '1m'],
    ['3-months', '3m'],
  ])('--last %s is --last %s', (long, short) => {
    expect(lastDays(long, today)).toEqual(lastDays(short, today));
    expect(lastDays(long, today)).toBeDefined();
  });

  test.each([...CALENDAR_PERIODS])('%s is a period, not a number of days', period => {
    expect(lastDays(period, today)).toBeUndefined();
    expect([periodNamed(period), periodNamed(`last ${period}`)]).toEqual([period, period]);
  });

  test('7d up to yesterday are seven days, 4w are twenty-eight', () => {
    expect(lastDays('7d', '2026-03-13')).toEqual({ from: '2026-03-07', to: '2026-03-13' });
    expect(lastDays('4w', '2026-03-13')).toEqual({ from: '2026-02-14', to: '2026-03-13' });
  });

  test('3m that end on a month’s last day start on a first', () => {
    expect(lastDays('3m', '2026-02-28')).toEqual({ from: '2025-12-01', to: '2026-02-28' });
    expect(lastDays('1m', '2026-03-13')).toEqual({ from: '2026-02-14', to: '2026-03-13' });
    expect(lastDays('1y', '2026-03-13')).toEqual({ from: '2025-03-14', to: '2026-03-13' });
  });

  test('a number of days gives a range of that many days', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 1, max: 9999 }), (end, count) => {
        const range = lastDays(`${count}d`, end);
        expect(range?.to).toBe(end);
        expect(range && dayCount(range)).toBe(count);
      }),
    );
  });

  test.each([
    ['week', '2026-03-09', '2026-03-15', '2026-03-02', '2026-03-08'],
    ['month', '2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['quarter', '2026-01-01', '2026-03-31', '2025-10-01', '2025-12-31'],
    ['year', '2026-01-01', '2026-12-31', '2025-01-01', '2025-12-31'],
  ] as const)('the %s around 14 March 2026, and the one before', (period, from, to, fromBefore, toBefore) => {
    expect(periodContaining(today, period)).toEqual({ from, to });
    expect(previousPeriod(today, period)).toEqual({ from: fromBefore, to: toBefore });
  });

  test('periods hold their day and leave no gap between them', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...PERIODS), (day, period) => {
        const here = periodContaining(day, period);
        expect(here.from <= day && day <= here.to).toBe(true);
        expect(periodContaining(here.from, period)).toEqual(here);
        expect(periodContaining(here.to, period)).toEqual(here);
        expect(addDays(previousPeriod(day, period).to, 1)).toBe(here.from);
      }),
    );
  });
});
