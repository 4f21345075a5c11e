import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisFor, changeText, shortFigure, tickLabel } from '../../../src/output/chart/figures.ts';
import { scaleFor } from '../../../src/output/chart/ticks.ts';

test.each<[readonly number[], number[]]>([
  [
    [0, 97],
    [0, 20, 40, 60, 80, 100],
  ],
  [
    [40, 97],
    [0, 20, 40, 60, 80, 100],
  ],
  [
    [900, 1000],
    [900, 920, 940, 960, 980, 1000],
  ],
  [
    [-30, 45],
    [-40, -20, 0, 20, 40, 60],
  ],
  [
    [0.1, 0.3],
    [0, 0.1, 0.2, 0.3],
  ],
  [
    [5, 5],
    [0, 1, 2, 3, 4, 5],
  ],
  [
    [0, 1],
    [0, 1],
  ],
  [[], [0, 1]],
])('%j has the marks %j', (values, ticks) => {
  expect(scaleFor(values, 5).ticks).toEqual(ticks);
});

test('bars always start at zero', () => {
  expect(scaleFor([900, 1000], 5, { fromZero: true }).least).toBe(0);
  expect(scaleFor([-900, -1000], 5, { fromZero: true }).most).toBe(0);
});

test('a scale holds all values, in marks that grow', () => {
  const value = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), values => {
      const { least, most, ticks } = scaleFor(values, 4);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThan(20);
      for (let i = 1; i < ticks.length; i++) expect(ticks[i]).toBeGreaterThan(ticks[i - 1] ?? 0);
      const slack = Math.max(...values.map(Math.abs)) * 1e-9 + 1e-90;
      for (const one of values) {
        expect(one).toBeGreaterThanOrEqual(least - slack);
        expect(one).toBeLessThanOrEqual(most + slack);
      }
    }),
  );
});

test.each([
  [1234567.8, '1,234,568'],
  [744.1, '744.1'],
  [1.005, '1'],
  [12.345, '12.35'],
  [0.41851254149760236, '0.419'],
  [0.00012345, '0.000123'],
  [0, '0'],
  [-5, '-5'],
  [1e20, '1e+20'],
  [1.5e-9, '1.5e-9'],
])('%d is short as %s', (value, text) => {
  expect(shortFigure(value)).toBe(text);
});

test.each([
  [0.3, 0.1, '0.3'],
  [1000, 500, '1,000'],
  [0, 0.2, '0.0'],
  [1e20, 1e19, '1e+20'],
])('the mark %d in steps of %d is %s', (value, step, text) => {
  expect(tickLabel(value, step)).toBe(text);
});

test.each([
  [100, 150, '+50.0 %'],
  [100, 50, '-50.0 %'],
  [1, 1000, '+99,900.0 %'],
  [-10, -20, undefined],
  [-21, 35, undefined],
  [0, 5, undefined],
])('from %d to %d is %s', (from, to, text) => {
  expect(changeText({ figure: 'count' }, { value: to }, { value: from }, { unicode: false })).toBe(text);
});

test.each([
  ['ratio', 0.4, 0.44, '+4.0 pp'],
  ['ratio', 0.44, 0.4, '-4.0 pp'],
  ['ratio', 0, 0.4, '+40.0 pp'],
  ['percent', 40, 44, '+4.0 pp'],
  ['ratio', 1.2, 1.5, '+25.0 %'],
] as const)('of a %s from %d to %d is %s: of shares in points', (figure, from, to, text) => {
  expect(changeText({ figure }, { value: to }, { value: from }, { unicode: false })).toBe(text);
});

test.each([
  ['ratio', [0.1, 0.44], '40 %'],
  ['ratio', [0.1, 1.44], '1.0'],
  ['percent', [10, 44], '40 %'],
  ['seconds', [3600, 40 * 3600], '40 h'],
  ['seconds', [60, 600], '10 m'],
  ['seconds', [1, 44], '40 s'],
  ['money', [1, 44], '40'],
] as const)('the axis of a %s from %j has a mark %s', (figure, values, label) => {
  const { ticks, labelOf } = axisFor({ figure }, values, 5, { fromZero: true });
  expect(ticks.map(labelOf)).toContain(label);
});
