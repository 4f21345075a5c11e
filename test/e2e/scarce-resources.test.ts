import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { readParquet } from '../support/duckdb.ts';
import { temporaryFolder } from '../support/folder.ts';
import { wireServer } from '../support/wire-server.ts';

const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
const PRODUCTS = ['products', '--email', 'active@example.com', '--sandbox'];

/** Runs the built bin in a shell that set a limit before. */
async function limited(limit: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { exitCode, stdout, stderr } = await execa(
    'bash',
    ['-c', `${limit} && exec "$@"`, 'bash', process.execPath, BIN, ...args],
    {
      reject: false,
      extendEnv: false,
      env: { PATH: process.env.PATH ?? '', HOME: temporaryFolder(), LANG: 'C.UTF-8', TZ: 'UTC', ...env },
    },
  );
  return { exitCode, stdout, stderr };
}

const isLinux = process.platform === 'linux';

test.runIf(isLinux)('without address space for WebAssembly the error names the limit to raise', async () => {
  const { exitCode, stderr } = await limited('ulimit -v 4000000', PRODUCTS);
  expect(stderr).toBe(
    [
      'error: not enough memory for WebAssembly, which parses HTTP',
      '  in GET /subscriptions/v1/products?domain=example.com: no response',
      '  raise the limit on address space to 12 GB or more (ulimit -v), or set NODE_OPTIONS=--disable-wasm-trap-handler',
    ].join('\n'),
  );
  expect(exitCode).toBe(6);
});

test.runIf(isLinux)('the setting that the hint names works', async () => {
  const env = { NODE_OPTIONS: '--disable-wasm-trap-handler' };
  const { exitCode, stdout } = await limited('ulimit -v 4000000', [...PRODUCTS, '-o', 'csv'], env);
  expect(stdout).toBe('product\npremium\nsports');
  expect(exitCode).toBe(0);
});

test.runIf(isLinux)(
  'where address space is limited, a large export to Parquet starts no thread',
  async () => {
    const rows = Array.from({ length: 140_000 }, (_, index) => `{"id":${index}}`);
    const server = await wireServer(({ body }) => {
      const { limit, offset } = JSON.parse(body || '{}') as { limit: number; offset: number };
      return { body: `{"rows":[${rows.slice(offset, offset + limit)}],"total_rows":140000}` };
    });
    onTestFinished(() => server.close());
    const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'some-key' };
    const out = join(temporaryFolder(), 'rows.parquet');
    const query = [
      'bda',
      'query',
      '--data-set',
      'pageview',
      '-d',
      'id',
      '--from',
      '2026-02-01',
      '--to',
      '2026-02-28',
    ];
    const flags = ['--all', '--page-size', '70000', '--out', out, '--quiet'];
    const { exitCode, stderr } = await limited('ulimit -v 1600000', [...query, ...flags], {
      ...env,
      NODE_OPTIONS: '--disable-wasm-trap-handler',
    });
    expect(exitCode, stderr).toBe(0);
    expect((await readParquet(out)).rows).toHaveLength(140_000);
  },
);

test.runIf(isLinux)('with few descriptors a command works, or names the limit to raise', async () => {
  const started = (stderr: string) => !/^Error: EMFILE.*(?:bin|dist)\/gatectl\.c?js'$/m.test(stderr);
  const failed: string[] = [];
  for (const descriptors of [19, 20, 21]) {
    const { exitCode, stderr } = await limited(`ulimit -n ${descriptors}`, PRODUCTS);
    // Where Node can't read the bin, nothing of gatectl runs.
    if (exitCode === 0 || !started(stderr)) continue;
    failed.push(stderr);
    expect(stderr).not.toMatch(/^\s+at |node:/m);
    expect([6, 9]).toContain(exitCode);
  }
  expect(failed.join('\n')).toMatch(/too many files are open|too many open files|the connection broke/);
});

test('a --jq filter that needs more memory than jq has is rejected before anything is sent', async () => {
  const { exitCode, stdout, stderr } = await limited('true', [...PRODUCTS, '--jq', '"x" * 1000000000']);
  const { error } = JSON.parse(stderr) as { error: { message: string } };
  expect(error.message).toBe(`--jq '"x" * 1000000000' is not valid: it ran out of memory`);
  expect(stdout).toBe('');
  expect(exitCode).toBe(2);
});
