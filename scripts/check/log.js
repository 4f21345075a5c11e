// Kills `gatectl cdn purge` 500 times between a change that is logged and its outcome, and checks the log that they share: every request
// that the server received is in it, those that were not answered have an unknown outcome, and no entry contradicts another.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const KILLS = Number(process.env.LOG_KILLS ?? 500);
const AT_ONCE = 3;
const BATCH = 100;
const BIN = fileURLToPath(new URL('../../bin/gatectl.js', import.meta.url));
const execute = promisify(execFile);

/** Of each purge: the requests that arrived, how many were answered, and what happens when one arrives. */
const purges = new Map();

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { urls } = JSON.parse(body);
  const purge = purges.get(new URL(urls[0]).pathname.split('/')[1]);
  purge.arrived.push(urls.length);
  if (!(await purge.onRequest(purge.arrived.length))) return;
  purge.answered += 1;
  response.end('{"Success":true,"Error":""}');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const home = await mkdtemp(join(tmpdir(), 'gatectl-log-'));
const env = {
  ...{ PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', TZ: 'UTC', GATECTL_API_KEY: 'some-key' },
  GATECTL_BASE_URL: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`,
};

/** Kills a purge while its n-th request waits for an answer, or so many milliseconds after that was sent. */
async function killed(number) {
  const batches = 1 + (number % 4);
  const until = 1 + (number % batches);
  const name = `purge-${number}`;
  const list = join(home, `${name}.txt`);
  const urls = Array.from({ length: batches * BATCH }, (_, i) => `https://example.com/${name}/${i}`);
  await writeFile(list, urls.join('\n'));
  const words = [
    'cdn',
    'purge',
    '--file',
    list,
    '--no-resume',
    '--concurrency',
    `${1 + (number % 2)}`,
    '--quiet',
  ];
  const child = spawn(process.execPath, [BIN, ...words], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  purges.set(name, {
    arrived: [],
    answered: 0,
    async onRequest(count) {
      if (count < until) return true;
      // Some are killed while the outcome is written.
      const isAnswered = number % 3 === 0;
      setTimeout(() => child.kill('SIGKILL'), isAnswered ? number % 7 : 0);
      return isAnswered;
    },
  });
  const [, signal] = await ended;
  return signal === 'SIGKILL';
}

let started = 0;
let kills = 0;
const problems = [];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (kills < KILLS && started < 2 * KILLS) {
      started += 1;
      if (await killed(started)) kills += 1;
    }
  }),
);

const gatectl = async words =>
  (await execute(process.execPath, [BIN, ...words], { env, maxBuffer: 2 ** 28 }).catch(error => error))
    .stdout;
const verified = JSON.parse(await gatectl(['log', 'verify', '--json']));
const logged = JSON.parse(await gatectl(['log', '--limit', '1000000', '--json']));
if (verified.faults.length > 0) problems.push(`faults: ${JSON.stringify(verified.faults)}`);
const outcomes = { ok: 0, failed: 0, unknown: 0 };
const byPurge = new Map();
for (const { outcome, command } of logged) {
  outcomes[outcome] += 1;
  const name = /purge-\d+/.exec(command)?.[0];
  byPurge.set(name, [...(byPurge.get(name) ?? []), outcome]);
}
for (const [name, { arrived, answered }] of purges) {
  const own = byPurge.get(name) ?? [];
  if (own.length < arrived.length)
    problems.push(`${name}: ${arrived.length} requests, ${own.length} in the log`);
  const known = own.filter(outcome => outcome !== 'unknown').length;
  if (known > answered) problems.push(`${name}: ${answered} answers, and ${known} known outcomes`);
}
if (verified.unknown !== outcomes.unknown)
  problems.push(`${verified.unknown} and ${outcomes.unknown} unknown`);
const received = [...purges.values()].reduce((sum, { arrived }) => sum + arrived.length, 0);
process.stdout.write(
  `check:log: ${kills} kills, ${received} requests received, ${logged.length} in the log (${outcomes.ok} ok, ${outcomes.failed} failed, ${outcomes.unknown} unknown), ${verified.entries} entries, ${verified.faults.length} faults\n`,
);
server.closeAllConnections();
server.close();
await rm(home, { recursive: true, force: true });
if (kills < KILLS) problems.push(`only ${kills} kills`);
for (const problem of problems.slice(0, 20)) process.stderr.write(`check:log: ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
