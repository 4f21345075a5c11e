import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../../src/json/index.ts';
import { type Change, presentationOfMetric, type Total } from '../../../src/output/conclusion.ts';
import type { DataSection } from '../../../src/output/document/document.ts';
import { kpisOf, subjectOf, tilesOf } from '../../../src/output/document/kpis.ts';
import { PIPE } from '../styles.ts';
import { section } from './section.ts';

function change(metric: string, difference: string): Change {
  return {
    kind: 'change',
    metric,
    unit: undefined,
    value: '100',
    before: '90',
    difference,
    percent: undefined,
    basis: 'rows',
    exceedsRows: false,
    completeness: { kind: 'complete' },
  };
}

/** An explanation with a verdict on the same change. */
const why = (metric: string, verdict: string, more: JsonRecord = {}) =>
  section([], { conclusions: [{ kind: 'metric_change', basis: 'period', metric, verdict, ...more }] });

const shown = (sections: readonly DataSection[], names?: readonly string[]) => {
  const kpis = kpisOf(sections, names);
  return kpis === undefined ? [] : tilesOf(kpis, PIPE).map(({ label, outcome }) => `${label} ${outcome}`);
};

describe('the figures that a report begins with', () => {
  test('are the first four metrics, or those that it names in their order', () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map(name => change(name, '10'));
    expect(shown([section(all)])).toEqual(['A undefined', 'B undefined', 'C undefined', 'D undefined']);
    expect(shown([section(all)], ['e', 'a'])).toEqual(['E undefined', 'A undefined']);
    expect(shown([section(all)], [])).toEqual([]);
  });

  test('are of the same filters and days', () => {
    const filtered = { request: { data_set: 'pageview', filters: [{ column: 'country' }] } };
    const earlier = { before: { from: '2025-11-16', to: '2025-11-22' } };
    const sections = [
      section([change('visits', '10')]),
      section([change('revenue', '10')], filtered),
      section([change('pageviews', '10')], earlier),
      section([change('epmv', '10')], { request: { limit: 3, metrics: ['epmv'], data_set: 'pageview' } }),
    ];
    expect(shown(sections)).toEqual(['Visits undefined', 'EPMV undefined']);
  });

  test('are compared with the days before of a section about the same days', () => {
    const one = { from: '2026-11-22', to: '2026-11-22' };
    const dayBefore = { from: '2026-11-21', to: '2026-11-21' };
    const alone = section([change('visits', '10')], { before: undefined });
    const ofOneDay = section([change('visits', '10')], { days: one, before: dayBefore });
    expect(kpisOf([alone, ofOneDay], undefined)?.before).toBeUndefined();
    const compared = section([change('visits', '10')]);
    expect(kpisOf([alone, ofOneDay, compared], undefined)?.before).toEqual(compared.before);
  });

  test('are compared where periods of unequal length have the same value', () => {
    const unequal: Change = {
      ...change('visits', '10'),
      completeness: { kind: 'incomplete', missing: ['28 days, before 31'] },
    };
    const { metric, unit, value, basis } = unequal;
    const total: Total = {
      ...{ kind: 'total', metric, unit, value, basis, exceedsRows: false },
      completeness: { kind: 'complete' },
    };
    const alone = { conclusion: total, presentation: presentationOfMetric(total) };
    const kpis = kpisOf([section([unequal]), section([], { before: undefined, totals: [alone] })], undefined);
    expect(kpis?.figures[0].conclusion).toBe(unequal);
  });

  test('have a colour only where the change is unusual and one direction is better', () => {
    const of = (metric: string, difference: string, ...whys: readonly DataSection[]) =>
      shown([section([change(metric, difference)]), ...whys])[0]
        ?.split(' ')
        .at(-1);
    expect(of('visits', '10', why('visits', 'unusual'))).toBe('good');
    expect(of('visits', '-10', why('visits', 'unusual'))).toBe('bad');
    expect(of('bounce_rate', '-10', why('bounce_rate', 'unusual'))).toBe('good');
    expect(of('copy_paste_per_pageview', '10', why('copy_paste_per_pageview', 'unusual'))).toBe('undefined');
    expect(of('visits', '10', why('visits', 'usual'))).toBe('undefined');
    expect(of('visits', '10', why('visits', 'unknown'))).toBe('undefined');
    expect(of('visits', '10', why('revenue', 'unusual'))).toBe('undefined');
    expect(of('visits', '10', why('visits', 'unusual', { basis: 'day' }))).toBe('undefined');
    expect(of('visits', '10')).toBe('undefined');
  });

  test('are compared with days only where one of them is', () => {
    const { before } =
      kpisOf([section([change('visits', '10')], { before: undefined }), why('visits', 'usual')], undefined) ??
      {};
    expect(before).toBeUndefined();
  });
});

test.each<[string, Partial<Change>]>([
  ['T, 16 to 22 Nov: visits 100 (+11.1 %)', { percent: '11.1111' }],
  [
    'T, 16 to 22 Nov: visits 100 (−2.4 % per day)',
    {
      ...{ difference: undefined, percent: '-2.3912', perDay: 'fell' },
      completeness: { kind: 'incomplete', missing: ['28 days, before 31'] },
    },
  ],
  // What else restricts a figure has no room.
  [
    'T, 16 to 22 Nov',
    { completeness: { kind: 'incomplete', missing: ['there are no rows for 17 November 2026'] } },
  ],
  [
    'T, 16 to 22 Nov',
    {
      ...{ difference: undefined, percent: '-2.3912', perDay: 'fell' },
      completeness: { kind: 'incomplete', missing: ['28 days, before 31', '22 November 2026 is incomplete'] },
    },
  ],
])('a mail has the subject %s', (subject, more) => {
  const kpis = kpisOf([section([{ ...change('visits', '10'), ...more }])], undefined);
  expect(subjectOf('T', kpis, PIPE)).toBe(subject);
});
