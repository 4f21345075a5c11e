import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Chart, Panel } from '../../../src/output/chart/chart.ts';
import { categoryAxis } from '../../../src/output/chart-page/axes.ts';
import { chartDocument, piecesOf } from '../../../src/output/chart-page/options.ts';
import { svgChart } from '../../../src/output/chart-page/svg.ts';
import { LIGHT } from '../../../src/output/chart-page/theme.ts';
import { runs } from '../../support/runs.ts';

/** The zigzag has ten corners. */
const BREAK_MARK = /d="M[^"]*(?:L[^"L]*){9}Z"/;

const points = (values: readonly number[]) => values.map(value => ({ value, digits: String(value) }));

function drawn(
  now: readonly number[],
  before: readonly number[],
  shape: 'line' | 'bars' = 'line',
  title = 'visits by report_day',
): string {
  const chart: Chart = {
    title,
    panels: [
      {
        title: 'visits',
        unit: 'USD',
        shape,
        axis: 'report_day',
        positions: now.map((_, index) => ({ label: `2026-11-1${index}` })),
        series: [
          { name: 'now', points: points(now) },
          { name: 'before', points: points(before), isBefore: true },
        ],
      },
    ],
    notes: [],
  };
  return svgChart(chart);
}

test('the line of the period before is grey and as dark as text, in the plot and in the legend', () => {
  const lines = [...drawn([1, 2, 3], [2, 3, 4]).matchAll(/<path[^>]*stroke-dasharray[^>]*>/g)].map(String);
  expect(lines.length).toBeGreaterThanOrEqual(2);
  for (const line of lines) {
    expect(line).toContain(LIGHT.faint);
    expect(line).not.toContain('stroke-opacity');
  }
});

test('the bars of the period before are dashed outlines, in the plot and in the legend', () => {
  const svg = drawn([1, 2, 3], [2, 3, 4], 'bars');
  const outlined = [...svg.matchAll(/<path[^>]*stroke-dasharray[^>]*>/g)].map(String);
  expect(outlined).toHaveLength(4);
  for (const bar of outlined) {
    expect(bar).toContain(`fill="${LIGHT.background}"`);
    expect(bar).toContain(`stroke="${LIGHT.faint}"`);
  }
  expect(svg).not.toContain(`fill="${LIGHT.faint}" stroke`);
});

test('the ends of a range differ from each other and from the line within, and are at their figures', () => {
  const [low, high] = [
    [-3, 1, 2],
    [4, 6, 3],
  ];
  const ranged = (isRange: boolean): string[] => {
    const bound = (end: 'lowest' | 'highest') => (isRange ? { bound: end } : {});
    const svg = svgChart({
      title: 'visits',
      panels: [
        {
          ...{ title: 'visits', unit: undefined, shape: 'line', axis: '' },
          positions: low.map((_, at) => ({ label: `day ${at}` })),
          series: [
            { name: 'actual', points: points([1, 2, 3]) },
            { name: 'expected', points: points([2, 3, 3]), isBefore: true },
            { name: 'lowest', points: points(low), isBefore: true, ...bound('lowest') },
            { name: 'highest', points: points(high), isBefore: true, ...bound('highest') },
          ],
        },
      ],
      notes: [],
    });
    // Lines of three points, without their shade.
    return [...svg.matchAll(/<path d="M[^"LZ]*L[^"LZ]*L[^"LZ]*"[^>]*>/g)].map(String);
  };
  const [before, lines] = [ranged(false), ranged(true)];
  const pathOf = (line = '') => /d="([^"]*)"/.exec(line)?.[1];
  expect(lines).toHaveLength(4);
  expect(new Set(lines.map(pathOf))).toEqual(new Set(before.map(pathOf)));
  const looks = lines.map(line => line.replace(pathOf(line) ?? '', ''));
  expect(new Set(looks).size).toBe(4);
});

test('a title gets its unit, and keeps what it says besides', () => {
  const title = 'visits by report_day, with the expected range';
  expect(drawn([1, 2], [2, 3], 'line', title)).toContain(
    'visits (USD) by report_day, with the expected range',
  );
});

test('an axis that does not begin at zero has a line with a break mark, another one has none', () => {
  const [cut, whole] = [drawn([965, 982], [970, 975]), drawn([5, 42], [30, 35])];
  expect(cut).not.toContain('>0</text>');
  expect(whole).toContain('>0</text>');
  expect(cut).toMatch(BREAK_MARK);
  expect(whole).not.toMatch(BREAK_MARK);
});

/** A series of so many days, of which the first is a Monday and the last is partial. */
function days(count: number): string {
  return svgChart({
    title: 'visits by report_day',
    panels: [
      {
        title: 'visits',
        unit: undefined,
        shape: 'line',
        axis: 'report_day',
        positions: Array.from({ length: count }, (_, index) => ({
          label: `day ${index}`,
          ...(index % 7 > 4 && { isWeekend: true }),
          ...(index === count - 1 && { part: '0 of 1 day' }),
        })),
        series: [{ name: undefined, points: points(Array.from({ length: count }, (_, index) => index)) }],
      },
    ],
    notes: [],
  });
}

test('the weekends of some weeks are shaded, and those of a year are not', () => {
  const shadesOf = (svg: string) => svg.split(`fill="${LIGHT.shade}"`).length - 1;
  expect([5, 7, 14, 15, 98, 364].map(count => shadesOf(days(count)))).toEqual([0, 1, 2, 2, 14, 0]);
});

test('a week on a phone has at least three days on its axis, and those of more weeks are weeks apart', () => {
  const shownOf = (count: number, width: number): number[] => {
    const positions = Array.from({ length: count }, (_, at) => ({ label: `Mon ${at + 10} Mar` }));
    const panel: Panel = { title: 'visits', unit: undefined, shape: 'line', axis: '', positions, series: [] };
    const style = { theme: LIGHT, width, isStandalone: false, hidden: new Set<string>() };
    const { interval } = categoryAxis(panel, style, 0).axisLabel;
    return [...positions.keys()].filter(at => typeof interval === 'function' && interval(at));
  };
  expect(shownOf(7, 300).length).toBeGreaterThanOrEqual(3);
  for (let count = 14; count <= 60; count += 1)
    for (const width of [300, 480, 720, 960]) {
      const [first = 0, second = 7] = shownOf(count, width);
      const step = second - first;
      expect(step <= 2 || step % 7 === 0, `${count} days at ${width}: ${step}`).toBe(true);
    }
});

test('the marker of a partial day is hollow', () => {
  const hollow = new RegExp(`fill="${LIGHT.background}" stroke="${LIGHT.series[0]}"`, 'g');
  expect([...days(9).matchAll(hollow)]).toHaveLength(1);
});

/** Of A4 between its margins, in CSS pixels. */
const SHEET_HEIGHT = 1000;

const someBars = fc
  .tuple(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 200 }), fc.boolean())
  .map(([values, isCompared]): Panel => {
    const now = { name: 'now', points: points(values) };
    return {
      title: 'visits',
      unit: undefined,
      shape: 'bars',
      axis: 'country',
      positions: values.map((_, at) => ({ label: `country ${at}` })),
      series: isCompared ? [now, { ...now, name: 'before', isBefore: true }] : [now],
    };
  });

