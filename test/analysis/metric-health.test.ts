import { describe, expect, test } from 'vitest';
import {
  type AlertRules,
  type DayKind,
  type JudgedDay,
  judgeDays,
} from '../../src/analysis/metric-health.ts';
import { addDays, dayCount } from '../../src/apis/bda/days.ts';

/** A Monday. */
const FIRST = '2025-01-06';

interface Site {
  readonly days?: number;
  readonly volume?: number;
  readonly visits?: number;
  /** What the figure of a day is, other than 1000. */
  readonly of?: (at: number) => number | undefined;
  readonly kind?: (at: number) => DayKind;
  readonly rules?: Partial<AlertRules>;
}

/** Judges the days of a site with 1000 a day. */
function judged({ days = 71, volume = 1000, visits, of = () => 1000, kind, rules }: Site = {}): JudgedDay[] {
  const figures = new Map(
    Array.from({ length: days }, (_, at) => {
      const value = of(at);
      return value === undefined ? [] : [[addDays(FIRST, at), { value, volume, visits }] as const];
    }).flat(),
  );
  return judgeDays(
    figures,
    { from: FIRST, to: addDays(FIRST, days - 1) },
    {
      threshold: 3,
      minChange: 0.1,
      minVolume: 100,
      direction: 'drop',
      kindOf: day => kind?.(dayCount({ from: FIRST, to: day }) - 1) ?? 'plain',
      ...rules,
    },
  );
}

const lastOf = (site?: Site) => judged(site).at(-1) as JudgedDay;
/** The last day of a site whose last figure is this one. */
const withLast = (value: number | undefined, site: Site = {}) => {
  const { days = 71, of = () => 1000 } = site;
  return lastOf({ ...site, of: at => (at === days - 1 ? value : of(at)) });
};
const near = (figure: number) => expect.closeTo(figure, 6);

