import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chart, Panel, Point } from '../../../src/output/chart/chart.ts';
import { drawChart } from '../../../src/output/chart/draw.ts';
import { displayWidth } from '../../../src/terminal/width.ts';
import { runs } from '../../support/runs.ts';
import { PAINTED, PIPE } from '../styles.ts';

const point = (value: number | undefined): Point | undefined =>
  value === undefined ? undefined : { value, digits: String(value) };

const days = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    label: new Date(Date.UTC(2026, 1, 1 + i)).toISOString().slice(0, 10),
  }));

function line(values: readonly (number | undefined)[], changes: Partial<Panel> = {}): Panel {
  return {
    title: 'visits',
    unit: undefined,
    shape: 'line',
    axis: 'report_day',
    positions: days(values.length),
    series: [{ name: undefined, points: values.map(point) }],
    ...changes,
  };
}

function bars(values: Readonly<Record<string, number | undefined>>, changes: Partial<Panel> = {}): Panel {
  return line(Object.values(values), {
    shape: 'bars',
    axis: 'country',
    positions: Object.keys(values).map(label => ({ label })),
    ...changes,
  });
}

const chartOf = (...panels: Panel[]): Chart => ({ title: 'visits', panels, notes: [] });
const ASCII = { ...PIPE, unicode: false };
const drawn = (panel: Panel, width = 40, style = PIPE) =>
  drawChart(chartOf(panel), { ...style, width })
    .split('\n')
    .slice(0, -1);

describe('a line', () => {
  test('has axes, even marks, and the same in words', () => {
    expect(drawn(line([10, 20, 5, 40], { unit: 'USD' }), 44, ASCII)).toEqual([
      'visits (USD) by report_day',
      '40+                                        *',
      '  |                                       .',
      '  |                                      .',
      '30+                                    ..',
      '  |                                   .',
      '  |                                  .',
      '20+           ..*.                  .',
      '  |       ....    ...              .',
      '  |   ....           ..          ..',
      '10+*..                 ...      .',
      '  |                       ...  .',
      '  |                          .*',
      ' 0+',
      '  ++--------------------------+-------------',
      '   2026-02-01               02-03',
      'visits (USD): lowest 5 (2026-02-03), highest',
      '40 (2026-02-04)',
    ]);
  });

  test('is drawn finer where there is Unicode', () => {
    const text = drawn(line([0, 1, 0]), 20).join('\n');
    expect(text).toMatch(/[\u2801-\u28ff]/);
    expect(text).toContain('1┤');
    expect(text).toContain('└┴');
  });

  test('that is missing in between has a gap', () => {
    const whole = drawn(line([1, 1, 1, 1, 1]), 40, ASCII).join('\n');
    const cut = drawn(line([1, 1, undefined, 1, 1]), 40, ASCII).join('\n');
    expect(whole).toMatch(/\*\.+\*\.+\*\.+\*\.+\*/);
    expect(cut).toMatch(/\*\.+\* +\*\.+\*/);
  });

  test('of several series differs by marks and by color', () => {
    const series = ['DE', 'AT', 'CH'].map((name, i) => ({ name, points: [i, i + 1, i].map(point) }));
    const panel = line([0, 0, 0], { series });
    expect(drawn(panel, 40, ASCII)[1]).toBe('* DE  o AT  + CH');
    expect(drawn(panel)[1]).toBe('● DE  ▲ AT  ■ CH');
    expect(drawn(panel, 40, PAINTED)[1]).toBe('c●c DE  y▲y AT  +■+ CH');
    const plot = drawn(panel, 40).slice(2, -4).join('');
    for (const mark of ['●', '▲', '■']) expect(plot).toContain(mark);
    expect(plot).toMatch(/[\u2801-\u28ff]/);
    const words = drawn(panel, 200).filter(text => text.startsWith('visits, '));
    expect(words.map(text => text.split(':')[0])).toEqual(['visits, DE', 'visits, AT', 'visits, CH']);
  });

  test('and its days before differ in Unicode too', () => {
    const series = [
      { name: 'now', points: [9, 9, 9].map(point) },
      { name: 'before', points: [1, 1, 1].map(point), isBefore: true },
    ];
    const [, legend, ...plot] = drawn(line([0, 0, 0], { series }));
    expect(legend).toBe('⠒⠒⠒ now  ⠐⠐⠐ before');
    const dots = (text: string) => text.match(/[\u2801-\u28ff]/g)?.length ?? 0;
    const counts = plot.map(dots).filter(count => count > 0);
    expect(counts[0]).toBeGreaterThan(counts[1] ?? 0);
  });

  test('of one point is a sentence', () => {
    expect(drawn(line([1234.5]))).toEqual(['visits by report_day', 'visits: 1,234.5 (2026-02-01)']);
  });

  test('without any point is noted', () => {
    expect(drawn(line([undefined, undefined])).join(' ')).toContain('visits: no figures');
  });

  test('has a break mark where, and only where, its axis does not start at zero', () => {
    const isBroken = (values: readonly number[], style = PIPE) =>
      drawn(line(values), 40, style).some(text => /^ *(?:[-\u2212]?[\d,]+)?[≈~]/.test(text));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 2, maxLength: 5 }), values => {
        const ticks = drawn(line(values)).flatMap(text => /^ *([-\u2212]?[\d,.]+)[┤≈]/.exec(text)?.[1] ?? []);
        const numbers = ticks.map(text => Number(text.replaceAll(',', '').replace('\u2212', '-')));
        expect(isBroken(values)).toBe(Math.min(...numbers) > 0 || Math.max(...numbers) < 0);
      }),
    );
    expect([isBroken([90, 95], ASCII), isBroken([0, 95], ASCII)]).toEqual([true, false]);
    expect(drawn(line([90, 95])).some(text => text.trimStart().startsWith('≈'))).toBe(true);
  });

  test('marks partial periods', () => {
    const positions = [{ label: '2026-02-02', part: '3 of 7 days' }, { label: '2026-02-09' }];
    expect(drawn(line([1, 2], { positions })).join('\n')).toContain('2026-02-02*');
  });
});

