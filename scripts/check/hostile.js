// Runs every command that sends requests against servers that mean harm, and fails where one takes more memory or time than
// scripts/check/hostile-budgets.js allows, ends with a fault of gatectl or prints a stack. `npm run check:hostile -- WORDS` runs only commands
// that begin with the words. On Linux, which tells a process's peak of memory. At the end, half-open connections to the sandbox.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHalfOpenConnections } from './half-open.js';
import { HOSTILE_BUDGETS, HOSTILE_SERVERS } from './hostile-budgets.js';
import { listen } from './listen.js';

const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
const AT_ONCE = 2;
const BLOCK_BYTES = 64 * 1024;
const FLAGS = ['--timeout', '2', '--retries', '0', '--no-input'];
const SAVED_QUERY = 'data-set: pageview\ndimension: id\nmetric: visits\nlast: 7d\n';
const QUERY = 'data-set: pageview, metric: visits, from: 2026-03-01, to: 2026-03-07';
const INPUT = {
  access: 'a@example.com\nb@example.com\n',
  'bda report build': `{title: r, sections: [{query: {dimension: id, ${QUERY}}, chart: true}, {why: {dimension: country, ${QUERY}}}]}`,
  other: '{"SegmentName":"s","ReportTitle":"r"}',
};
const SYNC_FILE =
  'tables: {t: {data_set: pageview, dimensions: [id], metrics: [visits], start: 2026-03-01, end: 2026-03-07}}\n';

const only = process.argv.slice(2).join(' ');
const folder = mkdtempSync(join(tmpdir(), 'gatectl-hostile-'));

function chunk(text) {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** Writes the response of a hostile server until the other side goes. */
function respond(socket, { begin, more, bytes = Number.POSITIVE_INFINITY, end = '', everyMs }) {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
  if (begin !== '') socket.write(chunk(begin));
  if (more === '') return;
  if (everyMs !== undefined) {
    const timer = setInterval(() => socket.write(chunk(more)), everyMs);
    socket.on('close', () => clearInterval(timer));
    return;
  }
  const text = more.repeat(Math.ceil(BLOCK_BYTES / more.length));
  const block = chunk(text);
  let left = bytes;
  const write = () => {
    while (!socket.destroyed && left > 0) {
      left -= text.length;
      if (!socket.write(block)) return;
    }
    if (left <= 0 && !socket.writableEnded) socket.end(`${chunk(end)}0\r\n\r\n`);
  };
  socket.on('drain', write);
  write();
}

async function serve(hostile) {
  const sockets = new Set();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => respond(socket, hostile));
  });
  const port = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The peak of a process's resident size, in megabytes; 0 once it has ended. */
function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The seconds that the first thread of a process was ready to run while others ran; undefined once it has ended. */
function waitedBy(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9;
  } catch {
    return undefined;
  }
}

/** Runs a command; resolves to what it took, and its problems. The time that a busy machine gave to others is none of the command's. */
async function measure({ command, args, megabytes, seconds }, hostile) {
  const { baseUrl, close } = await serve(hostile);
  const home = mkdtempSync(join(folder, 'home-'));
  mkdirSync(join(home, 'queries'));
  writeFileSync(join(home, 'queries', 'pages.yaml'), SAVED_QUERY, { mode: 0o600 });
  writeFileSync(join(home, 'gatectl.sync.yaml'), SYNC_FILE);
  const began = performance.now();
  const child = spawn(process.execPath, [BIN, ...args, ...FLAGS], {
    cwd: home,
    env: {
      ...{ PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' },
      ...{ GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: 'hostile-check-key', GATECTL_CONFIG_DIR: home },
    },
  });
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', text => {
    stderr = (stderr + text).slice(-10_000);
  });
  child.stdin.on('error', () => {});
  child.stdin.end(INPUT[command] ?? INPUT[args[0]] ?? INPUT.other);
  let peak = 0;
  let waited = 0;
  const waitedBefore = waitedBy(process.pid) ?? 0;
  const taken = () => {
    const waitedHere = (waitedBy(process.pid) ?? 0) - waitedBefore;
    return (performance.now() - began) / 1000 - waited - waitedHere;
  };
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
    waited = waitedBy(child.pid) ?? waited;
    if (taken() > 2 * seconds) child.kill('SIGKILL');
  }, 10);
  const exit = await new Promise(resolve => child.once('close', (code, signal) => resolve(code ?? signal)));
  clearInterval(watch);
  const took = taken();
  close();
  rmSync(home, { recursive: true, force: true });
  const problems = [
    ...(peak > megabytes ? [`took ${Math.round(peak)} MB of ${megabytes}`] : []),
    ...(took > seconds ? [`took ${took.toFixed(1)} s of ${seconds}`] : []),
    ...(exit === 1 || typeof exit === 'string' ? [`ended with ${exit}: ${stderr.slice(0, 600)}`] : []),
    ...(/^\s+at .*:\d+|node:internal|gatectl itself failed/m.test(stderr)
      ? [`printed: ${stderr.slice(0, 600)}`]
      : []),
  ];
  return { command, server: hostile.name, peak, took, problems };
}

const jobs = HOSTILE_BUDGETS.filter(({ command }) => command.startsWith(only)).flatMap(budget =>
  HOSTILE_SERVERS.map(hostile => /** @type {const} */ ([budget, hostile])),
);
const results = [];
const work = async () => {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) results.push(await measure(...job));
};
try {
  await Promise.all(Array.from({ length: AT_ONCE }, work));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const { command, megabytes, seconds } of HOSTILE_BUDGETS) {
  const own = results.filter(result => result.command === command);
  if (own.length === 0) continue;
  const [peak, took] = [own.map(({ peak }) => peak), own.map(({ took }) => took)].map(all =>
    Math.max(...all),
  );
  process.stdout.write(
    `${command}: at most ${Math.round(peak)} MB of ${megabytes}, ${took.toFixed(1)} s of ${seconds}\n`,
  );
}
const failed = results.filter(({ problems }) => problems.length > 0);
for (const { command, server, problems } of failed)
  process.stdout.write(`FAILED ${command} against ${server}: ${problems.join('; ')}\n`);
if (failed.length > 0) process.exitCode = 1;
if ('sandbox serve'.startsWith(only)) await checkHalfOpenConnections();
