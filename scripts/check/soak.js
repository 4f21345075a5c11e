// An hour's worth of mixed commands, squeezed: every command's outcome has to be the undisturbed one, although the gateway fails one
// request in five, and neither side's memory or descriptors may grow.
// Before that, purges are killed whose journal is then damaged: no other URL may be purged. Kills of exports and purges are simulated
// (test/simulation). SOAK_SECONDS says how long (240).
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stop } from './stop.js';

const SECONDS = Number(process.env.SOAK_SECONDS ?? 240);
const AT_ONCE = 2;
const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
/** Together they hit one request in five: refused, reset, cut, limited. */
const FAULTS = [
  ...['status=503,every=20', 'reset,every=20', 'truncate=20,every=20'],
  ...['status=429,every=40', 'reset=headers,every=40'],
];
/** With the default of three, one request in six hundred would fail four times and be reported as failed. */
const RETRIES = ['--retries', '8'];
const CLOCK = '2026-03-14T12:00:00Z';

const folder = mkdtempSync(join(tmpdir(), 'gatectl-soak-'));
const say = text => process.stdout.write(`${text}\n`);

const DAYS = ['--from', '2026-03-01', '--to', '2026-03-07'];
const READER = ['--email', 'active@example.com', '--domain', 'example.com'];
const urls = (count, path = '') =>
  Array.from({ length: count }, (_, i) => `https://example.com/articles/${path}${i}`).join('\n');

/** What is asked, what comes on stdin, which file is written, and exit codes that are right besides the undisturbed one. */
const COMMANDS = [
  { args: ['access', '--product', 'premium', ...READER, '--json'] },
  {
    args: [
      'access',
      '--product',
      'premium',
      '--email',
      'expired@example.com',
      '--domain',
      'example.com',
      '--exit-code',
    ],
  },
  {
    args: ['access', '--product', 'premium', '--from-file', '-', '--domain', 'example.com', '--csv'],
    input: Array.from({ length: 60 }, (_, i) => `r${i}@example.com`).join('\n'),
  },
  { args: ['products', ...READER, '--json'] },
  { args: ['products', '--email', 'active@example.com', '--domain', 'foreign.example'] },
  { args: ['purchases', ...READER, '--csv'] },
  { args: ['reader', ...READER, '--json'] },
  // Sent once: it may be the one that is hit.
  { args: ['token', ...READER, '--jq', '.token | split(".") | length'], also: [6, 8] },
  { args: ['cdn', 'ping', '--json'] },
  { args: ['cdn', 'purge', 'https://example.com/news', '--json'] },
  { args: ['cdn', 'purge', 'https://example.com/poisoned', '--json'] },
  { args: ['cdn', 'purge', '--file', '-', '--json'], input: urls(730) },
  { args: ['cdn', 'purge', '--file', '-', '--json'], input: `${urls(150)}\n${urls(1, 'poisoned/')}` },
  { args: ['cdn', 'purge', '--key', 'news,front', '--domain', 'example.com', '--json'] },
  { args: ['cdn', 'purge', '--all', '--yes', '--domain', 'example.org', '--json'] },
  { args: ['cdn', 'purge', 'not-a-url'] },
  { args: ['bda', 'domains', '--json'] },
  { args: ['bda', 'columns', '--csv'] },
  { args: ['bda', 'data-sets', '--json'] },
  {
    args: [
      'bda',
      'query',
      '--data-set',
      'pageview',
      '-d',
      'device',
      '-m',
      'visits,revenue',
      ...DAYS,
      '--csv',
    ],
  },
  { args: ['bda', 'query', '--data-set', 'pageview', '-m', 'visit', ...DAYS] },
  {
    args: [
      'bda',
      'query',
      '--data-set',
      'bulk',
      '-d',
      'row_id',
      '-m',
      'visits,revenue',
      ...DAYS,
      '--all',
      '--page-size',
      '20000',
      '--quiet',
    ],
    out: 'rows.csv',
  },
  {
    args: [
      'bda',
      'query',
      '--data-set',
      'bulk',
      '-d',
      'row_id',
      '-m',
      'visits',
      '--from',
      '2026-03-01',
      '--to',
      '2026-03-01',
      '--all',
      '--page-size',
      '9000',
      '--quiet',
    ],
    out: 'rows.ndjson.gz',
  },
  { args: ['bda', 'report', 'list', '--json'] },
  {
    args: [
      'bda',
      'report',
      'run',
      '-d',
      'country',
      '-m',
      'visits',
      ...DAYS,
      '--all',
      '--page-size',
      '3',
      '--csv',
    ],
  },
  { args: ['bda', 'segment', 'list', '--json'] },
  { args: ['bda', 'multifilter', 'types', '--json'] },
  { args: ['api', 'GET', '/gateway/bdaservices/v2/domains'] },
];

