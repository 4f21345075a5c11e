import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { needsOwnValues, totalsOf } from '../../src/analysis/period-totals.ts';
import { type JsonRecord, jsonNumber } from '../../src/json/index.ts';
import { conclusionText } from '../../src/output/conclusion.ts';

const DAYS = { from: '2026-03-02', to: '2026-03-08' };
const BEFORE = { from: '2026-02-23', to: '2026-03-01' };

interface Given {
  readonly now: readonly JsonRecord[];
  readonly before?: readonly JsonRecord[];
  readonly metrics?: readonly string[];
  readonly dimensions?: readonly string[];
  readonly limitedTo?: string;
  readonly gaps?: readonly string[];
  readonly own?: readonly [JsonRecord, JsonRecord];
}

function conclude({ now, before, metrics = ['visits'], dimensions = ['report_day'], ...rest }: Given) {
  const [own, ownBefore] = rest.own?.map(values => ({ values })) ?? [];
  return totalsOf({
    scope: { metrics, dimensions, limitedTo: rest.limitedTo },
    units: new Map(),
    now: { days: DAYS, rows: now, own },
    before: before && { days: BEFORE, rows: before, own: ownBefore },
    gaps: rest.gaps ?? [],
    reservations: [],
  });
}
const textOf = (given: Given) =>
  conclude(given)
    .map(conclusion => conclusionText(conclusion))
    .join('\n');
const rows = (values: readonly (number | string | null)[], column = 'report_day'): JsonRecord[] =>
  values.map((visits, at) => ({ [column]: `2026-03-0${(at % 7) + 2}`, visits: visits as number }));

/** International airline passengers, thousands a month (Box and Jenkins, Time Series Analysis, 1976, series G). */
const PASSENGERS = {
  1949: [112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118],
  1950: [115, 126, 141, 135, 125, 149, 170, 170, 158, 133, 114, 140],
};

