import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { additiveContributions, type Part, ratioContributions } from '../../src/analysis/contributions.ts';
import { EXACT_ZERO, exactFigure } from '../../src/analysis/exact-change.ts';
import { explain, largestOf } from '../../src/analysis/explanation.ts';
import { runs } from '../support/runs.ts';

const figure = (digits: string): Decimal => exactFigure(digits) ?? EXACT_ZERO;
const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,14})(?:\.\d{1,13})?$/);
const part = fc.record({ before: digits, now: digits, weightBefore: digits, weightNow: digits }).map(
  (texts): Part => ({
    before: figure(texts.before),
    now: figure(texts.now),
    weightBefore: figure(texts.weightBefore),
    weightNow: figure(texts.weightNow),
  }),
);
const parts = fc.array(part, { minLength: 1, maxLength: 40 });
/** With an own class of decimals, so that a rounding in the code under test shows. */
const Wide = Decimal.clone({ precision: 500 });
const sum = (figures: readonly (Decimal | undefined)[]) =>
  figures.reduce<Decimal>((all, one) => all.plus(one?.toFixed() ?? Number.NaN), new Wide(0));
const same = (a: Decimal, b: Decimal) =>
  expect(new Wide(a.toFixed()).toFixed()).toBe(new Wide(b.toFixed()).toFixed());

describe('contributions to the change of a metric', () => {
  test('of a sum add up to it with no remainder', () => {
    fc.assert(
      fc.property(parts, all => {
        const { before, now, change, parts: found } = additiveContributions(all);
        same(sum(found.map(({ total }) => total)), change);
        same(new Wide(now.toFixed()).minus(before.toFixed()), change);
        same(sum(all.map(one => one.now)), now);
      }),
      { numRuns: runs(400) },
    );
  });

  test('of a sum per day, over periods of other lengths, add up to it with no remainder', () => {
    const days = fc.integer({ min: 1, max: 400 });
    fc.assert(
      fc.property(parts, days, days, (all, before, now) => {
        const found = additiveContributions(all, { before, now });
        same(sum(found.parts.map(({ total }) => total)), found.change);
        same(new Wide(found.now.toFixed()).minus(found.before.toFixed()), found.change);
        const exact = new Wide(sum(all.map(one => one.now)).toFixed()).div(before === now ? 1 : now);
        expect(new Wide(found.now.toFixed()).minus(exact).abs().lte('0.0000000001')).toBe(true);
      }),
      { numRuns: runs(400) },
    );
  });

  test('of a ratio add up to it with no remainder, and mix and rate to each of them', () => {
    fc.assert(
      fc.property(parts, fc.constantFrom(1, 1000), (all, factor) => {
        const found = ratioContributions(all, factor);
        const hasWeights = [sum(all.map(one => one.weightBefore)), sum(all.map(one => one.weightNow))].every(
          weight => !weight.isZero(),
        );
        expect(found !== undefined).toBe(hasWeights);
        if (found === undefined) return;
        same(sum(found.parts.map(({ total }) => total)), found.change);
        same(new Wide(found.now.toFixed()).minus(found.before.toFixed()), found.change);
        for (const { total, mix, rate } of found.parts) same(sum([mix, rate]), total);
      }),
      { numRuns: runs(400) },
    );
  });

  test.each([
    ['to the part that lost most by rounding', ['1', '2'], ['0.3333333333', '0.6666666667']],
    [
      'to the first of those that lost as much',
      ['1', '1', '1'],
      ['0.3333333334', '0.3333333333', '0.3333333333'],
    ],
    ['to the fall that lost most', ['-1', '-2'], ['-0.3333333333', '-0.6666666667']],
    ['to none where all are exact', ['3', '-6'], ['1', '-2']],
  ])('of a sum per day give what rounding leaves %s', (_, now, totals) => {
    const all = now.map((digits): Part => ({ before: EXACT_ZERO, now: figure(digits) }));
    const { parts } = additiveContributions(all, { before: 1, now: 3 });
    expect(parts.map(({ total }) => total.toFixed())).toEqual(totals);
  });

  test('of a ratio whose weights are below zero have its sign', () => {
    const part: Part = {
      ...{ before: figure('1'), now: figure('2') },
      ...{ weightBefore: figure('-3'), weightNow: figure('-3') },
    };
    const found = ratioContributions([part], 1);
    expect([found?.before.toFixed(), found?.now.toFixed()]).toEqual(['-0.3333333333', '-0.6666666667']);
  });

  test('of a ratio separate what shares and what rates do', () => {
    const shares: Part[] = [
      { before: figure('50'), now: figure('25'), weightBefore: figure('100'), weightNow: figure('50') },
      { before: figure('10'), now: figure('15'), weightBefore: figure('100'), weightNow: figure('150') },
    ];
    const byMix = ratioContributions(shares, 1);
    expect(byMix?.change.toFixed()).toBe('-0.1');
    expect(byMix?.parts.map(({ mix, rate }) => [mix?.toFixed(), rate?.toFixed()])).toEqual([
      ['-0.0625', '0'],
      ['-0.0375', '0'],
    ]);
    const rates: Part[] = [
      { before: figure('50'), now: figure('40'), weightBefore: figure('100'), weightNow: figure('100') },
      { before: figure('10'), now: figure('10'), weightBefore: figure('100'), weightNow: figure('100') },
    ];
    expect(
      ratioContributions(rates, 1)?.parts.map(({ mix, rate }) => [mix?.toFixed(), rate?.toFixed()]),
    ).toEqual([
      ['0', '-0.05'],
      ['0', '0'],
    ]);
  });
});

