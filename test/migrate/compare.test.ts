import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/index.ts';
import { compareRows } from '../../src/migrate/index.ts';

const OPTIONS = { dimensions: ['country'], metrics: ['revenue'] };
const rows = (...figures: Json[]) => figures.map((revenue, index) => ({ country: `C${index}`, revenue }));
const exact = (text: string) => parseJson(`[${text}]`) as Json[];

const verdictOf = (v1: Json[], v2: Json[], decimals?: Record<string, number>) =>
  compareRows(rows(...v1), rows(...v2), { ...OPTIONS, ...(decimals && { decimals }) }).metrics[0];

test('columns are found in any letter case and with underscores or without', () => {
  const v1 = [{ Country: 'C0', EngagedTime: 1.5, Revenue: null }];
  const v2 = [{ country: 'C0', engaged_time: 1.5, revenue: null }];
  const metrics = ['engaged_time', 'revenue'];
  expect(compareRows(v1, v2, { ...OPTIONS, metrics })).toMatchObject({ parity: true, joined: 1 });
});

describe("figures are compared within v1's rounding", () => {
  test.each<[string, Json[], Json[], number | undefined, string, number]>([
    ['equal figures', [1.5, 2], [1.5, 2], undefined, 'same', 1],
    ['the same number written otherwise', ['1.50', 1000], [1.5, '1e3'], undefined, 'same', 2],
    ['figures that v1 rounded', [1.23, 2], [1.2349, 2.0011], 2, 'rounded', 2],
    ['a half that v1 rounded either way', [0.12, 0.14], [0.125, 0.135], 2, 'rounded', 2],
    ['a difference of more than the rounding', [1.23, 2], [1.2351, 2], 2, 'different', 2],
    ['whole numbers that differ by one', [10, 7], [10, 8], undefined, 'different', 0],
    ['whole numbers beside fractions, which may be anything', [0, 1], [0.4, 1.2], undefined, 'different', 0],
    ['nulls on both sides', [null, 1], [null, 1], undefined, 'same', 0],
    ['null against nothing', [0], [null], undefined, 'different', 0],
    ['text', ['a', 'b'], ['a', 'c'], undefined, 'different', 0],
    ['negative figures', [-1.2], [-1.23], 1, 'rounded', 1],
    ['zero and minus zero', ['0'], ['-0'], undefined, 'same', 0],
    ['the noise of a double', [0.30000000000000004], ['0.3'], undefined, 'rounded', 17],
    [
      'figures that v1 may have rounded, though that was not announced',
      [1.23],
      [1.2349],
      undefined,
      'different',
      2,
    ],
    ['a digit that a double still has', [0.123456789012345], [0.123456789012346], undefined, 'different', 15],
  ])('%s', (_, v1, v2, announced, verdict, decimals) => {
    const found = verdictOf(v1, v2, announced === undefined ? undefined : { revenue: announced });
    expect(found).toMatchObject({ verdict, decimals });
  });

  test('digits beyond a double are compared too', () => {
    const big = exact('12345678901234567890, 0.1');
    expect(verdictOf(big, exact('12345678901234567890, 0.1'))).toMatchObject({ verdict: 'same' });
    expect(verdictOf(big, exact('12345678901234567891, 0.1'))).toMatchObject({
      verdict: 'different',
      largest: '1',
    });
  });

  test('full precision of v2 rounds to what v1 shows', () => {
    expect(
      verdictOf(exact('10.12, 3.5'), exact('10.12345678901234567890123, 3.4999999999999999999999'), {
        revenue: 2,
      }),
    ).toMatchObject({
      verdict: 'rounded',
      decimals: 2,
    });
  });

  test('the decimals that v1 was requested count where its figures happen to show fewer', () => {
    expect(verdictOf([5], [5.004], { revenue: 2 })).toMatchObject({ verdict: 'rounded', decimals: 2 });
    expect(verdictOf([5], [5.3], { revenue: 2 })).toMatchObject({ verdict: 'different', largest: '0.3' });
    expect(verdictOf(['1.500'], [1.5044], { revenue: 2 })).toMatchObject({ verdict: 'rounded' });
    expect(verdictOf([1.234], [1.2344], { revenue: 2 })).toMatchObject({ verdict: 'different' });
  });

  test('integers are a sign of rounding where v1 rounds the metric, and of another figure elsewhere', () => {
    const rounding = { ...OPTIONS, rounded: ['revenue'] };
    expect(compareRows(rows(5), rows(5.3), rounding).metrics[0]).toMatchObject({ verdict: 'rounded' });
    expect(compareRows(rows(5), rows(5.3), OPTIONS).metrics[0]).toMatchObject({ verdict: 'different' });
  });

  test('a figure and its rounding are never different, and a unit more always is', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        fc.integer({ min: 0, max: 6 }),
        (digits, places) => {
          const text = (value: bigint, scale: number) => {
            const padded = value.toString().padStart(scale + 1, '0');
            return scale === 0 ? padded : `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
          };
          const step = 10n ** BigInt(8 - places);
          const rounded = (digits + step / 2n) / step;
          const rounding = { ...OPTIONS, rounded: ['revenue'] };
          const near = compareRows(rows(text(rounded, places)), rows(text(digits, 8)), rounding);
          expect(near.parity).toBe(true);
          const far = compareRows(rows(text(rounded + 1n, places)), rows(text(rounded * step, 8)), rounding);
          expect(far.parity).toBe(rounded + 1n >= 10n ** 15n && places > 0);
        },
      ),
    );
  });

  test('exponents without measure do not hang the comparison', () => {
    expect(verdictOf(['1e-9000000'], ['1e9000000'])).toMatchObject({
      verdict: 'different',
      largest: '1e+9000000',
    });
  });
});

describe('rows', () => {
  test('are joined on their dimensions in whatever order', () => {
    const comparison = compareRows(
      [
        { country: 'US', day: '2026-01-01', revenue: 1 },
        { country: 'US', day: '2026-01-02', revenue: 2 },
      ],
      [
        { revenue: 2, day: '2026-01-02T00:00:00Z', country: 'US' },
        { revenue: 1, day: '2026-01-01', country: 'US' },
      ],
      { dimensions: ['country', 'day'], metrics: ['revenue'] },
    );
    expect(comparison).toEqual({
      parity: true,
      joined: 2,
      onlyV1: [],
      onlyV2: [],
      metrics: [{ metric: 'revenue', verdict: 'same', decimals: 0, compared: 2, differing: 0 }],
      differences: [],
    });
  });

  test('on one side only are reported, and are a difference', () => {
    const comparison = compareRows(
      rows(1, 2),
      [
        { country: 'C0', revenue: 1 },
        { country: 'DE', revenue: 2 },
      ],
      OPTIONS,
    );
    expect(comparison).toMatchObject({
      parity: false,
      joined: 1,
      onlyV1: [{ country: 'C1' }],
      onlyV2: [{ country: 'DE' }],
      metrics: [{ verdict: 'same' }],
    });
  });

  test('that are alike in every dimension pair up in their order', () => {
    const twice = [
      { country: 'US', revenue: 1 },
      { country: 'US', revenue: 2 },
    ];
    expect(compareRows(twice, twice, OPTIONS)).toMatchObject({ parity: true, joined: 2 });
    expect(compareRows(twice, twice.slice(0, 1), OPTIONS)).toMatchObject({
      parity: false,
      onlyV1: [{ country: 'US' }],
    });
  });

  test.each([
    [null, ''],
    [null, 'null'],
    [undefined, ''],
  ])('%j is not the dimension %j', (one, other) => {
    const comparison = compareRows([{ country: one, revenue: 1 }], [{ country: other, revenue: 1 }], OPTIONS);
    expect(comparison).toMatchObject({
      joined: 0,
      onlyV1: [{ country: 'null' }],
      onlyV2: [{ country: other }],
    });
  });

  test('of v1 may call a column by another name', () => {
    const options = {
      dimensions: ['report_week'],
      metrics: ['visits'],
      v1Columns: { report_week: 'report_day' },
    };
    const v2 = [{ report_week: '2026-01-05', visits: 3 }];
    expect(compareRows([{ report_day: '2026-01-05', visits: 3 }], v2, options).parity).toBe(true);
    expect(compareRows([{ report_week: '2026-01-05', visits: 3 }], v2, options).parity).toBe(true);
  });

  test('without dimensions are one total', () => {
    const total = { dimensions: [], metrics: ['revenue'] };
    expect(compareRows([{ revenue: 3 }], [{ revenue: 3 }], total)).toMatchObject({ parity: true, joined: 1 });
  });

  test('in two empty responses agree, and prove nothing', () => {
    expect(compareRows([], [], OPTIONS)).toMatchObject({
      parity: true,
      joined: 0,
      metrics: [{ verdict: 'unverified', compared: 0 }],
    });
  });
});

describe('a mapping that is wrong is caught', () => {
  test('when it requests another metric', () => {
    const v1 = [
      { country: 'US', visits: 10 },
      { country: 'DE', visits: 4 },
    ];
    const v2 = [
      { country: 'US', pageviews: 10 },
      { country: 'DE', pageviews: 4 },
    ];
    const comparison = compareRows(v1, v2, { dimensions: ['country'], metrics: ['visits'] });
    expect(comparison).toMatchObject({ parity: false, metrics: [{ metric: 'visits', verdict: 'absent' }] });
  });

  test('when figures differ, each with its row, the largest difference in sum', () => {
    const v1 = [
      { country: 'US', visits: 10, revenue: 1.25 },
      { country: 'DE', visits: 4, revenue: 2 },
    ];
    const v2 = [
      { country: 'US', visits: 13, revenue: 1.2549 },
      { country: 'DE', visits: 3, revenue: 2 },
    ];
    expect(
      compareRows(v1, v2, { dimensions: ['country'], metrics: ['visits', 'revenue'], rounded: ['revenue'] }),
    ).toEqual({
      parity: false,
      joined: 2,
      onlyV1: [],
      onlyV2: [],
      metrics: [
        { metric: 'visits', verdict: 'different', decimals: 0, compared: 2, differing: 2, largest: '3' },
        { metric: 'revenue', verdict: 'rounded', decimals: 2, compared: 2, differing: 0 },
      ],
      differences: [
        { row: { country: 'US' }, metric: 'visits', v1: '10', v2: '13', difference: '3' },
        { row: { country: 'DE' }, metric: 'visits', v1: '4', v2: '3', difference: '-1' },
      ],
    });
  });

  test('when a figure is missing from some rows', () => {
    const comparison = compareRows(rows(1, 2), [{ country: 'C0', revenue: 1 }, { country: 'C1' }], OPTIONS);
    expect(comparison).toMatchObject({
      parity: false,
      differences: [{ row: { country: 'C1' }, v1: '2', v2: 'nothing' }],
    });
  });
});
