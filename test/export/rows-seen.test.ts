import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowsSeen } from '../../src/export/rows-seen.ts';

const number = fc.oneof(fc.constantFrom(0, 1, 2 ** 20, 2 ** 20 + 1, -1, -(2 ** 31)), fc.integer());

/** Fingerprints that hardly anything has in common: two numbers for each index. */
function numbered(from: number, to: number): Int32Array {
  const numbers = new Int32Array(2 * (to - from));
  for (let index = from; index < to; index++) {
    numbers[2 * (index - from)] = Math.imul(index + 1, 0x9e3779b1);
    numbers[2 * (index - from) + 1] = Math.imul(index + 7, 0x85ebca6b) ^ (index >>> 3);
  }
  return numbers;
}

test('a fingerprint was there before when both of its numbers were', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(number, number), { maxLength: 20 }), { maxLength: 5 }), pages => {
      const seen = new RowsSeen();
      const known = new Set<string>();
      for (const page of pages) {
        let before = 0;
        for (const [low, high] of page) {
          // A fingerprint of nothing but zeros is taken for another.
          const name = low === 0 && high === 0 ? '1 0' : `${low} ${high}`;
          if (known.has(name)) before += 1;
          known.add(name);
        }
        expect(seen.add(Int32Array.from(page.flat()))).toBe(before);
      }
      expect(seen.isWhole).toBe(true);
    }),
  );
});

test('every repeated row among 220,000 is detected', () => {
  const seen = new RowsSeen();
  for (let page = 0; page < 22; page++)
    expect(seen.add(numbered(page * 10_000, (page + 1) * 10_000))).toBe(0);
  expect(seen.add(numbered(20, 1000))).toBe(980);
  expect(seen.isWhole).toBe(true);
});

test('of more rows, those that repeat one of the previous page are detected, and no others', () => {
  const seen = new RowsSeen();
  // Every page begins with the last ten rows of the one before.
  for (let page = 0; page < 30; page++)
    expect(seen.add(numbered(page * 99_990, page * 99_990 + 100_000))).toBe(page === 0 ? 0 : 10);
  expect(seen.isWhole).toBe(false);
  expect(seen.add(numbered(0, 1000))).toBe(0);
});
