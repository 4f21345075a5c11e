// Checks the models in test/models with Spin: every history within their bounds, and that each fault that they name is found. Then replays
// histories of Spin's own choice with the real code, as test/models/*.test.ts does with those in test/models/traces.json.
//
//   npm run check:models             all of it
//   npm run check:models -- lock     one model, without histories
//   npm run check:models -- --update writes test/models/traces.json
//
// MODEL_SEED chooses the histories that are replayed beside those; without it they are others each time.
//
// Needs spin and gcc (Debian: apt-get install spin gcc).
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MODELS = fileURLToPath(new URL('../../test/models/', import.meta.url));
const TRACES = join(MODELS, 'traces.json');
/** The version whose histories of a seed are those of traces.json. */
const SPIN = '6.5.2';
const [TRACES_EACH, SEEDS, FRESH] = [20, 200, 50];

/** The bounds of each model, those of its faults, where others suffice or are required, and those of its histories, in turn. */
const BOUNDS = {
  lock: {
    all: ['PROCESSES=3 CRASHES=2 UNLOCKS=0', 'PROCESSES=2 CRASHES=2 UNLOCKS=1'],
    faults: { default: 'PROCESSES=2 CRASHES=1 UNLOCKS=1' },
    histories: ['PROCESSES=3 CRASHES=2 UNLOCKS=1'],
  },
  journal: {
    all: [''],
    faults: { default: '' },
    histories: ['BATCHES=2 KILLS=1 POWER=0', 'BATCHES=2 KILLS=1 POWER=1'],
  },
  ledger: {
    all: ['', 'PLANS=3 RESTATEMENTS=1 KILLS=1 FULLS=0 POWER=0'],
    faults: { default: '', EMPTY_MARK: 'PLANS=3 RESTATEMENTS=1 KILLS=1 FULLS=0 POWER=0' },
    histories: [0, 1].map(power => `PLANS=3 RESTATEMENTS=2 KILLS=1 FULLS=1 POWER=${power}`),
  },
  queue: {
    all: [''],
    faults: { default: 'WORKERS=2 KILLS=1 FLUSHES=0 STALLS=1 RESTATEMENTS=1' },
  },
};

const words = process.argv.slice(2);
const isUpdate = words.includes('--update');
const named = words.filter(word => word !== '--update');
const unknown = named.filter(name => !Object.hasOwn(BOUNDS, name));
if (unknown.length > 0)
  throw new Error(`no model ${unknown.join(', ')}; the models are ${Object.keys(BOUNDS).join(', ')}`);
/** Those whose histories are replayed; BullMQ's own steps cannot be. */
const REPLAYED = ['lock', 'journal', 'ledger'];
const names = named.length > 0 ? named : Object.keys(BOUNDS);

