import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followAlert, type WatchedSeries } from '../../src/analysis/alerts.ts';
import { DAYS_BEFORE } from '../../src/analysis/expected-figure.ts';
import {
  type AlertRules,
  type DayFigure,
  type JudgedDay,
  judgeDays,
} from '../../src/analysis/metric-health.ts';
import { addDays, type Day, weekday } from '../../src/apis/bda/days.ts';
import { kindOfDay } from '../../src/operations/watch/public-holidays.ts';
import { seeded, simulatedSite } from './simulated-years.ts';

/** `npm run check:watch` simulates more sites. */
const SITES = Number(process.env.WATCH_SITES ?? 1);
const YEARS = 10;
const QUARTERS = 4 * YEARS;
/** Of one day against the other, as a share. */
const NOISE = 0.03;
const DROPS_PER_SITE = 40;

const RULES: AlertRules = {
  threshold: 3,
  minChange: 0.1,
  minVolume: 100,
  direction: 'drop',
  kindOf: () => 'plain',
};
const FIRST = '2025-01-06';

function dropped({ value, volume }: DayFigure, share: number): DayFigure {
  return { value: Math.round(value * (1 - share)), volume: Math.round(volume * (1 - share)) };
}

/** Steady figures with a weekday pattern and a little seeded noise. */
function steady(
  days: number,
  change: (at: number, value: number) => number | undefined = (_, value) => value,
) {
  const random = seeded(7);
  const figures = new Map<Day, DayFigure>();
  for (let at = 0; at < days; at += 1) {
    const day = addDays(FIRST, at);
    const usual = 10_000 * (weekday(day) >= 5 ? 0.6 : 1) * (0.98 + 0.04 * random());
    const value = change(at, usual);
    if (value !== undefined) figures.set(day, { value, volume: value });
  }
  return { figures, range: { from: FIRST, to: addDays(FIRST, days - 1) } };
}

test(
  `in ${YEARS} years without an incident there is at most one false alert a quarter, and 95 % of planted drops of 20 % are found on their first day`,
  () => {
    const falseAlerts: number[] = [];
    let found = 0;
    for (let seed = 1; seed <= SITES; seed += 1) {
      const { figures, holidays, days } = simulatedSite(seed, { years: YEARS, noise: NOISE });
      const rules = { ...RULES, kindOf: kindOfDay(day => holidays.has(day), []) };
      const range = { from: days[0] as Day, to: days.at(-1) as Day };
      const alerts = judgeDays(figures, range, rules).filter(({ status }) => status === 'alert');
      falseAlerts.push(alerts.length / QUARTERS);
      const random = seeded(1_000 + seed);
      for (let planted = 0; planted < DROPS_PER_SITE; planted += 1) {
        let at = DAYS_BEFORE + Math.floor(random() * (days.length - DAYS_BEFORE - 10));
        while (rules.kindOf(days[at] as Day) !== 'plain') at += 1;
        const day = days[at] as Day;
        const withDrop = new Map(figures).set(day, dropped(figures.get(day) as DayFigure, 0.2));
        const own = { from: days[at - DAYS_BEFORE] as Day, to: day };
        if (judgeDays(withDrop, own, rules).at(-1)?.status === 'alert') found += 1;
      }
    }
    const share = found / (SITES * DROPS_PER_SITE);
    const mean = falseAlerts.reduce((sum, each) => sum + each, 0) / SITES;
    if (SITES > 10)
      process.stdout.write(
        `${SITES} sites, ${YEARS} years each, noise ${NOISE * 100} %: ${mean.toFixed(3)} false alerts a quarter, at most ${Math.max(...falseAlerts).toFixed(3)}; ${(share * 100).toFixed(1)} % of ${SITES * DROPS_PER_SITE} drops found on their first day\n`,
      );
    expect(Math.max(...falseAlerts)).toBeLessThanOrEqual(1);
    expect(share).toBeGreaterThanOrEqual(0.95);
  },
  30_000 * Math.max(1, SITES),
);

