import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startSandbox } from './built.js';
import { say, start } from './process.js';
import { poller } from './reader.js';
import { configOf, DAY_MS, SITES, sourceRows } from './source.js';
import { checkFiles, compare, storedRows } from './stored.js';

/** Kills between two comparisons. */
const ROUND = 10;
/** How many states of the source a reader may still see. */
const STATES = 3 * ROUND;
const FAULTS = [
  ...['status=503,path=/query,every=5', 'reset,path=/query,every=3', 'truncate=700,path=/query,every=4'],
  ...['reset=body,path=/query,every=7', 'status=429,path=/query,every=19', 'delay=20ms,path=/query'],
];

/** Kills syncs into one kind of destination, and compares after each round. `random` returns numbers from 0 to 1. */
export async function killSyncs({ kind, kills, root, random }) {
  const folder = join(root, kind);
  const home = join(root, `${kind}-home`);
  mkdirSync(folder);
  mkdirSync(home);
  let now = Date.parse('2026-02-26T12:00:00Z');
  const sandbox = await startSandbox({
    clock: now,
    restates: true,
    fixtures: { domains: SITES.map(id => ({ domain: `site-${id}.example.com`, id })) },
  });
  const process_ = {
    cwd: folder,
    home,
    env: { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey },
  };
  const isLake = kind === 'lake';
  writeFileSync(
    join(folder, 'gatectl.sync.yaml'),
    configOf(isLake ? 'lake' : 'duckdb:figures.duckdb', isLake),
  );
  const states = [await sourceRows(sandbox)];
  /** Advances the clock, so that the gateway restates figures. */
  const restate = async () => {
    now += Math.ceil(random() * 9) * DAY_MS;
    if (now >= Date.parse('2026-11-01')) now = Date.parse('2026-03-01');
    sandbox.setFaults();
    sandbox.clock.set(now);
    states.push(await sourceRows(sandbox));
    states.splice(0, states.length - STATES);
  };
  let broken = 0;
  const countBroken = () => {
    broken += sandbox.requests.filter(({ faults }) =>
      faults.some(fault => !fault.startsWith('delay')),
    ).length;
    sandbox.reset();
    sandbox.clock.set(now);
  };
  const polling = isLake ? poller(process_, () => states) : undefined;
  const sync = (...args) => start(['bda', 'sync', ...args, '--quiet', '--retries', '9'], process_);
  let killed = 0;
  let told = 0;
  let ended = 0;
  let partial = 0;
  let took = 2500;
  try {
    while (killed < kills) {
      for (let count = 0; count < ROUND && killed < kills; ) {
        if (random() < 0.5) await restate();
        sandbox.setFaults(...FAULTS);
        // Two processes share the work now and then; a database file takes one.
        const isShared = isLake && random() < 0.25 && killed > 0;
        let runs;
        if (isShared) {
          const planned = await start(['bda', 'sync', 'plan', '--units', '--retries', '9'], process_).ended;
          writeFileSync(join(folder, 'units.ndjson'), planned.stdout);
          runs = [1, 2].map(shard => sync('run', '--units', 'units.ndjson', '--shard', `${shard}/2`));
        } else runs = [sync(random() < 0.8 ? 'run' : 'sweep')];
        const started = performance.now();
        await Promise.race([
          pause(took * (0.3 + 0.7 * random())),
          Promise.all(runs.map(each => each.ended)).then(() => {
            // On this machine they take less time than expected.
            took = performance.now() - started;
          }),
        ]);
        for (const { child } of runs) child.kill('SIGKILL');
        for (const { code, signal, stderr } of await Promise.all(runs.map(each => each.ended))) {
          if (signal === 'SIGKILL') {
            killed += 1;
            count += 1;
          } else if (code === 0) ended += 1;
          else if (code === 7 || code === 6 || code === 8) partial += 1;
          else throw new Error(`exit ${code}: ${stderr}`);
        }
        countBroken();
      }
      const began = performance.now();
      const last = await sync('run').ended;
      took = performance.now() - began;
      if (last.code !== 0)
        throw new Error(`the run after ${killed} kills: exit ${last.code}\n${last.stderr}`);
      const expected = states.at(-1);
      compare(expected, await storedRows({ kind, folder }), `${kind}, after ${killed} kills`);
      if (isLake) checkFiles(folder, expected);
      if (Math.floor(killed / 100) > Math.floor(told / 100)) say(`${kind}: ${killed} kills so far`);
      told = killed;
    }
    const read = await polling?.end();
    const seen =
      read === undefined
        ? ''
        : `; a reader polled ${read.polls} times, ${read.queries} of them with bda sql, and saw no wrong count`;
    say(
      `${kind}: ${killed} kills and ${broken} broken responses (${ended} syncs ended before their kill, ${partial} failed on faults), equal to the source each time${seen}`,
    );
  } finally {
    await polling?.end().catch(() => {});
    await sandbox.close();
  }
}
