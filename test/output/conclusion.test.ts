import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeBetween } from '../../src/analysis/exact-change.ts';
import { stringifyJson } from '../../src/json/index.ts';
import {
  type Change,
  conclusionJson,
  conclusionText,
  presentationOfMetric,
  type Total,
} from '../../src/output/conclusion.ts';
import { headlineText } from '../../src/output/document/headline.ts';

function total(value: string | undefined, more: Partial<Total> = {}): Total {
  const completeness = { kind: 'complete' } as const;
  return {
    ...{ kind: 'total', metric: 'visits', unit: undefined, value, basis: 'rows', exceedsRows: false },
    completeness,
    ...more,
  };
}

function change(before: string, value: string, more: Partial<Change> = {}): Change {
  const { absolute, relative } = changeBetween(before, value) ?? {};
  return { ...total(value), kind: 'change', before, difference: absolute, percent: relative, ...more };
}

describe('a conclusion in words', () => {
  test.each<[string, Total | Change]>([
    ['visits: 29,701', total('29701')],
    ['visits: 29,701 (before: 29,850), change -149 (-0.5 %)', change('29850', '29701')],
    ['visits: 40 (before: 10), change +30 (+300.0 %)', change('10', '40')],
    ['visits: 10 (before: 10), unchanged', change('10', '10')],
    ['visits: 7 (before: 0), change +7', change('0', '7')],
    ['visits: 1,000,001 (before: 1,000,000), change +1 (+0.0001 %)', change('1000000', '1000001')],
    [
      'visits: 1,000,000,001 (before: 1,000,000,000), change +1 (under 0.0001 %)',
      change('1000000000', '1000000001'),
    ],
    [
      'revenue (USD): 1,234.57 (before: 1,300.00), change -65.43 (-5.0 %)',
      change('1300', '1234.5678', { metric: 'revenue', unit: 'USD' }),
    ],
    [
      'bounce_rate: 0.4123 (before: 0.4125), change -0.0002 (-0.05 %)',
      change('0.4125', '0.4123', { metric: 'bounce_rate' }),
    ],
    [
      'visits in the first 10 of 28 rows: 5',
      total('5', { completeness: { kind: 'limited', to: 'the first 10 of 28 rows' } }),
    ],
    ['visits in all rows: 29,701', total('29701', { exceedsRows: true })],
    [
      'visits in the first 10 of 28 rows: 5',
      total('5', { exceedsRows: true, completeness: { kind: 'limited', to: 'the first 10 of 28 rows' } }),
    ],
    [
      'visits: no total: there are no rows',
      total(undefined, {
        exceedsRows: true,
        completeness: { kind: 'unmeasured', reason: 'there are no rows' },
      }),
    ],
    [
      'visits: 5; 14 March 2026 has not ended yet',
      total('5', { completeness: { kind: 'incomplete', missing: ['14 March 2026 has not ended yet'] } }),
    ],
    [
      'visits: no total: there are no rows',
      total(undefined, { completeness: { kind: 'unmeasured', reason: 'there are no rows' } }),
    ],
    [
      'visits: 5 (before: no total), not comparable: there are no rows',
      change('0', '5', {
        before: undefined,
        difference: undefined,
        percent: undefined,
        completeness: { kind: 'unmeasured', reason: 'there are no rows' },
      }),
    ],
  ])('%s', (text, conclusion) => {
    expect(conclusionText(conclusion)).toBe(text);
  });

  const figure = fc
    .tuple(fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }), fc.integer({ min: 0, max: 4 }))
    .map(([unscaled, scale]) => {
      const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
      const point = digits.length - scale;
      const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
      return unscaled < 0n ? `-${text}` : text;
    });

  test('the direction, the sign and "unchanged" hold of the figures, by all digits', () => {
    fc.assert(
      fc.property(figure, figure, (before, value) => {
        const text = conclusionText(change(before, value));
        const [a, b] = [before, value].map(digits => BigInt(scaledBy(digits, 4))) as [bigint, bigint];
        expect(text.includes('unchanged')).toBe(a === b);
        expect(/change \+/.test(text)).toBe(b > a);
        expect(/change -/.test(text)).toBe(b < a);
        // No figure other than zero is shown as zero.
        const [, shown = ''] = /change ([+-][\d,.]+)/.exec(text) ?? [];
        if (a !== b) expect(shown).toMatch(/[1-9]/);
        // A percentage is of a figure above zero.
        expect(/%/.test(text)).toBe(a !== b && a > 0n);
      }),
    );
  });

  test.each<[string, Total | Change, 'usual' | 'unusual' | undefined]>([
    ['Visits fell by 159 (−0.5 %) to 29,701.', change('29860', '29701'), undefined],
    ['Visits fell by 159 (−0.5 %) to 29,701, as usual.', change('29860', '29701'), 'usual'],
    ['Visits rose by 30 (+300.0 %) to 40, which is unusual.', change('10', '40'), 'unusual'],
    ['Visits in all rows rose by 30 (+300.0 %) to 40.', change('10', '40', { exceedsRows: true }), undefined],
    ['Visits did not change: 10.', change('10', '10'), 'usual'],
    ['Visits rose by 7 to 7.', change('0', '7'), undefined],
    [
      'Revenue rose by 16.90 USD (+1.8 %) to 982.00 USD.',
      change('965.1', '982', { metric: 'revenue', unit: 'USD' }),
      undefined,
    ],
    ['Bounce rate rose by 10.0 pp to 50.0 %.', change('0.4', '0.5', { metric: 'bounce_rate' }), undefined],
    [
      'Visits in the first 10 of 28 rows rose by 1 (+25.0 %) to 5.',
      change('4', '5', { completeness: { kind: 'limited', to: 'the first 10 of 28 rows' } }),
      undefined,
    ],
    [
      'Visits per day rose by 453.6 %: 5 (before: 4); 7 days, before 31.',
      change('4', '5', {
        ...{ difference: undefined, percent: '453.5714', perDay: 'rose' },
        completeness: { kind: 'incomplete', missing: ['7 days, before 31'] },
      }),
      undefined,
    ],
    ['Visits: 5.', total('5'), undefined],
    [
      'Visits: no total: there are no rows.',
      total(undefined, { completeness: { kind: 'unmeasured', reason: 'there are no rows' } }),
      undefined,
    ],
  ])('as a headline: %s', (text, conclusion, verdict) => {
    const presentation = presentationOfMetric(conclusion);
    expect(headlineText(conclusion, { presentation, verdict }, {})).toBe(text);
  });

  test('"rose", "fell" and "did not change" of a headline hold of the figures, by all digits', () => {
    fc.assert(
      fc.property(figure, figure, (before, value) => {
        const conclusion = change(before, value);
        const presentation = presentationOfMetric(conclusion);
        const text = headlineText(conclusion, { presentation, verdict: undefined }, {});
        const [a, b] = [before, value].map(digits => BigInt(scaledBy(digits, 4))) as [bigint, bigint];
        expect(/^Visits rose by [\d,.]*[1-9]/.test(text)).toBe(b > a);
        expect(/^Visits fell by [\d,.]*[1-9]/.test(text)).toBe(b < a);
        expect(/^Visits did not change:/.test(text)).toBe(a === b);
      }),
    );
  });

  test('text of the data cannot hide or move what is said', () => {
    expect(conclusionText(total('1', { metric: '\u001b[2Jvisits\u202e' }))).toMatch(
      /^\\x1b\[2Jvisits\\u202e: 1$/,
    );
  });

  test('as JSON has all digits, and says how complete it is', () => {
    expect(stringifyJson(conclusionJson(change('12345678901234567890.1', '12345678901234567890.2')))).toBe(
      '{"kind":"change","metric":"visits","unit":null,"value":12345678901234567890.2,"before":12345678901234567890.1,"difference":0.1,"percent":0,"per_day":false,"basis":"rows","exceeds_rows":false,"completeness":{"kind":"complete"},"text":"visits: 12,345,678,901,234,567,890.2 (before: 12,345,678,901,234,567,890.1), change +0.1 (under 0.0001 %)"}',
    );
  });
});

function scaledBy(digits: string, places: number): string {
  const [whole = '', fraction = ''] = digits.split('.');
  return whole + fraction.padEnd(places, '0');
}
