import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { gatectl } from '../support/gatectl.ts';
import { folderWith, sandboxForSyncs, syncWithKills } from '../support/real-sync.ts';
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
