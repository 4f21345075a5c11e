import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Calendar, type ComparisonKind, daysBefore } from '../../src/analysis/compared-days.ts';
import { Comparison, timesOf } from '../../src/analysis/comparison.ts';
import { changeBetween } from '../../src/analysis/exact-change.ts';
import {
  CALENDAR_PERIODS,
  type CalendarPeriod,
  type Grain,
  periodContaining,
  periodStart,
  previousPeriod,
} from '../../src/analysis/periods.ts';
import { addDays, type DayRange, dayCount } from '../../src/apis/bda/days.ts';
import { isRecord, type JsonRecord, parseJson, stringifyJson } from '../../src/json/index.ts';
import { roundDecimals } from '../../src/output/number.ts';

function records(text: string): JsonRecord[] {
  const rows = parseJson(text);
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

/** The joined rows as JSON lines. */
function joined(
  now: string,
  before: string,
  dimensions: string[],
  days: DayRange = { from: '2026-02-01', to: '2026-02-28' },
  way: ComparisonKind = 'previous',
): string[] {
  const roles = { dimensions, figures: ['v'] };
  const times = timesOf(records(now), roles, days);
  const calendar = new Calendar(days, daysBefore(days, way, new Set(times.values())), way);
  const comparison = new Comparison(records(now), roles, times, calendar);
  for (const row of records(before)) comparison.addEarlier(row);
  return comparison.rows().map(row => stringifyJson(row));
}

describe('the days to compare with', () => {
  test.each<[string, string, ComparisonKind, Grain[], string, string]>([
    ['2026-02-01', '2026-02-28', 'previous', [], '2026-01-04', '2026-01-31'],
    ['2026-02-01', '2026-02-28', 'previous', ['day'], '2026-01-04', '2026-01-31'],
    ['2026-03-01', '2026-03-01', 'previous', [], '2026-02-28', '2026-02-28'],
    ['2026-02-01', '2026-02-28', 'year', [], '2025-02-01', '2025-02-28'],
    ['2024-02-29', '2024-03-01', 'year', [], '2023-02-28', '2023-03-01'],
  ])('of %s to %s with %s by %j are %s to %s', (from, to, way, grains, first, last) => {
    expect(daysBefore({ from, to }, way, new Set(grains))).toEqual({ from: first, to: last });
  });

  test.each<[string, string, ComparisonKind, string, string]>([
    ['2026-02-01', '2026-02-28', 'previous', '2026-01-01', '2026-01-31'],
    ['2026-03-01', '2026-05-31', 'previous', '2025-12-01', '2026-02-28'],
    ['2026-03-02', '2026-05-31', 'previous', '2025-12-02', '2026-02-28'],
    ['2026-03-01', '2026-03-13', 'previous', '2026-02-01', '2026-02-13'],
    ['2026-03-01', '2026-03-30', 'previous', '2026-02-01', '2026-02-28'],
    ['2026-01-14', '2026-03-13', 'previous', '2025-11-14', '2026-01-13'],
    ['2025-02-01', '2025-02-28', 'year', '2024-02-01', '2024-02-29'],
    ['2024-02-01', '2024-02-29', 'year', '2023-02-01', '2023-02-28'],
  ])(
    'of months from %s to %s with %s are %s to %s: months cut in the same place',
    (from, to, way, first, last) => {
      expect(daysBefore({ from, to }, way, new Set<Grain>(['month']))).toEqual({ from: first, to: last });
    },
  );

  test.each<[string, string, ComparisonKind, string, string]>([
    ['2026-03-02', '2026-03-15', 'previous', '2026-02-16', '2026-03-01'],
    ['2026-03-02', '2026-03-11', 'previous', '2026-02-16', '2026-02-25'],
    ['2026-03-02', '2026-03-15', 'year', '2025-03-03', '2025-03-16'],
    ['2024-02-29', '2024-03-03', 'year', '2023-03-02', '2023-03-05'],
  ])(
    'of weeks from %s to %s with %s are %s to %s: the same days of the week',
    (from, to, way, first, last) => {
      expect(daysBefore({ from, to }, way, new Set<Grain>(['week', 'day']))).toEqual({
        from: first,
        to: last,
      });
    },
  );

  test.each<[string, string, CalendarPeriod, ComparisonKind, string, string]>([
    ['2026-11-01', '2026-11-28', 'month', 'previous', '2026-10-01', '2026-10-28'],
    ['2026-11-01', '2026-11-30', 'month', 'previous', '2026-10-01', '2026-10-31'],
    ['2026-03-01', '2026-03-30', 'month', 'previous', '2026-02-01', '2026-02-28'],
    ['2026-11-01', '2026-11-28', 'month', 'year', '2025-11-01', '2025-11-28'],
    ['2026-11-23', '2026-11-24', 'week', 'previous', '2026-11-16', '2026-11-17'],
    ['2026-01-01', '2026-02-28', 'quarter', 'previous', '2025-10-01', '2025-11-30'],
    ['2026-01-01', '2026-02-13', 'quarter', 'year', '2025-01-01', '2025-02-13'],
    ['2026-01-01', '2026-11-27', 'year', 'previous', '2025-01-01', '2025-11-27'],
  ])('of %s to %s in a %s with %s are %s to %s', (from, to, period, way, first, last) => {
    expect(daysBefore({ from, to }, way, new Set(), period)).toEqual({ from: first, to: last });
  });

  test('of a calendar period are those of the period before, up to the same day of it', () => {
    const start = fc.integer({ min: 0, max: 20_000 }).map(count => addDays('1990-01-01', count));
    fc.assert(
      fc.property(start, fc.constantFrom(...CALENDAR_PERIODS), (to, period) => {
        const days = { from: periodStart(to, period), to };
        const before = daysBefore(days, 'previous', new Set(), period);
        const whole = previousPeriod(to, period);
        expect(before.from).toBe(whole.from);
        expect(before.to <= whole.to).toBe(true);
        const isMonthEnd = addDays(to, 1).endsWith('-01') || addDays(before.to, 1).endsWith('-01');
        if (to === periodContaining(to, period).to) expect(before).toEqual(whole);
        else if (period === 'week') expect(dayCount(before)).toBe(dayCount(days));
        else if (!isMonthEnd) expect(before.to.slice(8)).toBe(to.slice(8));
      }),
    );
  });

  test('are as many, and end where the others start', () => {
    const start = fc.integer({ min: 0, max: 20_000 }).map(count => addDays('1990-01-01', count));
    fc.assert(
      fc.property(start, fc.integer({ min: 0, max: 800 }), (from, length) => {
        const days = { from, to: addDays(from, length) };
        const before = daysBefore(days, 'previous', new Set());
        expect(dayCount(before)).toBe(dayCount(days));
        expect(addDays(before.to, 1)).toBe(from);
      }),
    );
  });
});

describe('rows', () => {
  test('with the same dimensions are compared, with their exact change', () => {
    expect(
      joined(
        '[{"c":"DE","v":172.4133208101921},{"c":"AT","v":3},{"c":null,"v":0.10}]',
        '[{"c":"AT","v":4},{"c":"DE","v":181.8137900755901},{"c":null,"v":0}]',
        ['c'],
      ),
    ).toEqual([
      '{"c":"DE","v":172.4133208101921,"v_before":181.8137900755901,"v_change":-9.400469265398,"v_change_percent":-5.1704,"compared":"both"}',
      '{"c":"AT","v":3,"v_before":4,"v_change":-1,"v_change_percent":-25,"compared":"both"}',
      '{"c":null,"v":0.10,"v_before":0,"v_change":0.1,"v_change_percent":null,"compared":"both"}',
    ]);
  });

  test('of one period only are included and marked, those of the earlier period last, or at their time', () => {
    expect(
      joined('[{"c":"DE","v":1},{"c":"AT","v":2}]', '[{"c":"CH","v":3},{"c":"AT","v":2}]', ['c']),
    ).toEqual([
      '{"c":"DE","v":1,"v_before":null,"v_change":null,"v_change_percent":null,"compared":"now only"}',
      '{"c":"AT","v":2,"v_before":2,"v_change":0,"v_change_percent":0,"compared":"both"}',
      '{"c":"CH","v":null,"v_before":3,"v_change":null,"v_change_percent":null,"compared":"before only"}',
    ]);
  });

  test('over time are compared with the same position in the previous days', () => {
    const rows = joined(
      '[{"report_day":"2026-02-01","v":1},{"report_day":"2026-02-28","v":2}]',
      '[{"report_day":"2026-01-04","v":3},{"report_day":"2026-01-05","v":4}]',
      ['report_day'],
    );
    expect(rows).toEqual([
      '{"report_day":"2026-02-01","report_day_before":"2026-01-04","v":1,"v_before":3,"v_change":-2,"v_change_percent":-66.6667,"compared":"both"}',
      '{"report_day":"2026-02-02","report_day_before":"2026-01-05","v":null,"v_before":4,"v_change":null,"v_change_percent":null,"compared":"before only"}',
      '{"report_day":"2026-02-28","report_day_before":null,"v":2,"v_before":null,"v_change":null,"v_change_percent":null,"compared":"now only"}',
    ]);
  });

  test('a year apart are compared with the same date, except for the day that only one year has', () => {
    const leap = { from: '2024-02-28', to: '2024-03-01' };
    const now =
      '[{"report_day":"2024-02-28","v":1},{"report_day":"2024-02-29","v":2},{"report_day":"2024-03-01","v":3}]';
    const before = '[{"report_day":"2023-02-28","v":10},{"report_day":"2023-03-01","v":30}]';
    const found = joined(now, before, ['report_day'], leap, 'year').map(
      row => /"v":(\d+|null),"v_before":(\d+|null)/.exec(row)?.[0],
    );
    expect(found).toEqual(['"v":1,"v_before":10', '"v":2,"v_before":null', '"v":3,"v_before":30']);
    const back = joined(before, now, ['report_day'], { from: '2023-02-28', to: '2023-03-01' }, 'previous');
    expect(back.length).toBeGreaterThan(0);
    const earlierLeap = joined(
      '[{"report_day":"2025-02-28","v":1}]',
      '[{"report_day":"2024-02-29","v":2}]',
      ['report_day'],
      { from: '2025-02-28', to: '2025-03-01' },
      'year',
    );
    expect(earlierLeap[1]).toContain('"report_day":null,"report_day_before":"2024-02-29"');
  });

  test('of weeks and months are compared by their number', () => {
    const weeks = joined(
      '[{"report_week":"2026-02-02","v":1},{"report_week":"2026-02-09","v":2}]',
      '[{"report_week":"2026-01-19","v":3},{"report_week":"2026-01-26","v":4}]',
      ['report_week'],
      { from: '2026-02-02', to: '2026-02-15' },
    );
    expect(weeks.map(row => /"report_week_before":"([^"]+)"/.exec(row)?.[1])).toEqual([
      '2026-01-19',
      '2026-01-26',
    ]);
    const months = joined(
      '[{"report_month":"2026-02","v":1}]',
      '[{"report_month":"2025-02","v":3}]',
      ['report_month'],
      { from: '2026-02-01', to: '2026-02-28' },
      'year',
    );
    expect(months[0]).toContain(
      '"report_month":"2026-02","report_month_before":"2025-02","v":1,"v_before":3',
    );
  });

  test('of weeks a year apart are compared with weeks that are cut in the same place', () => {
    const weeks = joined(
      '[{"report_week":"2026-03-02","v":1},{"report_week":"2026-03-09","v":2}]',
      '[{"report_week":"2025-03-03","v":3},{"report_week":"2025-03-10","v":4}]',
      ['report_week'],
      { from: '2026-03-02', to: '2026-03-15' },
      'year',
    );
    expect(weeks.map(row => /"report_week_before":"([^"]+)"/.exec(row)?.[1])).toEqual([
      '2025-03-03',
      '2025-03-10',
    ]);
  });

  test('of days within months are compared with the same position of any month', () => {
    const [row] = joined(
      '[{"report_month":"2026-03","report_day":"2026-03-01","v":1}]',
      '[{"report_month":"2025-12","report_day":"2025-12-29","v":3}]',
      ['report_month', 'report_day'],
      { from: '2026-02-01', to: '2026-03-31' },
    );
    expect(row).toContain('"report_day_before":"2025-12-29","v":1,"v_before":3');
  });

  test('of hours are compared with the same hour', () => {
    const rows = joined(
      '[{"at":"2026-02-01T05:00:00Z","v":1},{"at":"2026-02-02T06:00:00Z","v":2}]',
      '[{"at":"2026-01-04T06:00:00Z","v":3},{"at":"2026-01-05T06:00:00Z","v":4}]',
      ['at'],
    );
    expect(rows).toEqual([
      expect.stringContaining('"at_before":null,"v":1,"v_before":null'),
      expect.stringContaining(
        '"at":"2026-02-01T06:00:00Z","at_before":"2026-01-04T06:00:00Z","v":null,"v_before":3',
      ),
      expect.stringContaining('"at_before":"2026-01-05T06:00:00Z","v":2,"v_before":4'),
    ]);
  });

  test('do not shift days that are not the day of the count', () => {
    const rows = joined(
      '[{"published":"2026-01-03","v":1},{"published":"2026-02-03","v":2}]',
      '[{"published":"2026-01-03","v":3}]',
      ['published'],
    );
    expect(rows).toEqual([
      '{"published":"2026-01-03","v":1,"v_before":3,"v_change":-2,"v_change_percent":-66.6667,"compared":"both"}',
      '{"published":"2026-02-03","v":2,"v_before":null,"v_change":null,"v_change_percent":null,"compared":"now only"}',
    ]);
  });

  test('without a time do not change those of the others', () => {
    const rows = joined(
      '[{"report_day":null,"v":9},{"report_day":"2026-02-01","v":1}]',
      '[{"report_day":"2026-01-04","v":3},{"report_day":null,"v":8}]',
      ['report_day'],
    );
    expect(rows.map(row => /"v":\d,"v_before":\d/.exec(row)?.[0])).toEqual([
      '"v":9,"v_before":8',
      '"v":1,"v_before":3',
    ]);
  });

  test('that are indistinguishable are all included', () => {
    expect(
      joined('[{"c":"x","v":1},{"c":"x","v":2}]', '[{"c":"x","v":3},{"c":"x","v":4},{"c":"x","v":5}]', ['c']),
    ).toEqual([
      expect.stringContaining('"v":1,"v_before":3'),
      expect.stringContaining('"v":2,"v_before":4'),
      expect.stringContaining('"v":null,"v_before":5'),
    ]);
  });

  test('that are indistinguishable are joined in no more time than others', () => {
    const many = `[${Array.from({ length: 100_000 }, () => '{"c":"x","v":1}').join(',')}]`;
    expect(joined(many, many, ['c']).length).toBe(100_000);
  });

  test('whose values are not numbers have no change', () => {
    expect(joined('[{"c":"x","v":"n/a"}]', '[{"c":"x","v":3}]', ['c'])[0]).toContain('"v_change":null');
  });
});

