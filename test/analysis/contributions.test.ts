import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { additiveContributions, type Part, ratioContributions } from '../../src/analysis/contributions.ts';
import { EXACT_ZERO, exactFigure } from '../../src/analysis/exact-change.ts';
import { explain } from '../../src/analysis/explanation.ts';
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
