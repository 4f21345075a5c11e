import { expect, test } from 'vitest';
import { figuresOf, SYNC_FILE, syncing } from '../source.ts';

const NO_ENGINE = 'redis://127.0.0.1:1';

test.each([['submit'], ['worker'], ['drain'], ['retry'], ['cancel'], ['status']])(
  'bda sync %s says in one line that the queue cannot be reached',
  async verb => {
    const { sync } = await syncing(figuresOf([7], '2026-01-01', 3));
    const { code, stdout, stderr } = await sync([verb, '--engine', NO_ENGINE]);
    expect([code, stdout, stderr]).toEqual([
      6,
      '',
      `error: cannot use ${NO_ENGINE} as a queue: connection refused\n  check the URL of --engine or GATECTL_ENGINE, and that the server runs there\n`,
    ]);
  },
);

test('PostgreSQL that cannot be reached is named without the password', async () => {
  const { sync } = await syncing(figuresOf([7], '2026-01-01', 3));
  const env = { GATECTL_ENGINE: 'postgres://worker:canary-1234@127.0.0.1:1/jobs' };
  const { code, stderr } = await sync(['submit', '--verbose'], { env });
  expect(code).toBe(6);
  expect(stderr).toContain('cannot use postgres://127.0.0.1:1/jobs as a queue: connection refused');
  expect(stderr).not.toContain('canary');
});

test('a missing engine, an unknown one and a password on the command line are rejected before anything is sent', async () => {
  const { sync, server } = await syncing(figuresOf([7], '2026-01-01', 3));
  const missing = await sync(['submit']);
  expect([missing.code, missing.stderr.split('\n')[0]]).toEqual([2, 'error: --engine is missing']);
  const unknown = await sync(['worker', '--engine', 'amqp://queue.example.com']);
  expect([unknown.code, unknown.stderr.split('\n')[0]]).toEqual([
    2,
    'error: invalid --engine: amqp is not supported',
  ]);
  const password = await sync(['drain', '--engine', 'redis://:canary-1234@queue.example.com']);
  expect(password.code).toBe(2);
  expect(password.stderr).not.toContain('canary');
  const rate = await sync(['submit', '--engine', NO_ENGINE, '--account-rate', 'fast']);
  expect([rate.code, rate.stderr.split('\n')[0]]).toEqual([2, "error: invalid --account-rate 'fast'"]);
  expect(server.received).toEqual([]);
});

test('drain reads the sync file before it waits, and says what for', async () => {
  const { sync, server } = await syncing(figuresOf([7], '2026-01-01', 3));
  expect(await sync(['drain', 'other.yaml', '--engine', NO_ENGINE])).toEqual({
    code: 9,
    stdout: '',
    stderr: `error: no such file: other.yaml
  write one with gatectl bda sync init, or name another one: gatectl bda sync drain --engine ${NO_ENGINE} FILE
  drain reads it to submit partitions again for which a type became wider
`,
  });
  expect(server.received).toEqual([]);
});

test('a queue requires a key', async () => {
  const { sync } = await syncing(figuresOf([7], '2026-01-01', 3));
  const { code, stderr } = await sync(['retry', '--engine', NO_ENGINE], { env: { GATECTL_API_KEY: '' } });
  expect([code, stderr.split('\n')[0]]).toEqual([4, 'error: no API key found']);
});

test('workers cannot share a DuckDB file, and the error says what to do', async () => {
  const file = SYNC_FILE.replace('destination: lake', 'destination: duckdb:pages.duckdb');
  const { sync } = await syncing(figuresOf([7], '2026-01-01', 3), file);
  const { code, stderr } = await sync(['submit', '--engine', NO_ENGINE]);
  expect(code).toBe(2);
  expect(stderr).toContain('one process at a time can write pages.duckdb');
  expect(stderr).toContain('destination: FOLDER');
});

test('status --metrics writes what the destination holds for Prometheus', async () => {
  const { sync, folder } = await syncing(
    figuresOf([7, 8], '2026-01-01', 3),
    `${SYNC_FILE}    end: 2026-01-03\n`,
  );
  await sync(['run']);
  expect((await sync(['status', '--metrics', 'sync.prom'])).code).toBe(0);
  const { readFileSync } = await import('node:fs');
  const lines = readFileSync(`${folder}/sync.prom`, 'utf8').split('\n');
  expect(lines).toContain('gatectl_sync_table_sites{table="pages"} 2');
  expect(lines).toContain('gatectl_sync_table_rows{table="pages"} 18');
});
