import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChartOptions, chartModel } from '../../src/analysis/chart-model.ts';
import { isRecord, type JsonRecord, parseJson } from '../../src/json/index.ts';
import type { Chart } from '../../src/output/chart/chart.ts';

const LIMITS = { panels: 2, lines: 3, sparklines: 4, bars: 5 };

function options(dimensions: string[], figures: string[], changes: Partial<ChartOptions> = {}): ChartOptions {
  return {
    roles: { dimensions, figures },
    units: new Map(),
    days: undefined,
    open: { from: '2026-03-14', isInUtc: false },
    isSorted: false,
    limits: LIMITS,
    ...changes,
  };
}

function rows(text: string): JsonRecord[] {
  const parsed = parseJson(text);
  return Array.isArray(parsed) ? parsed.filter(isRecord) : [];
}

function drawn(
  text: string,
  dimensions: string[],
  figures: string[],
  changes: Partial<ChartOptions> = {},
): Chart {
  const picture = chartModel(rows(text), options(dimensions, figures, changes));
  if ('nothing' in picture) throw new Error(picture.nothing);
  return picture;
}

/** The values of each series. */
const values = ({ panels: [panel] }: Chart) =>
  Object.fromEntries(
    (panel?.series ?? []).map(({ name, points }) => [name ?? '', points.map(point => point?.value)]),
  );

