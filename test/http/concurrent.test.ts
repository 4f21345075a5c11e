import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forEachConcurrently, mapConcurrently } from '../../src/http/concurrent.ts';
import { VirtualTime } from './virtual-time.ts';

const NEVER_CHANGES = { most: undefined, capacity: () => 4 };

async function* counting(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number += 1) yield number;
}

describe('tasks for the items of a list', () => {
  test('run once each, and never more at once than the capacity of the moment, whatever becomes of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(60),
        fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
        fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1 }),
        fc.nat(),
        async (count, most, capacities, seed) => {
          const time = new VirtualTime(seed);
          const done: number[] = [];
          let running = 0;
          const capacity = () => capacities[done.length % capacities.length] ?? 1;
          const task = async (number: number) => {
            running += 1;
            expect(running).toBeLessThanOrEqual(Math.max(...capacities));
            expect(running).toBeLessThanOrEqual(most ?? Number.POSITIVE_INFINITY);
            await time.sleep(Math.floor(10 * time.random()));
            running -= 1;
            done.push(number);
          };
          await time.run(forEachConcurrently(counting(count), task, { most, capacity }));
          expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
        },
      ),
      { seed: 20 },
    );
  });

  test('end with the first failure: no task is started after it, and those that run finish', async () => {
    const time = new VirtualTime();
    const events: string[] = [];
    const task = async (number: number) => {
      events.push(`begin ${number}`);
      await time.sleep(number === 1 ? 10 : 20);
      if (number === 1) throw new Error('no');
      events.push(`end ${number}`);
    };
    await expect(time.run(forEachConcurrently(counting(100), task, NEVER_CHANGES))).rejects.toThrow('no');
    expect(events).toEqual(['begin 0', 'begin 1', 'begin 2', 'begin 3', 'end 0', 'end 2', 'end 3']);
  });
});

describe('the results for the items of a list', () => {
  test('are in the order of the items, whatever order they complete in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(60),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(),
        async (count, capacity, seed) => {
          const time = new VirtualTime(seed);
          let running = 0;
          const items = Array.from({ length: count }, (_, i) => i);
          const task = async (number: number) => {
            running += 1;
            expect(running).toBeLessThanOrEqual(capacity);
            await time.sleep(Math.floor(50 * time.random()));
            running -= 1;
            return number;
          };
          const { value } = await time.run(
            collected(mapConcurrently(items, task, { most: undefined, capacity: () => capacity })),
          );
          expect(value).toEqual(items);
        },
      ),
      { seed: 20 },
    );
  });

  test('wait for a slow one in bounded number', async () => {
    const time = new VirtualTime();
    let started = 0;
    const task = async (number: number) => {
      started += 1;
      if (number === 0) await time.sleep(1000);
      return started;
    };
    const results = mapConcurrently(
      Array.from({ length: 1000 }, (_, i) => i),
      task,
      NEVER_CHANGES,
    );
    expect((await time.run(results.next())).value.value).toBe(8);
    await results.return(undefined);
  });

  test('end with the first failure: no task is started after it', async () => {
    const time = new VirtualTime();
    let started = 0;
    const task = async (number: number) => {
      started += 1;
      await time.sleep(number === 0 ? 20 : 10);
      if (number === 2) throw new Error('no');
      return number;
    };
    const results = mapConcurrently(
      Array.from({ length: 100 }, (_, i) => i),
      task,
      NEVER_CHANGES,
    );
    await expect(time.run(collected(results))).rejects.toThrow('no');
    // Two of them took the places of those that were ready in the same moment.
    expect(started).toBeLessThanOrEqual(6);
  });
});

async function collected<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}
