// Shows with the built bin that an audit of 100,000 readers finds every planted flip and invents none, while the gateway fails one
// request in twenty and the audit is killed and resumed; that its memory does not grow with its progress; and that no file below its
// home holds an address. `access wait` must notice a change within one interval. AUDIT_READERS says how many readers (100000).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from './listen.js';

const READERS = Number(process.env.AUDIT_READERS ?? 100_000);
const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
const FAULTS = ['--fault', 'status=503,every=40', '--fault', 'reset,every=40'];
/** Megabytes of resident memory: Node's own 60, the list, and the connections. */
const MOST_MEMORY = 220;
/** Of `access wait`: its interval of 2 s, and what a busy machine takes. */
const SLOW_NOTICE_MS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'gatectl-audit-'));
const home = join(folder, 'home');
mkdirSync(home);
const say = text => process.stdout.write(`${text}\n`);

const addressOf = index => `audited-${index}@example.com`;
const isPaid = index => index % 10 < 7;
/** Planted between the first and the second audit: every 997th loses what was paid for, or gets what was not. */
const isFlipped = index => index % 997 === 11;

/** A spreadsheet's export: UTF-16 with semicolons. */
function writeList() {
  const lines = Array.from(
    { length: READERS },
    (_, i) => `Zoë ${i};${addressOf(i)};${isPaid(i) ? 'Gold' : 'cancelled'}`,
  );
  const path = join(folder, 'billing.csv');
  writeFileSync(path, Buffer.from(`\uFEFFName;E-Mail;Plan\r\n${lines.join('\r\n')}\r\n`, 'utf16le'));
  return path;
}

function writeFixtures(name, isActive) {
  const readers = Array.from({ length: READERS }, (_, i) => {
    const status = isActive(i) ? 'active' : isPaid(i) ? 'suspended' : 'expired';
    return { email: addressOf(i), entitlements: [{ product: 'premium', status }] };
  });
  const domain = { domain: 'example.com', products: [{ key: 'premium' }], readers };
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ domains: [domain] }));
  return path;
}

function start(args, env = {}) {
  // Without core dumps: a crash must not write what is in memory.
  const child = spawn('sh', ['-c', 'ulimit -c 0; exec "$@"', 'sh', process.execPath, BIN, ...args], {
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran = { child, stdout: '', stderr: '', code: undefined };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8');
    child[name].on('data', text => {
      ran[name] += text;
    });
  }
  ran.ended = once(child, 'close').then(([code, signal]) => {
    ran.code = code ?? signal;
    return ran;
  });
  return ran;
}

async function serve(fixtures, port) {
  const args = ['sandbox', 'serve', '--port', String(port), '-o', 'json', '--quiet', '--fixtures', fixtures];
  const server = start([...args, ...FAULTS], { HOME: join(folder, 'server') });
  for (;;) {
    try {
      const { baseUrl, apiKey } = JSON.parse(server.stdout);
      return { baseUrl, apiKey, stop: () => stop(server) };
    } catch {
      assert.equal(server.code, undefined, server.stderr);
      await pause(100);
    }
  }
}

/** @param {{ child: import('node:child_process').ChildProcess, ended?: Promise<unknown> }} started */
async function stop({ child, ended }) {
  child.kill();
  await ended;
}

function residentMegabytes(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** Runs an audit and watches its memory; it is killed as soon as `mayBeKilled` says so. */
async function audit({ baseUrl, apiKey }, list, args, mayBeKilled = () => false) {
  const env = { GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: apiKey, GATECTL_DOMAIN: 'example.com' };
  const words = ['access', 'audit', '--from-file', list, '--expect-column', 'plan', '--product', 'premium'];
  const startedAt = Date.now();
  const ran = start([...words, ...args], env);
  const sizes = [];
  while (ran.code === undefined) {
    const size = residentMegabytes(ran.child.pid);
    if (size) sizes.push(size);
    if (mayBeKilled()) ran.child.kill('SIGKILL');
    await pause(50);
  }
  await ran.ended;
  return { ...ran, sizes, seconds: (Date.now() - startedAt) / 1000 };
}

/** The size of the files of audits below the home whose names end so. */
function storedBytes(suffix) {
  const files = readdirSync(home, { recursive: true, withFileTypes: true });
  const own = files.filter(entry => entry.isFile() && entry.name.endsWith(suffix));
  return own.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** The report at the end makes garbage; until then nothing may grow. */
function checkMemory(name, sizes) {
  const highest = (from, to) =>
    Math.round(Math.max(...sizes.slice(Math.floor(sizes.length * from), Math.ceil(sizes.length * to))));
  const [middle, late, most] = [highest(0.3, 0.6), highest(0.6, 0.9), highest(0, 1)];
  say(`${name}: ${middle} MB, then ${late} MB, ${most} MB at most`);
  assert.ok(most <= MOST_MEMORY, `${name}: ${most} MB`);
  assert.ok(late <= middle * 1.25 + 15, `${name}: memory grows`);
}

/** Every file below the home, as bytes, has no address: neither as UTF-8 nor as UTF-16. */
function assertNoAddress() {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  assert.ok(
    files.some(({ name }) => name.endsWith('.audit')),
    'no audit is stored',
  );
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name));
    for (const text of ['audited-', '-1@example'])
      for (const encoding of /** @type {const} */ (['utf8', 'utf16le', 'base64', 'hex'])) {
        const needle =
          encoding === 'utf8' || encoding === 'utf16le'
            ? Buffer.from(text, encoding)
            : Buffer.from(Buffer.from(addressOf(1)).toString(encoding).slice(0, 12));
        assert.equal(bytes.indexOf(needle), -1, `${name} contains an address`);
      }
  }
  return files.length;
}

