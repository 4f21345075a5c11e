import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JudgedDay } from '../../../src/analysis/metric-health.ts';
import { type JsonRecord, jsonNumber, textOf } from '../../../src/json/index.ts';
import {
  daysInSentence,
  inWords,
  PLAIN_WORDING,
  rowOf,
  shownRows,
  type WatchedFigure,
  type WatchWording,
  watchWording,
} from '../../../src/operations/watch/watched-figure.ts';
import { presentationOf } from '../../../src/output/presentation/column.ts';
import { localeOf } from '../../../src/output/presentation/locale.ts';

const DAY = '2026-03-12';

function said(
  judged: Partial<JudgedDay>,
  figure: Partial<WatchedFigure> = {},
  wording?: WatchWording,
): string {
  const none = { reason: undefined, value: undefined, expected: undefined, band: undefined };
  const day: JudgedDay = {
    ...none,
    ...{ day: DAY, status: 'alert', change: undefined, deviations: undefined, compared: 8 },
    ...judged,
  };
  return inWords(
    {
      metric: 'visits',
      site: null,
      judged: day,
      latest: day,
      value: day.value === undefined ? null : jsonNumber(String(day.value)),
      event: 'opened',
      since: DAY,
      ...figure,
    },
    wording,
  );
}

test('a sentence says what the row proves', () => {
  const expected = 1_020;
  const ok = { status: 'ok', value: 1_000, expected, change: -0.02 } as const;
  const ended = { event: 'cleared', since: null } as const;
  const decline = { days: 28, before: 91, value: 845, expected: 1_034, change: 845 / 1_034 - 1 };
  expect([
    said({ reason: 'drop', value: 803, expected, change: 803 / expected - 1 }, { site: 'example.com' }),
    said({ reason: 'rise', value: 2_040, expected, change: 1 }, { since: '2026-03-10' }),
    said({ reason: 'zero', value: 0, expected, change: -1 }),
    said({ reason: 'no_rows', expected, change: -1 }, { since: '2026-03-11' }),
    said({ reason: 'decline', value: 980, expected, change: 980 / expected - 1, decline }),
    said({ reason: 'negative', value: -20, expected, change: -1.02 }),
    said({ reason: 'drop', value: -9, expected: -4 }),
    said({ reason: 'rise', value: 500, expected: 0 }),
    ...(['later_day', 'no_decline', 'restated', 'rejudged'] as const).map(end => said(ok, { ...ended, end })),
    said({ status: 'low_volume', value: 60 }, { ...ended, end: 'later_day' }),
    said({ status: 'holiday', value: 990 }, { ...ended, end: 'rejudged' }),
  ]).toEqual([
    'visits of example.com fell to 803 on 2026-03-12, 21.3 % below the expected 1,020',
    'visits rose to 2,040 on 2026-03-12, 100.0 % above the expected 1,020; off since 2026-03-10',
    'visits fell to 0 on 2026-03-12, where 1,020 was expected',
    'visits has no figure on 2026-03-12, where 1,020 was expected; off since 2026-03-11',
    'visits fell to a daily mean of 845 in the 28 days to 2026-03-12, 18.3 % below the 1,034 of the 91 days before',
    'visits fell to -20 on 2026-03-12, where 1,020 was expected',
    'visits fell to -9 on 2026-03-12, where -4 was expected',
    'visits rose to 500 on 2026-03-12, where 0 was expected',
    'visits is as expected again on 2026-03-12: 1,000',
    'visits shows no decline any more on 2026-03-12: 1,000 is within the range expected of that day',
    'visits on 2026-03-12 was restated: 1,000 is as expected',
    'visits on 2026-03-12 was judged again: 1,000 is as expected',
    'visits is above zero again on 2026-03-12: 60',
    'visits on 2026-03-12 was judged again: not judged (holiday)',
  ]);
});

