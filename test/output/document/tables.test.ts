import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../../src/json/index.ts';
import { tablesOf } from '../../../src/output/document/tables.ts';
import { presentationOf } from '../../../src/output/presentation/index.ts';
import { table } from '../../../src/output/table.ts';
import type { Column } from '../../../src/output/view.ts';
import { runs } from '../../support/runs.ts';
import { PIPE } from '../styles.ts';
import { section } from './section.ts';

const figure = (key: string): Column => ({ key, kind: 'number', presentation: presentationOf(key) });
const text = (key: string): Column => ({ key, kind: 'name', presentation: presentationOf(key) });
const METRICS = ['visits', 'revenue', 'epmv', 'pageviews', 'clicks', 'sales'];
const family = (key: string) => key.replace(/_(?:before|change|change_percent)$/, '');

test('no table is wider than asked if it has several metrics, and none parts a figure from those it is compared with', () => {
  const cases = fc.record({
    dimensions: fc.subarray(['country', 'author', 'device'], { minLength: 1 }),
    metrics: fc.subarray(METRICS, { minLength: 1 }),
    isCompared: fc.boolean(),
    size: fc.integer({ min: 1, max: 15 }),
    width: fc.integer({ min: 20, max: 120 }),
  });
  fc.assert(
    fc.property(cases, ({ dimensions, metrics, isCompared, size, width }) => {
      const suffixes = isCompared ? ['', '_before', '_change', '_change_percent'] : [''];
      const figures = metrics.flatMap(metric => suffixes.map(suffix => figure(`${metric}${suffix}`)));
      const columns = [...dimensions.map(text), ...figures];
      const values = columns.map(({ key, kind }) =>
        kind === 'number' ? `"${key}":${'7'.repeat(size)}` : `"${key}":"${'x'.repeat(size)}"`,
      );
      const shown = [parseJson(`{${values.join()}}`)];
      const tables = tablesOf(section([], { columns, shown, hasTable: true }), width, PIPE);
      const keys = tables.map(view => view.columns?.map(({ key }) => key) ?? []);
      const own = keys.map(list => list.filter(key => !dimensions.includes(key)));
      expect(own.flat()).toEqual(figures.map(({ key }) => key));
      for (const [at, list] of keys.entries()) {
        expect(list.slice(0, dimensions.length)).toEqual(dimensions);
        const families = new Set(own[at]?.map(family));
        expect(own[at]?.length).toBe(families.size * suffixes.length);
        const [, row = ''] = table(shown, tables[at] ?? {}, PIPE).split('\n');
        if (families.size > 1) expect(row.replace(/ {2,}/g, '  ').length).toBeLessThanOrEqual(width);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('an explanation is one table, and a section without a table has none', () => {
  const columns = ['value', 'before', 'now', 'contribution'].map(figure);
  const why = section([], { columns, shown: [], hasTable: true, explanation: ['Visits fell.'] });
  expect(tablesOf(why, 10, PIPE)).toHaveLength(1);
  expect(tablesOf(section([], { columns }), 10, PIPE)).toEqual([]);
});