describe('a change', () => {
  test.each([
    ['0.1', '0.3', { absolute: '0.2', relative: '200' }],
    ['12345678901234567890.5', '12345678901234567890.75', { absolute: '0.25', relative: '0' }],
    ['-2', '-1', { absolute: '1', relative: undefined }],
    ['3', '1', { absolute: '-2', relative: '-66.6667' }],
    ['0', '0.0', { absolute: '0', relative: undefined }],
    ['1e3', '1E-3', { absolute: '-999.999', relative: '-99.9999' }],
  ])('from %s to %s is exact', (before, now, change) => {
    expect(changeBetween(before, now)).toEqual(change);
  });

  test('in percent is the same with fewer decimals as the exact one', () => {
    const rounded = (numerator: bigint, denominator: bigint) => {
      const size = numerator < 0n ? -numerator : numerator;
      return ((2n * size + denominator) / (2n * denominator)) * (numerator < 0n ? -1n : 1n);
    };
    const figures = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(figures, figures, fc.integer({ min: 0, max: 4 }), (before, now, places) => {
        const { relative = '' } = changeBetween(String(before), String(now)) ?? {};
        const scale = 10n ** BigInt(places);
        const exact = rounded(BigInt(now - before) * 100n * scale, BigInt(before));
        const shown = Number(roundDecimals(relative, places));
        expect(Math.round(shown * Number(scale))).toBe(Number(exact));
      }),
      { numRuns: 5_000 },
    );
    expect(changeBetween('4735.146', '5242.634')?.relative).toBe('10.71747');
    expect(changeBetween('100000000', '110714996')?.relative).toBe('10.714996');
  });

  test('of numbers with extreme exponents is empty', () => {
    expect(changeBetween('1e5000', '1')).toBeUndefined();
    expect(changeBetween('1e400', '1')?.absolute).toBe(`-${'9'.repeat(400)}`);
  });

  test('is what has to be added', () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(digits, digits, fc.integer({ min: 1, max: 25 }), (a, b, scale) => {
        const text = (value: bigint) => {
          const padded = String(value < 0n ? -value : value).padStart(scale + 1, '0');
          return `${value < 0n ? '-' : ''}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
        };
        const { absolute = '' } = changeBetween(text(a), text(b)) ?? {};
        const [whole = '', fraction = ''] = absolute.replace('-', '').split('.');
        const value = BigInt(whole + fraction.padEnd(scale, '0')) * (absolute.startsWith('-') ? -1n : 1n);
        expect(value).toBe(b - a);
      }),
    );
  });
});