test('on paper, many bars are pieces that fit on a sheet, with each row once and one scale', () => {
  const style = { theme: LIGHT, width: 672, isStandalone: false, hidden: new Set<string>() };
  fc.assert(
    fc.property(fc.array(someBars, { minLength: 1, maxLength: 3 }), panels => {
      const chart: Chart = { title: 'visits by country', panels, notes: [] };
      expect(piecesOf(chart, false)).toEqual(panels.map(panel => ({ panel, rows: undefined })));
      for (const panel of panels) {
        const pieces = piecesOf({ ...chart, panels: [panel] }, true);
        const all = [...panel.positions.keys()];
        const drawn = pieces.flatMap(({ rows = [0, all.length - 1] }) => all.slice(rows[0], rows[1] + 1));
        expect(drawn).toEqual(all);
        const documents = pieces.map(({ rows }) =>
          chartDocument({ ...chart, panels: [panel] }, { ...style, isPaper: true, rows }),
        );
        expect(Math.max(...documents.map(({ height }) => height))).toBeLessThan(SHEET_HEIGHT);
        const scales = documents.map(
          ({ option }) => (option as { xAxis: { min: number; max: number }[] }).xAxis,
        );
        expect(new Set(scales.map(([axis]) => `${axis?.min} ${axis?.max}`)).size).toBe(1);
      }
    }),
    { numRuns: 50 },
  );
});

test('the figure beside a bar is inside the picture, however long it is', () => {
  const digits = fc.integer({ min: 1, max: 25 }).map(length => '9'.repeat(length));
  fc.assert(
    fc.property(fc.array(digits, { minLength: 2, maxLength: 4 }), figures => {
      const panel: Panel = {
        title: 'visits',
        unit: undefined,
        shape: 'bars',
        axis: 'country',
        positions: figures.map((_, index) => ({ label: `v${index}` })),
        series: [{ name: undefined, points: figures.map(own => ({ value: Number(own), digits: own })) }],
      };
      const style = { theme: LIGHT, width: 760, isStandalone: true, hidden: new Set<string>() };
      const { option } = chartDocument({ title: 't', panels: [panel], notes: [] }, style);
      const [{ right }] = option.grid as [{ right: number }];
      const longest = Math.max(...figures.map(own => own.length + Math.floor((own.length - 1) / 3)));
      expect(right).toBeGreaterThan(longest * 6.5);
    }),
    { numRuns: runs(60) },
  );
});
