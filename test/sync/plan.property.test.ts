import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, dayCount } from '../../src/apis/bda/days.ts';
import type { SyncTable } from '../../src/sync/config.ts';
import { type LedgerEntry, stateOf } from '../../src/sync/ledger.ts';
import { partitionsOf } from '../../src/sync/partitions.ts';
import {
  type PlannedPartition,
  packUnits,
  planPartitions,
  type Unit,
  unitsAfterPage,
} from '../../src/sync/plan.ts';
import { runs } from '../support/runs.ts';
import { tableOf } from './tables.ts';

const PAGE = 1000;
const TODAY = '2026-03-14';
const DOMAIN = { id: 7, name: 'example.com' };

function table(partition: 'month' | 'day', start = '2025-06-10'): SyncTable {
  return tableOf({ partition, start });
}

/** Requests a unit as a run does, from the true rows of each partition; returns the requests, and units for the rest. */
function request(
  unit: Unit,
  rows: ReadonlyMap<string, number>,
  done: string[],
): { requests: number; rest: Unit[] } {
  const rowsOf = ({ key }: PlannedPartition) => rows.get(key) ?? 0;
  const total = unit.partitions.reduce((sum, partition) => sum + rowsOf(partition), 0);
  if (unit.partitions.length === 1 || total <= PAGE) {
    done.push(...unit.partitions.map(({ key }) => key));
    return { requests: Math.max(1, Math.ceil(total / PAGE)), rest: [] };
  }
  let complete = 0;
  let taken = 0;
  for (const partition of unit.partitions) {
    if (taken + rowsOf(partition) > PAGE) break;
    taken += rowsOf(partition);
    complete += 1;
  }
  done.push(...unit.partitions.slice(0, complete).map(({ key }) => key));
  return { requests: 1, rest: unitsAfterPage(unit, complete, taken, total, PAGE) };
}

describe('a plan', () => {
  test('requests each partition exactly once, whatever is known of its rows', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('month', 'day'),
        fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 40, maxLength: 40 }),
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (size, counts, known) => {
          const all = [...partitionsOf(table(size, size === 'day' ? '2026-02-03' : undefined), TODAY)];
          const rows = new Map(all.map(({ key }, index) => [key, counts[index % 40] ?? 0]));
          const planned = all.map(
            (partition, index): PlannedPartition => ({
              ...partition,
              reason: 'new',
              rows: known[index % 40] ? rows.get(partition.key) : undefined,
            }),
          );
          const done: string[] = [];
          const queue = packUnits(table(size), DOMAIN, planned, PAGE);
          for (let unit = queue.shift(); unit !== undefined; unit = queue.shift())
            queue.push(...request(unit, rows, done).rest);
          expect([...done].sort()).toEqual(all.map(({ key }) => key));
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test('with known rows sends the fewest requests: one for each full page of consecutive partitions', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2500 }), { minLength: 30, maxLength: 30 }), counts => {
        const all = [...partitionsOf(table('day', '2026-02-12'), TODAY)];
        const planned = all.map(
          (partition, index): PlannedPartition => ({ ...partition, reason: 'new', rows: counts[index] ?? 0 }),
        );
        const units = packUnits(table('day'), DOMAIN, planned, PAGE);
        expect(units.every(({ rows = 0, partitions }) => rows <= PAGE || partitions.length === 1)).toBe(true);
        // No two neighbours fit into one page.
        for (const [index, { rows = 0 }] of units.entries()) {
          const next = units[index + 1]?.partitions[0]?.rows;
          if (next !== undefined) expect(rows + next).toBeGreaterThan(PAGE);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  test('of sites of which nothing is known needs at most a tenth more requests than full pages', () => {
    let needed = 0;
    let sent = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.integer({ min: 50, max: 150 }), { minLength: 99, maxLength: 99 }),
        (mean, noise) => {
          const all = [...partitionsOf(table('day', '2025-03-14'), TODAY)];
          const rows = new Map(
            all.map(({ key }, index) => [key, Math.round((mean * (noise[index % 99] ?? 100)) / 100)]),
          );
          needed += Math.ceil([...rows.values()].reduce((sum, count) => sum + count, 0) / PAGE);
          const planned = all.map(
            (partition): PlannedPartition => ({ ...partition, reason: 'new', rows: undefined }),
          );
          const queue = packUnits(table('day'), DOMAIN, planned, PAGE);
          for (let unit = queue.shift(); unit !== undefined; unit = queue.shift()) {
            const { requests, rest } = request(unit, rows, []);
            sent += requests;
            queue.push(...rest);
          }
        },
      ),
      { numRuns: runs(400) },
    );
    expect(sent / needed).toBeLessThan(1.1);
  });

  test('requests a day again as long as it may change, and once more when it no longer does', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (lookback, age, later) => {
          const fetched = addDays(TODAY, -later);
          const day = addDays(fetched, -1 - age);
          const entry = {
            partition: day,
            from: day,
            to: day,
            query: 'q',
            schema: 1,
            rows: 1,
            state: stateOf(day, fetched, lookback),
          } as LedgerEntry;
          const options = { today: TODAY, lookback, queryHash: () => 'q', schemaVersion: () => 1 };
          const planned = planPartitions(
            { ...table('day', day), end: day },
            DOMAIN,
            new Map([[day, entry]]),
            options,
          );
          expect(planned.length).toBe(age < lookback ? 1 : 0);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test('with another start, end or query, requests what is held again with all its days, and nothing twice', () => {
    const day = fc.integer({ min: 1, max: 200 }).map(age => addDays(TODAY, -age));
    fc.assert(
      fc.property(
        fc.constantFrom('month', 'day'),
        fc.tuple(day, day, day, day),
        fc.boolean(),
        (size, [one, other, start, end], isOther) => {
          const [from, to] = one < other ? [one, other] : [other, one];
          const held = new Map(
            [...partitionsOf({ ...table(size, from), end: to }, TODAY)].map(({ key, days }) => [
              key,
              { partition: key, ...days, query: 'q', state: 'final', rows: 1 } as LedgerEntry,
            ]),
          );
          const now = { ...table(size, start), end };
          const options = { today: TODAY, lookback: 0, queryHash: () => (isOther ? 'other' : 'q') };
          const planned = planPartitions(now, DOMAIN, held, options);
          const keys = planned.map(({ key }) => key);
          expect(keys).toEqual([...new Set(keys)].sort());
          const byKey = new Map(planned.map(each => [each.key, each.days]));
          for (const entry of held.values()) {
            const days = byKey.get(entry.partition);
            if (isOther) expect(days).toBeDefined();
            if (days !== undefined)
              expect([days.from <= entry.from, days.to >= entry.to]).toEqual([true, true]);
          }
          for (const { key, days } of partitionsOf(now, TODAY)) {
            const found = byKey.get(key) ?? held.get(key);
            expect(found !== undefined && found.from <= days.from && found.to >= days.to).toBe(true);
          }
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test('covers each day of a table exactly once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), fc.constantFrom('month', 'day'), (days, size) => {
        const start = addDays(TODAY, -days);
        const all = [...partitionsOf(table(size, start), TODAY)];
        expect(all.reduce((sum, each) => sum + dayCount(each.days), 0)).toBe(days);
        expect(all[0]?.days.from).toBe(start);
        expect(all.at(-1)?.days.to).toBe(addDays(TODAY, -1));
      }),
      { numRuns: runs(200) },
    );
  });
});
