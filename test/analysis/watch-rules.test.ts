import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AlertRules, DIRECTIONS, type JudgedDay, judgeDays } from '../../src/analysis/metric-health.ts';
import { addDays, type Day } from '../../src/apis/bda/days.ts';
import { kindOfDay } from '../../src/operations/watch/public-holidays.ts';
import { runs } from '../support/runs.ts';

/** Each judges some hundred days by all days before them. */
const RUNS = { numRuns: runs(100) };
const FIRST = '2025-01-06';
const RULES: AlertRules = {
  threshold: 3,
  minChange: 0.1,
  minVolume: 100,
  direction: 'drop',
  kindOf: kindOfDay(day => day.endsWith('-15'), []),
};

type Values = readonly (number | undefined)[];

/** Judges the figures of one day after the other, whose volumes are given or the figures themselves. */
function judge(values: Values, rules: Partial<AlertRules> = {}, volumes = values): JudgedDay[] {
  const figures = new Map(
    values.flatMap((value, at) =>
      value === undefined
        ? []
        : [[addDays(FIRST, at), { value, volume: Math.abs(volumes[at] ?? 0) }] as const],
    ),
  );
  const range = { from: FIRST, to: addDays(FIRST, values.length - 1) };
  return judgeDays(figures, range, { ...RULES, ...rules });
}

const noise = fc.integer({ min: 0, max: 1_000 });
/** A site with quiet weekends and noise of any width, of which some days are arbitrary: zeros, peaks, and days without a row. */
const site = fc
  .record({
    noises: fc.array(noise, { minLength: 60, maxLength: 210 }),
    width: fc.constantFrom(0.01, 0.05, 0.3, 1),
    weekend: fc.constantFrom(1, 0.4, 0.01),
    daily: fc.constantFrom(0, -0.02, -0.01, 0.01),
    changes: fc.array(fc.tuple(fc.nat(209), fc.option(fc.nat(100_000), { nil: undefined })), {
      maxLength: 6,
    }),
  })
  .map(({ noises, width, weekend, daily, changes }) => {
    const values: (number | undefined)[] = noises.map((each, at) => {
      const trend = Math.exp(daily * Math.max(0, at - noises.length + 25));
      // Without the last factor, equal figures would lie on the edge of a band.
      return (
        20_000 *
        (at % 7 >= 5 ? weekend : 1) *
        trend *
        (1 + width * (each / 1_000)) *
        (1 + 1e-5 * Math.sin(at))
      );
    });
    for (const [at, value] of changes)
      if (at < values.length)
        values[at] = value === undefined ? undefined : value * (1 + 1e-5 * Math.sin(at));
    return values;
  });

const verdictOf = ({ day, status, reason, decline }: JudgedDay) => ({
  ...{ day, status, reason },
  decline: decline && [decline.days, decline.before],
});
const mean = (values: Values) => {
  const known = values.filter(value => value !== undefined);
  return known.reduce((sum, value) => sum + value, 0) / known.length;
};

test('a zero, or a day without a row, where there was traffic is an alert, whatever the traffic was', () => {
  const traffic = fc.array(fc.integer({ min: 20, max: 1_000_000 }), { minLength: 21, maxLength: 120 });
  fc.assert(
    fc.property(
      traffic,
      fc.constantFrom(0, undefined),
      fc.constantFrom(...DIRECTIONS),
      fc.integer({ min: 1, max: 1_000_000_000 }),
      (values, gone, direction, minVolume) => {
        const last = judge([...values, gone], { direction, minVolume, kindOf: () => 'plain' }).at(-1);
        // What has no figure has no change: that it is zero is not known.
        const stated = gone === 0 ? { reason: 'zero', change: -1 } : { reason: 'no_rows', change: undefined };
        expect(last).toMatchObject({ status: 'alert', ...stated });
      },
    ),
    RUNS,
  );
});