describe('a day of a steady metric', () => {
  test('is expected to be as before, within the least change or three deviations', () => {
    expect(lastOf()).toEqual({
      ...{ day: '2025-03-17', status: 'ok', reason: undefined, value: 1000, compared: 8 },
      ...{
        expected: near(1000),
        band: { low: near(900), high: near(1100) },
        change: near(0),
        deviations: near(0),
      },
    });
    // A thousand vary by their square root.
    const reach = 3 / Math.sqrt(1000);
    expect(lastOf({ rules: { minChange: 0.01 } }).band).toEqual({
      low: near(1000 * Math.exp(-reach)),
      high: near(1000 * Math.exp(reach)),
    });
  });

  test('is an alert out of its band, in the direction that is watched', () => {
    const found = (value: number, direction: AlertRules['direction']) =>
      withLast(value, { rules: { direction } }).reason;
    expect(['drop', 'rise', 'both'].map(each => found(895, each as 'drop'))).toEqual([
      'drop',
      undefined,
      'drop',
    ]);
    expect(['drop', 'rise', 'both'].map(each => found(1105, each as 'drop'))).toEqual([
      undefined,
      'rise',
      'rise',
    ]);
    expect(['drop', 'rise', 'both'].map(each => found(905, each as 'drop'))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(withLast(895)).toMatchObject({
      ...{ status: 'alert', change: near(-0.105) },
      deviations: near(Math.log(0.895) * Math.sqrt(1000)),
    });
  });

  test('is judged from the fourth of its weekday on that has five days before it', () => {
    const all = judged({ days: 34 });
    expect(all[32]).toMatchObject({ status: 'too_few_days', expected: undefined, compared: 3 });
    expect(all[33]).toMatchObject({ status: 'ok', compared: 4 });
  });

  test('is judged from the least volume on, which is of visits where they are known', () => {
    const status = (site: Site) => lastOf(site).status;
    expect([99, 100].map(volume => status({ volume }))).toEqual(['low_volume', 'ok']);
    expect(status({ volume: 1000, visits: 99 })).toBe('low_volume');
    expect(status({ volume: 5, visits: 100 })).toBe('ok');
  });

  test('is not judged on a holiday, and not compared with one', () => {
    const kind = (at: number): DayKind => (at === 70 || at === 63 ? 'holiday' : 'plain');
    const of = (at: number) => (at === 70 || at === 63 ? 10 : 1000);
    expect(lastOf({ kind, of })).toMatchObject({ status: 'holiday', expected: undefined, band: undefined });
    expect(lastOf({ days: 78, kind, of })).toMatchObject({ status: 'ok', expected: near(1000), compared: 6 });
  });

  test('beside a holiday may differ twice as much, and is compared with where there are few others', () => {
    const kind = (at: number): DayKind => (at === 70 ? 'beside' : 'plain');
    const reach = 6 / Math.sqrt(1000);
    expect(lastOf({ kind }).band?.low).toEqual(near(1000 * Math.exp(-reach)));
    const beside = (count: number) =>
      lastOf({ kind: at => (at >= 70 - 7 * count && at < 70 ? 'beside' : 'plain') });
    expect(beside(4).compared).toBe(4);
    expect(beside(5).compared).toBe(8);
  });
});

describe('traffic that ends', () => {
  test('is an alert as a zero or a day without a row, from twenty a day on', () => {
    expect(withLast(0, { volume: 20 })).toMatchObject({
      status: 'alert',
      reason: 'zero',
      change: -1,
      expected: near(1000),
    });
    expect(withLast(0, { volume: 19 })).toMatchObject({ status: 'low_volume' });
    expect(withLast(undefined, { volume: 20 })).toMatchObject({
      status: 'alert',
      reason: 'no_rows',
      change: undefined,
    });
    expect(withLast(undefined, { volume: 19 })).toMatchObject({ status: 'no_data', reason: undefined });
    expect(withLast(undefined, { volume: 1000, visits: 19 })).toMatchObject({ status: 'no_data' });
  });

  test('is an alert after a week', () => {
    expect(withLast(0, { days: 7 })).toMatchObject({ status: 'too_few_days' });
    expect(withLast(0, { days: 8 })).toMatchObject({
      status: 'alert',
      reason: 'zero',
      expected: 1000,
      change: -1,
    });
    expect(withLast(undefined, { days: 7 })).toMatchObject({ status: 'no_data' });
    expect(withLast(undefined, { days: 8 })).toMatchObject({
      status: 'alert',
      reason: 'no_rows',
      expected: 1000,
    });
  });

  test('is none where more than half of the same weekdays have none', () => {
    // Mondays with traffic, of the eight before.
    const mondays = (count: number) => {
      const of = (at: number) => (at % 7 === 0 && at < 70 - 7 * count ? 0 : 1000);
      return withLast(0, { of }).reason === 'zero';
    };
    expect([mondays(4), mondays(3)]).toEqual([true, false]);
  });

  test('is an alert on each day that it lasts, and expects what was before', () => {
    const all = judged({ days: 90, of: at => (at >= 70 ? 0 : 1000) }).slice(70);
    expect(all.map(({ reason }) => reason)).toEqual(Array(20).fill('zero'));
    expect(all.every(({ expected }) => Math.abs((expected ?? 0) - 1000) < 1e-6)).toBe(true);
  });

  test('is an alert as the first figure below zero is', () => {
    expect(withLast(-5)).toMatchObject({ status: 'alert', reason: 'negative' });
    expect(withLast(-5, { volume: 19 }).reason).toBeUndefined();
  });
});

describe('an alert', () => {
  const twoFalls = (value: number, rules: Partial<AlertRules>) =>
    lastOf({ days: 78, of: at => (at === 70 ? value : 1000), rules });

  test('of three deviations is not compared with later', () => {
    expect(twoFalls(500, {}).compared).toBe(7);
    expect(twoFalls(500, { direction: 'rise' }).compared).toBe(8);
  });

  test('of fewer, with a lower threshold, is', () => {
    const rules = { threshold: 1, minChange: 0.01 };
    expect(withLast(950, { rules })).toMatchObject({ reason: 'drop' });
    expect(twoFalls(950, rules).compared).toBe(8);
    expect(twoFalls(890, rules).compared).toBe(7);
  });

  test('leaves a day that lacks others because of it without a verdict', () => {
    const of = (at: number) => (at >= 35 && at % 7 === 0 && at < 70 ? 500 : 1000);
    expect(lastOf({ days: 71, of })).toMatchObject({ status: 'after_alerts' });
  });

  test('of a decline is of days that are as expected', () => {
    const of = (at: number) => 1000 * 0.98 ** Math.max(0, at - 130);
    const declining = judged({ days: 160, of, rules: { threshold: 8 } });
    const alerts = declining.filter(({ status }) => status === 'alert');
    expect(new Set(alerts.map(({ reason }) => reason))).toEqual(new Set(['decline']));
    for (const { decline } of alerts) expect(decline?.change).toBeLessThanOrEqual(-0.1);
    const rising = judged({ days: 160, of, rules: { threshold: 8, direction: 'rise' } });
    expect(rising.every(({ status }) => status !== 'alert')).toBe(true);
    const both = judged({ days: 160, of, rules: { threshold: 8, direction: 'both' } });
    expect(both.filter(({ reason }) => reason === 'decline')).toHaveLength(alerts.length);
  });
});
