import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skewOf } from '../../../src/sync/engine/connect.ts';
import { runs } from '../../support/runs.ts';

const ms = fc.integer({ min: 0, max: 100_000 });

test('a server that answers slowly has the right time, whenever it read its clock', () => {
  fc.assert(
    fc.property(ms, ms, (before, after) => {
      expect(skewOf(1_000_000 + before, 1_000_000, 1_000_000 + before + after)).toBe(0);
    }),
    { numRuns: runs(200) },
  );
});

test('a clock that is wrong by more than the answer took is ahead or behind', () => {
  expect([skewOf(5000, 1000, 1200), skewOf(1000, 5000, 5200)]).toEqual([3800, -4000]);
});
