import { expect, test } from 'vitest';
import { nearest } from '../../src/errors/nearest.ts';

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

test('without candidates there is nothing to name', () => {
  expect(nearest('x', [])).toBe(undefined);
});
