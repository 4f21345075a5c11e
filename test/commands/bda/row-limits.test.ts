import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitOf } from '../../../src/operations/rows/compare-rows.ts';
import { sentenceText } from '../../../src/output/sentence.ts';

test('"the first n of m rows" is said of some of the rows, and "first" of those from the start only', () => {
  const counts = fc.record({
    all: fc.nat(40),
    start: fc.oneof(fc.constant(0), fc.nat(50)),
    pageSize: fc.integer({ min: 1, max: 50 }),
    isTotalKnown: fc.boolean(),
  });
  fc.assert(
    fc.property(counts, ({ all, start, pageSize, isTotalKnown }) => {
      const rows = Array.from({ length: all }, (_, at) => [at]).slice(start, start + pageSize);
      const limit = limitOf(
        { rows: rows as never, total: isTotalKnown ? all : undefined },
        { plan: { start, pageSize, single: true } },
        [],
      );
      if (limit === undefined) {
        expect(rows).toHaveLength(all);
        return;
      }
      const text = sentenceText(limit);
      expect(text.includes('first')).toBe(start === 0);
      const [found, ofAll] = (text.match(/\d+/g) ?? []).map(Number);
      expect(found).toBe(rows.length);
      expect(ofAll).toBe(isTotalKnown ? all : undefined);
    }),
  );
});