async function checkAudits() {
  const list = writeList();
  const before = writeFixtures('before.json', isPaid);
  const after = writeFixtures('after.json', index => isPaid(index) !== isFlipped(index));

  let gateway = await serve(before, 0);
  const first = await audit(gateway, list, ['--json']);
  assert.equal(first.code, 0, first.stderr);
  const clean = JSON.parse(first.stdout);
  assert.deepEqual(
    [clean.checked, clean.paidWithoutAccess, clean.accessWithoutPayment, clean.notChecked],
    [READERS, 0, 0, 0],
  );
  say(`${READERS} readers in ${first.seconds.toFixed(1)} s, one request in twenty failing: no flip invented`);
  if (READERS >= 50_000) checkMemory('memory', first.sizes);
  const { port } = new URL(gateway.baseUrl);
  await gateway.stop();

  gateway = await serve(after, Number(port));
  const out = join(folder, 'audit.csv');
  const flags = ['--against', 'last', '--max-drift', '0.05%', '--out', out, '--json'];
  const third = storedBytes('.audit') / 3;
  const killed = await audit(gateway, list, flags, () => storedBytes('.audit.part') > third);
  assert.equal(killed.code, 'SIGKILL');
  const second = await audit(gateway, list, [...flags, '--resume']);
  assert.equal(second.code, 7, second.stderr);
  assert.match(second.stderr, /"drift_exceeded"/);
  const stored = Number(/: ([\d,]+) results are stored/.exec(second.stderr)?.[1].replaceAll(',', ''));
  assert.ok(stored > 0 && stored < READERS, 'the audit was not resumed');
  await gateway.stop();

  const flipped = Array.from({ length: READERS }, (_, i) => i).filter(isFlipped);
  const expected = flipped.map(i =>
    [i + 2, addressOf(i), 'premium', isPaid(i) ? 'paid_without_access' : 'access_without_payment'].join(','),
  );
  const found = readFileSync(out, 'utf8').trim().split('\n').slice(1);
  assert.deepEqual(
    found.map(line => line.split(',').slice(0, 4).join(',')),
    expected,
  );
  const { changes, notChecked } = JSON.parse(second.stdout);
  assert.equal(notChecked, 0);
  const kinds = Object.fromEntries(changes.map(({ change, readers }) => [change, readers]));
  assert.deepEqual(kinds, {
    'allowed → suspended': flipped.filter(isPaid).length,
    'expired → allowed': flipped.filter(index => !isPaid(index)).length,
  });
  say(`killed after ${stored} results and resumed: all ${flipped.length} planted flips found, none invented`);
  say(`no address in ${assertNoAddress()} files`);
}

async function checkWait() {
  let changedAt;
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    const word = changedAt === undefined ? 'denied' : 'allowed';
    const reasonCode = changedAt === undefined ? 'pending' : 'allowed';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, data: { decision: word, reasonCode } }));
  });
  const port = await listen(server);
  const env = {
    GATECTL_BASE_URL: `http://127.0.0.1:${port}`,
    GATECTL_API_KEY: 'some-key',
    GATECTL_DOMAIN: 'example.com',
  };
  const args = [
    'access',
    'wait',
    'maria@example.com',
    '--product',
    'premium',
    '--every',
    '2s',
    '-o',
    'ndjson',
  ];
  const ran = start(args, env);
  while (!ran.stdout.includes('pending')) {
    assert.equal(ran.code, undefined, ran.stderr);
    await pause(50);
  }
  await pause(2700);
  const earlier = requests;
  changedAt = Date.now();
  await ran.ended;
  const took = Date.now() - changedAt;
  server.close();
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(requests - earlier, 1);
  assert.ok(took < SLOW_NOTICE_MS, `noticed after ${took} ms`);
  say(`access wait --every 2s noticed a change after ${took} ms`);
}

try {
  await checkWait();
  await checkAudits();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