test('an outage of any length does not lower what is expected: it rests on the days before', () => {
  const least = 25;
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 9, maxLength: 130, size: 'max' }),
      fc.constantFrom(least, 1_000, 1e6),
      fc.array(fc.constantFrom(0, undefined), { minLength: 1, maxLength: 50, size: 'max' }),
      (noises, level, gone) => {
        const sizeOf = (at: number) => level * (at % 7 >= 5 ? 1.4 : 2);
        const before = noises.map((each, at) => sizeOf(at) * (1 + each / 1_000));
        // On a new site, a weekday of the outage is none to compare with.
        const weeks = before.length < 21 ? 1 : Math.min(5, Math.floor(before.length / 7) + 1);
        const days = judge([...before, ...gone], { kindOf: () => 'plain' }).slice(before.length);
        for (const [at, { status, reason, expected = Number.NaN }] of days.entries()) {
          if (at < 7 * weeks) expect({ at, status }).toEqual({ at, status: 'alert' });
          if (status !== 'alert' || reason === 'decline') continue;
          const usual = before.length < 28 ? level * 2 : sizeOf(before.length + at);
          const lowest = before.length < 28 ? level * 1.4 : usual;
          expect(expected).toBeGreaterThanOrEqual(lowest * 0.96);
          expect(expected).toBeLessThanOrEqual(usual * 1.09);
        }
      },
    ),
    RUNS,
  );
});

test('a second outage is an alert, however long the first one was', () => {
  const level = fc.constantFrom(25, 1_000, 1e6);
  const noises = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 60, maxLength: 130, size: 'max' });
  const gone = fc.array(fc.constantFrom(0, undefined), { minLength: 1, maxLength: 70, size: 'max' });
  fc.assert(
    fc.property(
      level,
      noises,
      gone,
      fc.integer({ min: 8, max: 80 }),
      fc.constantFrom(0, undefined),
      (size, all, outage, recovered, last) => {
        const before = all.map(each => size * (1 + each / 1_000));
        const after = Array.from({ length: recovered }, () => size);
        const days = judge([...before, ...outage, ...after, last], { kindOf: () => 'plain' });
        expect(days.at(-1)?.status).toBe('alert');
      },
    ),
    { numRuns: runs(300) },
  );
});

test('an alert has a reason, an expected figure, and a figure unless there is no row', () => {
  const holes = site.map(values => values.map((value, at) => (at % 11 === 5 ? undefined : value)));
  fc.assert(
    fc.property(fc.oneof(site, holes), fc.constantFrom(...DIRECTIONS), (values, direction) => {
      for (const { status, reason, value, expected, decline } of judge(values, { direction })) {
        expect(reason !== undefined).toBe(status === 'alert');
        if (status !== 'alert') continue;
        expect(Number.isFinite(decline?.expected ?? expected)).toBe(true);
        expect(value === undefined).toBe(reason === 'no_rows');
      }
    }),
    RUNS,
  );
});

test('a metric in another unit has the same verdicts: cents and euros, bytes and gigabytes', () => {
  const sites = fc.oneof(
    site,
    // A metric that can be negative is compared without logarithms.
    site.map(values => values.map((value, at) => (at === 3 && value !== undefined ? -value : value))),
  );
  fc.assert(
    fc.property(
      sites,
      fc.constantFrom(1e-6, 0.01, 100, 1e9),
      fc.constantFrom(...DIRECTIONS),
      (values, factor, direction) => {
        const scaled = judge(
          values.map(value => value && value * factor),
          { direction },
          values,
        );
        expect(scaled.map(verdictOf)).toEqual(judge(values, { direction }).map(verdictOf));
      },
    ),
    RUNS,
  );
});

