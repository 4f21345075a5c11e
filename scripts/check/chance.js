// Looks for tests that fail by chance: runs the tests of `npm test` 30 times, and the checks that start other programs 5 times each. Files
// are run in another order each time; every third run is beside three busy loops, and every third on one core only; every third has its
// files in memory, every third on a disk, and the others where the tests choose. Prints a table, and keeps the output of runs that failed.
// On Linux.
//
//   npm run check:chance                                     everything, or what is left of it on this commit
//   npm run check:chance -- --only suite --runs 9 --most 1   one more of nine runs of the tests
//   npm run check:chance -- --table                          the table of the runs so far
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';

const VITEST = ['node_modules/vitest/vitest.mjs', 'run'];
const SUITES = {
  suite: { times: 30, args: VITEST },
  warehouses: { times: 5, args: [...VITEST, '--config', 'vitest.warehouses.config.ts'] },
  terminal: { times: 5, args: [...VITEST, '--config', 'vitest.terminal.config.ts'] },
  shells: { times: 5, args: [...VITEST, '--config', 'vitest.shells.config.ts'] },
  browser: { times: 5, args: ['scripts/check/browser.js'] },
};
const LOADS = ['quiet', 'busy', 'one core'];
const FOLDERS = { memory: '/dev/shm', disk: '/var/tmp', default: undefined };
const BUSY_LOOPS = 3;
const FOLDER = 'chance';
const RESULTS = join(FOLDER, 'runs.ndjson');

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(SUITES).join() },
    runs: { type: 'string' },
    most: { type: 'string', default: 'Infinity' },
    table: { type: 'boolean', default: false },
  },
});
const commit = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).stdout.trim();
const chosen = values.only.split(',');
if (chosen.some(name => !(name in SUITES))) throw new Error(`--only takes ${Object.keys(SUITES).join()}`);
mkdirSync(FOLDER, { recursive: true });

const left = values.table ? [] : planned().slice(0, Number(values.most));
if (left.length > 0 && spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status !== 0)
  throw new Error('the build failed');
for (const run of left) {
  say(`${run.suite} ${run.number}: seed ${run.seed}, ${run.load}, ${run.files}`);
  const ended = await carriedOut(run);
  appendFileSync(RESULTS, `${JSON.stringify({ commit, ...run, ...ended })}\n`);
  for (const failure of ended.failures) say(`  ${failure}`);
}
process.exitCode = printTable() ? 0 : 1;

function say(line) {
  process.stdout.write(`${line}\n`);
}

/** The runs on this commit so far. */
function done() {
  if (!existsSync(RESULTS)) return [];
  const lines = readFileSync(RESULTS, 'utf8').trimEnd().split('\n');
  return lines.map(line => JSON.parse(line)).filter(run => run.commit === commit);
}

/** The runs that are left. Nine of them in a row have each load on each file system. */
function planned() {
  const known = new Set(done().map(({ suite, number }) => `${suite} ${number}`));
  const kinds = Object.keys(FOLDERS);
  return chosen.flatMap(suite =>
    Array.from({ length: Number(values.runs ?? SUITES[suite].times) }, (_, index) => ({
      suite,
      number: index + 1,
      seed: randomInt(2 ** 31),
      load: LOADS[index % LOADS.length],
      files: kinds[(index + Math.floor(index / kinds.length)) % kinds.length],
    })).filter(({ number }) => !known.has(`${suite} ${number}`)),
  );
}

async function carriedOut({ suite, number, seed, load, files }) {
  const folder = FOLDERS[files] && mkdtempSync(join(FOLDERS[files], 'chance-'));
  // Servers run as other users.
  if (folder !== undefined) chmodSync(folder, 0o711);
  const report = join(FOLDER, 'report.json');
  rmSync(report, { force: true });
  const { args } = SUITES[suite];
  /** @type {[string, ...string[]]} */
  const words = [process.execPath, ...args];
  if (args[0] === VITEST[0])
    words.push(
      ...['--sequence.shuffle.files', `--sequence.seed=${seed}`],
      ...['--reporter=dot', '--reporter=json', `--outputFile=${report}`],
    );
  if (load === 'one core') words.unshift('taskset', '-c', '0');
  const busy = Array.from({ length: load === 'busy' ? BUSY_LOOPS : 0 }, () =>
    spawn(process.execPath, ['-e', 'for (;;);']),
  );
  const began = performance.now();
  const { code, output } = await outputOf(words, {
    ...process.env,
    ...(folder !== undefined && { TMPDIR: folder }),
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  for (const loop of busy) loop.kill('SIGKILL');
  const remains = folder === undefined ? [] : readdirSync(folder);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  const failures = failuresIn(code, output, report);
  const log = join(FOLDER, `${commit}-${suite}-${number}.log`);
  if (failures.length > 0) writeFileSync(log, output);
  return { seconds, failures, remains };
}

/** Runs a command to its end; what it prints is kept only. */
function outputOf([command, ...args], env) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => resolve({ code, output }));
  });
}

/** What failed, by the names of tests; otherwise by the errors that were printed, and otherwise by the last line. */
function failuresIn(code, output, report) {
  const { testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  const failures = testResults.flatMap(({ name, status, assertionResults }) => {
    const file = name.slice(name.lastIndexOf('/test/') + 1);
    const failed = assertionResults.filter(each => each.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [file];
    return failed.map(({ fullName }) => `${file}: ${fullName}`);
  });
  if (code === 0 || failures.length > 0) return failures;
  const lines = stripVTControlCharacters(output).trimEnd().split('\n');
  const errors = lines.filter(line => /^\w*Error: |This error originated in/.test(line));
  return errors.length > 0 ? errors : [lines.at(-1) ?? `exit code ${code}`];
}

/** Prints all runs on this commit, and the share of those that failed. Returns whether all passed. */
function printTable() {
  const runs = done().filter(({ suite }) => chosen.includes(suite));
  const rows = runs.map(({ suite, number, seed, load, files, seconds, failures }) =>
    [suite, number, seed, load, files, `${seconds} s`, failures.join('; ') || '-'].join(' | '),
  );
  say(`\n| suite | run | seed | load | files | duration | failures |\n|---|---|---|---|---|---|---|`);
  for (const row of rows) say(`| ${row} |`);
  const failed = runs.filter(({ failures }) => failures.length > 0).length;
  const remains = new Set(runs.flatMap(run => run.remains.map(name => name.replace(/-\w{6}$/, ''))));
  say(`\n${commit}: ${failed} of ${runs.length} runs failed`);
  if (remains.size > 0) say(`left in the folder for temporary files: ${[...remains].join(', ')}`);
  return failed === 0;
}
