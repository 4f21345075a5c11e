import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Simulator } from './history.ts';
import { operationNamed, operationOf } from './operations/index.ts';
import { PLANTS } from './plants.ts';
import { Bundler } from './program.ts';
import { type Found, newTally, search } from './search.ts';
import { FAULT_KINDS, type Fault, type FaultKind } from './world.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '10000' },
    only: { type: 'string' },
    faults: { type: 'string' },
    planted: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const histories = Number(values.histories);
const only = values.only === undefined ? undefined : operationNamed(values.only);
/** Histories within which a planted fault must be found. */
const WITHIN = 10_000;

const say = (text: string) => void process.stdout.write(`${text}\n`);

const bundler = new Bundler();
try {
  if (values.faults !== undefined) await replay(values.faults);
  else if (values.planted) await findPlanted();
  else await simulate();
} finally {
  await bundler.close();
}

/** Runs histories from a seed on, up to the first in which something does not hold, or until it is told to stop. */
async function simulate(): Promise<void> {
  const simulator = await Simulator.create(bundler);
  const tally = newTally();
  const from = process.cpuUsage();
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isStopped = true));
  for (let number = 0; number < histories && !isStopped; number += 1) {
    // A history never waits for the real event loop, which is what signals come by.
    if (number % 100 === 0) await setImmediate();
    const found = await search(simulator, only ?? operationOf(number), seed + number, tally);
    if (found === undefined) continue;
    report(found);
    process.exitCode = 1;
    break;
  }
  const { user, system } = process.cpuUsage(from);
  const seconds = (user + system) / 1e6;
  const perSecond = Math.round(tally.histories / seconds);
  say(
    `${tally.histories} histories, ${tally.steps} steps, ${tally.interleavings.size} interleavings, ${tally.places.size} places of faults; ${seconds.toFixed(1)} s of CPU time, ${perSecond} histories a second`,
  );
}

/** Plants one fault after another, and counts the histories that it takes to find it. */
async function findPlanted(): Promise<void> {
  for (const plant of PLANTS.filter(each => only === undefined || each.operation === only.name)) {
    const simulator = await Simulator.create(bundler, plant);
    const operation = operationNamed(plant.operation);
    const tally = newTally();
    let found: Found | undefined;
    while (found === undefined && tally.histories < WITHIN)
      found = await search(simulator, operation, seed + tally.histories, tally);
    say(
      `${plant.name} (${plant.operation}): ${found === undefined ? 'not found' : `${tally.histories} histories, ${found.violation}`}`,
    );
    if (found === undefined) process.exitCode = 1;
  }
}

function report({ operation, seed: of, faults, violation }: Found): void {
  say(`${operation}, seed ${of}: ${violation}`);
  const words = faults.map(({ at, kind }) => `${kind}@${at}`).join(',');
  say(`  npm run test:simulation -- --only ${operation} --seed ${of} --faults '${words}'`);
}

/** Prints one history step by step. */
async function replay(words: string): Promise<void> {
  if (only === undefined) throw new Error('--faults requires --only');
  const faults = words.split(',').filter(Boolean).map(faultOf);
  const { lines, violation, hash } = await (await Simulator.create(bundler)).run(only, seed, faults, true);
  say(lines.join('\n'));
  say(violation ?? 'everything holds');
  say(hash);
  if (violation !== undefined) process.exitCode = 1;
}

function faultOf(word: string): Fault {
  const [kind = '', at = ''] = word.split('@');
  if (!(FAULT_KINDS as readonly string[]).includes(kind) || !/^\d+$/.test(at))
    throw new Error(`${word} is not a fault; one is: kill after@12`);
  return { at: Number(at), kind: kind as FaultKind };
}