test('no later day changes the verdict of a day: neither its figure, nor its absence, nor a negative one', () => {
  const later = fc.array(fc.option(fc.integer({ min: -1_000, max: 100_000 }), { nil: undefined }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(site, later, (values, after) => {
      const before = judge(values);
      expect(judge([...values, ...after]).slice(0, values.length)).toEqual(before);
    }),
    RUNS,
  );
});

test('what is an alert stays one if the figure is smaller still', () => {
  fc.assert(
    fc.property(site, fc.double({ min: 0, max: 0.99, noNaN: true }), (values, share) => {
      const at = values.length - 1;
      const [last] = judge(values).slice(-1);
      const [smaller] = judge(values.with(at, (values[at] ?? 0) * share)).slice(-1);
      if (last?.status === 'alert') expect(smaller?.status).toBe('alert');
    }),
    RUNS,
  );
});

test('who watches rises hears of no fall but of traffic that ends, and who watches falls hears of no rise', () => {
  fc.assert(
    fc.property(site, values => {
      const reasons = (direction: AlertRules['direction']) =>
        new Set(judge(values, { direction }).flatMap(({ reason }) => reason ?? []));
      for (const reason of reasons('rise')) expect(['rise', 'zero', 'negative', 'no_rows']).toContain(reason);
      expect(reasons('drop')).not.toContain('rise');
    }),
    RUNS,
  );
});

test('a decline is of plain means that anyone can recompute, whatever the direction, and at least the least change', () => {
  fc.assert(
    fc.property(
      site,
      fc.constantFrom('drop' as const, 'both' as const),
      fc.constantFrom(0, 0.1, 0.3),
      (values, direction, minChange) => {
        const isHoliday = (day: Day) => RULES.kindOf(day) === 'holiday';
        for (const [at, { day, reason, value = 0, band, decline }] of judge(values, {
          direction,
          minChange,
        }).entries()) {
          expect(decline !== undefined).toBe(reason === 'decline');
          if (decline === undefined) continue;
          const begin = at + 1 - decline.days;
          const ordinary = values.map((each, index) => (isHoliday(addDays(FIRST, index)) ? undefined : each));
          const [recent, before] = [
            ordinary.slice(begin, at + 1),
            ordinary.slice(begin - decline.before, begin),
          ];
          expect(before).toHaveLength(decline.before);
          expect(decline.value).toBeCloseTo(mean(recent), 6);
          expect(decline.expected).toBeCloseTo(mean(before), 6);
          expect(decline.change).toBeCloseTo(mean(recent) / mean(before) - 1, 9);
          expect(decline.change).toBeLessThanOrEqual(-minChange);
          expect(isHoliday(day)).toBe(false);
          expect(value).toBeGreaterThanOrEqual(band?.low ?? Number.NaN);
        }
      },
    ),
    RUNS,
  );
});

test('where a zero is an alert, so is the first figure below zero', () => {
  const positive = site.map(values => values.map(value => value && Math.abs(value)));
  fc.assert(
    fc.property(positive, fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (values, below) => {
      const at = values.length - 1;
      const [zero, negative] = [0, -below].map(last => judge(values.with(at, last)).at(-1));
      if (zero?.status === 'alert') expect(negative).toMatchObject({ status: 'alert', reason: 'negative' });
    }),
    RUNS,
  );
});

test('whether the volume of a ratio is too low depends neither on the direction nor on its figures', () => {
  const ratios = fc.array(fc.double({ min: -2, max: 3, noNaN: true }), { minLength: 60, maxLength: 120 });
  fc.assert(
    fc.property(
      ratios,
      fc.constantFrom(...DIRECTIONS),
      fc.constantFrom(99, 100),
      (values, direction, volume) => {
        const judged = judge(
          values,
          { direction },
          values.map(() => volume),
        );
        const isLow = judged.filter(({ status }) => status === 'low_volume').length > 0;
        expect(isLow).toBe(volume < 100);
        for (const { status, expected, band, value = 0, change } of judged) {
          if (band === undefined || status === 'low_volume') continue;
          expect(band.low).toBeLessThanOrEqual(expected ?? Number.NaN);
          expect(band.high).toBeGreaterThanOrEqual(expected ?? Number.NaN);
          expect(change === undefined).toBe((expected ?? 0) <= 0);
          if (status === 'alert')
            expect(value < band.low || value > band.high || value < 0 || expected).toBeTruthy();
        }
      },
    ),
    RUNS,
  );
});

test('whether a sum of money is judged depends on its visits, not on how many dollars it is', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1e-6, 0.1, 90, 1e6),
      fc.constantFrom(99, 100, 5_000),
      fc.constantFrom(...DIRECTIONS),
      (level, visits, direction) => {
        const figures = new Map(
          Array.from({ length: 80 }, (_, at) => {
            const value = level * (1 + (at % 5) / 100);
            return [addDays(FIRST, at), { value, volume: value, visits }] as const;
          }),
        );
        const range = { from: FIRST, to: addDays(FIRST, 79) };
        const statuses = judgeDays(figures, range, { ...RULES, direction, kindOf: () => 'plain' }).slice(60);
        const expected = visits < 100 ? 'low_volume' : 'ok';
        expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([expected]));
        const gone = new Map([...figures].slice(0, -1));
        expect(judgeDays(gone, range, { ...RULES, direction }).at(-1)).toMatchObject({ reason: 'no_rows' });
      },
    ),
    RUNS,
  );
});