describe('over time', () => {
  test('a line follows the order of time, with a gap where a day is missing', () => {
    const picture = drawn(
      '[{"report_day":"2026-02-04","visits":4},{"report_day":"2026-02-01","visits":1.50},{"report_day":"2026-02-02","visits":null}]',
      ['report_day'],
      ['visits'],
      { units: new Map([['visits', 'count']]) },
    );
    const [panel] = picture.panels;
    expect(panel).toMatchObject({ shape: 'line', time: 'day', axis: '', title: 'Visits', unit: undefined });
    expect(panel?.positions.map(({ label }) => label)).toEqual([
      'Sun 1 Feb',
      'Mon 2 Feb',
      'Tue 3 Feb',
      'Wed 4 Feb',
    ]);
    expect(values(picture)).toEqual({ '': [1.5, undefined, undefined, 4] });
    expect(panel?.series[0]?.points[0]?.digits).toBe('1.50');
  });

  test('hours are drawn as separate positions, not on top of their day', () => {
    const picture = drawn(
      '[{"at":"2026-02-01T01:00:00Z","visits":2},{"at":"2026-02-01T00:00:00Z","visits":1},{"at":"2026-02-02T00:00:00Z","visits":3}]',
      ['at'],
      ['visits'],
    );
    expect(values(picture)).toEqual({ '': [1, 2, 3] });
    expect(picture.notes).toEqual([]);
  });

  test('a long line name is shortened in the middle', () => {
    const row = (end: string) =>
      ['01', '02']
        .map(day => `{"report_day":"2026-02-${day}","u":"${'x'.repeat(5_000)}${end}","visits":1}`)
        .join();
    const names = Object.keys(values(drawn(`[${row('1')},${row('2')}]`, ['report_day', 'u'], ['visits'])));
    expect(names).toEqual(['1', '2'].map(end => `${'x'.repeat(49)}...${'x'.repeat(47)}${end}`));
  });

  test('values that a chart cannot show are noted, because their gap looks like zero', () => {
    const picture = drawn(
      '[{"c":"a","visits":1e400},{"c":"b","visits":null},{"c":"c","visits":2}]',
      ['c'],
      ['visits'],
    );
    expect(picture.notes).toEqual(['Visits: 1 value cannot be drawn: 1e400']);
  });

  test('the previous period has its own days, wherever the time is among the dimensions', () => {
    const picture = drawn(
      '[{"c":"a","report_day":"2026-02-08","report_day_before":"2026-02-01","visits":1,"visits_before":5},{"c":"a","report_day":"2026-02-09","report_day_before":"2026-02-02","visits":2,"visits_before":6}]',
      ['c', 'report_day'],
      ['visits'],
      { beforeOf: column => `${column}_before` },
    );
    const labels = picture.panels[0]?.series.map(({ points }) => points.map(point => point?.label));
    expect(labels).toEqual([
      [undefined, undefined],
      ['Sun 1 Feb', 'Mon 2 Feb'],
    ]);
  });

  test('few groups are lines, many are sparklines of the largest', () => {
    const row = (name: string, visits: number) =>
      ['01', '02']
        .map(day => `{"report_day":"2026-02-${day}","country":"${name}","visits":${visits}}`)
        .join();
    const few = drawn(`[${row('DE', 1)},${row('AT', 2)}]`, ['report_day', 'country'], ['visits']);
    expect(few.panels[0]?.shape).toBe('line');
    expect(values(few)).toEqual({ DE: [1, 1], AT: [2, 2] });
    const many = ['a', 'b', 'c', 'd', 'e'].map((name, i) => row(name, i)).join();
    const spark = drawn(`[${many}]`, ['report_day', 'country'], ['visits']);
    expect(spark.panels[0]).toMatchObject({ shape: 'sparklines', time: 'day', axis: 'country' });
    expect(Object.keys(values(spark))).toEqual(['e', 'd', 'c', 'b']);
    expect(spark.notes).toEqual(['the 4 largest of 5 by visits']);
  });

  test('the largest groups are those with the most of the figure, by all digits', () => {
    // Beyond 2^53, neighbours are the same double.
    const figure = fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 9n });
    const group = fc.array(fc.oneof(figure, fc.constant(undefined)), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(group, { minLength: 5, maxLength: 9 }), groups => {
        const sizes = groups.map(days => days.reduce((sum: bigint, each) => sum + (each ?? 0n), 0n));
        fc.pre(groups.some(days => days.length > 1 && days.every(each => each !== undefined)));
        const cells = groups.flatMap((days, name) =>
          days.map(
            (each, day) =>
              `{"report_day":"2026-03-0${day + 1}","country":"${name}","visits":${each ?? null}}`,
          ),
        );
        const picture = drawn(`[${cells.join(',')}]`, ['report_day', 'country'], ['visits']);
        const shown = (picture.panels[0]?.series ?? []).map(({ name }) => sizes[Number(name)]);
        const most = [...sizes].sort((a, b) => (a < b ? 1 : -1)).slice(0, LIMITS.sparklines);
        expect(shown).toEqual(most);
        expect(picture.notes).toContain(`the ${LIMITS.sparklines} largest of ${groups.length} by visits`);
      }),
    );
  });

  test('a period that is cut or not over is marked', () => {
    const weeks = ['2026-02-23', '2026-03-02', '2026-03-09'];
    const text = `[${weeks.map(week => `{"report_week":"${week}","visits":1}`).join()}]`;
    const days = { from: '2026-02-25', to: '2026-03-13' };
    const { panels, notes } = drawn(text, ['report_week'], ['visits'], { days });
    expect(panels[0]?.positions.map(({ part }) => part)).toEqual(['5 of 7 days', undefined, '5 of 7 days']);
    expect(notes).toEqual(['* Mon 23 Feb is partial (5 of 7 days)', '* Mon 9 Mar is partial (5 of 7 days)']);
  });

  test('a row without a time does not change the line of the others, and is noted', () => {
    const text =
      '[{"report_day":"2026-02-01","v":1},{"report_day":"2026-02-02","v":2},{"report_day":null,"v":3}]';
    const picture = drawn(text, ['report_day'], ['v']);
    expect(values(picture)).toEqual({ '': [1, 2] });
    expect(picture.notes).toEqual(['1 row is not drawn: no day']);
  });

  test('of two rows at one position, the last is drawn, with a note', () => {
    const text =
      '[{"report_day":"2026-02-01","v":1},{"report_day":"2026-02-02","v":2},{"report_day":"2026-02-02","v":3}]';
    const picture = drawn(text, ['report_day'], ['v']);
    expect(values(picture)).toEqual({ '': [1, 3] });
    expect(picture.notes).toEqual(['1 row is not drawn: duplicate position']);
  });

  test('compared groups that are too many are drawn without the days before', () => {
    const text = `[${['a', 'b', 'c']
      .flatMap(c => ['01', '02'].map(day => `{"report_day":"2026-02-${day}","c":"${c}","v":1,"v_before":2}`))
      .join()}]`;
    const picture = drawn(text, ['report_day', 'c'], ['v'], { beforeOf: column => `${column}_before` });
    expect(picture.panels[0]?.shape).toBe('sparklines');
    expect(picture.notes).toEqual(['the earlier period is not drawn: too many lines']);
  });

  test('months step by months', () => {
    const text = '[{"report_month":"2025-11","visits":1},{"report_month":"2026-02","visits":2}]';
    const picture = drawn(text, ['report_month'], ['visits']);
    expect(picture.panels[0]?.positions.map(({ label }) => label)).toEqual([
      'Nov 2025',
      'Dec 2025',
      'Jan 2026',
      'Feb 2026',
    ]);
  });

  test('a single day gives bars for the other dimensions', () => {
    const text = '[{"report_day":"2026-02-01","c":"DE","v":1},{"report_day":"2026-02-01","c":"AT","v":2}]';
    const picture = drawn(text, ['report_day', 'c'], ['v']);
    expect(picture.panels[0]).toMatchObject({ shape: 'bars', axis: 'c' });
    expect(picture.notes).toEqual(['Day: 1 February 2026']);
  });
});

