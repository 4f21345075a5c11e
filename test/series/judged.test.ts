import { describe, expect, test } from 'vitest';
import { judgeDays } from '../../src/analysis/metric-health.ts';
import { addDays, type Day } from '../../src/apis/bda/days.ts';
import { kindOfDay, publicHolidays } from '../../src/operations/watch/public-holidays.ts';
import { figuresOf, RULES, type Verdict, verdictOf } from './judged.ts';
import { readSeries } from './read-series.ts';
import { shiftedSite } from './shifted-years.ts';

/** `npm run check:watch` plants more incidents, and prints what was found. */
const PLANTS = Number(process.env.WATCH_PLANTS ?? 0);

/** What conclusions about a series must reach; a drop by half on days whose noise is below 20 %. */
const TARGETS = { zero: 0.99, quietHalf: 0.95, decline: 0.95, ended: 1, alertsPerYear: 4 };
/** Files, and the place whose holidays are known. */
const JUDGED = [
  ['chicago-2009.csv', 'US-IL'],
  ['us-flights.csv', 'US-IL'],
  ['us-births.csv', 'US'],
  ['page-views.csv', 'US'],
] as const;

async function verdicts(): Promise<Map<string, Verdict>> {
  const found = new Map<string, Verdict>();
  for (const [file, place] of JUDGED) {
    const { days, columns } = readSeries(file);
    const range = { from: days[0] as Day, to: days.at(-1) as Day };
    const holidays = await publicHolidays(place, range);
    const kindOf = kindOfDay(() => false, holidays === undefined ? [] : [holidays]);
    for (const [name, values] of columns)
      found.set(name, verdictOf(days, values, kindOf, { plants: PLANTS, seed: found.size + 1 }));
  }
  return found;
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`.padStart(9);

function tableOf(found: ReadonlyMap<string, Verdict>): string {
  const head =
    'series            years   noise  alerts a year  closings  at zero     -50 %  all days     -20 %  -2 % a day  no rows';
  const rows = [...found].map(([name, verdict]) => {
    const { years, noise, alertsPerYear, closingsPerYear, zero, quietHalf, half, fifth, decline, ended } =
      verdict;
    return [
      name.padEnd(16),
      years.toFixed(1).padStart(6),
      noise.toFixed(3).padStart(8),
      alertsPerYear.toFixed(1).padStart(14),
      closingsPerYear.toFixed(1).padStart(9),
      ...[zero, quietHalf, half, fifth, decline, ended].map(percent),
    ].join(' ');
  });
  return [head, ...rows, ''].join('\n');
}

test.runIf(PLANTS > 0)(
  'on series that no constant was chosen by, the targets are met',
  { timeout: 600_000 },
  async () => {
    const found = await verdicts();
    process.stdout.write(`${PLANTS} incidents of each kind in each series:\n${tableOf(found)}`);
    const missed = [...found].flatMap(([name, verdict]) => {
      const targets = Object.keys(TARGETS) as (keyof typeof TARGETS)[];
      const own = targets.filter(target => {
        // One alert in a quarter is not yet four a year.
        if (target === 'alertsPerYear')
          return verdict.years >= 1 && verdict.alertsPerYear > TARGETS.alertsPerYear;
        return verdict[target] < TARGETS[target];
      });
      return own.map(target => `${name}: ${target}`);
    });
    expect(missed).toEqual([]);
  },
);

test('a few strikes a day are too few to be judged, and never an alert', { timeout: 60_000 }, () => {
  const { days, columns } = readSeries('bird-strikes.csv');
  const range = { from: days[0] as Day, to: days.at(-1) as Day };
  const figures = figuresOf(days, columns.get('strikes') ?? []);
  const statuses = judgeDays(figures, range, { ...RULES, kindOf: () => 'plain' }).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['too_few_days', 'low_volume']));
});

describe('a site that breaks what a model assumes', { timeout: 60_000 }, () => {
  const sites = Array.from({ length: PLANTS > 0 ? 20 : 3 }, (_, at) => shiftedSite(at + 1));
  const judgedOf = ({ days, values }: (typeof sites)[number]) =>
    judgeDays(
      figuresOf(days, values),
      { from: days[0] as Day, to: days.at(-1) as Day },
      {
        ...RULES,
        kindOf: () => 'plain',
      },
    );

  test('has an alert on the first day of an outage and of a closing, and soon after a step down', () => {
    for (const site of sites) {
      const judged = new Map(judgedOf(site).map(each => [each.day, each]));
      for (const { what, from } of site.incidents) {
        if (what === 'outage') expect(judged.get(from)).toMatchObject({ status: 'alert', reason: 'zero' });
        if (what === 'closing')
          expect(judged.get(from)).toMatchObject({ status: 'alert', reason: 'no_rows' });
        const soon = [0, 1, 2, 3].map(after => judged.get(addDays(from, after))?.status);
        if (what === 'step down') expect(soon).toContain('alert');
      }
    }
  });

  test('has no alert before it starts, nor as a step up or a campaign begins', () => {
    for (const site of sites) {
      const judged = judgedOf(site);
      const start = judged.find(({ value }) => value !== undefined)?.day ?? '';
      expect(judged.filter(({ day, status }) => day < start && status !== 'no_data')).toEqual([]);
      for (const { what, from } of site.incidents) {
        if (what !== 'step up' && what !== 'campaign') continue;
        const days = judged.filter(({ day }) => day >= from && day < addDays(from, 3));
        expect(days.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
      }
    }
  });
});
