import { expect, test } from 'vitest';
import { rolesOf, rowNumber } from '../../src/analysis/column-roles.ts';
import { jsonNumber } from '../../src/json/index.ts';

test.each([
  ['12', '12'],
  ['-0.5e3', '-0.5e3'],
  ['007', undefined],
  ['', undefined],
  ['1 000', undefined],
])('the text %j is the figure %j', (text, figure) => {
  expect(rowNumber(text)).toBe(figure);
});

test('codes with a leading zero distinguish rows of a saved report', () => {
  const rows = [
    { post_code: '01067', visits: '12' },
    { post_code: '80331', visits: '7' },
  ];
  const asked = { dimensions: [], figures: [] };
  expect(rolesOf(rows, asked, { mayHaveOthers: true })).toEqual({
    dimensions: ['post_code'],
    figures: ['visits'],
  });
});

test('a column without values identifies no rows of a saved report, and is last', () => {
  const rows = [
    { revenue: null, country: 'DE', visits: 3 },
    { revenue: null, country: 'AT', visits: 4 },
  ].map(row => ({ ...row, visits: jsonNumber(String(row.visits)) }));
  expect(rolesOf(rows, { dimensions: [], figures: [] }, { mayHaveOthers: true })).toEqual({
    dimensions: ['country'],
    figures: ['visits', 'revenue'],
  });
});
