import { describe, expect, test } from 'vitest';
import { usualChange } from '../../src/analysis/usual-change.ts';

type Pairs = readonly (readonly [number, number])[];

/** As many changes of each size. */
const moves = (...counts: readonly (readonly [count: number, move: number])[]): Pairs =>
  counts.flatMap(([count, move]) => Array.from({ length: count }, () => [1_000, 1_000 + move] as const));
const mirrored = (pairs: Pairs): Pairs => pairs.map(([before, now]) => [-before, -now]);
const figures = (pairs: Pairs) => usualChange(pairs, false);

describe('the usual change', () => {
  test('takes eight earlier ones', () => {
    expect(figures(moves([7, 10]))).toBeUndefined();
    expect(figures(moves([4, 10], [4, -10]))).toEqual({ unit: 'figure', from: -40, to: 40 });
  });

  test('is up to four times the median one, in either direction', () => {
    expect(figures(moves([3, 5], [3, -10], [3, 20]))).toEqual({ unit: 'figure', from: -40, to: 40 });
    expect(figures(moves([5, 0.123], [5, -0.123]))).toEqual({ unit: 'figure', from: -0.5, to: 0.5 });
    expect(figures(moves([5, 1_234], [5, -1_234]))).toEqual({ unit: 'figure', from: -5_000, to: 5_000 });
  });

  test('is around the median one where nine of ten have its direction', () => {
    expect(figures(moves([3, 10], [4, 12], [2, 14], [1, -5]))).toEqual({ unit: 'figure', from: 4, to: 20 });
    expect(figures(moves([3, -10], [4, -12], [2, -14], [1, 5]))).toEqual({
      unit: 'figure',
      from: -20,
      to: -4,
    });
    // Both ends have two digits of the larger one.
    const fractions = moves([3, 10.04], [4, 12.04], [2, 14.04], [1, -5]);
    expect(figures(fractions)).toEqual({ unit: 'figure', from: 4, to: 21 });
    expect(figures(moves([8, 10], [2, -5]))).toEqual({ unit: 'figure', from: -40, to: 40 });
  });

  test('has no direction where nothing changed: rises and falls are judged alike', () => {
    const rises = moves([12, 0], [14, 10]);
    expect(figures(rises)).toEqual({ unit: 'figure', from: -40, to: 40 });
    expect(figures(mirrored(rises))).toEqual({ unit: 'figure', from: -40, to: 40 });
  });

  test('is one change where nine of ten equal it, and unknown where fewer do', () => {
    expect(figures(moves([9, 0], [1, 7]))).toEqual({ unit: 'figure', from: 0, to: 0 });
    expect(figures(moves([9, 5], [1, -7]))).toEqual({ unit: 'figure', from: 5, to: 5 });
    expect(figures(moves([8, 0], [2, 7]))).toEqual({ unit: 'none', equal: 8 });
  });

  test('of figures above zero is a percentage, which a fall limits to -100 and a rise does not', () => {
    const pairs: Pairs = [...Array(5).fill([100, 200]), ...Array(5).fill([200, 100])];
    // A sixteenth, and sixteen times as much.
    expect(usualChange(pairs, true)).toEqual({ unit: 'percent', from: -93.8, to: 1500 });
    expect(usualChange([...pairs.slice(1), [0, 100]], true)?.unit).toBe('figure');
    expect(usualChange([...pairs.slice(1), [100, 0]], true)?.unit).toBe('figure');
    expect(usualChange([...pairs.slice(1), [-1, -2]], true)?.unit).toBe('figure');
    expect(usualChange(pairs, false)).toEqual({ unit: 'figure', from: -400, to: 400 });
  });
});
