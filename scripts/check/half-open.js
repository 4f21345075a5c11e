// Opens 1,200 connections to a served sandbox that never complete their requests, and fails where a command does not get its
// response in the meantime. A part of npm run check:hostile.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stop } from './stop.js';

const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
const CONNECTIONS = 1_200;
/** Far below the time limit for a request that does not become complete. */
const MOST_SECONDS = 15;
const BEGINNINGS = [
  '',
  'GET / HTT',
  'GET /subscriptions/v1/products HTTP/1.1\r\nHost: x\r\n',
  'POST /gateway/bdaservices/v2/query HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
];

/** Throws where the sandbox does not respond in time. */
export async function checkHalfOpenConnections() {
  const home = mkdtempSync(join(tmpdir(), 'gatectl-half-open-'));
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' };
  const server = spawn(process.execPath, [BIN, 'sandbox', 'serve', '--port', '0', '-o', 'json', '--quiet'], {
    env,
  });
  const sockets = [];
  try {
    const { baseUrl, apiKey } = await addressOf(server);
    const { port } = new URL(baseUrl);
    for (let n = 0; n < CONNECTIONS; n += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      socket.write(BEGINNINGS[n % BEGINNINGS.length]);
    }
    const began = performance.now();
    const args = ['products', '--email', 'active@example.com', '--domain', 'example.com', '--csv'];
    const { status, stdout, stderr } = await run(args, {
      ...env,
      GATECTL_BASE_URL: baseUrl,
      GATECTL_API_KEY: apiKey,
    });
    const seconds = (performance.now() - began) / 1000;
    assert.deepEqual(
      { status, stdout, stderr },
      { status: 0, stdout: 'product\npremium\nsports\n', stderr: '' },
    );
    assert.ok(seconds < MOST_SECONDS, `took ${seconds.toFixed(1)} s of ${MOST_SECONDS}`);
    process.stdout.write(
      `sandbox serve with ${CONNECTIONS} half-open connections: a command took ${seconds.toFixed(1)} s of ${MOST_SECONDS}\n`,
    );
  } finally {
    for (const socket of sockets) socket.destroy();
    await stop(server);
    rmSync(home, { recursive: true, force: true });
  }
}

async function addressOf(server) {
  let text = '';
  for await (const chunk of server.stdout) {
    text += chunk;
    try {
      return JSON.parse(text);
    } catch {
      // The rest is on its way.
    }
  }
  throw new Error(`the sandbox did not start: ${text}`);
}

async function run(args, env) {
  const child = spawn(process.execPath, [BIN, ...args, '--retries', '0'], { env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', text => {
    stdout += text;
  });
  child.stderr.on('data', text => {
    stderr += text;
  });
  child.stdin.end();
  const [status] = await once(child, 'close');
  return { status, stdout, stderr };
}