function start(args, env) {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', TZ: 'UTC', ...env },
  });
  child.stderr.setEncoding('utf8');
  return child;
}

async function serve(...faults) {
  const flags = faults.flatMap(fault => ['--fault', fault]);
  const child = start(
    ['sandbox', 'serve', '--port', '0', '-o', 'json', '--clock', CLOCK, '--quiet', ...flags],
    {},
  );
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    try {
      return { child, ...JSON.parse(text) };
    } catch {
      // The rest is on its way.
    }
  }
  throw new Error(`the sandbox did not start: ${text}`);
}

let runs = 0;

/** Runs one command; resolves to its exit code and a digest of all that it made. */
async function outcome({ args, input = '', out = undefined }, { baseUrl, apiKey }, onStart = _pid => {}) {
  const id = runs++;
  const home = join(folder, `home-${id}`);
  const file = out === undefined ? undefined : join(folder, `${id}-${out}`);
  const env = { GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: apiKey, GATECTL_CONFIG_DIR: home };
  const child = start([...args, ...RETRIES, ...(file === undefined ? [] : ['--out', file])], env);
  onStart(child.pid);
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const hash = createHash('sha256');
  let stderr = '';
  child.stdout.on('data', chunk => hash.update(chunk));
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const exit = await new Promise(resolve => child.once('close', (code, signal) => resolve(code ?? signal)));
  if (file !== undefined && exit === 0) hash.update(readFileSync(file));
  const litter = readdirSync(folder).filter(
    name => file !== undefined && name.startsWith(`${id}-`) && join(folder, name) !== file,
  );
  if (litter.length > 0) throw new Error(`left behind: ${litter.join(', ')}`);
  if (file !== undefined) rmSync(file, { force: true });
  rmSync(home, { recursive: true, force: true });
  return { exit, made: hash.digest('hex'), stderr };
}

