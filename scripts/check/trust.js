// Shows with the built bin what leaves for another machine: npm run check:isolation. In a network namespace of its own, an address that is
// not loopback has servers that record every byte. Where the system allows no namespaces (unshare, ip), nothing is checked, and that
// is printed.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
const INSIDE = 'GATECTL_CHECK_NAMESPACE';
/** Of the range for documentation. */
const REMOTE = '198.51.100.7';
const SECRETS = {
  PGPASSWORD: 'pg-secret-0001',
  CLICKHOUSE_PASSWORD: 'ch-secret-0001',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE0001',
  AWS_SECRET_ACCESS_KEY: 'aws-secret-0001',
  AWS_SESSION_TOKEN: 'aws-token-0001',
};
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const TABLES =
  'tables:\n  pages:\n    data_set: pageview\n    metrics: [visits]\n    start: 2026-03-01\n    end: 2026-03-02\n';
/** Destinations, and what a user allows besides trusting the file. */
const DESTINATIONS = [
  {
    destination: `postgres://loader@${REMOTE}:5432/stats`,
    port: 5432,
    plain: { env: { PGSSLMODE: 'prefer' } },
  },
  {
    destination: `postgres://loader@${REMOTE}:5432/stats?sslmode=disable`,
    port: 5432,
    plain: { env: { PGSSLMODE: 'prefer' } },
  },
  {
    destination: `clickhouse://loader@${REMOTE}:8123/stats`,
    port: 8123,
    plain: { args: ['--insecure-http'] },
  },
  {
    destination: `s3://stats/lake?endpoint=http://${REMOTE}:9000`,
    port: 9000,
    plain: { args: ['--insecure-http'] },
  },
];

const say = text => process.stdout.write(`${text}\n`);

/** Servers that record what they get. That of port 5432 refuses TLS, and then asks for a password in clear. */
async function recorders() {
  const received = new Map();
  for (const port of [5432, 8123, 9000]) {
    received.set(port, []);
    const server = createServer(socket => {
      socket.on('error', () => {});
      socket.on('data', chunk => {
        received.get(port).push(chunk);
        if (port !== 5432)
          socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        else if (chunk.equals(SSL_REQUEST)) socket.write('N');
        else if (chunk[0] === 0) socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        else socket.end();
      });
    });
    server.listen(port, REMOTE);
    await once(server, 'listening');
    server.unref();
  }
  const take = port => Buffer.concat(received.get(port).splice(0));
  return { take };
}

function gatectl(args, { cwd, env = {} }) {
  const own = { PATH: process.env.PATH, HOME: cwd, ...SECRETS, ...env };
  return new Promise(resolve => {
    execFile(process.execPath, [BIN, ...args], { cwd, env: own }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr });
    });
  });
}

async function check() {
  const { take } = await recorders();
  for (const { destination, port, plain } of DESTINATIONS) {
    const cwd = mkdtempSync(join(tmpdir(), 'gatectl-trust-'));
    try {
      writeFileSync(join(cwd, 'gatectl.sync.yaml'), `destination: ${destination}\n${TABLES}`);
      /** @param {{ args?: string[], env?: NodeJS.ProcessEnv }} [options] */
      const status = async ({ args = [], env } = {}) => {
        const { code, output } = await gatectl(['bda', 'sync', 'status', ...args], { cwd, env });
        for (const secret of Object.values(SECRETS)) assert.ok(!output.includes(secret), output);
        return { code, output, sent: take(port) };
      };
      const untrusted = await status(plain);
      assert.deepEqual([untrusted.code, untrusted.sent.length], [2, 0], untrusted.output);
      assert.match(untrusted.output, /have not trusted\n.*gatectl trust gatectl\.sync\.yaml/);
      assert.equal((await gatectl(['trust'], { cwd })).code, 0);
      const encrypted = await status();
      assert.equal(encrypted.code, 2, encrypted.output);
      const mayAsk = destination.startsWith('postgres') && !destination.includes('sslmode');
      assert.deepEqual(encrypted.sent, mayAsk ? SSL_REQUEST : Buffer.alloc(0), encrypted.output);
      // Otherwise nothing of the above would be shown.
      const allowed = await status(plain);
      assert.ok(allowed.sent.length > SSL_REQUEST.length, allowed.output);
      say(
        `ok: ${destination}: nothing until it is trusted, ${encrypted.sent.length} bytes without TLS, ${allowed.sent.length} once that is allowed`,
      );
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  }
}

if (process.env[INSIDE] === undefined) {
  const own = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const setUp = `ip link set lo up && ip addr add ${REMOTE}/32 dev lo`;
  const inNamespace = command => ['--net', ...own, 'sh', '-c', `${setUp} && ${command}`];
  if (spawnSync('unshare', inNamespace('true')).status !== 0) say('not checked: no network namespaces here');
  else {
    const { status } = spawnSync('unshare', inNamespace(`exec "${process.execPath}" "${process.argv[1]}"`), {
      stdio: 'inherit',
      env: { ...process.env, [INSIDE]: '1' },
    });
    process.exitCode = status ?? 1;
  }
} else await check();
