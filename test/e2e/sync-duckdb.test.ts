import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { emptyHome, gatectl, serveSandbox, startGatectl } from '../support/gatectl.ts';
import { runs } from '../support/runs.ts';

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
  const home = await emptyHome();
  onTestFinished(home.remove);
  const { server, baseUrl, apiKey } = await serveSandbox(['--clock', '2026-03-14T12:00:00Z'], {
    env: home.env,
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await server;
  });
  const env = { ...home.env, GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: apiKey };
  const folders = [temporaryFolder(), temporaryFolder()];
  for (const folder of folders) writeFileSync(join(folder, 'gatectl.sync.yaml'), FILE);
  const [calm = '', killed = ''] = folders;
  const began = performance.now();
  expect((await gatectl(['bda', 'sync', 'run', '--quiet'], { env, cwd: calm })).stderr).not.toMatch(/error/);
  const took = performance.now() - began;
  let seed = 11;
  const kills = runs(5);
  for (let kill = 0; kill < kills; kill++) {
    const child = startGatectl(['bda', 'sync', 'run', '--quiet'], { env, cwd: killed });
    seed = (seed * 48_271) % 2_147_483_647;
    await setTimeout(took * (0.4 + (0.6 * (seed % 1000)) / 1000));
    child.kill('SIGKILL');
    await child;
  }
  expect((await gatectl(['bda', 'sync', 'run', '--quiet'], { env, cwd: killed })).exitCode).toBe(0);
  expect(await contentOf(killed)).toEqual(await contentOf(calm));
  expect((await gatectl(['bda', 'sync', 'verify', '--quiet'], { env, cwd: killed })).exitCode).toBe(0);
});

test('where DuckDB is not installed, one line says what to type', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gatectl.sync.yaml'), FILE);
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
