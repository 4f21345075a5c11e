import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { countOf, figuresOf, queriesOf, respondFrom, SYNC_FILE, sumOf, syncing, UNITS } from './source.ts';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 2, 14, 12);

/** The data files of a lake, by path, with a hash of their content. */
function filesOf(lake: string): Record<string, string> {
  const files = readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes('_gatectl'));
  return Object.fromEntries(
    files
      .sort()
      .map(path => [relative(lake, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

async function queryLake(lake: string, sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const read = await connection.runAndReadAll(
      sql.replace('LAKE', `read_parquet('${lake}/pages/**/*.parquet', hive_partitioning = false)`),
    );
    return read.getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const TOTALS = `SELECT count(*)::VARCHAR AS rows, sum(visits)::VARCHAR AS visits, (sum(revenue) * 1000000000)::DECIMAL(38,0)::VARCHAR AS revenue FROM LAKE`;

async function expectSameTotals(lake: string, figures: ReturnType<typeof figuresOf>): Promise<void> {
  expect(await queryLake(lake, TOTALS)).toEqual([
    {
      rows: String(countOf(figures)),
      visits: String(sumOf(figures, 'visits') / UNITS),
      revenue: String(sumOf(figures, 'revenue')),
    },
  ]);
}

describe('bda sync run', () => {
  test('writes one file for each month of each site, with one request for each site', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, lake, server } = await syncing(figures);
    expect(await sync(['run'])).toEqual({
      code: 0,
      stdout: `6 partitions written to lake
TABLE  PARTITIONS  ADDED  CHANGED  UNCHANGED  FAILED  ROWS  REQUESTS
pages           6      6        0          0       0   432         2
`,
      stderr: '',
    });
    expect(Object.keys(filesOf(lake))).toEqual(
      [7, 8].flatMap(id =>
        ['2026-01', '2026-02', '2026-03'].map(month => `pages/domain_id=${id}/month=${month}/data.parquet`),
      ),
    );
    // Those of two sites are sent at the same time.
    expect(queriesOf(server).find(query => query.domain_id === 7)).toEqual({
      data_set: 'pageview',
      date_range: { start_date: '2026-01-01', end_date: '2026-03-13' },
      dimensions: ['report_day', 'page_url'],
      metrics: ['visits', 'revenue'],
      domain_id: 7,
      sort: [
        { column: 'report_day', direction: 'asc' },
        { column: 'page_url', direction: 'asc' },
      ],
      limit: 100_000,
      offset: 0,
    });
    await expectSameTotals(lake, figures);
    expect(await queryLake(lake, 'SELECT DISTINCT domain_id, domain FROM LAKE ORDER BY ALL')).toEqual([
      { domain_id: '7', domain: 'site-7.example.com' },
      { domain_id: '8', domain: 'site-8.example.com' },
    ]);
  });

  test('requests only the last days again, and nothing that is final', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, server } = await syncing(figures);
    await sync(['run']);
    const before = server.received.length;
    const ran = await sync(['run', '-o', 'json']);
    expect(JSON.parse(ran.stdout).tables).toEqual([
      { table: 'pages', partitions: 1, added: 0, changed: 0, unchanged: 1, failed: 0, rows: 39, requests: 1 },
    ]);
    const { date_range } = JSON.parse(server.received.at(-1)?.body ?? '{}');
    expect(date_range).toEqual({ start_date: '2026-03-01', end_date: '2026-03-13' });
    expect(server.received.length - before).toBe(4);
  });

  test('does not call unchanged partitions written', async () => {
    const figures = figuresOf([7, 8], '2026-03-01', 13);
    const { sync } = await syncing(figures, SYNC_FILE.replace('2026-01-01', '2026-03-01'));
    const summary = async () => (await sync(['run'])).stdout.split('\n')[0];
    expect(await summary()).toBe('2 partitions written to lake');
    expect(await summary()).toBe('0 partitions written to lake, 2 unchanged');
    figures.get(8)?.delete('2026-03-13');
    expect(await summary()).toBe('1 partition written to lake, 1 unchanged');
  });

  test('replaces what changed, and removes what the gateway withdrew', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, lake } = await syncing(figures);
    await sync(['run']);
    figures.get(7)?.set('2026-03-10', [{ page: '"/new"', visits: '1', revenue: '0.5' }]);
    for (const day of ['01', '02', '03']) figures.get(7)?.delete(`2026-03-${day}`);
    const ran = await sync(['run', '-o', 'json']);
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ changed: 1, unchanged: 0 });
    await expectSameTotals(lake, figures);
    for (const day of [...(figures.get(7)?.keys() ?? [])]) if (day >= '2026-03') figures.get(7)?.delete(day);
    await sync(['run']);
    expect(Object.keys(filesOf(lake)).some(path => path.includes('2026-03'))).toBe(false);
    await expectSameTotals(lake, figures);
  });

  test('with days of thousands of rows divides a site into several queries and stays exact', async () => {
    const figures = figuresOf([7], '2026-01-01', 72, () => 2500);
    const { sync, lake, server } = await syncing(
      figures,
      SYNC_FILE.replace('pages:', 'pages:\n    partition: day'),
    );
    const ran = await sync(['run', '-o', 'json']);
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ added: 72, rows: 180_000 });
    expect(queriesOf(server).length).toBe(2);
    await expectSameTotals(lake, figures);
  });

  test('with a month of several pages requests all of them', async () => {
    const figures = figuresOf([7], '2026-02-01', 28, () => 4000);
    const { sync, lake } = await syncing(figures);
    const ran = await sync(['run', '-o', 'json']);
    expect(ran.stderr).toBe('');
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ added: 3, rows: 112_000, requests: 4 });
    await expectSameTotals(lake, figures);
  });

  test('with a damaged ledger, says what to type, which repairs it', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, lake, server } = await syncing(figures);
    await sync(['run']);
    const ledger = join(lake, '_gatectl/ledger/pages/7.ndjson');
    const [first = '', ...rest] = readFileSync(ledger, 'utf8').split('\n');
    writeFileSync(ledger, [first, first.slice(0, 40), ...rest.slice(1)].join('\n'));
    const remove = `rm ${ledger}`;
    for (const command of ['run', 'plan', 'status', 'verify', 'sweep'])
      expect(await sync([command])).toMatchObject({
        code: 9,
        stderr: `error: ${ledger}:2 is damaged
  remove it: ${remove}; the next run requests all days of this site again
  with history: true, the rows that this run replaces are not stored
`,
      });
    for (const site of [7, 8])
      figures.get(site)?.set('2026-01-05', [{ page: '"/late"', visits: '7', revenue: '1' }]);
    execFileSync('/bin/sh', ['-c', remove]);
    const before = queriesOf(server).length;
    expect((await sync(['run'])).code).toBe(0);
    expect(queriesOf(server).slice(before)).toContainEqual(
      expect.objectContaining({
        domain_id: 7,
        date_range: { start_date: '2026-01-01', end_date: '2026-03-13' },
      }),
    );
    expect((await sync(['run', '--refetch', '2026-01'])).code).toBe(0);
    const other = await syncing(figures);
    await other.sync(['run']);
    expect(filesOf(lake)).toEqual(filesOf(other.lake));
    expect((await sync(['verify'])).code).toBe(0);
  });

  test.each([
    ['lake.json', ''],
    ['lake.json', '{"form'],
    ['lake.json', 'null'],
    ['lake.json', '[1]'],
    ['lake.json', '{"format":"1"}'],
    ['tables/pages.json', ''],
    ['tables/pages.json', '{"version": 1,'],
    ['tables/pages.json', 'null'],
    ['tables/pages.json', '{"version":1}'],
    ['tables/pages.json', '{"version":1,"columns":[null]}'],
    ['tables/pages.json', '{"version":1,"columns":[{"name":"visits","kind":"money","whole":1,"scale":2}]}'],
    ['tables/pages.json', '{"version":1,"columns":[],"partition":"year"}'],
  ])('with a damaged %s (%s), says what to type, which repairs it', async (name, text) => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, lake } = await syncing(figures);
    await sync(['run']);
    const before = filesOf(lake);
    const path = join(lake, '_gatectl', name);
    writeFileSync(path, text);
    const [hint, command] =
      name === 'lake.json'
        ? [`write it again: echo '{"format":1}' > ${path}`, `echo '{"format":1}' > ${path}`]
        : [
            `remove it and the ledger of its table: rm -r ${path} ${lake}/_gatectl/ledger/pages; the next run requests all days of the table again
  with history: true, the rows that this run replaces are not stored`,
            `rm -r ${path} ${lake}/_gatectl/ledger/pages`,
          ];
    for (const each of ['run', 'plan', 'status'])
      expect(await sync([each])).toMatchObject({ code: 9, stderr: `error: ${path} is damaged\n  ${hint}\n` });
    execFileSync('/bin/sh', ['-c', command]);
    expect((await sync(['run'])).code).toBe(0);
    expect(filesOf(lake)).toEqual(before);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('gives the same files again in another order, whatever column became wider when', async () => {
    const figures = figuresOf([7, 8, 9], '2026-01-01', 72);
    figures
      .get(8)
      ?.set('2026-02-05', [{ page: '"/wide"', visits: '123456789012345', revenue: '0.123456789' }]);
    figures.get(9)?.set('2026-01-02', [{ page: '"/big"', visits: '7', revenue: '12345678901.5' }]);
    const one = await syncing(figures);
    const ran = await one.sync(['run', '--concurrency', '1']);
    expect(ran.stderr).toMatch(/note: pages, version \d of its column types: revenue: DECIMAL\(18,2\) -> /);
    const other = await syncing(figures);
    for (const site of [9, 8, 7]) await other.sync(['run', '--domain', `site-${site}.example.com`]);
    await other.sync(['run']);
    expect(filesOf(other.lake)).toEqual(filesOf(one.lake));
    expect(await queryLake(one.lake, 'SELECT DISTINCT typeof(revenue) AS type FROM LAKE')).toEqual([
      { type: 'DECIMAL(38,9)' },
    ]);
    await expectSameTotals(one.lake, figures);
  });

  test('is not verified while a file has an earlier column type than its table, which a run writes again', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, lake } = await syncing(figures);
    await sync(['run']);
    figures.get(7)?.set('2026-03-13', [{ page: '"/wide"', visits: '1', revenue: '0.123456789' }]);
    // As a worker leaves it that ended before a type became wider elsewhere.
    const before = readFileSync(join(lake, 'pages/domain_id=7/month=2026-01/data.parquet'));
    const ledger = join(lake, '_gatectl/ledger/pages/7.ndjson');
    const [january = ''] = readFileSync(ledger, 'utf8')
      .split('\n')
      .filter(line => /"2026-01"/.test(line) && /"schema"/.test(line));
    await sync(['run']);
    writeFileSync(join(lake, 'pages/domain_id=7/month=2026-01/data.parquet'), before);
    writeFileSync(ledger, `${january}\n`, { flag: 'a' });
    const verified = await sync(['verify', '-o', 'json']);
    expect(verified.code).toBe(7);
    expect(JSON.parse(verified.stdout).mismatches).toMatchObject([
      {
        partition: '2026-01',
        problem: 'its column types are of version 1, those of the table of version 2',
      },
    ]);
    expect((await sync(['run'])).code).toBe(0);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('writes what it can, names what failed, and exits 7', async () => {
    const figures = figuresOf([7, 8], '2026-03-01', 13);
    const respond = respondFrom(figures);
    const { sync, lake } = await syncing(figures, SYNC_FILE, request =>
      request.body.includes('"domain_id":8')
        ? { status: 400, body: '{"error":{"code":"validation_error","message":"no"}}' }
        : respond(request),
    );
    const ran = await sync(['run', '-o', 'json']);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      tables: [{ partitions: 3, failed: 3 }],
      failures: [{ table: 'pages', domain: 'site-8.example.com', from: '2026-01-01', to: '2026-03-13' }],
    });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: 'partial_failure',
      message: '3 of 6 partitions failed; run it again to request them',
    });
    expect(Object.keys(filesOf(lake))).toEqual(['pages/domain_id=7/month=2026-03/data.parquet']);
  });

  test('prints nothing with --quiet when all is well', async () => {
    const { sync } = await syncing(figuresOf([7], '2026-03-01', 13));
    expect(await sync(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('ignores a file that was cut, a stray one, and an unfinished line of the ledger', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, lake } = await syncing(figures);
    await sync(['run']);
    const before = filesOf(lake);
    const file = join(lake, 'pages/domain_id=7/month=2026-01/data.parquet');
    writeFileSync(file, readFileSync(file).subarray(0, 100));
    mkdirSync(join(lake, '_gatectl/staging/9'), { recursive: true });
    writeFileSync(join(lake, '_gatectl/staging/9/rows.json'), '[{"report_day"');
    writeFileSync(join(lake, '_gatectl/ledger/pages/7.ndjson'), '{"partition":"2026-0', { flag: 'a' });
    for (const name of ['ledger/pages/.7.ndjson', 'tables/.pages.json'])
      writeFileSync(join(lake, `_gatectl/${name}.0123456789ab.tmp`), '{');
    const ran = await sync(['run', '-o', 'json']);
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ partitions: 2 });
    expect(filesOf(lake)).toEqual(before);
    expect(readdirSync(join(lake, '_gatectl'), { recursive: true }).sort()).toEqual([
      ...['lake.json', 'ledger', 'ledger/pages', 'ledger/pages/7.ndjson', 'runs.ndjson'],
      ...['tables', 'tables/pages.json'],
    ]);
    expect((await sync(['plan', '-o', 'json'])).code).toBe(0);
  });

  test('two runs at once take turns, and the second finds the work done', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, lake } = await syncing(figures);
    const [one, two] = await Promise.all([sync(['run', '-o', 'json']), sync(['run', '-o', 'json'])]);
    expect([one.code, two.code]).toEqual([0, 0]);
    const partitions = [one, two].map(({ stdout }) => JSON.parse(stdout).tables[0].partitions).sort();
    expect(partitions).toEqual([2, 6]);
    expect(one.stderr + two.stderr).toMatch(/^note: lake is locked by .*; waiting until it ends\n$/);
    await expectSameTotals(lake, figures);
  });

  test.each([[['run']], [['run', '--units', 'units.ndjson']]])(
    '%s ends at once while it waits for another process',
    async args => {
      const figures = figuresOf([7], '2026-01-01', 72);
      const respond = respondFrom(figures);
      let onQuery: () => void = () => {};
      let release: () => void = () => {};
      const queried = new Promise<void>(resolve => {
        onQuery = resolve;
      });
      const held = new Promise<void>(resolve => {
        release = resolve;
      });
      const { sync, folder } = await syncing(figures, SYNC_FILE, async request => {
        if (request.method === 'POST') {
          onQuery();
          await held;
        }
        return respond(request);
      });
      writeFileSync(join(folder, 'units.ndjson'), (await sync(['plan', '--units'])).stdout);
      const one = sync(args);
      await queried;
      let send: (signal: 'SIGTERM') => void = () => {};
      const other = await sync(args, {
        onSignals(given) {
          send = given;
        },
        async sleep(_, signal) {
          send('SIGTERM');
          signal?.throwIfAborted();
          await setImmediate();
        },
      });
      expect(other).toMatchObject({
        code: 143,
        stderr: expect.stringMatching(/(?:^|\n)error: terminated\n$/),
      });
      release();
      expect((await one).code).toBe(0);
    },
  );

  test('fetches the days that were provisional once more when they are final', async () => {
    const figures = figuresOf([7], '2026-01-01', 100);
    const { sync, lake } = await syncing(figures, SYNC_FILE.replace('pages:', 'pages:\n    partition: day'));
    await sync(['run']);
    const later = await sync(['run', '-o', 'json'], { now: NOON + 20 * DAY_MS });
    // 7 days that were provisional, and 20 new ones.
    expect(JSON.parse(later.stdout).tables[0]).toMatchObject({ partitions: 27, added: 20, unchanged: 7 });
    const again = await sync(['plan', '-o', 'json'], { now: NOON + 20 * DAY_MS });
    expect(JSON.parse(again.stdout)).toMatchObject([{ partitions: 7, reasons: '7 provisional' }]);
    expect(Object.keys(filesOf(lake)).length).toBe(92);
  });

  test('an earlier start, another site and another column are requested, and nothing else', async () => {
    const figures = figuresOf([7], '2025-12-01', 104);
    const { sync, lake, folder } = await syncing(figures);
    const write = (text: string) => writeFileSync(join(folder, 'gatectl.sync.yaml'), text);
    const reasons = async () =>
      JSON.parse((await sync(['plan', '-o', 'json'])).stdout).map(
        (unit: { reasons: string }) => unit.reasons,
      );
    await sync(['run']);
    write(SYNC_FILE.replace('2026-01-01', '2025-12-15'));
    expect(await reasons()).toEqual(['1 new', '1 provisional']);
    figures.set(8, figuresOf([8], '2026-01-01', 72).get(8) ?? new Map());
    expect(await reasons()).toEqual(['1 new', '1 provisional', '4 new']);
    write(SYNC_FILE.replace('[visits, revenue]', '[visits]'));
    expect(await reasons()).toEqual(['3 query', '3 new']);
    await sync(['run']);
    expect(
      await queryLake(lake, 'SELECT count(revenue)::INT AS kept, count(*)::INT AS rows FROM LAKE'),
    ).toEqual([{ kept: 0, rows: 432 }]);
  });
});