describe('over anything else', () => {
  test('bars follow the order of the rows; omitted rows are noted', () => {
    const text = `[${Array.from({ length: 8 }, (_, i) => `{"c":"c${i}","v":${i % 3}}`).join()}]`;
    const picture = drawn(text, ['c'], ['v']);
    expect(picture.panels[0]?.positions.map(({ label }) => label)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
    expect(picture.panels[0]?.limitedTo).toBe('the first 5 of 8 rows');
    expect(picture.notes).toEqual(['the rows are in the order in which they came']);
    const sorted = drawn(text, ['c'], ['v'], { isSorted: true, matching: { total: 20, start: 0 } });
    expect([sorted.panels[0]?.limitedTo, sorted.notes]).toEqual(['the first 5 of 20 rows', []]);
  });

  test('addresses go without what they share', () => {
    const text = '[{"u":"https://example.com/a/1","v":1},{"u":"https://example.com/a/2","v":2}]';
    const picture = drawn(text, ['u'], ['v']);
    expect(picture.panels[0]?.positions.map(({ label }) => label)).toEqual(['/1', '/2']);
    expect(picture.notes).toEqual(['each u starts with https://example.com/a']);
  });

  test('addresses of several sites go without the scheme, in a legend too', () => {
    const urls = ['https://www.example.com/a', 'https://www.example.org/a'];
    const bars = drawn(`[${urls.map(u => `{"u":"${u}","v":1}`).join()}]`, ['u'], ['v']);
    expect(bars.panels[0]?.positions.map(({ label }) => label)).toEqual(['example.com/a', 'example.org/a']);
    expect(bars.notes).toEqual(['each u starts with https://www.']);
    const days = urls.flatMap(u =>
      ['01', '02'].map(day => `{"report_day":"2026-02-${day}","u":"${u}","v":1}`),
    );
    const lines = drawn(`[${days.join()}]`, ['report_day', 'u'], ['v']);
    expect(Object.keys(values(lines))).toEqual(['example.com/a', 'example.org/a']);
    expect(lines.title).toBe('V per day by u');
  });

  test('several figures are named in one title, with units in their own', () => {
    const text = '[{"country":"DE","visits":1,"revenue":2,"bounce_rate":0.5},{"country":"AT"}]';
    const { title, panels } = drawn(text, ['country'], ['visits', 'bounce_rate']);
    expect(title).toBe('Visits and bounce rate by country');
    expect(panels.map(({ figure }) => figure)).toEqual(['count', 'ratio']);
  });

  test('each figure has a panel, up to a number', () => {
    const picture = drawn('[{"c":"x","a":1,"b":2,"d":3}]', ['c'], ['a', 'b', 'd'], {
      units: new Map([['a', 'USD']]),
    });
    expect(picture.panels.map(({ title, unit }) => [title, unit])).toEqual([
      ['A', 'USD'],
      ['B', undefined],
    ]);
    expect(picture.notes).toEqual(['not drawn: d']);
  });

  test('numbers sent as text are numbers; other text and numbers too large are omitted', () => {
    const text = '[{"c":"x","v":"12.5"},{"c":"y","v":"n/a"},{"c":"z","v":1E400},{"c":"","v":true}]';
    const picture = drawn(text, ['c'], ['v']);
    expect(values(picture)).toEqual({ '': [12.5, undefined, undefined, undefined] });
    expect(picture.panels[0]?.positions.at(-1)?.label).toBe('""');
  });

  test('a hundred thousand groups are the first few', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({ c: `c${i}`, v: i }));
    const picture = chartModel(many, options(['c'], ['v']));
    expect('panels' in picture && picture.panels[0]?.positions.length).toBe(5);
  });
});

describe('nothing to draw', () => {
  test.each([
    ['[]', ['c'], ['v'], 'no rows match, so there is nothing to draw'],
    ['[{"c":"x"}]', ['c'], [], 'cannot draw a chart: the rows have no numeric columns'],
    [
      '[{"c":"x","v":null},{"c":"y","v":"text"}]',
      ['c'],
      ['v'],
      'v: no row has a figure, so there is nothing to draw',
    ],
  ])('%s by %j', (text, dimensions, figures, nothing) => {
    expect(chartModel(rows(text), options(dimensions, figures))).toEqual({ nothing });
  });
});

test('means are drawn by day, sums per day', () => {
  const titleOf = (...figures: string[]) =>
    drawn(
      `[${['01', '02'].map(day => JSON.stringify({ report_day: `2026-02-${day}`, ...Object.fromEntries(figures.map(name => [name, 0.5])) })).join()}]`,
      ['report_day'],
      figures,
    ).title;
  expect(
    [['visits'], ['bounce_rate'], ['epmv'], ['copy_paste_per_pageview'], ['visits', 'epmv']].map(names =>
      titleOf(...names),
    ),
  ).toEqual([
    'Visits per day',
    'Bounce rate by day',
    'EPMV by day',
    'Copies per page view by day',
    'Visits and EPMV by day',
  ]);
});
