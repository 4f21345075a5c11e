import type { Operation, Simulator } from './history.ts';
import { FAULT_KINDS, type Fault, type FaultKind, World } from './world.ts';

/** Those that leave most to be found are more frequent. */
const KINDS: readonly FaultKind[] = [
  ...FAULT_KINDS,
  ...(['kill after', 'kill within', 'cut before', 'cut after', 'fail'] as const),
];
const MOST_FAULTS = 4;
/** A run after a failure has steps as well. */
const LONGER = 1.6;

/** The faults of a seed. */
export function faultsOf({ steps }: Operation, seed: number): readonly Fault[] {
  const world = new World(seed ^ 0x5bd1e995, []);
  const count = world.below(MOST_FAULTS + 1);
  return Array.from({ length: count }, () => ({
    at: world.below(Math.ceil(steps * LONGER)),
    kind: world.pick(KINDS),
  })).sort((one, other) => one.at - other.at);
}

/** A history in which something did not hold. */
export interface Found {
  readonly operation: string;
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly violation: string;
}

/** What many histories were. */
export interface Tally {
  histories: number;
  steps: number;
  readonly interleavings: Set<string>;
  readonly places: Set<string>;
}

export const newTally = (): Tally => ({
  histories: 0,
  steps: 0,
  interleavings: new Set(),
  places: new Set(),
});

/** Runs the history of a seed; what it found, shrunk. */
export async function search(
  simulator: Simulator,
  operation: Operation,
  seed: number,
  tally: Tally,
): Promise<Found | undefined> {
  const faults = faultsOf(operation, seed);
  const outcome = await simulator.run(operation, seed, faults);
  tally.histories += 1;
  tally.steps += outcome.steps;
  tally.interleavings.add(`${operation.name} ${outcome.hash}`);
  for (const place of outcome.struck) tally.places.add(`${operation.name} ${place}`);
  if (outcome.violation === undefined) return undefined;
  return await shrunk(simulator, operation, {
    operation: operation.name,
    seed,
    faults,
    violation: outcome.violation,
  });
}

/** The fewest faults with which something does not hold, and each as early as it can be. */
async function shrunk(simulator: Simulator, operation: Operation, found: Found): Promise<Found> {
  let best = found;
  const isWorse = async (faults: readonly Fault[]): Promise<boolean> => {
    const { violation } = await simulator.run(operation, found.seed, faults);
    if (violation === undefined) return false;
    best = { ...best, faults, violation };
    return true;
  };
  for (let index = 0; index < best.faults.length; )
    if (!(await isWorse(best.faults.filter((_, at) => at !== index)))) index += 1;
  for (let index = 0; index < best.faults.length; index += 1)
    for (let by = 64; by >= 1; by = by >> 1) {
      const earlier = best.faults.map((fault, at) =>
        at === index ? { ...fault, at: fault.at - by } : fault,
      );
      if ((earlier[index] as Fault).at >= 0 && (await isWorse(earlier))) by *= 2;
    }
  return best;
}
