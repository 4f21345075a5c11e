import { Decimal } from 'decimal.js';
import { afterAll, describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../../../src/apis/bda/days.ts';
import { valueName } from '../../../../src/output/value-name.ts';
import { readSeries, type Series } from '../../../series/read-series.ts';
import { isWithoutHolidays } from '../../../series/us-holidays.ts';
import { analytics } from '../analytics.ts';
import { changed, gatewayOf, type Metrics } from './series-gateway.ts';

/** `npm run check:why` judges all weeks. */
const EVERY = Number(process.env.WHY_EVERY ?? 29);
const Wide = Decimal.clone({ precision: 200 });
/** Weeks of history that a judged week has at least, so that it is known which changes are usual. */
const HISTORY = 13;

interface Explained {
  readonly sentences: readonly string[];
  readonly conclusions: readonly [{ readonly verdict: string; readonly percent: number }];
  readonly rows: readonly {
    readonly value: string;
    readonly contribution: number;
    readonly status: string;
  }[];
  readonly stdout: string;
}

async function why(metrics: Metrics, args: readonly string[]): Promise<Explained> {
  const { server, gatectl } = await analytics(gatewayOf(metrics));
  const { code, stdout, stderr } = await gatectl([
    ...['bda', 'why', '--data-set', 'pageview', '--tz', 'UTC', '-o', 'json', '--top', '5'],
    ...args,
  ]);
  await server.close();
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return { ...JSON.parse(stdout), stdout };
}

const week = (to: Day) => ['--from', addDays(to, -6), '--to', to];

/** The last days of the weeks to judge, in the order of the days. */
function weeksOf({ days, columns }: Series): Day[] {
  const ends = days.filter((_, at) => at >= 7 * (HISTORY + 1) && at % 7 === 6);
  return ends.filter((end, at) => {
    const from = addDays(end, -13);
    const isOpen = [...columns.values()].every(values =>
      days.every((day, place) => day < from || day > end || values[place] !== 0),
    );
    return at % EVERY === 0 && isOpen && isWithoutHolidays(from, end);
  });
}

/** The headline names the largest contributor, or says why it names none; and the contributions add up to the change. */
function expectSound({ sentences, conclusions, rows, stdout }: Explained): void {
  const [headline = ''] = sentences;
  const [{ verdict }] = conclusions;
  const [first] = rows;
  const largest = rows
    .filter(({ status }) => status !== 'others')
    .reduce((most, row) => (Math.abs(row.contribution) > Math.abs(most.contribution) ? row : most));
  expect(first?.contribution).toBe(largest.contribution);
  if (verdict === 'usual') expect(headline).toContain('as usual');
  else if (verdict === 'unchanged') expect(headline).toContain('did not change');
  else if (headline.includes('less than usual')) expect(headline).toMatch(/\)\.$/);
  else expect(headline).toContain(valueName(largest.value));
  const digits = [...stdout.slice(stdout.lastIndexOf('"rows"')).matchAll(/"contribution": ?(-?[\d.]+)/g)];
  const sum = digits.reduce((all, [, text = '']) => all.plus(text), new Wide(0));
  expect(sum.toFixed()).toBe(new Wide(/"change": ?(-?[\d.]+)/.exec(stdout)?.[1] ?? '').toFixed());
}

const counts = new Map<string, { judged: number; met: number }>();
function count(what: string, isMet: boolean): void {
  const { judged, met } = counts.get(what) ?? { judged: 0, met: 0 };
  counts.set(what, { judged: judged + 1, met: met + Number(isMet) });
}

afterAll(() => {
  const lines = [...counts].map(([what, { judged, met }]) => `${what}: ${met} of ${judged}\n`);
  if (EVERY === 1) process.stdout.write(lines.join(''));
});

const STATIONS = readSeries('chicago-2009.csv');
const single = (series: Series, name: string): Series => ({
  days: series.days,
  columns: new Map([[name, series.columns.get(name) ?? []]]),
});

/** By how much a station has to grow in a week, so that all of them have half as much again. */
function factorFor(column: string, end: Day): number {
  const at = STATIONS.days.indexOf(end);
  const sum = (values: readonly number[]) => values.slice(at - 6, at + 1).reduce((all, one) => all + one, 0);
  const all = [...STATIONS.columns.values()].reduce((total, values) => total + sum(values), 0);
  return 1 + all / 2 / sum(STATIONS.columns.get(column) ?? []);
}

describe('on real series', () => {
  test('a week in which nothing happened is as usual', { timeout: 900_000 }, async () => {
    const names = [...STATIONS.columns.keys()];
    for (const series of [STATIONS, ...names.map(name => single(STATIONS, name))])
      for (const end of weeksOf(series)) {
        const found = await why({ visits: { station: series } }, ['-m', 'visits', ...week(end)]);
        expectSound(found);
        count('ordinary weeks of stations as usual', found.conclusions[0].verdict === 'usual');
      }
    const birds = readSeries('bird-strikes-by-phase.csv');
    for (const [at, end] of birds.days.entries()) {
      if (at < 7 * (HISTORY + 1) || at % (7 * EVERY) !== 6) continue;
      if (!isWithoutHolidays(addDays(end, -13), end)) continue;
      const found = await why({ visits: { phase: birds } }, ['-m', 'visits', ...week(end)]);
      expectSound(found);
      count('weeks of bird strikes as usual', ['usual', 'unchanged'].includes(found.conclusions[0].verdict));
    }
    const ratio = {
      visits: { airport: readSeries('us-arrivals.csv') },
      delay: { airport: readSeries('us-arrival-delays.csv') },
    };
    for (const end of weeksOf(ratio.visits.airport)) {
      const visits = await why(ratio, ['-m', 'visits', ...week(end)]);
      expectSound(visits);
      count('ordinary weeks of arrivals as usual', visits.conclusions[0].verdict === 'usual');
      const delay = await why(ratio, ['-m', 'late', '--ratio', 'late=delay/visits', ...week(end)]);
      expectSound(delay);
      count('ordinary weeks of delays as usual', delay.conclusions[0].verdict === 'usual');
    }
    for (const [what, { judged, met }] of counts)
      expect({ what, met: judged - met <= Math.max(1, 0.05 * judged) }).toEqual({ what, met: true });
  });

  test('a week in which something happened is not, and its cause is named', {
    timeout: 900_000,
  }, async () => {
    for (const [at, end] of weeksOf(STATIONS).entries()) {
      const names = [...STATIONS.columns.keys()];
      const column = names[at % names.length] ?? '';
      const days = { from: addDays(end, -6), to: end };
      const halved = changed(STATIONS, { ...days, factor: 0.5 });
      const found = await why({ visits: { station: halved } }, ['-m', 'visits', ...week(end)]);
      expectSound(found);
      count('halved weeks found', found.conclusions[0].verdict === 'unusual');
      const one = changed(STATIONS, { ...days, column, factor: factorFor(column, end) });
      const grown = await why({ visits: { station: one } }, ['-m', 'visits', ...week(end)]);
      expectSound(grown);
      const [headline = ''] = grown.sentences;
      count('stations that raised a week by half named', headline.includes(`station ${column} makes up`));
    }
    for (const what of ['halved weeks found', 'stations that raised a week by half named']) {
      const { judged = 0, met = 0 } = counts.get(what) ?? {};
      expect({ what, isMet: judged > 0 && met >= 0.95 * judged }).toEqual({ what, isMet: true });
    }
  });
});