test('a figure below zero is an alert until such figures are ordinary', () => {
  const steady = Array.from({ length: 120 }, (_, at) => 60 + (at % 5));
  const last = (...values: number[]) => judge([...steady, ...values]).at(-1);
  expect(last(-50)).toMatchObject({ status: 'alert', reason: 'negative', expected: expect.any(Number) });
  // A usual figure below the least volume, on the second day, and after weeks without one.
  expect(last(-50, -40)).toMatchObject({ status: 'alert', reason: 'negative' });
  expect(last(-50, ...steady, -50)).toMatchObject({ status: 'alert', reason: 'negative' });
  for (const direction of DIRECTIONS)
    expect(judge([...steady, -50], { direction }).at(-1)).toMatchObject({
      status: 'alert',
      reason: 'negative',
    });
  const margins = Array.from({ length: 120 }, (_, at) => 300 * Math.sin(at * at));
  expect(judge(margins).filter(({ reason }) => reason === 'zero' || reason === 'negative')).toEqual([]);
});

test('a decline is the same whether rises are watched, too', () => {
  fc.assert(
    fc.property(site, values => {
      const [falls, all] = (['drop', 'both'] as const).map(direction => judge(values, { direction }));
      for (const [at, { status, reason, decline }] of (all ?? []).entries())
        if (status === 'ok' || reason === 'decline') expect(decline).toEqual(falls?.[at]?.decline);
    }),
    RUNS,
  );
});

test('figures on both sides of zero have no decline', () => {
  const margins = fc.array(fc.double({ min: -1, max: 1.2, noNaN: true }), { minLength: 150, maxLength: 250 });
  fc.assert(
    fc.property(margins, fc.constantFrom(...DIRECTIONS), (values, direction) => {
      const judged = judge(
        values,
        { direction },
        values.map(() => 1_000),
      );
      const isMixed = (at: number) => values.slice(at - 27, at + 1).some(value => value < 0);
      expect(judged.filter(({ reason }, at) => reason === 'decline' && isMixed(at))).toEqual([]);
    }),
    RUNS,
  );
});

test('years of zeros are what a zero, and any other figure, is compared with', () => {
  const zeros = Array(800).fill(0);
  const verdict = (last: number, rules: Partial<AlertRules>, volume?: number) => {
    const values = [...zeros, last];
    return judge(values, rules, volume === undefined ? values : values.map(() => volume)).at(-1);
  };
  for (const last of [0, 500]) expect(verdict(last, {})?.status).toBe('low_volume');
  expect(verdict(0, { minVolume: 0 })).toMatchObject({ status: 'ok', expected: 0, compared: 8 });
  expect(verdict(500, { minVolume: 0, direction: 'both' })).toMatchObject({
    ...{ status: 'alert', reason: 'rise', expected: 0, change: undefined },
  });
  expect(verdict(3, { direction: 'rise' }, 1_000)).toMatchObject({ status: 'alert', reason: 'rise' });
});

test('a day that lacks others only because they were alerts says so', () => {
  const values = Array.from({ length: 350 }, (_, at) => (at < 240 ? 1_000 : 500) + (at % 3));
  const statuses = judge(values, { kindOf: () => 'plain' }).map(({ status }) => status);
  expect(statuses.lastIndexOf('too_few_days')).toBeLessThan(40);
  expect(statuses.indexOf('after_alerts')).toBeGreaterThan(260);
  expect(statuses.at(-1)).toBe('ok');
});
