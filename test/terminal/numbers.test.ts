import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupDigits } from '../../src/terminal/numbers.ts';

test('counts are written as they are in English', () => {
  expect([0, 999, 1000, 1_234_567].map(groupDigits)).toEqual(['0', '999', '1,000', '1,234,567']);
  fc.assert(
    fc.property(fc.maxSafeNat(), count => {
      expect(groupDigits(count)).toBe(count.toLocaleString('en'));
    }),
  );
});
