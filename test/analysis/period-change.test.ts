import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeBetween } from '../../src/analysis/exact-change.ts';
import { periodChange } from '../../src/analysis/period-change.ts';
import { type Change, conclusionText } from '../../src/output/conclusion.ts';
import { headlineText } from '../../src/output/document/headline.ts';
import { presentationOf } from '../../src/output/presentation/index.ts';

const figure = fc.nat(10 ** 9);
const length = fc.integer({ min: 1, max: 366 });

describe('a change', () => {
  test('of unequal periods has the direction and the percentage of the figures per day', () => {
    fc.assert(
      fc.property(figure, figure, length, length, (before, now, daysBefore, daysNow) => {
        fc.pre(daysBefore !== daysNow);
        const [then, own] = [BigInt(before) * BigInt(daysNow), BigInt(now) * BigInt(daysBefore)];
        const days = { now: daysNow, before: daysBefore };
        const found = periodChange('visits', { before: `${before}`, now: `${now}` }, days);
        if (before === 0) {
          expect(found).toBeUndefined();
          return;
        }
        const moved = own > then ? 'rose' : own < then ? 'fell' : 'unchanged';
        expect(found).toMatchObject({ absolute: undefined, perDay: moved });
        const percent = (now / daysNow / (before / daysBefore) - 1) * 100;
        expect(Number(found?.relative)).toBeCloseTo(percent, 3);
        const conclusion: Change = {
          kind: 'change',
          metric: 'visits',
          unit: undefined,
          value: `${now}`,
          before: `${before}`,
          difference: undefined,
          percent: found?.relative,
          perDay: found?.perDay,
          basis: 'rows',
          exceedsRows: false,
          completeness: { kind: 'complete' },
        };
        const headline = headlineText(
          conclusion,
          { presentation: presentationOf('visits'), verdict: undefined },
          {},
        );
        const word = moved === 'unchanged' ? 'did not change' : `${moved} by`;
        expect(headline).toMatch(new RegExp(`^Visits per day ${word}.*: [\\d,]+ \\(before: [\\d,]+\\)\\.$`));
        const text = conclusionText(conclusion);
        expect(text).toMatch(/ per day$/);
        expect(text.includes('unchanged')).toBe(moved === 'unchanged');
        if (moved !== 'unchanged') expect(text).not.toMatch(moved === 'rose' ? /change -/ : /change \+/);
      }),
    );
  });

  test('of equal periods, or of a ratio, is that of the figures', () => {
    fc.assert(
      fc.property(figure, figure, length, length, (before, now, daysBefore, daysNow) => {
        const values = { before: `${before}`, now: `${now}` };
        const own = changeBetween(values.before, values.now);
        expect(periodChange('visits', values, { now: daysNow, before: daysNow })).toEqual(own);
        expect(periodChange('bounce_rate', values, { now: daysNow, before: daysBefore })).toEqual(own);
      }),
    );
  });

  test('of unequal periods is unknown where the metric may be no sum', () => {
    expect(periodChange('readers', { before: '5', now: '7' }, { now: 28, before: 31 })).toBeUndefined();
  });
});
