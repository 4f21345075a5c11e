import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import type { SyncTable } from '../../src/sync/config.ts';
import { parseSyncConfig } from '../../src/sync/config-file.ts';
import { ddlOf, ENGINES } from '../../src/sync/ddl.ts';
import { run } from '../support/run.ts';
import { figuresOf, SYNC_FILE, syncing } from './source.ts';

/** Runs statements in an empty DuckDB; returns the rows of the last one. */
async function inDuckDb(...statements: string[]): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const sql of statements) rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
    return rows;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const BY_DAY = `SELECT report_day::VARCHAR AS day, domain_id::VARCHAR AS site, visits::VARCHAR AS visits, revenue::VARCHAR AS revenue
  FROM pages_by_day ORDER BY ALL LIMIT 2`;
const EXPECTED = [
  { day: '2026-03-01', site: '7', visits: '24', revenue: '4.50' },
  { day: '2026-03-01', site: '8', visits: '27', revenue: '4.50' },
];

describe('bda sync ddl', () => {
  test('prints views that DuckDB reads the lake with', async () => {
    const { sync, folder } = await syncing(figuresOf([7, 8], '2026-03-01', 13));
    await sync(['run']);
    const { stdout, stderr, code } = await sync(['ddl', '--for', 'duckdb']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replaceAll(folder, '/srv')).toBe(`CREATE OR REPLACE VIEW "pages" AS
SELECT * FROM read_parquet('/srv/lake/pages/domain_id=*/month=*/data.parquet', hive_partitioning = true, union_by_name = true,
  hive_types = {'domain_id': BIGINT, 'month': VARCHAR});

CREATE OR REPLACE VIEW "pages_by_day" AS
SELECT
  t."report_day",
  t."domain_id",
  t."domain",
  sum(t."visits") AS "visits",
  sum(t."revenue") AS "revenue"
FROM "pages" AS t
GROUP BY t."report_day", t."domain_id", t."domain";
`);
    expect(await inDuckDb(stdout, BY_DAY)).toEqual(EXPECTED);
    expect(
      await inDuckDb(
        stdout,
        "SELECT count(*)::VARCHAR AS n FROM pages WHERE month = '2026-03' AND domain_id = 7",
      ),
    ).toEqual([{ n: '39' }]);
  });

  test.each(ENGINES)(
    'prints the types of %s before the first run too, with the list of columns',
    async engine => {
      const { sync, server } = await syncing(figuresOf([7], '2026-03-01', 13));
      const ran = await sync([
        'ddl',
        '--for',
        engine,
        ...(engine === 'bigquery' ? ['--location', 'gs://news/lake/'] : []),
      ]);
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
      expect(ran.stdout).toMatch(
        /^(-- bda sync creates .*\n)?-- types are assumed: no run has written rows yet\n/,
      );
      expect(ran.stdout).toMatch(/CREATE (OR REPLACE )?VIEW (IF NOT EXISTS )?["`]pages_by_day["`] AS\n/);
      expect(server.received.map(({ target }) => target.split('/').at(-1))).toEqual(['columns']);
    },
  );

  test('prints the types of each engine', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    figures.get(7)?.set('2026-03-02', [{ page: '"/wide"', visits: '12', revenue: '0.12345678901' }]);
    const { sync } = await syncing(figures);
    await sync(['run']);
    const typesFor = async (engine: string, ...more: string[]) => {
      const { stdout } = await sync(['ddl', '--for', engine, ...more]);
      return ['report_day', 'page_url', 'visits', 'revenue'].map(
        name => new RegExp(`["\`]${name}["\`] ([^\\n]*?)(?:,?\\n|, ["\`]|\\) ENGINE)`).exec(stdout)?.[1],
      );
    };
    expect(await typesFor('trino')).toEqual(['DATE', 'VARCHAR', 'BIGINT', 'DECIMAL(18,13)']);
    expect(await typesFor('spark')).toEqual(['DATE', 'STRING', 'BIGINT', 'DECIMAL(18,13)']);
    expect(await typesFor('bigquery', '--location', 'gs://b')).toEqual([
      'DATE',
      'STRING',
      'INT64',
      'BIGNUMERIC(18, 13)',
    ]);
    expect(await typesFor('postgres')).toEqual(['date', 'text', 'bigint', 'numeric']);
    expect(await typesFor('clickhouse')).toEqual([
      'Date',
      'Nullable(String)',
      'Nullable(Int64)',
      'Nullable(Decimal(18, 13))',
    ]);
  });

  test('omits a view whose name another table has, and escapes quotes in a location', async () => {
    const { sync } = await syncing(
      figuresOf([7], '2026-03-01', 13),
      `${SYNC_FILE}  pages_by_day:\n    data_set: pageview\n    metrics: [visits]\n    start: 2026-01-01\n`,
    );
    const { stdout } = await sync(['ddl', '--for', 'spark', '--location', "/srv/editor's lake/"]);
    expect(stdout.match(/CREATE (OR REPLACE )?\w+ .*`pages.*?`/g)).toEqual([
      'CREATE TABLE IF NOT EXISTS `pages`',
      'CREATE TABLE IF NOT EXISTS `pages_by_day`',
      'CREATE OR REPLACE VIEW `pages_by_day_by_day`',
    ]);
    expect(stdout).toContain("LOCATION '/srv/editor\\'s lake/pages';");
  });

  test.each([
    ['trino', '"a`b\\c\n"" d"', "'/srv/it''s\\/pages/'"],
    ['spark', '`a``b\\c\n" d`', "'/srv/it\\'s\\\\/pages'"],
    ['bigquery', '`a\\`b\\\\c\\n" d`', "'/srv/it\\'s\\\\/pages/*.parquet'"],
  ] as const)('quotes names and texts as %s does', (engine, name, location) => {
    const awkward = 'a`b\\c\n" d';
    const column = { name: awkward, kind: 'number', whole: 9, scale: 0 } as const;
    const [table] = parseSyncConfig('gatectl.sync.yaml', SYNC_FILE).tables;
    const printed = ddlOf(engine, {
      table: { ...(table as SyncTable), metrics: [awkward] },
      schema: { version: 1, columns: [column] },
      location: "/srv/it's\\",
      notes: [],
      isInPlace: false,
      hasView: true,
    });
    expect(printed).toContain(`\n  ${name} ${engine === 'bigquery' ? 'INT64' : 'BIGINT'}`);
    expect(printed).toContain(location);
    expect(printed).toContain('\n-- without a`b\\c " d: not known to be additive');
  });

  test('rejects what it cannot print, with what to type', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 13));
    expect((await sync(['ddl'])).stderr).toBe(
      'error: --for is required\n  type --for and one of duckdb, trino, spark, bigquery, clickhouse, postgres\n',
    );
    expect((await sync(['ddl', '--for', 'bigquery'])).stderr).toMatch(
      /BigQuery does not read .*lake\n {2}copy the files to a bucket/,
    );
    expect((await sync(['ddl', '--for', 'postgres', '--location', 's3://x'])).stderr).toMatch(
      /--location has no effect/,
    );
    writeFileSync(join(folder, 'gatectl.sync.yaml'), SYNC_FILE.replace('lake', 'duckdb:news.duckdb'));
    expect((await sync(['ddl', '--for', 'trino'])).stderr).toMatch(
      /trino reads Parquet files, and news\.duckdb has none/,
    );
    expect((await sync(['ddl', '--for', 'duckdb'])).stderr).toBe(
      'error: news.duckdb has the tables and views already\n  open it in DuckDB: duckdb news.duckdb\n',
    );
  });
});

