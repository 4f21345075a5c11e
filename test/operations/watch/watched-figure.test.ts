import { expect, test } from 'vitest';
import type { JudgedDay } from '../../../src/analysis/metric-health.ts';
import { inWords, type WatchedFigure } from '../../../src/operations/watch/watched-figure.ts';

const DAY = '2026-03-12';

function said(judged: Partial<JudgedDay>, figure: Partial<WatchedFigure> = {}): string {
  const none = { reason: undefined, value: undefined, expected: undefined, band: undefined };
  const day: JudgedDay = {
    ...none,
    ...{ day: DAY, status: 'alert', change: undefined, deviations: undefined, compared: 8 },
    ...judged,
  };
  return inWords({
    metric: 'visits',
    site: null,
    judged: day,
    value: null,
    event: 'opened',
    since: DAY,
    ...figure,
  });
}

test('a sentence says what the row proves', () => {
  const expected = 1_020;
  expect([
    said({ reason: 'drop', value: 803, expected, change: 803 / expected - 1 }, { site: 'example.com' }),
    said({ reason: 'rise', value: 2_040, expected, change: 1 }, { since: '2026-03-10' }),
    said({ reason: 'zero', value: 0, expected, change: -1 }),
    said({ reason: 'no_rows', expected, change: -1 }, { since: '2026-03-11' }),
    said({ reason: 'no_rows', change: -1 }),
    said({ reason: 'decline', value: 980, expected, change: -0.183, decline: { days: 28, before: 91 } }),
    said({ status: 'ok', value: 1_000, expected, change: -0.02 }, { event: 'cleared', since: null }),
    said({ status: 'holiday' }, { since: '2026-03-11' }),
  ]).toEqual([
    'visits of example.com fell to 803 on 2026-03-12, 21.3 % below the expected 1,020',
    'visits rose to 2,040 on 2026-03-12, 100.0 % above the expected 1,020; off since 2026-03-10',
    'visits fell to 0 on 2026-03-12, where 1,020 was expected',
    'visits has no figure on 2026-03-12, where 1,020 was expected; off since 2026-03-11',
    'visits has no figure on 2026-03-12, where there was traffic',
    'visits fell by 18.3 % in the 28 days to 2026-03-12, against the 91 days before',
    'visits is as expected again on 2026-03-12: 1,000',
    'visits has an alert since 2026-03-11',
  ]);
});
