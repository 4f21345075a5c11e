import { expect, test } from 'vitest';
import type { Destination } from '../../src/sync/destinations/destination.ts';
import type { Ledger } from '../../src/sync/ledger.ts';
import { learnedLookback } from '../../src/sync/lookback.ts';
import { tableOf } from './tables.ts';

const SITES = [
  { id: 1, name: 'site-1.example.com' },
  { id: 2, name: 'site-2.example.com' },
];

/** What is learned of these ages, the odd ones of one site and the even ones of another; undefined is a partition without revisions. */
async function learned(ages: readonly (number | undefined)[]) {
  const held = new Set<number>();
  const destination = {
    ledger: async (_: string, id: number) => {
      held.add(id);
      const own = ages.filter((_, at) => at % 2 === id - 1);
      return new Map(own.map((revisedAtAge, at) => [String(at), { revisedAtAge }])) as unknown as Ledger;
    },
    release: async (_: string, id: number) => {
      held.delete(id);
    },
  };
  const found = await learnedLookback([tableOf()], SITES, destination as unknown as Destination);
  expect(held.size).toBe(0);
  return found;
}

test('the lookback is 7 days until five revisions are known', async () => {
  expect(await learned([])).toEqual({ days: 7, revisions: 0 });
  expect(await learned([30, 30, undefined, 30, 30])).toEqual({ days: 7, revisions: 4 });
  expect(await learned([30, 30, undefined, 30, 30, 30])).toEqual({ days: 31, revisions: 5 });
});

test('the lookback covers the age of 95 of 100 revisions, and two days at least', async () => {
  const late = (count: number) => [...Array(count).fill(11), ...Array(100 - count).fill(3)];
  expect(await learned(late(5))).toEqual({ days: 4, revisions: 100 });
  expect(await learned(late(6))).toEqual({ days: 12, revisions: 100 });
  expect(await learned([9, 10, 9, 10, 9])).toEqual({ days: 11, revisions: 5 });
  expect(await learned([0, 0, 0, 0, 0])).toEqual({ days: 2, revisions: 5 });
});
