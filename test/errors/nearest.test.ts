import { expect, test } from 'vitest';
import { nearest, similar } from '../../src/errors/nearest.ts';

const words = ['base-url', 'brand', 'domain', 'csv', 'tsv'];

test.each([
  ['base_url', 'base-url'],
  ['BRAND', 'brand'],
  ['domian', 'domain'],
  ['csb', 'csv'],
])('%s means %s', (word, meant) => {
  expect(nearest(word, words)).toBe(meant);
});

test.each(['', 'x', 'xls', 'weather', 'base'])('%j resembles nothing', word => {
  expect(nearest(word, words)).toBe(undefined);
});

test('two letters swapped are one edit', () => {
  expect(nearest('jsno', ['json', 'ndjson'])).toBe('json');
  expect(nearest('josn', ['csv'])).toBe(undefined);
});

test('of a code of two letters no other one is similar', () => {
  expect(nearest('DE', ['FR', 'DK'])).toBe(undefined);
});

test('related names count as similar on request', () => {
  expect(similar('country', ['Countries', 'visits', 'user_country'])).toEqual([]);
  expect(similar('country', ['visits', 'user_country', 'Countries'], { related: true })).toEqual([
    'user_country',
    'Countries',
  ]);
});

test('without candidates there is nothing to name', () => {
  expect(nearest('x', [])).toBe(undefined);
});
