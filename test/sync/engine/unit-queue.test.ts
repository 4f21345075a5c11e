import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EngineConnection } from '../../../src/sync/engine/connect.ts';
import { unitsIn } from '../../../src/sync/engine/unit-job.ts';
import { UnitQueue } from '../../../src/sync/engine/unit-queue.ts';
import { runs } from '../../support/runs.ts';

/** The ids of the jobs of a queue, by their state. */
type Jobs = Record<'waiting' | 'active' | 'delayed' | 'failed', readonly string[]>;
interface Account {
  units: Jobs;
  groups: Jobs;
}

const NONE: Jobs = { waiting: [], active: [], delayed: [], failed: [] };
const SLEEPER = { now: () => 0, sleep: () => new Promise<void>(() => {}) };

/** A queue, and what happens before each request to its server. */
function queueOf(account: Account, before: () => void = () => {}): UnitQueue {
  class Queue {
    readonly #jobs: () => Jobs;
    constructor(name: string) {
      this.#jobs = () => {
        before();
        return account[name.endsWith('-groups') ? 'groups' : 'units'];
      };
    }
    on() {}
    async waitUntilReady() {}
    async getJobCounts(...states: (keyof Jobs)[]) {
      const jobs = this.#jobs();
      return Object.fromEntries(states.map(state => [state, jobs[state].length]));
    }
    async getRanges(states: (keyof Jobs)[]) {
      const jobs = this.#jobs();
      return states.flatMap(state => jobs[state]);
    }
  }
  const connection = { bullmq: { Queue }, connection: {}, backend: undefined };
  return new UnitQueue(connection as unknown as EngineConnection, 'account', SLEEPER);
}

/** Jobs with the first one of a state moved to another one, or out of the queue. */
function moved(jobs: Jobs, from: keyof Jobs, to?: keyof Jobs): Jobs {
  const [first, ...rest] = jobs[from];
  if (first === undefined) return jobs;
  return { ...jobs, [from]: rest, ...(to !== undefined && { [to]: [...jobs[to], first] }) };
}

/** What workers do: each is one change in the server. */
const STEPS: readonly ((account: Account) => void)[] = [
  account => {
    account.groups = moved(account.groups, 'waiting', 'active');
  },
  ({ groups, units }) => {
    const [group] = groups.active;
    if (group === undefined) return;
    const added = Array.from({ length: unitsIn(group) }, (_, index) => `${group}:${index}`);
    units.waiting = [...units.waiting, ...added];
  },
  account => {
    const [group] = account.groups.active;
    // A worker removes the group only after it has added its units.
    if (group !== undefined && account.units.waiting.some(id => id.startsWith(group)))
      account.groups = moved(account.groups, 'active');
  },
  account => {
    account.groups = moved(account.groups, 'active', 'waiting');
  },
  account => {
    account.units = moved(account.units, 'waiting', 'active');
  },
  account => {
    account.units = moved(account.units, 'active');
  },
  account => {
    account.units = moved(account.units, 'active', 'waiting');
  },
  account => {
    account.units = moved(account.units, 'active', 'delayed');
  },
  account => {
    account.units = moved(account.units, 'delayed', 'waiting');
  },
];

test('a queue counts as empty only when nothing is left, whatever workers do while it is counted', async () => {
  const ids = (...of: string[]) => fc.array(fc.constantFrom(...of), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(
      ids('a', 'b'),
      ids('c-1', 'd-2'),
      fc.array(fc.array(fc.nat(STEPS.length - 1), { maxLength: 12 }), { minLength: 5, maxLength: 5 }),
      async (waiting, groups, steps) => {
        const account = { units: { ...NONE, waiting }, groups: { ...NONE, waiting: groups } };
        let requests = 0;
        const counts = await queueOf(account, () => {
          for (const step of steps[requests++] ?? []) STEPS[step]?.(account);
        }).counts();
        if (counts.waiting + counts.delayed + counts.active > 0) return;
        const { units } = account;
        expect([units.waiting, units.active, units.delayed, account.groups.waiting]).toEqual([
          [],
          [],
          [],
          [],
        ]);
        expect(account.groups.active).toEqual([]);
      },
    ),
    // A group that is divided between two requests.
    { numRuns: runs(2000), examples: [[[], ['c-1'], [[], [0, 1, 2], [], [], []]]] },
  );
});

test('the units of a group count one by one, and wait until it is divided', async () => {
  const units = { waiting: ['a', 'b'], active: ['f'], delayed: ['g'], failed: ['h'] };
  const groups = { ...NONE, waiting: ['c-100', 'd-7'], active: ['e-3'], failed: ['i-2'] };
  expect(await queueOf({ units, groups }).counts()).toEqual({
    ...{ waiting: 112, delayed: 1, active: 1, set_aside: 3 },
  });
});