const folder = await mkdtemp(join(tmpdir(), 'gatectl-models-'));
try {
  const start = Date.now();
  if (!isUpdate) for (const name of names) await checkModel(name);
  if (named.length === 0) await checkHistories();
  process.stdout.write(`models: ${seconds(start)} s in all\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function checkModel(name) {
  const { all, faults } = BOUNDS[name];
  const wholes = all.map(bounds => async () => {
    const { states, depth, error, took } = await search(name, bounds, 'DFS');
    process.stdout.write(`${name}${shown(bounds)}: ${states} states, depth ${depth}, ${took} s\n`);
    if (error !== undefined) fail(`${name}${shown(bounds)}: ${error}`);
  });
  const planted = (await faultsOf(name)).map(fault => async () => {
    const { depth, error, took } = await search(name, `${faults[fault] ?? faults.default} ${fault}`, 'BFS');
    if (error === undefined) fail(`${name}: the fault ${fault} is not found`);
    else process.stdout.write(`${name} with ${fault}: found at depth ${depth} (${error}), ${took} s\n`);
  });
  await atOnce([...wholes, ...planted]);
}

/** Does all of these, as many at a time as there are processors. */
async function atOnce(tasks) {
  const left = [...tasks];
  const worker = async () => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await task();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/** The faults that a model names in its first comment. Each is one of its conditions, and each condition is a fault or a bound. */
async function faultsOf(name) {
  const text = await readFile(join(MODELS, `${name}.pml`), 'utf8');
  const [, list = ''] = /Faults: ([\s\S]*?)\*\//.exec(text) ?? [];
  const faults = [...list.matchAll(/\b([A-Z]+_[A-Z_]+) \(/g)].map(([, fault]) => fault);
  const conditions = new Set([...text.matchAll(/^#ifn?def (\w+)/gm)].map(([, condition]) => condition));
  const bounds = [...text.matchAll(/^#define (\w+) \d+$/gm)].map(([, bound]) => bound);
  // In a history, kills and the like are rarer and later.
  const known = [...faults, ...bounds, 'HISTORY'];
  const unnamed = [...conditions].filter(each => !known.includes(each));
  const missing = faults.filter(fault => !conditions.has(fault));
  if (faults.length === 0 || unnamed.length > 0 || missing.length > 0)
    throw new Error(`${name}.pml: its comment and its conditions name different faults`);
  return faults;
}

/** All states of a model within bounds; breadth first, the first error is the one with the fewest steps. */
async function search(name, bounds, order) {
  const start = Date.now();
  const place = join(folder, `${name}-${randomInt(1e9)}`);
  await mkdir(place);
  await run('spin', ['-a', ...defines(bounds), join(MODELS, `${name}.pml`)], { cwd: place });
  const options = [
    order === 'BFS' ? '-O1' : '-O2',
    '-w',
    '-DSAFETY',
    '-DCOLLAPSE',
    ...(order === 'BFS' ? ['-DBFS'] : []),
  ];
  await run('gcc', [...options, '-o', 'pan', 'pan.c'], { cwd: place });
  const { stdout } = await run(join(place, 'pan'), ['-m100000'], { cwd: place, maxBuffer: 1 << 26 });
  const found = /^pan:\d+: (.*) \(at depth (\d+)\)/m.exec(stdout);
  const states = Number(/^ *(\d+) states, stored/m.exec(stdout)?.[1]);
  const depth = Number(found?.[2] ?? /depth reached (\d+)/.exec(stdout)?.[1]);
  if (/search not completed|max search depth too small|out of memory/i.test(stdout) && found === null)
    throw new Error(`${name}${shown(bounds)}: the search was not completed\n${stdout}`);
  return { states, depth, error: found?.[1].replace(/\s+/g, ' '), took: seconds(start) };
}

/** Histories that Spin chooses by seeds are those of traces.json, and others are replayed as well. */
async function checkHistories() {
  const { stdout } = await run('spin', ['-V']);
  if (stdout.includes(SPIN)) {
    const kept = {};
    for (const name of REPLAYED) kept[name] = chosen(await histories(name, range(1, SEEDS)));
    const text = `${JSON.stringify(kept, undefined, 2)}\n`;
    if (isUpdate) await writeFile(TRACES, text);
    else if (text !== (await readFile(TRACES, 'utf8')))
      fail('test/models/traces.json is not what the models give: npm run check:models -- --update');
  } else process.stdout.write(`models: the histories of traces.json are those of Spin ${SPIN}\n`);
  if (isUpdate) return;
  const first = Number(process.env.MODEL_SEED ?? randomInt(1000, 1e6));
  const fresh = {};
  for (const name of REPLAYED) fresh[name] = await histories(name, range(first, FRESH));
  const path = join(folder, 'traces.json');
  await writeFile(path, JSON.stringify(fresh));
  const replay = ['node_modules/vitest/vitest.mjs', 'run', 'test/models', '--reporter=dot'];
  const env = { ...process.env, MODEL_TRACES: path };
  await run(process.execPath, replay, { env, maxBuffer: 1 << 26 }).then(
    () =>
      process.stdout.write(
        `models: ${FRESH} histories each of ${REPLAYED.join(', ')}, from seed ${first}, replayed with the code\n`,
      ),
    ({ stdout: failed }) => fail(`histories from seed ${first}: the code does otherwise\n${failed}`),
  );
}

/** What the model prints in runs in which Spin decides by a seed: a step a line, after `@`. */
async function histories(name, seeds) {
  const found = new Map();
  const { histories: bounds } = BOUNDS[name];
  await atOnce(
    seeds.map(seed => async () => {
      const options = [`-n${seed}`, '-T', '-DHISTORY', ...defines(bounds[seed % bounds.length])];
      // It leaves files where it runs.
      const place = await mkdtemp(join(folder, 'history-'));
      const { stdout } = await run('spin', [...options, join(MODELS, `${name}.pml`)], { cwd: place });
      const steps = [...stdout.matchAll(/^\s*@ (.*)$/gm)].map(([, step]) => step.trim());
      if (steps.length > 0) found.set(seed, steps.join('; '));
    }),
  );
  return seeds.flatMap(seed => found.get(seed) ?? []);
}

/** The fewest histories with the most pairs of consecutive steps, whatever process takes them. */
function chosen(all) {
  const pairsOf = history => {
    const steps = history.split('; ').map(step => step.replace(/^\d+ /, ''));
    return steps.slice(1).map((step, index) => `${steps[index]}; ${step}`);
  };
  const left = [...new Set(all)].map(history => ({ history, pairs: new Set(pairsOf(history)) }));
  const covered = new Set();
  const kept = [];
  while (kept.length < TRACES_EACH && left.length > 0) {
    const gain = ({ pairs }) => [...pairs].filter(pair => !covered.has(pair)).length;
    const [best] = left.toSorted((one, other) => gain(other) - gain(one));
    if (gain(best) === 0) break;
    for (const pair of best.pairs) covered.add(pair);
    kept.push(best.history);
    left.splice(left.indexOf(best), 1);
  }
  return kept;
}

function defines(bounds) {
  return bounds.split(' ').flatMap(each => (each === '' ? [] : [`-D${each}`]));
}

function shown(bounds) {
  return bounds === '' ? '' : ` (${bounds})`;
}

function range(from, count) {
  return Array.from({ length: count }, (_, index) => from + index);
}

function seconds(start) {
  return ((Date.now() - start) / 1000).toFixed(1);
}

function fail(message) {
  process.stdout.write(`${message}\n`);
  process.exitCode = 1;
}
