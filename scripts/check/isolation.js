// Shows with the built bin that nothing but the gateway is contacted, and that locks hold, and are released, across containers: npm run
// check:isolation. Each "container" has a host
// name and a PID namespace of its own, whose first process reaps nothing; they share a folder. Where the system allows no
// namespaces (unshare), only a race for a lock is checked, and that is printed.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from './listen.js';
import { checkOnlyGateway } from './only-gateway.js';

const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
const OWN_USERS = process.getuid?.() === 0 ? [] : ['--map-root-user'];
const NAMESPACES = [...OWN_USERS, '--uts', '--pid', '--fork', '--mount-proc', '--kill-child'];

const ROWS = Array.from({ length: 60 }, (_, i) => `{"id":${i}}`);
const WHOLE = `id\n${ROWS.map((_, i) => `${i}\n`).join('')}`;
const URLS = Array.from({ length: 2000 }, (_, i) => `https://example.com/${i}`);

const say = text => process.stdout.write(`${text}\n`);

async function check() {
  const gateway = await startGateway();
  const folder = mkdtempSync(join(tmpdir(), 'gatectl-isolation-'));
  try {
    for (const scenario of [nextPod, sameContainer, whileRunning, racing]) {
      for (const job of [exporting(folder), purging(folder)]) {
        gateway.reset();
        await scenario(job, folder, gateway);
        say(`ok: ${job.name}, ${scenario.title}`);
      }
    }
  } finally {
    gateway.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An export, how to resume it, and what must be true at its end. */
function exporting(folder) {
  const out = join(folder, 'rows.csv');
  const args = ['bda', 'query', '--data-set', 'pageview', '-d', 'id', '--from', '2026-02-01', '--to'].concat([
    '2026-02-28',
    '--all',
    '--page-size',
    '3',
    '--out',
    out,
  ]);
  return {
    name: 'an export',
    start: args,
    // The kill may have come before a page was kept, so that --resume would find nothing.
    resume: args,
    verify() {
      assert.equal(readFileSync(out, 'utf8'), WHOLE);
      assert.deepEqual(leftovers(folder), []);
      rmSync(out);
    },
  };
}

function purging(folder) {
  const list = join(folder, 'urls.txt');
  writeFileSync(list, URLS.join('\n'));
  return {
    name: 'a purge',
    start: ['cdn', 'purge', '--file', list, '--concurrency', '1'],
    resume: ['cdn', 'purge', '--resume', '--concurrency', '1'],
    verify({ cleared }) {
      assert.equal(cleared.size, URLS.length);
      assert.deepEqual(readdirSync(join(folder, 'config/state/purges')), []);
    },
  };
}

function leftovers(folder) {
  return readdirSync(folder).filter(name => /lock|part|tmp/.test(name));
}

nextPod.title = 'killed with its container, is resumed in one with another host name';
async function nextPod(job, folder, gateway) {
  const pod = startPod('pod-1', job.start, folder, gateway);
  await gateway.received(3);
  await pod.kill();
  await resumed(job, startPod('pod-2', job.resume, folder, gateway), gateway);
}

sameContainer.title = 'killed and left as a zombie, is resumed in the same container under a new host name';
async function sameContainer(job, folder, gateway) {
  const pod = startPod('pod-1', job.start, folder, gateway);
  await gateway.received(3);
  await pod.killGatectl();
  assert.equal(await pod.state(), 'Z');
  await pod.inside(['hostname', 'renamed']);
  const ran = await pod.inside([process.execPath, BIN, ...job.resume]);
  assert.equal(ran.status, 0, ran.stderr);
  await pod.kill();
  job.verify(gateway);
}

whileRunning.title = 'while it runs, is left alone by another container, which names it';
async function whileRunning(job, folder, gateway) {
  const release = gateway.hold();
  const pod = startPod('pod-1', job.start, folder, gateway);
  await gateway.received(1);
  const other = startPod('pod-2', job.resume, folder, gateway);
  assert.equal(await other.status(), 2, other.stderr());
  assert.match(other.stderr(), /is locked by pid \d+ on pod-1 since \d{4}-/);
  await other.kill();
  const unlocking = startPod('pod-2', ['unlock', ...unlockArguments(job, folder)], folder, gateway);
  assert.equal(await unlocking.status(), 2, unlocking.stderr());
  await unlocking.kill();
  release();
  await resumed(job, pod, gateway);
}

racing.title = 'killed, is resumed by one of four containers that try it at once';
async function racing(job, folder, gateway) {
  const pod = startPod('pod-1', job.start, folder, gateway);
  await gateway.received(3);
  await pod.kill();
  const release = gateway.hold();
  const pods = [2, 3, 4, 5].map(n => startPod(`pod-${n}`, job.resume, folder, gateway));
  let refused = 0;
  const done = await Promise.all(
    pods.map(async each => {
      const status = await each.status();
      // Whoever got the lock waits for the gateway until the others were refused.
      if (status !== 0) refused += 1;
      if (refused >= 3) release();
      return status;
    }),
  );
  assert.deepEqual(done.sort(), [0, 2, 2, 2], pods.map(each => each.stderr()).join('\n'));
  for (const each of pods) await each.kill();
  job.verify(gateway);
}
function unlockArguments(job, folder) {
  return job.name === 'an export' ? [join(folder, 'rows.csv')] : [];
}

async function resumed(job, pod, gateway) {
  assert.equal(await pod.status(), 0, pod.stderr());
  await pod.kill();
  job.verify(gateway);
}

/** A container whose first process starts gatectl and then sleeps, so that ended processes remain zombies. */
function startPod(host, args, folder, gateway) {
  const base = mkdtempSync(join(folder, 'pod-'));
  const errors = join(base, 'stderr');
  const script = 'hostname "$1"; errors=$2; shift 2; "$@" >/dev/null 2>"$errors" & exec sleep 600';
  const env = {
    PATH: process.env.PATH,
    GATECTL_CONFIG_DIR: join(folder, 'config'),
    GATECTL_BASE_URL: gateway.baseUrl,
    GATECTL_API_KEY: 'some-key',
  };
  const command = [process.execPath, BIN, ...args];
  const outside = spawn('unshare', [...NAMESPACES, 'sh', '-c', script, 'sh', host, errors, ...command], {
    stdio: 'ignore',
    env,
  });
  const ended = once(outside, 'exit');

  const first = () => until(() => childrenOf(outside.pid)[0]);
  // Before it sleeps, the first process is a shell, which has other children as well.
  const gatectl = async () => {
    const parent = await first();
    await until(() => commandOf(parent).startsWith('sleep') || undefined);
    return childrenOf(parent)[0];
  };
  return {
    stderr: () => readFileSync(errors, 'utf8'),
    state: async () => statOf(await gatectl())[0],
    /** Resolves with the exit code of gatectl, which stays as a zombie. */
    async status() {
      const pid = await gatectl();
      const stat = await until(() => (statOf(pid)[0] === 'Z' ? statOf(pid) : undefined), 60_000);
      return Number(stat.at(-1)) >> 8;
    },
    async killGatectl() {
      const pid = await gatectl();
      process.kill(pid, 'SIGKILL');
      await until(() => statOf(pid)[0] === 'Z' || undefined);
    },
    /** Runs a command in the same container. */
    async inside(words) {
      const enter = ['-t', String(await first()), '--uts', '--pid', '--mount'];
      const user = OWN_USERS.length > 0 ? ['--user', '--preserve-credentials'] : [];
      return await run('nsenter', [...enter, ...user, ...words], env);
    },
    async kill() {
      process.kill(await first(), 'SIGKILL');
      await ended;
      rmSync(base, { recursive: true });
    },
  };
}

function run(program, args, env) {
  return new Promise(resolve => {
    execFile(program, args, { env, encoding: 'utf8' }, (error, _, stderr) =>
      resolve({ status: error === null ? 0 : error.code, stderr }),
    );
  });
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

function commandOf(pid) {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}

/** The fields of proc_pid_stat(5) from the third, the state, to the exit code. */
function statOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8').trim();
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

async function until(look, ms = 20_000) {
  for (let waited = 0; waited < ms; waited += 5) {
    const found = look();
    if (found !== undefined) return found;
    await pause(5);
  }
  throw new Error('check:isolation: a process did not do in time what was expected of it');
}

async function startGateway() {
  let count = 0;
  let held;
  const cleared = new Set();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', data => {
      body += data;
    });
    request.on('end', async () => {
      count += 1;
      // Slow enough to be killed on the way.
      await (held ?? pause(20));
      const asked = JSON.parse(body || '{}');
      for (const url of asked.urls ?? []) cleared.add(url);
      const { limit, offset = 0 } = asked;
      response.setHeader('content-type', 'application/json');
      response.end(
        request.url.includes('/cdnservices/')
          ? '{"Success":true,"Error":""}'
          : `{"rows":[${ROWS.slice(offset, offset + limit).join(',')}],"total_rows":${ROWS.length}}`,
      );
    });
  });
  const port = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    cleared,
    received: number => until(() => (count >= number ? true : undefined)),
    reset() {
      count = 0;
      held = undefined;
      cleared.clear();
    },
    /** Keeps all requests waiting until the function that comes back is called. */
    hold() {
      let release;
      held = new Promise(resolve => {
        release = resolve;
      });
      return release;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const RACES = 200;

/** Two processes add a profile each at the same moment, half of the time with the lock of a killed process in their way. */
async function raceForLock() {
  const folder = mkdtempSync(join(tmpdir(), 'gatectl-race-'));
  const env = { PATH: process.env.PATH, GATECTL_CONFIG_DIR: folder };
  const lock = join(folder, 'config.json.lock');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const pidNamespace = readlinkSync('/proc/self/ns/pid');
  try {
    for (let race = 0; race < RACES; race += 1) {
      if (race % 2 === 1) {
        mkdirSync(lock);
        const id = race.toString(16).padStart(12, '0');
        // The number of a process that runs, which began at another time.
        const holder = { id, pid: process.pid, host: hostname(), boot, startTime: '1', pidNamespace };
        writeFileSync(
          join(lock, 'holder.json'),
          JSON.stringify({ ...holder, since: new Date(0).toISOString() }),
        );
      }
      const add = side =>
        run(
          process.execPath,
          [BIN, 'profile', 'add', `${side}-${race}`, '--base-url', 'https://gateway.example.com'],
          env,
        );
      for (const { status, stderr } of await Promise.all([add('left'), add('right')]))
        assert.equal(status, 0, stderr);
    }
    const { profiles } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
    assert.equal(Object.keys(profiles).length, 2 * RACES);
    assert.deepEqual(
      readdirSync(folder).filter(name => !['cache', 'config.json'].includes(name)),
      [],
    );
    say(
      `ok: ${RACES} races of two processes for a lock, ${RACES / 2} of them with an abandoned one: no change was lost`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { commands, requests } = await checkOnlyGateway();
say(
  `ok: ${commands} command lines, every command of the tree: ${requests} requests to the gateway, and nothing to anybody else`,
);
await raceForLock();
const probe = spawnSync('unshare', [...NAMESPACES, 'hostname', 'pod-0'], { stdio: 'ignore' });
if (probe.status === 0) await check();
else say('check:isolation: unshare is missing or not permitted here: nothing was checked across containers');