describe('bars', () => {
  test('are as long as their figures, with thousands separated', () => {
    expect(drawn(bars({ US: 4000, DE: 2000, AT: 0 }), 30, ASCII)).toEqual([
      'visits by country',
      'US ##################### 4,000',
      'DE ########### 2,000',
      'AT 0',
      'visits: lowest 0 (AT), highest',
      '4,000 (US)',
    ]);
  });

  test('below zero go to the left', () => {
    expect(drawn(bars({ a: 10, b: -10 }), 30, ASCII).slice(1, 3)).toEqual([
      'a             ############ 10',
      'b ############ -10',
    ]);
  });

  test('without a figure have a dash', () => {
    expect(drawn(bars({ a: 1, b: 2, c: undefined }), 30, ASCII)[3]).toBe('c -');
  });

  test('are printed next to those of the previous days, with the change', () => {
    const series = [
      { name: 'now', points: [20, 0].map(point) },
      { name: 'before', points: [10, 0].map(point), isBefore: true },
    ];
    const panel = bars({ DE: 0, AT: 0 }, { series });
    expect(drawn(panel, 40, ASCII).slice(1, 3)).toEqual([
      'DE ####################### 20 (+100.0 %)',
      '   ............ 10 before',
    ]);
  });

  test('of a single row are a figure, with the one before', () => {
    const series = [
      { name: 'now', points: [20].map(point) },
      { name: 'before', points: [10].map(point), isBefore: true },
    ];
    expect(drawn(bars({ DE: 0 }, { series }), 80)).toEqual([
      'visits by country',
      'visits: 20 (DE; before: 10, +100.0 %)',
    ]);
    expect(drawn(bars({ DE: 7 }), 80)).toEqual(['visits by country', 'visits: 7 (DE)']);
  });

  test('have long labels cut, and hostile ones made visible', () => {
    const [, first, second] = drawn(bars({ ['x'.repeat(100)]: 1, '\u001b[2J\u202e': 2 }), 40);
    expect(displayWidth(first ?? '')).toBeLessThanOrEqual(40);
    expect(first).toContain('…');
    expect(second).toMatch(/^\\x1b\[2J\\u20/);
  });
});

describe('sparklines', () => {
  test('are a row for each group', () => {
    const series = [
      { name: 'US', points: [1, 4, 8].map(point), total: '13' },
      { name: 'a very long name of a group', points: [2, undefined, 1].map(point) },
    ];
    const panel = line([0, 0, 0], { shape: 'sparklines', axis: 'country over report_day', series });
    expect(drawn(panel, 60, ASCII)).toEqual([
      'visits by country over report_day',
      'country over report_day           total  lowest  highest',
      'US                           .=#     13       1        8',
      'a very long name of a group  # =              1        2',
    ]);
  });
});

describe('the heading of sparklines', () => {
  test('is complete where there is room, and is on the lines', () => {
    const series = ['US', 'DE'].map(name => ({ name, points: [1, 4, 8].map(point) }));
    const panel = line([0, 0, 0], { shape: 'sparklines', axis: 'country over report_day', series });
    expect(drawn(panel, 60, ASCII).slice(1)).toEqual([
      'country over report_day  lowest  highest',
      'US                  .=#       1        8',
      'DE                  .=#       1        8',
    ]);
  });
});

describe('any chart', () => {
  const value = fc.oneof(
    fc.constant(undefined),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );

  test('fits any width and ends, whatever the figures are', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 400 }),
        fc.constantFrom('line', 'bars', 'sparklines'),
        fc.integer({ min: 30, max: 220 }),
        fc.boolean(),
        (values, shape, width, unicode) => {
          const series = [
            { name: 'a', points: values.map(point) },
            { name: 'b', points: values.map(point).reverse(), isBefore: true },
          ];
          const text = drawChart(chartOf(line(values, { shape, series })), { ...PIPE, unicode, width });
          for (const one of text.split('\n')) expect(displayWidth(one)).toBeLessThanOrEqual(width);
          if (!unicode) expect(text).toMatch(/^[\x20-\x7e\n]*$/);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
