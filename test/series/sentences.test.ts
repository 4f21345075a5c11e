import { describe, expect, test } from 'vitest';
import { followAlert, type WatchedSeries } from '../../src/analysis/alerts.ts';
import { judgeDays } from '../../src/analysis/metric-health.ts';
import { addDays, type Day } from '../../src/apis/bda/days.ts';
import { jsonNumber } from '../../src/json/index.ts';
import { inWords, type WatchedFigure, watchWording } from '../../src/operations/watch/watched-figure.ts';
import { type Change, conclusionText } from '../../src/output/conclusion.ts';
import { headlineText } from '../../src/output/document/headline.ts';
import { localeOf, presentationOf } from '../../src/output/presentation/index.ts';
import { sentence } from '../../src/output/sentence.ts';
import { analytics } from '../commands/bda/analytics.ts';
import { gatewayOf, type Metrics } from '../commands/bda/why/series-gateway.ts';
import { figuresOf, RULES } from './judged.ts';
import { readSeries } from './read-series.ts';

const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December'.split(
  '|',
);
const GERMAN = localeOf('de-DE') ?? expect.unreachable();
const STYLES = [{}, { locale: GERMAN }];

/** The days of a sentence in words as programs write them. */
function withIsoDays(text: string): string {
  const iso = (day: string, month: string, year: string) =>
    `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
  const names = MONTHS.join('|');
  return text
    .replace(/(\d\d)\.(\d\d)\.(\d{4})/g, '$3-$2-$1')
    .replace(
      new RegExp(`(\\d+)(?: (${names}))?(?: (\\d{4}))? to (\\d+) (${names}) (\\d{4})`, 'g'),
      (_, day, month, year, last, lastMonth, lastYear) =>
        `${iso(day, month ?? lastMonth, year ?? lastYear)} to ${iso(last, lastMonth, lastYear)}`,
    )
    .replace(new RegExp(`(\\d+) (${names}) (\\d{4})`, 'g'), (_, day, month, year) => iso(day, month, year));
}

/** The days and the figures of a sentence, in order. */
function factsIn(text: string, { group, decimal } = { group: ',', decimal: '.' }): string[] {
  const found = withIsoDays(text).match(/\d{4}-\d\d-\d\d|[-+\u2212]?\d[\d.,]*\d|[-+\u2212]?\d/g) ?? [];
  return found.map(fact =>
    /^\d{4}-/.test(fact)
      ? fact
      : fact.replaceAll(group, '').replace(decimal, '.').replace('\u2212', '-').replace('+', ''),
  );
}

/** The same days and the same figures, as far as both round them. */
function expectSame(forPrograms: string, forPeople: string, locale = { group: ',', decimal: '.' }): void {
  const [facts, shown] = [factsIn(forPrograms), factsIn(forPeople, locale)];
  const decimals = (digits: string) => digits.split('.')[1]?.length ?? 0;
  const isSame = (fact: string, at: number) => {
    const other = shown[at] ?? '';
    if (fact === other) return true;
    if (/^\d{4}-/.test(fact)) return false;
    const places = Math.min(decimals(fact), decimals(other));
    return Math.abs(Number(fact) - Number(other)) <= 0.500001 * 10 ** -places;
  };
  const isAll = facts.length === shown.length && facts.every(isSame);
  expect(isAll, `${forPrograms}\n${forPeople}`).toBe(true);
  expect(forPeople).not.toMatch(/\d{4}-\d\d-\d\d/);
}

const FILES = ['chicago-2009.csv', 'us-flights.csv', 'bird-strikes.csv'];
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

describe.each(FILES)(
  'of %s, a sentence for people states the figures and days of the one for programs',
  file => {
    const { days, columns } = readSeries(file);
    const series = [...columns.values()].map(values => values.slice(0, 800));

    test('where weeks are compared', () => {
      for (const values of series)
        for (let end = 14; end <= values.length; end += 97) {
          const [now, before] = [sum(values.slice(end - 7, end)), sum(values.slice(end - 14, end - 7))];
          const conclusion: Change = {
            ...{ kind: 'change', metric: 'page_views', unit: undefined, basis: 'rows' },
            exceedsRows: false,
            ...{ value: String(now), before: String(before), difference: String(now - before) },
            percent: before === 0 ? undefined : ((now / before - 1) * 100).toFixed(4),
            completeness: {
              kind: 'incomplete',
              missing: [sentence`no data for ${{ from: days[end - 7] ?? '', to: days[end - 1] ?? '' }}`],
            },
          };
          const presentation = presentationOf('page_views');
          for (const style of STYLES) {
            expectSame(conclusionText(conclusion), conclusionText(conclusion, style), style.locale);
            const headline = headlineText(conclusion, { presentation, verdict: undefined }, style);
            const size = String(Math.abs(now - before));
            const shown = factsIn(headline, style.locale);
            if (now !== before) expect(shown[0], headline).toBe(size);
            expect(shown, headline).toContain(String(now));
          }
        }
    });

    test('where an alert is reported, and its end', () => {
      let reported = 0;
      for (const values of series) {
        const range = { from: days[0] as Day, to: days[values.length - 1] as Day };
        const judged = judgeDays(figuresOf(days.slice(0, values.length), values), range, {
          ...{ ...RULES, direction: 'both', minVolume: 10 },
          kindOf: () => 'plain',
        });
        let watched: WatchedSeries | undefined;
        for (const day of judged) {
          const { series: after, event, end, basis } = followAlert(watched, [day]);
          watched = after;
          if (event !== 'opened' && event !== 'cleared' && event !== 'open') continue;
          reported += 1;
          for (const metric of ['page_views', 'revenue']) {
            const found: WatchedFigure = {
              ...{ metric, site: null, judged: basis, latest: day, event, end },
              value: jsonNumber(String(basis.value ?? 0)),
              since: after.open?.since ?? null,
            };
            for (const style of STYLES) {
              const wording = watchWording(name => presentationOf(name), style);
              expectSame(inWords(found), inWords(found, wording), style.locale);
            }
          }
        }
      }
      // A few strikes a day are too few to be judged.
      expect(reported > 0).toBe(file !== 'bird-strikes.csv');
    });
  },
);

describe('an explanation', () => {
  const cases: readonly [string, Metrics, readonly string[], readonly Day[]][] = [
    [
      'of strikes by phase of flight',
      { visits: { phase: readSeries('bird-strikes-by-phase.csv') } },
      ['visits'],
      ['1999-03-07', '2000-08-20', '2001-12-31'],
    ],
    [
      'of riders by station',
      { visits: { station: readSeries('chicago-2009.csv') } },
      ['visits'],
      ['2009-12-27', '2013-07-07', '2016-05-08'],
    ],
    [
      'of delays by airport',
      {
        visits: { airport: readSeries('us-arrivals.csv') },
        delay: { airport: readSeries('us-arrival-delays.csv') },
      },
      ['late', '--ratio', 'late=delay/visits'],
      ['2001-04-15', '2001-06-24'],
    ],
  ];
  test.each(cases)('%s states the same in words as in JSON', async (_, metrics, metric, ends) => {
    for (const end of ends) {
      const { server, gatectl } = await analytics(gatewayOf(metrics));
      const why = async (...more: string[]) => {
        const days = ['--from', addDays(end, -6), '--to', end];
        const asked = ['bda', 'why', '--data-set', 'pageview', '--tz', 'UTC', '-m', ...metric, ...days];
        const { code, stdout, stderr } = await gatectl([...asked, ...more]);
        expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
        return stdout;
      };
      const { sentences }: { sentences: readonly string[] } = JSON.parse(await why('-o', 'json'));
      const read = async (...more: string[]) =>
        [...(await why('-o', 'md', ...more)).matchAll(/^- (.*)$/gm)].map(([, text = '']) => text);
      const [english, german] = [await read(), await read('--locale', 'de-DE')];
      expect([english.length, german.length]).toEqual([sentences.length, sentences.length]);
      for (const [at, text] of sentences.entries()) {
        expectSame(text, english[at] ?? '');
        expectSame(text, german[at] ?? '', GERMAN);
      }
      await server.close();
    }
  });
});
