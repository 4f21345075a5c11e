import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limitOf } from '../../../src/operations/rows/compare-rows.ts';
import { countText } from '../../../src/operations/rows/shown-rows.ts';
import { sentenceText } from '../../../src/output/sentence.ts';
import { analytics } from './analytics.ts';

/** Rows that a sentence names, as places among all; undefined where it names none. */
function placesIn(text: string): { readonly from: number; readonly to: number; readonly all?: number } {
  const [from = 0, to = from, all] = (text.match(/\d+/g) ?? []).map(Number);
  if (/^(the |)first/i.test(text)) return { from: 1, to: from, ...(text.includes('of') && { all: to }) };
  if (/^rows/i.test(text)) return { from, to, ...(all !== undefined && { all }) };
  return { from, to: from, ...(text.includes('of') && { all: to }) };
}

const COUNTS = fc.record({
  all: fc.nat(40),
  start: fc.oneof(fc.constant(0), fc.nat(50)),
  pageSize: fc.integer({ min: 1, max: 50 }),
  isTotalKnown: fc.boolean(),
});

test('"the first n of m rows" and "rows n to m" are exactly the rows that are meant', () => {
  fc.assert(
    fc.property(COUNTS, ({ all, start, pageSize, isTotalKnown }) => {
      const places = Array.from({ length: all }, (_, at) => at + 1).slice(start, start + pageSize);
      const total = isTotalKnown ? all : undefined;
      const hasMoreRows = start + pageSize < all;
      const limit = limitOf(
        { rows: places as never, total },
        { plan: { start, pageSize, single: true } },
        [],
      );
      const line = countText(places.length, start, total, { hasMoreRows } as never);
      if (limit === undefined) expect(places).toHaveLength(all);
      if (places.length === all) expect(line).toBeUndefined();
      if (places.length === 0) return;
      for (const text of [limit, line]) {
        if (text === undefined) continue;
        const meant = { from: places[0], to: places.at(-1), ...(isTotalKnown && { all }) };
        expect(placesIn(sentenceText(text))).toEqual(meant);
      }
      if (start > 0 || (isTotalKnown && places.length < all)) expect(line).toBeDefined();
    }),
  );
});

describe('rows after an offset', () => {
  const DAYS = ['--from', '2026-03-07', '--to', '2026-03-13'];
  const query = async (...flags: string[]) => {
    const { gatectl } = await analytics(({ body }) => {
      const { limit = 100, offset = 0 } = JSON.parse(body || '{}') as { limit?: number; offset?: number };
      const rows = ['US', 'DE', 'FR', 'GB', 'JP'].map((country, at) => ({ country, visits: 50 - at }));
      return { body: JSON.stringify({ rows: rows.slice(offset, offset + limit), total_rows: 5 }) };
    });
    return await gatectl([
      ...['bda', 'query', '--data-set', 'pageview', '-d', 'country', '-m', 'visits', ...DAYS, ...flags],
    ]);
  };

  test.each([
    ['a table', ['-o', 'md', '--offset', '1', '--limit', '2'], 'Rows 2 to 3 of 5'],
    ['the last ones', ['-o', 'md', '--offset', '3'], 'Rows 4 to 5 of 5'],
    ['one row', ['-o', 'md', '--offset', '1', '--limit', '1'], 'Row 2 of 5'],
    ['a chart', ['--chart', '--offset', '1', '--limit', '2'], 'Visits in rows 2 to 3 of 5: lowest 48 (FR)'],
    [
      'a comparison',
      ['-o', 'md', '--compare', 'previous', '--offset', '1', '--limit', '2'],
      'only rows 2 to 3 of 5 are compared',
    ],
    ['none', ['-o', 'md', '--offset', '9'], 'the offset of 9 skips all 5 rows'],
    [
      'a chart of none',
      ['--chart', '--offset', '9'],
      'the offset of 9 skips all 5 rows, so there is nothing',
    ],
    [
      'none compared',
      ['-o', 'md', '--compare', 'previous', '--offset', '9'],
      'the offset of 9 skips all 5 rows',
    ],
  ])('are named by their places in %s', async (_, flags, expected) => {
    const { stdout } = await query(...flags);
    expect(stdout).toContain(expected);
    expect(stdout).not.toMatch(/first|no rows match/i);
  });
});