test('for people it has labels, units and dates, and figures in the form of their metric', () => {
  const units = new Map([
    ['revenue', 'USD'],
    ['engaged_time', 'seconds'],
  ]);
  const shownOf = (metric: string) => presentationOf(metric, name => ({ unit: units.get(name) }));
  const wording = watchWording(shownOf, {});
  const drop = { reason: 'drop', change: -0.269 } as const;
  expect([
    said({ ...drop, value: 803, expected: 1_020.4 }, { site: 'example.com' }, wording),
    said({ ...drop, value: 22.37, expected: 30.6 }, { metric: 'revenue', since: '2026-03-10' }, wording),
    said({ reason: 'no_rows', expected: 74_000, change: -1 }, { metric: 'engaged_time' }, wording),
  ]).toEqual([
    'Visits of example.com fell to 803 on 12 March 2026, 26.9 % below the expected 1,020',
    'Revenue fell to 22.37 USD on 12 March 2026, 26.9 % below the expected 30.60 USD; off since 10 March 2026',
    'Engaged time has no figure on 12 March 2026, where 20 h 33 m was expected',
  ]);
  const row = (metric: string, ...figures: readonly (string | null)[]) => {
    const [value, expected, low, high] = figures.map(digits => (digits === null ? null : jsonNumber(digits)));
    return { metric, value, expected, expected_low: low, expected_high: high } as JsonRecord;
  };
  expect(
    shownRows(
      [row('visits', '685', '920.1', '780.9', '1084'), row('revenue', '22.4', null, '20', '31.75')],
      shownOf,
      {},
    ),
  ).toEqual([
    { metric: 'Visits', value: '685', expected: '920', expected_low: '781', expected_high: '1,084' },
    {
      ...{ metric: 'Revenue (USD)', value: '22.40', expected: null },
      ...{ expected_low: '20.00', expected_high: '31.75' },
    },
  ]);
});

test('a percentage is as tables and reports have it: no fall but to zero reads 100 %', () => {
  const wordings = [PLAIN_WORDING, watchWording(metric => presentationOf(metric), {})];
  const fallTo = (value: number, expected: number, wording: WatchWording) =>
    said({ reason: 'drop', value, expected, change: value / expected - 1 }, {}, wording);
  for (const wording of wordings) {
    expect(fallTo(3, 10_000, wording)).toMatch(/, 99\.97 % below the expected 10,000$/);
    expect(fallTo(7_440, 10_000, wording)).toMatch(/, 25\.6 % below the expected 10,000$/);
  }
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_000 }), fc.constantFrom(...wordings), (value, wording) => {
      const [, percent = ''] = /, ([\d.]+) % below/.exec(fallTo(value, 1_000_000, wording)) ?? [];
      expect(Number(percent)).toBeLessThan(100);
      expect(Math.abs(Number(percent) - (100 - value / 10_000))).toBeLessThanOrEqual(0.05 + 1e-9);
      const day = { day: DAY, status: 'alert', reason: 'drop', value, expected: 1_000_000 } as const;
      const none = { band: undefined, deviations: undefined, compared: 8 };
      const judged = { ...day, ...none, change: value / 1_000_000 - 1 };
      const given = { metric: 'visits', site: null, judged, latest: judged, value };
      const row = rowOf({ ...given, value: jsonNumber(String(value)), event: 'opened', since: DAY });
      expect(Number(textOf(row.change_percent ?? null))).toBeCloseTo(-Number(percent), 9);
    }),
  );
});

test('one day is one day', () => {
  const one = { from: '2026-03-11', to: '2026-03-11' };
  const german = watchWording(name => presentationOf(name), { locale: localeOf('de-DE') });
  expect(daysInSentence(one, PLAIN_WORDING)).toBe('on 2026-03-11');
  expect(daysInSentence(one, german)).toBe('on 11.03.2026');
  expect(daysInSentence({ ...one, to: '2026-03-14' }, PLAIN_WORDING)).toBe('from 2026-03-11 to 2026-03-14');
});
