// The promise of README and SECURITY: no telemetry, no update check, no network but the gateway. Every command of the tree runs in a home
// of its own, against a gateway on this machine, while whatever it connects to, resolves and starts is recorded.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOSTILE_BUDGETS, OFFLINE_COMMANDS } from './hostile-budgets.js';
import { listen } from './listen.js';

const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
const HOOK = new URL('record-network.cjs', import.meta.url).pathname;
const AT_ONCE = 2;
/** What a gateway responds to everything; each API reads its own members. */
const RESPONSE = JSON.stringify({
  ...{ success: true, Success: true, Error: '', data: { decision: 'allowed' } },
  ...{ rows: [], total_rows: 0, columns: [], domains: [] },
});
const QUERY = 'data-set: pageview\ndimension: id\nmetric: visits\nlast: 7d\n';
const SYNC =
  'destination: lake\ntables: {t: {data_set: pageview, dimensions: [id], metrics: [visits], start: 2026-03-01, end: 2026-03-02}}\n';
/** What the commands that send nothing need to do their work; the others of that list run without arguments. */
const ARGUMENTS = {
  'reply show': ['allowed'],
  'token inspect': ['-'],
  'policy check': ['--', 'cdn', 'purge', 'https://example.com/a'],
  'profile add': ['other', '--base-url', 'https://gateway.example.com'],
  'profile show': [],
  'profile set': ['domain', 'example.com'],
  'profile unset': ['domain'],
  'alias set': ['may', 'access --product premium'],
  'alias delete': ['may'],
  'bda query save': ['mine', '--data-set', 'pageview', '-m', 'visits'],
  'bda query show': ['pages'],
  'bda query delete': ['pages'],
  'bda sync init': ['--data-set', 'pageview', '--metric', 'visits', '--start', '2026-03-01'],
  'bda sync drain': ['--engine', 'redis://127.0.0.1:1'],
  'bda sync retry': ['--engine', 'redis://127.0.0.1:1', '--all'],
  'bda sync cancel': ['--engine', 'redis://127.0.0.1:1', '--yes'],
  'bda sql': ['select 1'],
  'mcp install': ['cursor', '--yes'],
  'completion install': ['bash'],
  'completion uninstall': ['bash'],
  'sandbox serve': ['--port', '0'],
  'docs search': ['purge'],
  help: ['cdn', 'purge'],
};
/** Where no queue listens: the commands name it. */
const NAMED = ['connect 127.0.0.1:1', 'connect localhost:1', 'name 127.0.0.1'];
/** Not loopback in their names, but asked for: the address of the gateway, and that of this machine. */
const OWN_NAMES = ['name 127.0.0.1', 'name localhost'];

/** Runs every command; throws if one reaches for anything but the gateway. Resolves to how many ran. */
export async function checkOnlyGateway() {
  const folder = mkdtempSync(join(tmpdir(), 'gatectl-only-gateway-'));
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.setHeader('content-type', 'application/json').end(RESPONSE);
  });
  const port = await listen(server);
  try {
    await assertRecorded(folder);
    const jobs = [
      ...HOSTILE_BUDGETS,
      ...OFFLINE_COMMANDS.map(command => ({
        command,
        args: [...command.split(' '), ...(ARGUMENTS[command] ?? [])],
      })),
    ];
    assert.deepEqual(missing(jobs), [], 'commands that are in no list');
    const waiting = [...jobs];
    const problems = [];
    const work = async () => {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift())
        problems.push(...(await problemsOf(job, port, folder)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert.deepEqual(problems, []);
    assert.ok(requests > 40, `the gateway received ${requests} requests only`);
    return { commands: jobs.length, requests };
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The commands of the tree that no job runs. */
function missing(jobs) {
  const tree = execFileSync(process.execPath, [BIN, 'schema', '--compact', '--jq', '.commands | keys']);
  const lines = jobs.map(({ args }) => `${args.join(' ')} `);
  return JSON.parse(tree.toString()).filter(name => !lines.some(line => line.startsWith(`${name} `)));
}

async function problemsOf({ command, args }, port, folder) {
  const home = mkdtempSync(join(folder, 'home-'));
  mkdirSync(join(home, 'queries'));
  writeFileSync(join(home, 'queries', 'pages.yaml'), QUERY, { mode: 0o600 });
  writeFileSync(join(home, 'gatectl.sync.yaml'), SYNC);
  const seen = await recorded([BIN, ...args, '--no-input', '--retries', '0'], home, {
    GATECTL_BASE_URL: `http://127.0.0.1:${port}`,
    GATECTL_API_KEY: 'a-key-of-a-check',
    GATECTL_CONFIG_DIR: home,
  });
  const expected = [`connect 127.0.0.1:${port}`, ...OWN_NAMES, ...NAMED];
  return seen.filter(each => !expected.includes(each)).map(each => `gatectl ${command}: ${each}`);
}

/** What a program of Node did: connections, names and programs. One that keeps running is stopped once it has printed something. */
async function recorded(words, home, env) {
  const to = join(home, 'recorded.json');
  const child = spawn(process.execPath, ['--require', HOOK, ...words], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TZ: 'UTC', RECORD_TO: to, ...env },
  });
  child.stdin.on('error', () => {});
  child.stdin.end('{"SegmentName":"s","ReportTitle":"r"}');
  child.stdout.on('data', () => {
    if (words.includes('serve')) child.kill('SIGTERM');
  });
  child.stderr.resume();
  await once(child, 'close');
  return JSON.parse(readFileSync(to, 'utf8'));
}

/** Otherwise nothing below would be shown. */
async function assertRecorded(folder) {
  const home = mkdtempSync(join(folder, 'home-'));
  const code = `require('node:net').connect(1, '127.0.0.1').on('error', () => {});
    require('node:dns').lookup('localhost', () => {});
    require('node:child_process').spawn('true');
    fetch('http://127.0.0.1:1/').catch(() => {});`;
  const seen = await recorded(['-e', code], home, {});
  for (const each of ['connect 127.0.0.1:1', 'name localhost', 'program true'])
    assert.ok(seen.includes(each), `${each} is not recorded: ${seen}`);
}