/** Megabytes of memory and open descriptors of a process; undefined once it has ended. */
function sizeOf(pid) {
  try {
    const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return resident === null
      ? undefined
      : { memory: Number(resident[1]) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}

const highest = (sizes, what) => Math.max(...sizes.map(size => size[what]));

/** Throws when a process was larger in the last third of its life than in the one before, beyond what collecting garbage explains. */
function checkGrowth(name, sizes) {
  const third = Math.floor(sizes.length / 3);
  if (third < 3) throw new Error(`${name}: too short to tell`);
  const [middle, last] = [sizes.slice(third, 2 * third), sizes.slice(2 * third)];
  say(
    `${name}: ${Math.round(highest(middle, 'memory'))} MB, then ${Math.round(highest(last, 'memory'))} MB; ${highest(middle, 'descriptors')} descriptors, then ${highest(last, 'descriptors')}`,
  );
  if (highest(last, 'memory') > highest(middle, 'memory') * 1.25 + 20)
    throw new Error(`${name}: memory grows`);
  if (highest(last, 'descriptors') > highest(middle, 'descriptors') + 10)
    throw new Error(`${name}: descriptors grow`);
}

async function watched(pidOf, isOver) {
  const sizes = [];
  while (!isOver()) {
    const size = sizeOf(pidOf());
    if (size !== undefined) sizes.push(size);
    await pause(100);
  }
  return sizes;
}

/** One command that asks very often. */
async function longRun(name, command, gateway) {
  let pid;
  let over = false;
  const watching = watched(
    () => pid,
    () => over,
  );
  const { exit, stderr } = await outcome(command, gateway, started => {
    pid = started;
  });
  over = true;
  if (exit !== 0) throw new Error(`${name}: exit ${exit}: ${stderr}`);
  checkGrowth(name, await watching);
}

/** Runs a command in a home that stays. Resolves to its exit code. */
async function atHome(args, { baseUrl, apiKey }, home) {
  const env = { GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: apiKey, GATECTL_CONFIG_DIR: home };
  const child = start([...args, ...RETRIES], env);
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end();
  const exit = await new Promise(resolve => child.once('close', (code, signal) => resolve(code ?? signal)));
  return { exit, stderr };
}

/** What may happen to the list of a killed purge. */
const DAMAGES = {
  'cut to half': list => list.subarray(0, list.length / 2),
  'with a flipped bit': list => {
    list[list.length >> 1] ^= 4;
    return list;
  },
};

/** All that damaged purges were to clear. */
const damagedUrls = new Set();

/** A purge that is killed and whose journal is damaged: it is named and kept, and what is intact is purged on request. */
async function damagedPurge(gateway, damage) {
  const home = mkdtempSync(join(folder, 'damaged-'));
  const input = urls(20_000, `damaged-${runs++}/`);
  const purges = join(home, 'state/purges');
  const clear = (...args) =>
    atHome(['cdn', 'purge', '--concurrency', '1', '--quiet', ...args], gateway, home);
  const journalOf = () => readdirSync(purges).find(name => !/lock$|^\./.test(name)) ?? '';
  const isBegun = () => existsSync(purges) && existsSync(join(purges, journalOf(), 'done'));
  // With the first confirmed batch, most of the list is still to be purged. One that was over before its kill is repeated.
  while (!isBegun()) {
    const started = start(['cdn', 'purge', '--file', '-', '--concurrency', '1', '--quiet'], {
      ...{ GATECTL_BASE_URL: gateway.baseUrl, GATECTL_API_KEY: gateway.apiKey, GATECTL_CONFIG_DIR: home },
    });
    const isOver = new Promise(resolve => started.once('close', resolve));
    started.stdin.end(input);
    while (!isBegun() && started.exitCode === null) await pause(5);
    started.kill('SIGKILL');
    await isOver;
    if (started.exitCode !== null && started.exitCode !== 0)
      throw new Error(`a purge whose list was to be damaged: exit ${started.exitCode}`);
  }
  const list = join(purges, journalOf(), 'urls');
  const whole = readFileSync(list);
  writeFileSync(list, DAMAGES[damage](Buffer.from(whole)));
  const refused = await clear('--resume');
  if (refused.exit !== 9 || !/is damaged/.test(refused.stderr) || !existsSync(list))
    throw new Error(`a journal ${damage}: exit ${refused.exit}: ${refused.stderr}`);
  const rest = await clear('--resume', '--skip-invalid');
  if (rest.exit !== 7 || !existsSync(list))
    throw new Error(`a journal ${damage}: exit ${rest.exit}: ${rest.stderr}`);
  const report = await (await fetch(`${gateway.baseUrl}/__sandbox/purges`)).json();
  for (const url of input.split('\n')) damagedUrls.add(url);
  const wrong = report.operations
    .flatMap(({ targets }) => targets)
    .filter(url => /damaged/.test(url) && !damagedUrls.has(url));
  if (wrong.length > 0) throw new Error(`a journal ${damage}: purged ${wrong[0]}`);
  say(`a killed purge with a list ${damage}: named, kept, and nothing else purged`);
  rmSync(home, { recursive: true });
}

async function mixed(gateway, expected, seconds) {
  const end = Date.now() + seconds * 1000;
  const counts = new Map();
  let next = 0;
  let done = 0;
  const work = async () => {
    while (Date.now() < end) {
      const index = next++ % COMMANDS.length;
      const { exit, made, stderr } = await outcome(COMMANDS[index], gateway);
      const { args, also = [] } = COMMANDS[index];
      const isSame = exit === expected[index].exit && made === expected[index].made;
      if (!isSame && !also.includes(exit))
        throw new Error(
          `${args.join(' ')}: exit ${exit} where ${expected[index].exit} was right, or another answer\n${stderr}`,
        );
      counts.set(exit, (counts.get(exit) ?? 0) + 1);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const codes = [...counts].sort(([a], [b]) => a - b).map(([code, count]) => `${code} × ${count}`);
  say(`${done} commands with the right outcome: exit ${codes.join(', ')}`);
}

const servers = [];
try {
  const calm = await serve();
  servers.push(calm.child);
  const expected = [];
  for (const command of COMMANDS) expected.push(await outcome(command, calm));
  for (const damage of Object.keys(DAMAGES)) await damagedPurge(calm, damage);
  const faulty = await serve(...FAULTS);
  servers.push(faulty.child);

  let over = false;
  const watching = watched(
    () => faulty.child.pid,
    () => over,
  );
  await mixed(faulty, expected, SECONDS * 0.6);
  const readers = Array.from({ length: Math.round(SECONDS * 60) }, (_, i) => `reader-${i}@example.com`).join(
    '\n',
  );
  await longRun(
    'a list of readers',
    {
      args: [
        'access',
        '--product',
        'premium',
        '--from-file',
        '-',
        '--domain',
        'example.com',
        '--csv',
        '--quiet',
      ],
      input: readers,
    },
    faulty,
  );
  await longRun(
    'a purge',
    { args: ['cdn', 'purge', '--file', '-', '--quiet'], input: urls(SECONDS * 500) },
    faulty,
  );
  over = true;
  checkGrowth('the gateway', await watching);
} catch (error) {
  say(error.stack);
  process.exitCode = 1;
} finally {
  await Promise.all(servers.map(stop));
  // Commands that still run write to their homes.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
}
