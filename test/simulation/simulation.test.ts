import { afterAll, expect, test } from 'vitest';
import { positions } from '../support/runs.ts';
import { type Operation, Simulator } from './history.ts';
import { SHARES } from './operations/index.ts';
import { purge } from './operations/purge.ts';
import { queue } from './operations/queue.ts';
import { Bundler } from './program.ts';
import { faultsOf } from './search.ts';
import type { FaultKind } from './world.ts';

// A few of the histories of `npm run test:simulation`.

const bundler = new Bundler();
const simulator = Simulator.create(bundler);
afterAll(() => bundler.close());

const OPERATIONS = SHARES.map(([operation]) => operation);

test.each(OPERATIONS)('$name: a seed is the same history each time, whatever ran before', async operation => {
  const hashes = async (seeds: readonly number[]) => {
    const found = new Map<number, string>();
    for (const seed of seeds) {
      const outcome = await (await simulator).run(operation, seed, faultsOf(operation, seed));
      expect(outcome.violation).toBeUndefined();
      found.set(seed, outcome.hash);
    }
    return found;
  };
  const first = await hashes([1, 2]);
  expect(await hashes([2, 1])).toEqual(first);
  expect(new Set(first.values()).size).toBe(2);
});

/** Steps after which a queue that was opened again has answered. */
const RESTARTED = 24;

/** Lets a fault strike at the steps of a history, at each of them in a full run. */
async function violations(operation: Operation, kind: FaultKind, seed: number): Promise<unknown[]> {
  const found: unknown[] = [];
  const { steps } = await (await simulator).run(operation, seed, []);
  for (const at of positions(steps)) {
    const { violation } = await (await simulator).run(operation, seed, [{ at, kind }]);
    if (violation !== undefined) found.push({ at, violation });
  }
  return found;
}

test('wherever a purge is killed, it is resumed without clearing what was confirmed', async () => {
  expect(await violations(purge, 'kill after', 696)).toEqual([]);
});

test('wherever the power fails, a purge can be resumed, and the log has what was sent', async () => {
  expect(await violations(purge, 'cut after', 3)).toEqual([]);
});

test('whichever call of the disk fails, a purge ends with an error of its own', async () => {
  expect(await violations(purge, 'fail', 3)).toEqual([]);
});

test('a journal whose head could not be flushed is not left with a part of its files', async () => {
  const found: unknown[] = [];
  // The flush after the head was renamed, and a step after the journal was removed.
  const faults = [
    { at: 62, kind: 'fail' as const },
    { at: 75, kind: 'cut before' as const },
  ];
  for (let seed = 1; seed <= 40; seed += 1) {
    const { violation, struck } = await (await simulator).run(purge, seed, faults);
    expect(struck[0]).toMatch(/^fail fsync .*purges$/);
    if (violation !== undefined) found.push({ seed, violation });
  }
  expect(found).toEqual([]);
});

test('wherever the power fails, no event that was accepted is lost', async () => {
  expect(await violations(queue, 'cut after', 1)).toEqual([]);
});

test('an event is not accepted into a file whose name could not be synced, also by a second try', async () => {
  const found: unknown[] = [];
  for (let at = 0; at < RESTARTED; at += 1) {
    const faults = [
      { at, kind: 'fail' as const },
      { at: at + 12, kind: 'cut before' as const },
    ];
    const { violation } = await (await simulator).run(queue, 1_014_093, faults);
    if (violation !== undefined) found.push({ at, violation });
  }
  expect(found).toEqual([]);
});

test('what a process that was killed left in memory is stored before another one answers that it has it', async () => {
  const found: unknown[] = [];
  const { steps } = await (await simulator).run(queue, 502_226, []);
  for (const at of positions(steps)) {
    const faults = [
      { at, kind: 'kill after' as const },
      { at: at + RESTARTED, kind: 'cut before' as const },
    ];
    const { violation } = await (await simulator).run(queue, 502_226, faults);
    if (violation !== undefined) found.push({ at, violation });
  }
  expect(found).toEqual([]);
});
