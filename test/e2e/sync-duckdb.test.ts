import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyHome, gatectl, startGatectl } from '../support/gatectl.ts';
import { folderWith, sandboxForSyncs, syncWithKills } from '../support/real-sync.ts';
import { runs } from '../support/runs.ts';
import { type Received, wireServer } from '../support/wire-server.ts';
import { figuresOf, KEY, respondFrom, SYNC_FILE } from '../sync/source.ts';

const FILE = `destination: duckdb:news.duckdb
tables:
  pages:
    data_set: pageview
    dimensions: [country, device]
    metrics: [visits, revenue, bounce_rate]
    start: 2026-02-20
    end: 2026-03-13
    partition: day
`;

/** Every row of the table and of the ledger, without the time at which a partition was requested. */
async function contentOf(folder: string): Promise<unknown> {
  const instance = await DuckDBInstance.create(join(folder, 'news.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const all = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  const content = {
    rows: await all('SELECT COLUMNS(*)::VARCHAR FROM pages ORDER BY ALL'),
    ledger: await all(
      'SELECT table_name, domain_id, partition, rows, checksum FROM _gatectl.ledger ORDER BY ALL',
    ),
  };
  connection.closeSync();
  instance.closeSync();
  return content;
}

test('a sync to DuckDB that is killed again and again ends with the same rows as one that is not', {
  timeout: 120_000,
}, async () => {
  const { env } = await sandboxForSyncs();
  const [calm, killed] = [folderWith(FILE), folderWith(FILE)];
  const last = await syncWithKills({ calm, killed }, env, { kills: runs(5), seed: 11 });
  expect(last.exitCode).toBe(0);
  expect(await contentOf(killed)).toEqual(await contentOf(calm));
  expect((await gatectl(['bda', 'sync', 'verify', '--quiet'], { env, cwd: killed })).exitCode).toBe(0);
});

test('where DuckDB is not installed, one line says what to type', async () => {
  const folder = folderWith(FILE);
  const hook = join(folder, 'without-duckdb.cjs');
  writeFileSync(
    hook,
    `const Module = require('node:module');
     const resolve = Module._resolveFilename;
     Module._resolveFilename = (name, ...rest) => resolve(name === '@duckdb/node-api' ? './not-there' : name, ...rest);`,
  );
  const ran = await gatectl(['bda', 'sync', 'status'], {
    cwd: folder,
    env: { NODE_OPTIONS: `--require ${hook}` },
  });
  expect(ran).toMatchObject({
    exitCode: 2,
    stderr: 'error: DuckDB is not installed\n  install it: npm install -g @duckdb/node-api\n',
  });
});

describe('two runs at once', () => {
  const WAITS = /^note: analytics\.duckdb is locked by pid \d+ .*; waiting until it ends\n/;

  /**
   * Two runs into one file, in processes of their own: the first one has reached the request that `isHeld` selects, and waits for its
   * response until `respond`; the second one has ended, or says that it waits.
   */
  async function twoRuns(isHeld: (request: Received) => boolean, isFirst: boolean) {
    let respond: () => void = () => {};
    const released = new Promise<void>(resolve => {
      respond = resolve;
    });
    let reach: () => void = () => {};
    const reached = new Promise<void>(resolve => {
      reach = resolve;
    });
    let left = 0;
    const responded = respondFrom(figuresOf([7, 8], '2025-01-01', 59));
    const server = await wireServer(async request => {
      if (left > 0 && isHeld(request)) {
        left -= 1;
        reach();
        await released;
      }
      return responded(request);
    });
    onTestFinished(() => server.close());
    const home = await emptyHome();
    onTestFinished(home.remove);
    const cwd = folderWith(
      SYNC_FILE.replace('lake', 'duckdb:analytics.duckdb').replace(
        '2026-01-01',
        '2025-01-01\n    end: 2025-02-28',
      ),
    );
    const env = { ...home.env, GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY };
    const options = { cwd, env };
    const start = () => {
      const child = startGatectl(['bda', 'sync', 'run', '-o', 'json'], options);
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    if (!isFirst) await start();
    left = 1;
    const one = start();
    await Promise.race([reached, one]);
    const two = start();
    await new Promise<void>(resolve => {
      two.stderr.once('data', resolve);
      two.once('exit', resolve);
    });
    return { one, two, respond, options };
  }

  test('take turns, and the second one finds the work done', async () => {
    const { one, two, respond, options } = await twoRuns(({ method }) => method === 'POST', true);
    respond();
    const [first, second] = await Promise.all([one, two]);
    expect([first.exitCode, first.stderr, second.exitCode]).toEqual([0, '', 0]);
    expect(second.stderr).toMatch(WAITS);
    const partitions = [first, second].map(({ stdout }) => JSON.parse(stdout).tables[0].partitions);
    expect(partitions).toEqual([4, 0]);
    expect((await gatectl(['bda', 'sync', 'verify', '--quiet'], options)).exitCode).toBe(0);
  });

  test('take turns before the first one writes, and the second one takes over from one that is killed', async () => {
    const { one, two } = await twoRuns(({ method }) => method === 'GET', false);
    one.kill('SIGKILL');
    const second = await two;
    expect([second.exitCode, second.stderr]).toEqual([0, expect.stringMatching(WAITS)]);
    expect((await one).signal).toBe('SIGKILL');
  });

  test('take turns when the first one is killed while it writes', async () => {
    const { one, two, options } = await twoRuns(({ method }) => method === 'POST', true);
    one.kill('SIGKILL');
    const second = await two;
    expect([second.exitCode, second.stderr]).toEqual([0, expect.stringMatching(WAITS)]);
    expect((await gatectl(['bda', 'sync', 'verify', '--quiet'], options)).exitCode).toBe(0);
  });

  test('a signal ends the one that waits', async () => {
    const { two } = await twoRuns(({ method }) => method === 'POST', true);
    two.kill('SIGTERM');
    expect((await two).exitCode).toBe(143);
  });
});
