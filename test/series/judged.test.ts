import { describe, expect, test } from 'vitest';
import { judgeDays } from '../../src/analysis/metric-health.ts';
import { addDays, type Day } from '../../src/apis/bda/days.ts';
import { kindOfDay, publicHolidays } from '../../src/operations/watch/public-holidays.ts';
import { figuresOf, RULES, type Verdict, verdictOf } from './judged.ts';
import { readSeries } from './read-series.ts';
import { shiftedSite } from './shifted-years.ts';

/** `npm run check:watch` plants more incidents, and prints what was found. */
const PLANTS = Number(process.env.WATCH_PLANTS ?? 0);

/** What conclusions about a series must reach; a noisier one cannot show a small drop of a day. */
const TARGETS = { zero: 0.99, half: 0.95, decline: 0.95, ended: 1, alertsPerYear: 4 };
const HALF_BELOW_NOISE = 0.2;
/** Targets that are missed today, by series: findings that are printed, and fail as soon as one more or one less is missed. */
const MISSED: Readonly<Record<string, readonly (keyof typeof TARGETS)[]>> = {
  // 18 of 20.
  kedzie: ['decline'],
  // Closed on 17 days of weekends in 2013 and 2015, each a new alert after open days, as a zero where there was traffic has to be. On some
  // days of its weekends half of what came is little below what is expected, because twice that came.
  merchandise_mart: ['half', 'alertsPerYear'],
  // They grow in the season in which the decline is planted, and no year before shows how much.
  den: ['decline'],
  sea: ['decline'],
};

async function verdicts(): Promise<Map<string, Verdict>> {
  const found = new Map<string, Verdict>();
  for (const file of ['chicago-2009.csv', 'us-flights.csv']) {
    const { days, columns } = readSeries(file);
    const range = { from: days[0] as Day, to: days.at(-1) as Day };
    const holidays = await publicHolidays('US-IL', range);
    const kindOf = kindOfDay(() => false, holidays === undefined ? [] : [holidays]);
    for (const [name, values] of columns)
      found.set(name, verdictOf(days, values, kindOf, { plants: PLANTS, seed: found.size + 1 }));
  }
  return found;
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`.padStart(9);

function tableOf(found: ReadonlyMap<string, Verdict>): string {
  const head =
    'series            years   noise  alerts a year  at zero     -50 %     -20 %  -2 % a day  no rows';
  const rows = [...found].map(([name, { years, noise, alertsPerYear, zero, half, fifth, decline, ended }]) =>
    [
      name.padEnd(16),
      years.toFixed(1).padStart(6),
      noise.toFixed(3).padStart(8),
      alertsPerYear.toFixed(1).padStart(14),
      ...[zero, half, fifth, decline, ended].map(percent),
    ].join(' '),
  );
  return [head, ...rows, ''].join('\n');
}

test.runIf(PLANTS > 0)(
  'on series that no constant was chosen by, the targets are met but for those known to be missed',
  { timeout: 600_000 },
  async () => {
    const found = await verdicts();
    process.stdout.write(`${PLANTS} incidents of each kind in each series:\n${tableOf(found)}`);
    const missed = [...found].flatMap(([name, verdict]) => {
      const targets = Object.keys(TARGETS) as (keyof typeof TARGETS)[];
      const own = targets.filter(target => {
        if (target === 'half' && verdict.noise >= HALF_BELOW_NOISE) return false;
        // One alert in a quarter is not yet four a year.
        if (target === 'alertsPerYear' && verdict.years < 1) return false;
        return target === 'alertsPerYear'
          ? verdict[target] > TARGETS[target]
          : verdict[target] < TARGETS[target];
      });
      return own.length === 0 ? [] : [[name, own] as const];
    });
    process.stdout.write(
      `targets missed:\n${missed.map(([name, own]) => `  ${name}: ${own.join(', ')}\n`).join('')}`,
    );
    expect(Object.fromEntries(missed)).toEqual(MISSED);
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
