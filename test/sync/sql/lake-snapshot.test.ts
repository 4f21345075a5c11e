import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DuckDbSession } from '../../../src/sync/destinations/duckdb/session.ts';
import { type Hold, takeSnapshot } from '../../../src/sync/sql/lake-snapshot.ts';
import { quoteText } from '../../../src/text/sql.ts';
import { temporaryFolder } from '../../support/folder.ts';

const SITES = [7, 8];
const MONTHS = ['2026-01', '2026-02'];
const TABLES = [{ name: 'pages', partition: 'month' as const }];
const NOW = Date.parse('2026-03-14T12:00:00Z');

/** A lake whose files have some rows of a value. */
async function lakeOf(value: number, rows: number, lake = temporaryFolder()): Promise<string> {
  const session = await DuckDbSession.open(':memory:', 'DuckDB');
  for (const site of SITES)
    for (const month of MONTHS) {
      const path = join(lake, `pages/domain_id=${site}/month=${month}/data.parquet`);
      mkdirSync(dirname(path), { recursive: true });
      await session.run(
        `COPY (SELECT ${site}::BIGINT AS domain_id, ${value} AS value FROM range(${rows})) TO ${quoteText(`${path}.new`)} (FORMAT parquet)`,
      );
      renameSync(`${path}.new`, path);
    }
  session.close();
  mkdirSync(join(lake, '_gatectl'), { recursive: true });
  return lake;
}

const optionsOf = () => ({
  platform: process.platform,
  uid: process.getuid?.(),
  now: NOW,
  folder: temporaryFolder(),
});

async function figures(files: readonly string[]) {
  const session = await DuckDbSession.open(':memory:', 'DuckDB');
  try {
    return await session.rows(
      `SELECT domain_id::INTEGER AS site, month, count(*)::INTEGER AS rows, sum(value)::INTEGER AS total
       FROM read_parquet([${files.map(quoteText).join(', ')}], hive_partitioning = true, hive_types = {month: VARCHAR}, union_by_name = true)
       GROUP BY ALL ORDER BY ALL`,
    );
  } finally {
    session.close();
  }
}

const expected = (rows: number, value: number) =>
  SITES.flatMap(site => MONTHS.map(month => ({ site, month, rows, total: rows * value })));

describe.each<[Hold]>([['hard-links'], ['open-files']])('a snapshot with %s', hold => {
  test.runIf(hold === 'hard-links' || process.platform === 'linux')(
    'has the rows of files that were replaced or removed since, and leaves nothing behind',
    async () => {
      const lake = await lakeOf(1, 5);
      const names = readdirSync(lake, { recursive: true }).sort();
      const options = optionsOf();
      const snapshot = await takeSnapshot(lake, TABLES, { ...options, holds: [hold] });
      await lakeOf(2, 7, lake);
      rmSync(join(lake, 'pages/domain_id=8/month=2026-02/data.parquet'));
      expect(await figures(snapshot.files('pages'))).toEqual(expected(5, 1));
      expect(snapshot.changes()).toBe(0);
      await snapshot.close();
      await lakeOf(2, 7, lake);
      expect(readdirSync(lake, { recursive: true }).sort()).toEqual(names);
      const next = await takeSnapshot(lake, TABLES, { ...optionsOf(), holds: [hold] });
      expect(await figures(next.files('pages'))).toEqual(expected(7, 2));
      await next.close();
    },
  );

  test('ignores partitions without a file', async () => {
    const lake = await lakeOf(1, 5);
    rmSync(join(lake, 'pages/domain_id=7/month=2026-01/data.parquet'));
    const snapshot = await takeSnapshot(lake, TABLES, { ...optionsOf(), holds: [hold] });
    expect(snapshot.files('pages').length).toBe(3);
    await snapshot.close();
  });
});

test('files that cannot be held are counted when they change', async () => {
  const lake = await lakeOf(1, 5);
  const snapshot = await takeSnapshot(lake, TABLES, { ...optionsOf(), holds: [] });
  expect(await figures(snapshot.files('pages'))).toEqual(expected(5, 1));
  expect(snapshot.changes()).toBe(0);
  rmSync(join(lake, 'pages/domain_id=8/month=2026-02/data.parquet'));
  expect(snapshot.changes()).toBe(1);
  await lakeOf(2, 7, lake);
  expect(snapshot.changes()).toBe(4);
});

test('a lake in which no folder can be created is held by open files', async () => {
  const lake = await lakeOf(1, 5);
  rmSync(join(lake, '_gatectl'), { recursive: true });
  // In the place of its folder, so that not even root can create one.
  writeFileSync(join(lake, '_gatectl'), '');
  const snapshot = await takeSnapshot(lake, TABLES, { ...optionsOf(), holds: ['hard-links', 'open-files'] });
  renameSync(join(lake, 'pages'), join(lake, 'gone'));
  expect(await figures(snapshot.files('pages'))).toEqual(expected(5, 1));
  await snapshot.close();
});

test('links that a killed query left are removed after a day', async () => {
  const lake = await lakeOf(1, 5);
  const killed = await takeSnapshot(lake, TABLES, { ...optionsOf(), holds: ['hard-links'] });
  const [file = ''] = killed.files('pages');
  expect(readFileSync(file).length).toBeGreaterThan(0);
  const [stray = ''] = readdirSync(join(lake, '_gatectl'));
  const folder = join(lake, '_gatectl', stray);
  utimesSync(folder, NOW / 1000, NOW / 1000 - 3_600);
  await (await takeSnapshot(lake, TABLES, { ...optionsOf(), holds: ['hard-links'] })).close();
  expect(existsSync(folder)).toBe(true);
  utimesSync(folder, NOW / 1000, NOW / 1000 - 100_000);
  await (await takeSnapshot(lake, TABLES, { ...optionsOf(), holds: ['hard-links'] })).close();
  expect(existsSync(folder)).toBe(false);
});

test('messages name the files of the lake', async () => {
  const lake = await lakeOf(1, 5);
  const snapshot = await takeSnapshot(lake, TABLES, { ...optionsOf(), holds: ['hard-links'] });
  const [, second = ''] = snapshot.files('pages');
  const path = join(lake, 'pages/domain_id=7/month=2026-02/data.parquet');
  expect(snapshot.displayed(`no magic bytes in '${second}' or '${second}'`)).toBe(
    `no magic bytes in '${path}' or '${path}'`,
  );
  const named = join(dirname(dirname(dirname(dirname(second)))), basename(second));
  expect(snapshot.displayed(`no magic bytes in ${named}`)).toBe(`no magic bytes in ${path}`);
  await snapshot.close();
});
