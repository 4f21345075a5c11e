import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { bare } from '../support/duckdb.ts';
import { gatectl } from '../support/gatectl.ts';
import { filesOf, folderWith, sandboxForSyncs, syncWithKills } from '../support/real-sync.ts';

const FILE = `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [country, device]
    metrics: [visits, revenue, bounce_rate]
    start: 2026-02-20
    end: 2026-03-13
    partition: day
`;

// Kills at any step are simulated (test/simulation): these are of a real process on a real disk, read by DuckDB.
test('a sync that is killed again and again ends with the same bytes as one that is not', {
  timeout: 120_000,
}, async () => {
  const { env } = await sandboxForSyncs();
  const [calm, killed] = [folderWith(FILE), folderWith(FILE)];
  const last = await syncWithKills({ calm, killed }, env, { kills: 3, seed: 7 });
  expect(last.exitCode).toBe(0);
  const expected = filesOf(join(calm, 'lake'));
  expect(Object.keys(expected).length).toBe(3 * 22);
  expect(filesOf(join(killed, 'lake'))).toEqual(expected);
  expect((await gatectl(['bda', 'sync', 'verify', '--quiet'], { env, cwd: killed })).exitCode).toBe(0);

  // A reader that has nothing to do with gatectl counts and sums the same as the source.
  const query = [
    '--data-set',
    'pageview',
    '-m',
    'visits,revenue',
    '--from',
    '2026-02-20',
    '--to',
    '2026-03-13',
  ];
  const [, source = ''] = (await gatectl(['bda', 'query', ...query, '-o', 'csv'], { env })).stdout.split(
    '\n',
  );
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = await connection.runAndReadAll(
    `SELECT sum(visits)::VARCHAR AS visits, sum(revenue)::VARCHAR AS revenue FROM '${killed}/lake/pages/**/*.parquet'`,
  );
  const [found] = read.getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  expect([found?.visits, found?.revenue].map(value => bare(String(value))).join()).toBe(source);
});