describe('the total of a period', () => {
  test('of a published series is the year, not its last month against its first', () => {
    const year = (name: 1949 | 1950) =>
      PASSENGERS[name].map((visits, at) => ({
        report_month: `${name}-${String(at + 1).padStart(2, '0')}`,
        visits,
      }));
    expect(textOf({ now: year(1950), before: year(1949), dimensions: ['report_month'] })).toBe(
      'visits: 1,676 (before: 1,520), change +156 (+10.3 %)',
    );
  });

  test('is the exact sum of the rows printed, whatever their digits, and so is the change', () => {
    const cents = fc.array(fc.bigInt({ min: 0n, max: 10n ** 24n }), { minLength: 1, maxLength: 7 });
    const asRows = (values: readonly bigint[]) =>
      values.map((value, at) => ({
        report_day: `2026-03-0${at + 2}`,
        visits: jsonNumber(`${value / 100n}.${String(value % 100n).padStart(2, '0')}`),
      }));
    const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
    const inCents = (digits = '') => {
      const [whole = '', fraction = ''] = digits.split('.');
      return BigInt(whole + fraction.padEnd(2, '0'));
    };
    fc.assert(
      fc.property(cents, cents, (now, before) => {
        const [found] = conclude({ now: asRows(now), before: asRows(before) });
        if (found?.kind !== 'change') throw new Error('no change');
        expect(found.completeness).toEqual({ kind: 'complete' });
        expect([found.value, found.before, found.difference].map(inCents)).toEqual([
          sum(now),
          sum(before),
          sum(now) - sum(before),
        ]);
      }),
    );
  });

  test('is withheld where the rows do not prove one', () => {
    expect(textOf({ now: [] })).toBe('visits: no total: there are no rows');
    expect(textOf({ now: rows([1, null]) })).toBe('visits: no total: a row has no figure');
    expect(textOf({ now: rows([1, 2], 'page'), dimensions: ['page'] })).toBe(
      'visits: no total: rows of page may count the same thing twice',
    );
    expect(textOf({ now: [{ report_day: '2026-03-02', bounce_rate: 0.4 }], metrics: ['bounce_rate'] })).toBe(
      'bounce_rate: no total: its rows cannot be summed',
    );
    expect(textOf({ now: [{ report_day: '2026-03-02', readers: 4 }], metrics: ['readers'] })).toBe(
      'readers: no total: its rows cannot be summed',
    );
    expect(textOf({ now: rows([5]), before: [] })).toBe(
      'visits: 5 (before: no total), not comparable: there are no rows',
    );
    expect(
      textOf({ now: rows([5]), before: rows([3]), gaps: ['there is no data for 2026-02-23 to 2026-03-01'] }),
    ).toBe('visits: 5 (before: 3), not comparable: there is no data for 2026-02-23 to 2026-03-01');
  });

  test('is never stated without a reservation unless all of it was measured', () => {
    const value = fc.option(fc.nat(1000));
    const given = fc.record({
      now: fc.array(value, { maxLength: 7 }),
      before: fc.array(value, { maxLength: 7 }),
      dimension: fc.constantFrom('report_day', 'page'),
      limitedTo: fc.option(fc.constant('the first 2 of 9 rows'), { nil: undefined }),
      gaps: fc.constantFrom([], ['there is no data']),
    });
    fc.assert(
      fc.property(given, ({ now, before, dimension, limitedTo, gaps }) => {
        const [found] = conclude({
          now: rows(now, dimension),
          before: rows(before, dimension),
          dimensions: [dimension],
          ...(limitedTo !== undefined && { limitedTo }),
          gaps,
        });
        const isMeasured =
          dimension === 'report_day' &&
          gaps.length === 0 &&
          [now, before].every(values => values.length > 0 && !values.includes(null));
        expect(found?.completeness.kind).toBe(
          !isMeasured ? 'unmeasured' : limitedTo === undefined ? 'complete' : 'limited',
        );
        if (found?.kind === 'change') expect(found.difference !== undefined).toBe(isMeasured);
      }),
    );
  });

  test("is the gateway's own where only it knows: ratios, pages, the first rows", () => {
    const own = [
      { visits: 90, bounce_rate: 0.5 },
      { visits: 100, bounce_rate: 0.4 },
    ] as const;
    expect(
      textOf({ now: rows([60, 70], 'page'), before: rows([80], 'page'), dimensions: ['page'], own }),
    ).toBe('visits: 90 (before: 100), change -10 (-10.0 %)');
    expect(textOf({ now: rows([1]), before: rows([1]), limitedTo: 'the first 1 of 7 rows', own })).toBe(
      'visits in all rows: 90 (before: 100), change -10 (-10.0 %)',
    );
    const ratios = [{ report_day: '2026-03-02', bounce_rate: 0.9 }];
    expect(textOf({ now: ratios, before: ratios, metrics: ['bounce_rate'], own })).toBe(
      'bounce_rate: 0.5 (before: 0.4), change +0.1 (+25.0 %)',
    );
  });

  test('of the first rows says so where the gateway states none', () => {
    expect(textOf({ now: rows([1, 2]), before: rows([4]), limitedTo: 'the first 2 of 7 rows' })).toBe(
      'visits in the first 2 of 7 rows: 3 (before: 4), change -1 (-25.0 %)',
    );
  });

  test('is requested only where the rows cannot prove it', () => {
    const scope = { limitedTo: undefined, dimensions: ['report_day'], metrics: ['visits'] };
    expect(needsOwnValues(scope)).toBe(false);
    expect(needsOwnValues({ ...scope, dimensions: ['country'] })).toBe(true);
    expect(needsOwnValues({ ...scope, metrics: ['visits', 'epmv'] })).toBe(true);
    expect(needsOwnValues({ ...scope, metrics: ['epmv'], dimensions: [] })).toBe(false);
    expect(needsOwnValues({ ...scope, limitedTo: 'the first row' })).toBe(true);
  });
});