describe('a day is judged', () => {
  test('by what is usual on that weekday: a weekend is no drop, a weekend-like Monday is', () => {
    const monday = 25 * 7;
    const { figures, range } = steady(26 * 7, (at, value) => (at === monday ? value * 0.6 : value));
    const judged = judgeDays(figures, range, RULES);
    expect(judged.filter(({ status }) => status === 'alert').map(({ day }) => day)).toEqual([
      addDays(FIRST, monday),
    ]);
    expect(judged[monday]?.change).toBeCloseTo(-0.4, 1);
    expect(judged[monday]?.compared).toBe(8);
  });

  test('by the level of the days before: growth and decline by 2 % a week are no alerts', () => {
    for (const weekly of [1.02, 0.98]) {
      const { figures, range } = steady(30 * 7, (at, value) => value * weekly ** (at / 7));
      const judged = judgeDays(figures, range, { ...RULES, direction: 'both' });
      expect(judged.filter(({ status }) => status === 'alert')).toEqual([]);
    }
  });

  test('not without four of the same weekday, not on a holiday, not without a figure, not below the least volume', () => {
    const holiday = addDays(FIRST, 100);
    const { figures, range } = steady(110, (at, value) => (at === 105 ? undefined : value / 2));
    const rules = { ...RULES, kindOf: kindOfDay(day => day === holiday, []) };
    const statuses = judgeDays(figures, range, rules).map(({ status }) => status);
    expect(new Set(statuses.slice(0, 28))).toEqual(new Set(['too_few_days']));
    expect([statuses[60], statuses[100], statuses[105]]).toEqual(['ok', 'holiday', 'alert']);
    const small = judgeDays(figures, range, { ...RULES, minVolume: 100_000 });
    expect(small.at(-1)?.status).toBe('low_volume');
  });

  test('without the days beside holidays, which vary more, where there are enough others', () => {
    const mondays = [147, 161, 175, 189];
    const holidays = mondays.map(at => addDays(FIRST, at));
    const besides = mondays.map(at => at + 1);
    const { figures, range } = steady(198, (at, value) => (besides.includes(at) ? value * 0.92 : value));
    const rules = { ...RULES, kindOf: kindOfDay(day => holidays.includes(day), []) };
    const judged = judgeDays(figures, range, rules);
    expect(besides.map(at => judged[at]?.status)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(judged[197]?.compared).toBe(4);
    const usual = judgeDays(steady(198).figures, range, RULES)[197];
    expect(Math.abs((judged[197]?.expected ?? 0) / (usual?.expected ?? 1) - 1)).toBeLessThan(0.01);
  });

  test('beside a holiday, a day may fall as far as holidays did, and then as far as such days did a year before', () => {
    const [first, second, third] = [200, 200 + 364, 200 + 728];
    const holidays = new Set([100, 100 + 364, first, second, third].map(at => addDays(FIRST, at)));
    const judgedWith = (falls: Readonly<Record<number, number>>) => {
      const { figures, range } = steady(950, (at, value) =>
        holidays.has(addDays(FIRST, at)) ? value * 0.3 : value * (falls[at] ?? 1),
      );
      return judgeDays(figures, range, { ...RULES, kindOf: kindOfDay(day => holidays.has(day), []) });
    };
    expect(judgedWith({ [first + 1]: 0.4 })[first + 1]?.status).toBe('ok');
    expect(judgedWith({ [first + 1]: 0.2 })[first + 1]?.status).toBe('alert');
    // A year in which nothing happened beside the holiday shows that nothing is to be expected.
    expect(judgedWith({ [second + 1]: 0.4 })[second + 1]?.status).toBe('alert');
    expect(judgedWith({ [second + 1]: 0.4, [third - 1]: 0.4 })[third - 1]?.status).toBe('ok');
    expect(judgedWith({ [first + 5]: 0.4 })[first + 5]?.status).toBe('alert');
  });

  test('with any threshold: frequent alerts leave enough days to compare with', () => {
    for (const threshold of [1, 1.5, 2, 3])
      for (const direction of ['drop', 'both'] as const) {
        const { figures, range } = steady(60 * 7);
        const rules = { ...RULES, threshold, minChange: 0, direction };
        const judged = judgeDays(figures, range, rules).slice(8 * 7);
        expect({ threshold, few: judged.filter(({ compared }) => compared < 7) }).toEqual({
          threshold,
          few: [],
        });
        expect(judged.every(({ status }) => status === 'ok' || status === 'alert')).toBe(true);
      }
  });

  test('a zero is an alert in each direction, and a rise only where rises are watched', () => {
    const { figures, range } = steady(26 * 7, (at, value) =>
      at === 170 ? 0 : at === 175 ? value * 2 : value,
    );
    const status = (direction: AlertRules['direction']) =>
      judgeDays(figures, range, { ...RULES, direction })
        .filter(({ status }) => status === 'alert')
        .map(({ day }) => day);
    expect(status('drop')).toEqual([addDays(FIRST, 170)]);
    expect(status('rise')).toEqual([addDays(FIRST, 170), addDays(FIRST, 175)]);
    expect(status('both')).toHaveLength(2);
  });

  test('an incident of three weeks is an alert to its end; a lasting change becomes what is expected', () => {
    const begin = 24 * 7;
    const three = steady(32 * 7, (at, value) => (at >= begin && at < begin + 21 ? value * 0.7 : value));
    const days = judgeDays(three.figures, three.range, RULES).slice(begin);
    expect(days.slice(0, 21).map(({ status }) => status)).toEqual(Array(21).fill('alert'));
    expect(new Set(days.slice(21).map(({ status }) => status))).toEqual(new Set(['ok']));
    const lasting = steady(40 * 7, (at, value) => (at >= begin ? value * 0.7 : value));
    const after = judgeDays(lasting.figures, lasting.range, RULES).slice(begin);
    expect(after.at(-1)?.status).toBe('ok');
    expect(after.findIndex(({ status }) => status === 'ok')).toBeGreaterThan(21);
  });

  const series = fc.array(fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }), {
    minLength: 60,
    maxLength: 200,
  });
  const figuresOf = (values: readonly (number | undefined)[]) =>
    new Map(
      values.flatMap((value, at) =>
        value === undefined ? [] : [[addDays(FIRST, at), { value, volume: value }] as const],
      ),
    );

  test('whatever the figures are: only those before it count, and a day is a drop or a rise if it is out of its band', () => {
    fc.assert(
      fc.property(series, fc.nat({ max: 59 }), (values, cut) => {
        const range = { from: FIRST, to: addDays(FIRST, values.length - 1) };
        const all = judgeDays(figuresOf(values), range, { ...RULES, direction: 'both' });
        const until = { from: FIRST, to: addDays(range.to, -cut) };
        const some = judgeDays(figuresOf(values), until, { ...RULES, direction: 'both' });
        expect(all.slice(0, some.length)).toEqual(some);
        for (const [at, { status, reason, value, expected, band, deviations }] of all.entries()) {
          expect(value).toBe(values[at]);
          if (value === undefined) expect(['no_data', 'alert']).toContain(status);
          expect(status === 'alert').toBe(reason !== undefined);
          if (band === undefined) continue;
          expect(expected).toBeGreaterThan(0);
          expect(Number.isFinite(deviations)).toBe(true);
          // What is printed as the reason holds of the figures that are printed.
          expect(
            [value, value].map((each = 0, side) => (side === 0 ? each < band.low : each > band.high)),
          ).toEqual([reason === 'drop', reason === 'rise']);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('whatever a holiday brought: no day but those beside holidays is judged differently', () => {
    fc.assert(
      fc.property(series, fc.nat({ max: 59 }), fc.nat({ max: 100_000 }), (values, at, other) => {
        const range = { from: FIRST, to: addDays(FIRST, values.length - 1) };
        const rules = { ...RULES, kindOf: kindOfDay(day => day === addDays(FIRST, at), []) };
        const one = judgeDays(figuresOf(values), range, rules);
        const two = judgeDays(figuresOf(values.with(at, other)), range, rules);
        const isPlain = ({ day }: JudgedDay) => rules.kindOf(day) === 'plain';
        expect(two.filter(isPlain)).toEqual(one.filter(isPlain));
        expect([one[at]?.status, two[at]?.status]).toEqual(['holiday', 'holiday']);
      }),
      { numRuns: 60 },
    );
  });
});

describe('an alert is reported once, until it clears', () => {
  const judged = (statuses: readonly JudgedDay['status'][]): JudgedDay[] =>
    statuses.map((status, at) => ({
      day: addDays(FIRST, at),
      status,
      reason: undefined,
      value: 1,
      expected: 1,
      band: undefined,
      change: 0,
      deviations: 0,
      compared: 8,
    }));
  const run = (before: WatchedSeries | undefined, days: readonly JudgedDay[], to: number) =>
    followAlert(before, days.slice(0, to));

  test('day by day', () => {
    const days = judged(['ok', 'alert', 'alert', 'holiday', 'alert', 'no_data', 'ok', 'alert']);
    let before: WatchedSeries | undefined;
    const events = days.map((_, at) => {
      const { series, event } = run(before, days, at + 1);
      before = series;
      return event;
    });
    expect(events).toEqual(['none', 'opened', 'open', 'open', 'open', 'open', 'cleared', 'opened']);
    expect(before?.open).toEqual({ since: addDays(FIRST, 7), last: addDays(FIRST, 7), value: 1 });
  });

  test('a second run on the same day reports nothing again, and an older clock forgets nothing', () => {
    const days = judged(['ok', 'alert']);
    const first = run(undefined, days, 2);
    for (const to of [2, 1])
      expect(run(first.series, days, to)).toMatchObject({ series: first.series, event: 'open', missed: [] });
  });

  test('one that opened and cleared between two runs is missed, and one that was reported is not', () => {
    const days = judged(['ok', 'alert', 'alert', 'ok', 'ok']);
    const { series } = run(undefined, days, 1);
    const { event, missed } = run(series, days, 5);
    expect([event, missed]).toEqual([
      'none',
      [{ since: addDays(FIRST, 1), last: addDays(FIRST, 2), value: 1 }],
    ]);
    expect(run(run(series, days, 2).series, days, 5)).toMatchObject({ event: 'cleared', missed: [] });
    expect(run(undefined, days, 5).missed).toEqual([]);
  });

  const restated = (days: readonly JudgedDay[], at: number, changes: Partial<JudgedDay>) =>
    days.with(at, { ...(days[at] as JudgedDay), ...changes });

  test('a day that was restated clears its alert, and opens it again', () => {
    const days = judged(['ok', 'alert', 'holiday']);
    const { series } = run(undefined, days, 2);
    const better = restated(days, 1, { status: 'ok', value: 2 });
    for (const to of [2, 3])
      expect(run(series, better, to)).toMatchObject({
        ...{ event: 'cleared', end: 'restated', since: undefined },
        basis: { day: addDays(FIRST, 1), value: 2 },
      });
    const cleared = run(series, better, 2).series;
    expect(run(cleared, days, 2)).toMatchObject({ event: 'opened', since: addDays(FIRST, 1) });
    // By other rules, or as a holiday, the same figure is no alert: that is not called restated.
    for (const status of ['ok', 'holiday', 'low_volume'] as const)
      expect(run(series, restated(days, 1, { status }), 3)).toMatchObject({
        event: 'cleared',
        end: 'rejudged',
      });
    expect(run(series, [...better.slice(0, 2), ...judged(['ok', 'ok', 'ok']).slice(2)], 3)).toMatchObject({
      ...{ event: 'cleared', end: 'later_day', basis: { day: addDays(FIRST, 2) } },
    });
  });

  test('an incident of which some days were restated is the same incident, and data that are missing prove nothing', () => {
    const days = judged(['ok', 'alert', 'alert', 'alert']);
    const { series } = run(undefined, days, 4);
    for (const at of [1, 2, 3])
      expect(run(series, restated(days, at, { status: 'ok' }), 4)).toMatchObject({
        event: at === 3 ? 'cleared' : 'open',
      });
    for (const status of ['no_data', 'too_few_days', 'after_alerts'] as const) {
      const lacking = days.map(day => ({ ...day, status }));
      expect(run(series, lacking, 4)).toMatchObject({ event: 'open', since: addDays(FIRST, 1) });
    }
  });

  test('an alert of a zero or of no rows ends with a figure, also on a day that is not judged', () => {
    for (const value of [0, undefined, -5])
      for (const status of ['low_volume', 'too_few_days', 'holiday'] as const) {
        const days = judged(['ok', 'alert', status]).map((day, at) => (at === 1 ? { ...day, value } : day));
        const { series } = run(undefined, days, 2);
        const [same, back] = [
          run(series, days.with(2, { ...(days[2] as JudgedDay), value }), 3),
          run(series, days, 3),
        ];
        expect([same.event, back.event]).toEqual(['open', status === 'holiday' ? 'open' : 'cleared']);
        if (back.event === 'cleared') expect(back).toMatchObject({ end: 'later_day', basis: { status } });
      }
  });

  test('a first run does not open an alert of long ago', () => {
    const days = judged(['alert', ...Array<JudgedDay['status']>(60).fill('low_volume')]);
    expect(run(undefined, days, 20)).toMatchObject({ event: 'opened', basis: { status: 'alert' } });
    expect(run(undefined, days, 61)).toMatchObject({ event: 'none' });
    expect(run(run(undefined, days, 1).series, days, 61).event).toBe('open');
  });

  test('whatever is restated between runs: what is new or open rests on a judged day, and what cleared is over', () => {
    const status = fc.constantFrom('ok', 'alert', 'holiday', 'no_data', 'low_volume', 'too_few_days');
    const statuses = fc.array(fc.tuple(status, fc.nat(2)), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.tuple(statuses, fc.nat(11)), { minLength: 1, maxLength: 6 }), runs => {
        let before: WatchedSeries | undefined;
        for (const [given, to] of runs) {
          const days = judged(given.map(([each]) => each as JudgedDay['status']))
            .map((day, at) => ({ ...day, value: given[at]?.[1] }))
            .slice(0, to + 1);
          const followed = followAlert(before, days);
          const { event, basis, end, since, series } = followed;
          if (event === 'opened') expect(basis.status).toBe('alert');
          if (event === 'opened' || event === 'open') expect(since).toBeDefined();
          expect(end !== undefined).toBe(event === 'cleared');
          if (event === 'cleared') {
            expect(before?.open).toBeDefined();
            expect(series.open).toBeUndefined();
            expect(basis.status).not.toBe('alert');
            expect(basis.day >= (before?.open?.last ?? '')).toBe(true);
            if (end === 'restated') expect(basis.value).not.toBe(before?.open?.value);
            if (end === 'later_day' && basis.status !== 'ok')
              expect([before?.open?.value, basis.value, basis.status]).toEqual([
                ...[expect.toSatisfy(value => !(value > 0)), expect.toSatisfy(value => value > 0)],
                expect.toSatisfy(status => status !== 'holiday'),
              ]);
          }
          // The row of a metric without an alert is none of an alert.
          if (event === 'none') expect(basis.status).not.toBe('alert');
          expect(followAlert(series, days)).toMatchObject({
            event: event === 'opened' || event === 'open' ? 'open' : 'none',
          });
          before = series;
        }
      }),
    );
  });

  test('whenever it runs: no incident is reported twice, and the last run knows what daily runs know', () => {
    const statuses = fc.array(fc.constantFrom('ok', 'alert', 'holiday', 'no_data'), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(statuses, fc.infiniteStream(fc.boolean()), (given, runs) => {
        const days = judged(given as JudgedDay['status'][]);
        let daily: WatchedSeries | undefined;
        let some: WatchedSeries | undefined;
        const opened: Day[] = [];
        for (const [at] of days.entries()) {
          daily = run(daily, days, at + 1).series;
          if (at < days.length - 1 && !runs.next().value) continue;
          const { series, event } = run(some, days, at + 1);
          if (event === 'opened' && series.open !== undefined) opened.push(series.open.since);
          some = series;
        }
        expect(some?.open).toEqual(daily?.open);
        expect(new Set(opened).size).toBe(opened.length);
      }),
    );
  });
});
