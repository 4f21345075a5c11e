import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { sandboxForSyncs } from '../support/real-sync.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SYNC_FILE = `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [device]
    metrics: [visits]
    start: 2026-03-01
`;

test('without BullMQ, submit, worker and status say in one line how to install it', async () => {
  const { env } = await sandboxForSyncs();
  const folder = temporaryFolder();
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, name), join(folder, 'gatectl', name), { recursive: true });
  writeFileSync(join(folder, 'gatectl.sync.yaml'), SYNC_FILE);
  const run = (verb: string, engine: string) =>
    spawnSync(
      process.execPath,
      [join(folder, 'gatectl/bin/gatectl.js'), 'bda', 'sync', verb, '--engine', engine],
      { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8' },
    );
  for (const [verb, engine, client] of [
    ['submit', 'redis://127.0.0.1:1', ' ioredis'],
    ['worker', 'redis://127.0.0.1:1', ' ioredis'],
    ['status', 'redis://127.0.0.1:1', ' ioredis'],
    ['status', 'postgres://127.0.0.1:1/jobs', ''],
  ] as const) {
    const { status, stdout, stderr } = run(verb, engine);
    expect([status, stdout, stderr]).toEqual([
      2,
      '',
      `error: ${engine} requires BullMQ, which is not installed\n  install it: npm install -g bullmq@6${client}\n`,
    ]);
  }
});