describe('the view by day', () => {
  const FILE = `${SYNC_FILE.replace('[visits, revenue]', '[visits, revenue, epmv, bounce_rate, readers, quality]')}    additive:
      readers: distinct
`;

  test('says which metrics it omits, and why', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 13), FILE);
    writeFileSync(join(folder, 'gatectl.sync.yaml'), FILE);
    const { stdout } = await sync(['ddl', '--for', 'trino']);
    expect(
      stdout.slice(stdout.indexOf('-- without')),
    ).toBe(`-- without readers: a distinct count, whose values in several rows cannot be summed
-- without quality: not known to be additive; if it is, add it to additive in the sync file
CREATE OR REPLACE VIEW "pages_by_day" AS
SELECT
  t."report_day",
  t."domain_id",
  t."domain",
  sum(t."visits") AS "visits",
  sum(t."revenue") AS "revenue",
  1000 * CAST(sum(t."revenue") AS DOUBLE) / nullif(CAST(sum(t."visits") AS DOUBLE), 0) AS "epmv",
  sum(CAST(t."bounce_rate" AS DOUBLE) * CAST(t."visits" AS DOUBLE)) / nullif(sum(CASE WHEN t."bounce_rate" IS NULL THEN NULL ELSE CAST(t."visits" AS DOUBLE) END), 0) AS "bounce_rate"
FROM "pages" AS t
GROUP BY t."report_day", t."domain_id", t."domain";
`);
  });

  test.each([
    ['[visits, readers]', '    additive: [readers]\n', /sum\(t\."readers"\)/],
    ['[visits, readers]', '    additive: {readers: sum}\n', /sum\(t\."readers"\)/],
    ['[visits, readers]', '    additive: {visits: distinct}\n', /-- without visits: a distinct count/],
    [
      '[visits, clicks, ctr]',
      '    additive: {clicks: sum, ctr: {numerator: clicks, weight: visits, factor: 100}}\n',
      /100 \* CAST\(sum\(t\."clicks"\)/,
    ],
    [
      '[revenue, bounce_rate]',
      '',
      /-- without bounce_rate: a ratio, whose mean requires visits as its weight/,
    ],
  ])('with metrics %s and %j', async (metrics, additive, expected) => {
    const { sync } = await syncing(
      figuresOf([7], '2026-03-01', 13),
      SYNC_FILE.replace('[visits, revenue]', metrics) + additive,
    );
    expect((await sync(['ddl', '--for', 'duckdb'])).stdout).toMatch(expected);
  });

  test.each([
    ['{readers: sum}', /8:16: readers is not a metric of the table/],
    ['{visits: mean}', /8:24: visits cannot be "mean"\n {2}one of: sum, distinct/],
    ['{revenue: {factor: 2, weight: visits}}', /8:34: factor requires numerator/],
    ['{revenue: {numerator: visits}}', /the ratio revenue has no weight/],
    ['{revenue: {weight: visit}}', /visit is not a metric of the table\n {2}did you mean visits\?/],
    ['{revenue: {wieght: visits}}', /unknown setting "wieght"\n {2}did you mean weight\?/],
  ])('a sync file with additive: %s is rejected with the place', async (additive, expected) => {
    const { sync } = await syncing(
      figuresOf([7], '2026-03-01', 13),
      `${SYNC_FILE}    additive: ${additive}\n`,
    );
    const ran = await sync(['plan']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(expected);
  });

  test.each([['lake'], ['duckdb:news.duckdb']])(
    'is a table of bda sql --sync, from %s',
    async destination => {
      const { sync, folder } = await syncing(
        figuresOf([7, 8], '2026-03-01', 13),
        SYNC_FILE.replace('destination: lake', `destination: ${destination}`),
      );
      await sync(['run']);
      const ran = await run(['bda', 'sql', BY_DAY, '--sync', '--csv'], { cwd: folder });
      expect(ran).toEqual({
        code: 0,
        stdout: 'day,site,visits,revenue\n2026-03-01,7,24,4.50\n2026-03-01,8,27,4.50\n',
        stderr: '',
      });
    },
  );

  test('in a DuckDB file says what it omits, and leaves a view of somebody else alone', async () => {
    const file = FILE.replace('destination: lake', 'destination: duckdb:news.duckdb')
      .replace(', epmv, bounce_rate, readers, quality', '')
      .replace(/ {4}additive[\s\S]*/, '    additive: {revenue: distinct}\n');
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 13), file);
    await sync(['run']);
    const inFile = async (sql: string) => {
      const instance = await DuckDBInstance.create(join(folder, 'news.duckdb'));
      const connection = await instance.connect();
      const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
      connection.closeSync();
      instance.closeSync();
      return rows;
    };
    expect(await inFile("SELECT comment FROM duckdb_views() WHERE view_name = 'pages_by_day'")).toEqual([
      {
        comment:
          'totals of each day and site; without revenue: a distinct count, whose values in several rows cannot be summed',
      },
    ]);
    await inFile(
      'DROP VIEW pages_by_day; DELETE FROM _gatectl.views; CREATE VIEW pages_by_day AS SELECT 42 AS mine',
    );
    expect((await sync(['run'])).code).toBe(0);
    expect(await inFile('FROM pages_by_day')).toEqual([{ mine: 42 }]);
  });
});
