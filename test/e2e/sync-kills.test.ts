import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { bare } from '../support/duckdb.ts';
import { temporaryFolder } from '../support/folder.ts';
import { emptyHome, gatectl, serveSandbox, startGatectl } from '../support/gatectl.ts';
import { runs } from '../support/runs.ts';

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

/** The data files below a lake, by path, with a hash of their content. */
function filesOf(lake: string): Record<string, string> {
  const files = readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes('_gatectl'))
    .sort();
  return Object.fromEntries(
    files.map(path => [relative(lake, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

test('a sync that is killed again and again ends with the same bytes as one that is not', {
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
  let seed = 7;
  const kills = runs(16);
  for (let kill = 0; kill < kills; kill++) {
    const child = startGatectl(['bda', 'sync', 'run', '--quiet'], { env, cwd: killed });
    seed = (seed * 48_271) % 2_147_483_647;
    await setTimeout(took * (0.3 + (0.7 * (seed % 1000)) / 1000));
    child.kill('SIGKILL');
    await child;
  }
  const last = await gatectl(['bda', 'sync', 'run', '-o', 'json'], { env, cwd: killed });
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