describe('an explanation', () => {
  const additive = (pairs: readonly (readonly [string, string])[]): Part[] =>
    pairs.map(([before, now]) => ({ before: figure(before), now: figure(now) }));

  test('ranks by the size of the contribution in either direction, and marks what is new or gone', () => {
    const all = additive([
      ['100', '100'],
      ['50', '10'],
      ['0', '5'],
      ['4', '0'],
      ['200', '290'],
    ]).map((part, at): Part => ({ ...part, absent: at === 2 ? 'before' : at === 3 ? 'now' : undefined }));
    const { ranked, rises, falls } = explain(all, additiveContributions(all));
    expect(ranked.map(({ at, status, share }) => [at, status, share?.toFixed(1)])).toEqual([
      [4, 'changed', '94.7'],
      [1, 'changed', '90.9'],
      [2, 'new', '5.3'],
      [3, 'gone', '9.1'],
      [0, 'unchanged', undefined],
    ]);
    expect([rises.toFixed(), falls.toFixed()]).toEqual(['95', '-44']);
  });

  test('scores a dimension in which one value changed above one in which all did, and calls that broad', () => {
    const cause = additive([
      ['100', '40'],
      ['300', '300'],
      ['200', '200'],
    ]);
    const spread = additive([
      ['300', '270'],
      ['300', '270'],
      ['300', '271'],
    ]);
    const [led, broad] = [cause, spread].map(parts => explain(parts, additiveContributions(parts)));
    expect([led?.pattern, broad?.pattern]).toEqual(['led', 'broad']);
    expect(led?.score).toBeGreaterThan(broad?.score ?? 1);
  });

  const patternOf = (pairs: readonly (readonly [string, string])[]) => {
    const all = additive(pairs);
    return explain(all, additiveContributions(all)).pattern;
  };

  test('is broad where three of four values change by half to twice as many percent as the whole', () => {
    expect(
      patternOf([
        ['100', '95'],
        ['100', '90'],
        ['100', '85'],
      ]),
    ).toBe('broad');
    expect(
      patternOf([
        ['100', '80'],
        ['100', '90'],
        ['100', '92'],
        ['100', '98'],
      ]),
    ).toBe('broad');
    expect(
      patternOf([
        ['100', '79'],
        ['100', '90'],
        ['100', '92'],
        ['100', '99'],
      ]),
    ).toBe('led');
  });

  test('is not broad of one value, or where one adds a quarter of the change beyond its size', () => {
    expect(patternOf([['100', '90']])).toBe('led');
    expect(
      patternOf([
        ['400', '330'],
        ['300', '285'],
        ['300', '285'],
      ]),
    ).toBe('led');
  });

  test('of a ratio is broad where the ratios of the values change alike, whatever their shares do', () => {
    const ratio = (before: string, weightBefore: string, now: string, weightNow: string): Part => ({
      ...{ before: figure(before), now: figure(now) },
      ...{ weightBefore: figure(weightBefore), weightNow: figure(weightNow) },
    });
    const pattern = (all: readonly Part[]) => {
      const found = ratioContributions(all, 1);
      return found && explain(all, found).pattern;
    };
    const fallen = [ratio('90', '100', '81', '100'), ratio('50', '100', '45', '100')];
    expect(pattern([ratio('10', '100', '9.9', '110'), ...fallen])).toBe('broad');
    // A value without weight in one of the periods has no ratio that could change.
    const absent = [ratio('1', '0', '1', '10'), ratio('1', '10', '1', '0')];
    for (const one of absent) expect(pattern([one, ...fallen])).toBe('led');
  });

  test('has as score what one value adds beyond its size, as a share of all rises and falls', () => {
    const all = additive([
      ['100', '40'],
      ['300', '300'],
      ['200', '200'],
    ]);
    // Of the fall of 60, the size of the first value explains 10.
    expect(explain(all, additiveContributions(all)).score).toBeCloseTo(50 / 60, 12);
  });

  test('names all values that add most, in one direction', () => {
    const all = additive([
      ['10', '15'],
      ['10', '4'],
      ['10', '15'],
      ['10', '12'],
    ]);
    const { ranked } = explain(all, additiveContributions(all));
    expect(largestOf(ranked, 1).map(({ at }) => at)).toEqual([0, 2]);
    expect(largestOf(ranked, -1).map(({ at }) => at)).toEqual([1]);
    expect(largestOf([], 1)).toEqual([]);
  });

  test('marks how much the share of a value differs between the periods, by figures and by weights', () => {
    const surprises = (all: readonly Part[]) =>
      explain(all, additiveContributions(all)).ranked.map(({ at, surprise }) => [
        at,
        Number(surprise.toFixed(6)),
      ]);
    const swapped = additive([
      ['100', '0'],
      ['0', '50'],
    ]);
    // All of a share, or none: half of ln 2 in each of two terms.
    const most = Number((Math.LN2 / 2).toFixed(6));
    expect(surprises(swapped)).toEqual([
      [0, most],
      [1, most],
    ]);
    // In proportion.
    expect(
      surprises(
        additive([
          ['100', '50'],
          ['30', '15'],
        ]),
      ),
    ).toEqual([
      [0, 0],
      [1, 0],
    ]);
    const [a, b, mean] = [0.25, 0.75, 0.5];
    const term = 0.5 * (a * Math.log(a / mean) + b * Math.log(b / mean));
    expect(
      surprises(
        additive([
          ['25', '75'],
          ['75', '25'],
        ]),
      ),
    ).toEqual([
      [0, Number(term.toFixed(6))],
      [1, Number(term.toFixed(6))],
    ]);
    const byWeight = additive([
      ['10', '10'],
      ['10', '10'],
    ]).map((part, at) => ({
      ...part,
      weightBefore: figure(at === 0 ? '100' : '0'),
      weightNow: figure(at === 0 ? '0' : '50'),
    }));
    expect(surprises(byWeight)).toEqual([
      [0, most],
      [1, most],
    ]);
  });

  test('of a change of zero or of nothing fails nowhere', () => {
    for (const all of [
      additive([
        ['5', '7'],
        ['7', '5'],
      ]),
      additive([['0', '0']]),
      [],
    ]) {
      const { score, pattern } = explain(all, additiveContributions(all));
      expect(pattern).toBe(all.length === 2 ? 'offset' : 'none');
      expect(Number.isFinite(score)).toBe(true);
    }
  });
});
