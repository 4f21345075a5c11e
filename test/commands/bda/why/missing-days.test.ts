import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, type DayRange } from '../../../../src/apis/bda/days.ts';
import { readSeries, type Series } from '../../../series/read-series.ts';
import { runs } from '../../../support/runs.ts';
import { analytics } from '../analytics.ts';
import { gatewayOf } from './series-gateway.ts';

const STATIONS = readSeries('chicago-2009.csv');
const STRIKES = readSeries('bird-strikes-by-phase.csv');

/** The series without rows on some days. */
function without({ days, columns }: Series, missing: ReadonlySet<Day>): Series {
  const kept = [...columns].map(
    ([name, values]) => [name, values.map((value, at) => (missing.has(days[at] ?? '') ? 0 : value))] as const,
  );
  return { days, columns: new Map(kept) };
}

interface Explained {
  readonly sentences: readonly string[];
  readonly now: { readonly value: number };
  readonly before: { readonly value: number };
  readonly change: number;
  readonly complete: boolean;
  readonly conclusions: readonly [
    {
      readonly verdict: string;
      readonly basis: string;
      readonly withheld: string | null;
      readonly usual: unknown;
    },
  ];
}

async function why(series: Series, asked: readonly string[]): Promise<Explained> {
  const { gatectl } = await analytics(gatewayOf({ visits: { station: series } }));
  const { code, stdout } = await gatectl([
    ...['bda', 'why', '--data-set', 'pageview', '--tz', 'UTC', '-o', 'json', '-m', 'visits'],
    ...['-d', 'station', ...asked],
  ]);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

const week = (to: Day): DayRange => ({ from: addDays(to, -6), to });
const flags = ({ from, to }: DayRange) => ['--from', from, '--to', to];
const daysOf = ({ from }: DayRange, offsets: readonly number[]) =>
  offsets.map(offset => addDays(from, offset));

function total({ days, columns }: Series, { from, to }: DayRange): number {
  const figures = [...columns.values()].flatMap(values =>
    values.filter((_, at) => (days[at] ?? '') >= from && (days[at] ?? '') <= to),
  );
  return figures.reduce((sum, one) => sum + one, 0);
}

describe('where days have no rows', () => {
  const offsets = fc.subarray([0, 1, 2, 3, 4, 5, 6], { maxLength: 6 });

  test('no verdict is stated, the days are named, and the periods compared per day', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 20, max: 100 }), offsets, offsets, async (weeks, own, then) => {
        const now = week(addDays('2009-01-04', 7 * weeks));
        const before = week(addDays(now.from, -1));
        const missing = [...daysOf(before, then), ...daysOf(now, own)];
        const series = without(STATIONS, new Set(missing));
        const found = await why(series, flags(now));
        const [{ verdict, withheld, basis, usual }] = found.conclusions;
        const [headline = ''] = found.sentences;
        expect(found.complete).toBe(missing.length === 0);
        if (missing.length === 0) {
          expect(headline).not.toContain('not comparable');
          return;
        }
        expect({ verdict, usual }).toEqual({ verdict: 'incomparable', usual: null });
        expect(headline).not.toContain('usual');
        const counts = [
          ...(own.length > 0 ? [`${own.length} of 7 days`] : []),
          ...(then.length > 0 ? [`${then.length} of 7 days before`] : []),
        ];
        const reason = `${counts.join(' and ')} ${missing.length === 1 ? 'has' : 'have'} no rows`;
        expect(withheld).toBe(reason);
        expect(headline.endsWith(`, not comparable: ${reason}.`)).toBe(true);
        const lack = found.sentences.find(text => text.startsWith('Not complete: ')) ?? '';
        const named = [...lack.matchAll(/(\d{4}-\d\d-\d\d)(?: to (\d{4}-\d\d-\d\d))?/g)].flatMap(
          ([, from = '', to = from]) => missing.filter(day => day >= from && day <= to),
        );
        if (!/for \d+ days/.test(lack)) expect(named).toEqual(missing);
        expect(basis).toBe(own.length === then.length ? 'period' : 'day');
        const perDay = total(series, now) / (7 - own.length) - total(series, before) / (7 - then.length);
        const change = basis === 'day' ? perDay : total(series, now) - total(series, before);
        expect(found.change).toBeCloseTo(change, 6);
      }),
      { numRuns: runs(20) },
    );
  });

  test('a weekend is not judged against a complete week', async () => {
    const now = week('2010-03-14');
    const workdays = daysOf(now, [0, 1, 2, 3, 4]);
    const { sentences } = await why(without(STATIONS, new Set(workdays)), flags(now));
    expect(sentences[0]).toMatch(
      /^visits per day fell by [\d,.]+ \(-[\d.]+ %\), not comparable: 5 of 7 days have no rows\.$/,
    );
    expect(sentences).toContain('Not complete: there are no rows for 2010-03-08 to 2010-03-12.');
  });

  test('without earlier weeks, a day without rows is missing, not zero', async () => {
    const now = week('2009-01-18');
    const { days, columns } = without(STATIONS, new Set(daysOf(now, [2, 3, 4])));
    const start = days.indexOf('2009-01-05');
    const recent = new Map([...columns].map(([name, values]) => [name, values.slice(start)]));
    const { sentences } = await why({ days: days.slice(start), columns: recent }, flags(now));
    expect(sentences[0]).toContain('not comparable: 3 of 7 days have no rows.');
  });

  test('days of few events without rows count as zero, and are judged', async () => {
    const { sentences, conclusions } = await why(STRIKES, flags(week('1999-02-17')));
    const [{ verdict, withheld }] = conclusions;
    expect(withheld).toBe(null);
    expect(['usual', 'unusual']).toContain(verdict);
    expect(sentences.some(text => /^\d days? without rows counts? as zero/.test(text))).toBe(true);
  });

  test('a day of the week that never has rows is closed, another one is missing', async () => {
    const { days } = STATIONS;
    const sundays = days.filter((_, at) => at % 7 === 3);
    const now = week(sundays.find(day => day > '2010-03-01') ?? '');
    const closed = without(STATIONS, new Set(sundays));
    const open = await why(closed, flags(now));
    expect(open.conclusions[0].withheld).toBe(null);
    expect(open.sentences).toContain('2 days without rows count as zero (1 of them before).');
    const missing = without(STATIONS, new Set([...sundays, ...daysOf(now, [1])]));
    expect((await why(missing, flags(now))).sentences[0]).toContain(
      'not comparable: 1 of 7 days has no rows.',
    );
  });
});

describe('where the periods have other days of the week', () => {
  const differ = 'The periods do not have the same days of the week.';
  test.each([
    ['three days', '2010-03-08', '2010-03-10', 'previous', true],
    ['a week', '2010-03-08', '2010-03-14', 'previous', false],
    ['a weekend and a week', '2010-03-13', '2010-03-14', '2010-03-01..2010-03-07', true],
    ['two weeks and one', '2010-03-01', '2010-03-14', '2010-02-22..2010-02-28', false],
  ])('a sentence says so: %s', async (_, from, to, compare, isSaid) => {
    const { sentences } = await why(STATIONS, [...flags({ from, to }), '--compare', compare]);
    expect(sentences.includes(differ)).toBe(isSaid);
    const isUnequal = compare !== 'previous';
    expect(sentences[0]?.startsWith('visits per day ')).toBe(isUnequal);
    expect(sentences[1]?.startsWith('Per day, because the periods differ in length: ')).toBe(isUnequal);
  });
});
