import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { addDays } from '../../src/apis/bda/days.ts';
import { withLock } from '../../src/files/lock.ts';
import { DuckDbSession } from '../../src/sync/destinations/duckdb/session.ts';
import { lockMachine } from '../support/lock-machine.ts';
import { run } from '../support/run.ts';
import { countOf, figuresOf, queriesOf, respondFrom, SYNC_FILE, sumOf, syncing, UNITS } from './source.ts';

const FILE = SYNC_FILE.replace('destination: lake', 'destination: duckdb:analytics.duckdb');

/** Runs statements in a DuckDB file, as a program would that has nothing to do with gatectl; returns the rows of the last one. */
async function inFile(folder: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(join(folder, 'analytics.duckdb'));
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

const TOTALS = `SELECT count(*)::VARCHAR AS rows, sum(visits)::VARCHAR AS visits,
  (sum(revenue) * 1000000000)::DECIMAL(38,0)::VARCHAR AS revenue FROM pages`;

async function expectSameTotals(folder: string, figures: ReturnType<typeof figuresOf>): Promise<void> {
  expect(await inFile(folder, TOTALS)).toEqual([
    {
      rows: String(countOf(figures)),
      visits: String(sumOf(figures, 'visits') / UNITS),
      revenue: String(sumOf(figures, 'revenue')),
    },
  ]);
}

describe('bda sync run to a DuckDB file', () => {
  test('writes a table with a type for each column, and leaves nothing else in the folder', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, folder } = await syncing(figures, FILE);
    expect(await sync(['run'])).toEqual({
      code: 0,
      stdout: `6 partitions written to analytics.duckdb
TABLE  PARTITIONS  ADDED  CHANGED  UNCHANGED  FAILED  ROWS  REQUESTS
pages           6      6        0          0       0   432         2
`,
      stderr: '',
    });
    await expectSameTotals(folder, figures);
    expect(
      await inFile(folder, 'SELECT column_name || $$ $$ || column_type AS c FROM (DESCRIBE pages)'),
    ).toEqual(
      [
        'domain_id BIGINT',
        'domain VARCHAR',
        'report_day DATE',
        'page_url VARCHAR',
        'visits BIGINT',
        'revenue DECIMAL(18,2)',
      ].map(c => ({ c })),
    );
    expect(readdirSync(folder).sort()).toEqual(['analytics.duckdb', 'gatectl.sync.yaml']);
  });

  test('requests only the last days again, replaces what changed and removes what the gateway withdrew', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, folder, server } = await syncing(figures, FILE);
    await sync(['run']);
    const before = server.received.length;
    const again = await sync(['run', '-o', 'json']);
    expect(JSON.parse(again.stdout).tables).toEqual([
      { table: 'pages', partitions: 1, added: 0, changed: 0, unchanged: 1, failed: 0, rows: 39, requests: 1 },
    ]);
    expect(server.received.length - before).toBe(4);
    figures.get(7)?.set('2026-03-10', [{ page: '"/new"', visits: '1', revenue: '0.5' }]);
    for (const day of ['01', '02', '03']) figures.get(7)?.delete(`2026-03-${day}`);
    const ran = await sync(['run', '-o', 'json']);
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ changed: 1, unchanged: 0 });
    await expectSameTotals(folder, figures);
    for (const day of [...(figures.get(7)?.keys() ?? [])]) if (day >= '2026-03') figures.get(7)?.delete(day);
    await sync(['run']);
    await expectSameTotals(folder, figures);
  });

  test('stores the partitions of a page together, of any size', async () => {
    const figures = figuresOf([7], '2026-01-01', 72, (_, day) => day % 5);
    const { sync, folder } = await syncing(figures, `${FILE}    partition: day\n`);
    const transactions = vi.spyOn(DuckDbSession.prototype, 'transaction');
    const statements = vi.spyOn(DuckDbSession.prototype, 'run');
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    expect((await sync(['run'])).stdout).toMatch(/pages +72 +72 /);
    // One for each 32 partitions, and some for the tables.
    expect(transactions.mock.calls.length).toBeLessThan(20);
    const inserts = statements.mock.calls.filter(([sql]) =>
      /INSERT INTO (main."pages"|_gatectl.ledger)/.test(sql),
    );
    expect(inserts.length).toBeLessThan(20);
    await expectSameTotals(folder, figures);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('widens a column of the table and keeps the rows that it has, without requesting them again', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    figures
      .get(8)
      ?.set('2026-02-05', [{ page: '"/wide"', visits: '12345678901234567890', revenue: '0.123456789' }]);
    const { sync, folder, server } = await syncing(figures, FILE);
    await sync(['run', '--domain', 'site-7.example.com']);
    const ran = await sync(['run', '--domain', 'site-8.example.com']);
    expect(ran.stderr).toBe(
      'note: pages, version 2 of its column types: visits: BIGINT -> DECIMAL(38,0), revenue: DECIMAL(18,2) -> DECIMAL(18,9)\n',
    );
    expect(queriesOf(server).filter(({ domain_id }) => domain_id === 7).length).toBe(1);
    await expectSameTotals(folder, figures);
    expect((await sync(['verify'])).code).toBe(0);
    expect(
      await inFile(folder, "SELECT typeof(visits) || ' ' || typeof(revenue) AS t FROM pages LIMIT 1"),
    ).toEqual([{ t: 'DECIMAL(38,0) DECIMAL(18,9)' }]);
    const again = await sync(['run', '-o', 'json']);
    expect(JSON.parse(again.stdout).tables[0]).toMatchObject({ changed: 0, unchanged: 2 });
  });

  test('adds a column that the sync file names later', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const { sync, folder } = await syncing(figures, FILE.replace('[visits, revenue]', '[visits]'));
    await sync(['run']);
    writeFileSync(join(folder, 'gatectl.sync.yaml'), FILE);
    expect((await sync(['run'])).code).toBe(0);
    await expectSameTotals(folder, figures);
  });

  test('finds rows that were edited by hand, and --refetch replaces them', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, folder } = await syncing(figures, FILE);
    await sync(['run']);
    expect((await sync(['verify'])).stdout).toBe(
      '3 partitions with 216 rows compared\nall as at the gateway\n',
    );
    await inFile(
      folder,
      "UPDATE pages SET visits = visits + 1 WHERE report_day = '2026-01-05' AND page_url = '/page-0001'",
      "UPDATE pages SET page_url = '/other' WHERE report_day = '2026-02-05' AND page_url = '/page-0001'",
    );
    const verified = await sync(['verify', '-o', 'json']);
    expect(verified.code).toBe(7);
    expect(JSON.parse(verified.stdout).mismatches).toMatchObject([
      { partition: '2026-01', problem: 'visits on 2026-01-05: 37 here, 36 in the ledger' },
      { partition: '2026-02', problem: 'its rows were changed' },
    ]);
    await sync(['run', '--refetch', '2026-01']);
    await sync(['run', '--refetch', '2026-02']);
    expect((await sync(['verify'])).code).toBe(0);
    await expectSameTotals(folder, figures);
  });

  test('verifies a day whose sum has more digits than a number of DuckDB, and a sum of zero', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const row = { page: '"/"', visits: '9'.repeat(38), revenue: '0' };
    figures.get(7)?.set(
      '2026-03-05',
      ['"/a"', '"/b"', '"/c"'].map(page => ({ ...row, page })),
    );
    const { sync } = await syncing(figures, `${FILE}    types: {revenue: 'decimal(38,36)'}\n`);
    expect((await sync(['run'])).code).toBe(0);
    const verified = await sync(['verify']);
    expect([verified.code, verified.stdout]).toEqual([
      0,
      '3 partitions with 216 rows compared\nall as at the gateway\n',
    ]);
    figures.get(7)?.set('2026-03-05', [row]);
    expect((await sync(['run'])).code).toBe(0);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('finds rows of sites and months that are not in the ledger, and prints the SQL that removes them', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, folder } = await syncing(figures, FILE);
    await sync(['run']);
    const insert = (id: number | null, day: string | null) =>
      `INSERT INTO pages (domain_id, domain, report_day, visits)
         VALUES (${id}, 'x', ${day === null ? null : `'${day}'`}, 1000)`;
    await inFile(
      folder,
      insert(99, '2026-01-05'),
      insert(99, '2026-02-05'),
      insert(7, '2025-12-31'),
      insert(7, '2027-01-01'),
      insert(8, null),
      insert(null, '2026-01-05'),
    );
    const limited = await sync(['verify', '--domain', 'site-8.example.com', '-o', 'json']);
    expect(JSON.parse(limited.stdout).mismatches).toMatchObject([{ domain: 'site-8.example.com' }]);
    const { code, stdout, stderr } = await sync(['verify', '-o', 'json']);
    expect(code).toBe(7);
    const { mismatches } = JSON.parse(stdout);
    const problem = '1 row here, none in the ledger';
    const ofSeven = { table: 'pages', domain: 'site-7.example.com', state: null, problem };
    expect(mismatches).toMatchObject([
      { ...ofSeven, partition: '2025-12' },
      { ...ofSeven, partition: '2027-01' },
      { domain: 'site-8.example.com', partition: null, problem },
      { domain: 'site 99', partition: '2026-01', problem },
      { domain: 'site 99', partition: '2026-02', problem },
      { domain: null, partition: '2026-01', problem },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      message: '6 differences found',
      hints: [
        `remove what no run wrote: DELETE FROM main."pages" WHERE domain_id = 7 AND "report_day" BETWEEN '2025-12-01' AND '2025-12-31'`,
        `remove what no run wrote: DELETE FROM main."pages" WHERE domain_id = 7 AND "report_day" BETWEEN '2027-01-01' AND '2027-01-31'`,
        'remove what no run wrote: DELETE FROM main."pages" WHERE domain_id = 8 AND "report_day" IS NULL',
        '-o json prints 2 more as removal',
      ],
    });
    await inFile(folder, ...mismatches.map(({ removal }: { removal: string }) => removal));
    expect((await sync(['verify'])).code).toBe(0);
    await expectSameTotals(folder, figures);
  });

  test('has rows of a partition that a run is about to write replaced by it', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, folder } = await syncing(figures, FILE);
    await sync(['run', '--domain', 'site-7.example.com']);
    await inFile(folder, "INSERT INTO pages (domain_id, report_day, visits) VALUES (8, '2026-02-05', 1000)");
    const { code, stderr } = await sync(['verify']);
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: 'error: 1 difference found; request the rows again: gatectl bda sync run --refetch 2026-02\n',
    });
    await sync(['run', '--refetch', '2026-02']);
    expect((await sync(['verify'])).code).toBe(0);
    await expectSameTotals(folder, figures);
  });

  test('requests partitions again whose rows, or whose table, somebody deleted', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, folder } = await syncing(figures, FILE);
    await sync(['run']);
    await inFile(folder, "DELETE FROM pages WHERE report_day < '2026-02-01'");
    const plan = await sync(['plan', '-o', 'json']);
    expect(JSON.parse(plan.stdout)[0].reasons).toBe('1 damaged');
    await sync(['run']);
    await expectSameTotals(folder, figures);
    for (const damage of ['DROP TABLE pages', 'ALTER TABLE pages DROP COLUMN revenue']) {
      await inFile(folder, damage);
      expect((await sync(['run'])).code).toBe(0);
      await expectSameTotals(folder, figures);
    }
  });

  test('shows status and history, also of a file that does not exist yet', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 13), FILE);
    expect((await sync(['status', '--jq', '.[0] | [.partitions, .rows]'])).stdout).toBe('[0,0]\n');
    expect((await sync(['history', '--json'])).stdout).toBe('[]\n');
    expect(existsSync(join(folder, 'analytics.duckdb'))).toBe(false);
    await sync(['run']);
    expect((await sync(['status', '--jq', '.[0] | [.partitions, .rows]'])).stdout).toBe('[3,39]\n');
    expect((await sync(['history', '--jq', '.[0] | [.partitions, .requests]'])).stdout).toBe('[3,1]\n');
  });

  test('keeps tables of its own beside those of somebody else', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const { sync, folder } = await syncing(figures, FILE);
    await inFile(folder, 'CREATE TABLE notes AS SELECT 42 AS answer');
    expect((await sync(['run'])).code).toBe(0);
    await expectSameTotals(folder, figures);
    expect(await inFile(folder, 'FROM notes')).toEqual([{ answer: 42 }]);
  });
});

describe('a DuckDB file that cannot be used', () => {
  const figures = figuresOf([7], '2026-03-01', 13);
  const attempt = async (prepare: (folder: string) => Promise<void> | void) => {
    const { sync, folder, server } = await syncing(figures, FILE);
    await prepare(folder);
    const path = join(folder, 'analytics.duckdb');
    const before = readFileSync(path);
    const ran = await sync(['run']);
    expect(server.received).toEqual([]);
    expect(readFileSync(path)).toEqual(before);
    return ran;
  };
  const path = (folder: string) => join(folder, 'analytics.duckdb');

  test('a file of another kind is left as it is', async () => {
    expect(await attempt(folder => writeFileSync(path(folder), 'some notes'))).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: analytics.duckdb is not a DuckDB database
  name another file, which is created
`,
    });
  });

  test('a folder in its place is named', async () => {
    const { sync, folder, server } = await syncing(figures, FILE);
    mkdirSync(path(folder));
    expect(await sync(['run'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: analytics.duckdb is a folder, not a DuckDB file
  name another file, which is created
`,
    });
    expect(server.received).toEqual([]);
  });

  test('one that may be there but cannot be reached is not taken for an empty one', async () => {
    const { sync, folder } = await syncing(figures, FILE);
    symlinkSync('analytics.duckdb', path(folder));
    for (const command of ['status', 'verify', 'history', 'plan'])
      expect([command, await sync([command])]).toMatchObject([
        command,
        { code: 9, stdout: '', stderr: expect.stringContaining('analytics.duckdb') },
      ]);
  });

  test('a table of the same name that no sync wrote is left as it is', async () => {
    const ran = await attempt(folder => inFile(folder, 'CREATE TABLE pages (a INTEGER)').then(() => {}));
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: analytics.duckdb has a table pages, which no sync wrote
  give the table of the sync file another name, or name another file
`,
    });
  });

  test('so is a view, and a schema _gatectl of somebody else', async () => {
    const view = await attempt(folder => inFile(folder, 'CREATE VIEW pages AS SELECT 1').then(() => {}));
    expect(view.stderr).toMatch(/has a table pages, which no sync wrote/);
    const schema = await attempt(folder =>
      inFile(folder, 'CREATE SCHEMA _gatectl; CREATE TABLE _gatectl.x (a INTEGER)').then(() => {}),
    );
    expect(schema.stderr).toMatch(/has a schema _gatectl, which no sync wrote/);
  });

  test('one of a newer gatectl is not touched', async () => {
    const ran = await attempt(async folder => {
      const other = await syncing(figures, FILE);
      await other.sync(['run']);
      await inFile(other.folder, 'UPDATE _gatectl.format SET version = 99');
      writeFileSync(path(folder), readFileSync(path(other.folder)));
    });
    expect(ran).toEqual({
      code: 9,
      stdout: '',
      stderr:
        'error: analytics.duckdb was written by a newer version of gatectl\n  update gatectl, or choose another destination\n',
    });
  });

  test('one of a newer DuckDB is not touched', async () => {
    const ran = await attempt(async folder => {
      await inFile(folder, 'CREATE TABLE notes (a INTEGER)');
      const bytes = readFileSync(path(folder));
      bytes.writeBigUInt64LE(200n, 12);
      writeFileSync(path(folder), bytes);
      const problem = await inFile(folder).catch((error: Error) => error.message);
      bytes.writeBigUInt64LE(BigInt(/computed checksum (\d+)/.exec(String(problem))?.[1] ?? 0), 0);
      writeFileSync(path(folder), bytes);
    });
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: analytics.duckdb was written by a newer version of DuckDB
  install that version: npm install -g @duckdb/node-api@latest
`,
    });
  });

  test('one that another process has open is not touched', async () => {
    const ran = await attempt(async folder => {
      await inFile(folder, 'CREATE TABLE notes (a INTEGER)');
      await openElsewhere(folder, 'READ_WRITE');
    });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(IN_USE);
  });
});

const IN_USE = /^error: analytics\.duckdb is in use by node \(process \d+\)\n {2}close it there/;

/** Opens the DuckDB file in a program that has nothing to do with gatectl; resolves to what ends it. */
async function openElsewhere(
  folder: string,
  access_mode: 'READ_ONLY' | 'READ_WRITE',
): Promise<() => Promise<void>> {
  const path = JSON.stringify(join(folder, 'analytics.duckdb'));
  const script = `const { DuckDBInstance } = require('@duckdb/node-api');
    DuckDBInstance.create(${path}, { access_mode: '${access_mode}' }).then(i => i.connect()).then(c => { console.log('open'); setInterval(() => c, 1000); });`;
  const other = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(other, 'exit');
  const end = async () => {
    other.kill('SIGKILL');
    await ended;
  };
  onTestFinished(end);
  await once(other.stdout, 'data');
  return end;
}

describe('a DuckDB file that is in use', () => {
  const READS = [['status'], ['history'], ['plan'], ['verify']];

  /** A synced file, open in a process that holds gatectl's lock of it, as a run does; `end` ends that process. */
  async function duringRun() {
    const synced = await syncing(figuresOf([7], '2026-03-01', 13), FILE);
    await synced.sync(['run']);
    const close = await openElsewhere(synced.folder, 'READ_WRITE');
    let release: () => void = () => {};
    const ended = new Promise<void>(resolve => {
      release = resolve;
    });
    let held: Promise<void> = Promise.resolve();
    const path = join(synced.folder, 'analytics.duckdb');
    await new Promise<void>(resolve => {
      held = withLock(path, { machine: lockMachine, wait: 0 }, async () => {
        resolve();
        await ended;
      });
    });
    const end = async () => {
      await close();
      release();
      await held;
    };
    onTestFinished(end);
    return { ...synced, end };
  }

  test('a command that reads waits for a run, but not long', async () => {
    const { sync, end } = await duringRun();
    for (const args of READS)
      expect(await sync(args, { sleep: async () => {} })).toEqual({
        code: 2,
        stdout: '',
        stderr: 'error: analytics.duckdb is locked by another process\n  wait until that process ends\n',
      });
    expect(await sync(['status'], { sleep: end })).toMatchObject({ code: 0, stderr: '' });
  });

  test('a query waits for a run', async () => {
    const { folder, end } = await duringRun();
    const sql = (sleep: () => Promise<void>) =>
      run(['bda', 'sql', 'SELECT count(*) AS n FROM pages', '--sync', 'gatectl.sync.yaml', '-o', 'csv'], {
        cwd: folder,
        sleep,
      });
    expect(await sql(async () => {})).toMatchObject({ code: 2, stdout: '' });
    expect(await sql(end)).toMatchObject({ code: 0, stdout: 'n\n39\n' });
  });

  test('a command that reads does not wait for another program', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 13), FILE);
    await sync(['run']);
    await openElsewhere(folder, 'READ_WRITE');
    const sleep = () => Promise.reject(new Error('it waits'));
    for (const args of READS) {
      const { code, stderr } = await sync(args, { sleep });
      expect(code).toBe(2);
      expect(stderr).toMatch(IN_USE);
    }
  });

  test('a run waits for those that read it', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 13), FILE);
    await sync(['run']);
    const end = await openElsewhere(folder, 'READ_ONLY');
    expect(await sync(['run', '--quiet'], { sleep: async () => {} })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(IN_USE),
    });
    const { code, stderr } = await sync(['run'], { sleep: end });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^note: analytics\.duckdb is in use by node \(process \d+\); waiting until it ends\n$/,
    );
  });
});

test('the units of a plan are written to a DuckDB file, and their run is recorded', async () => {
  const figures = figuresOf([7, 8, 9, 10, 11], '2026-01-01', 72);
  const { sync, folder } = await syncing(figures, FILE);
  writeFileSync(join(folder, 'units.ndjson'), (await sync(['plan', '--units'])).stdout);
  expect(await sync(['run', '--units', 'units.ndjson', '--quiet'])).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
  await expectSameTotals(folder, figures);
  expect(JSON.parse((await sync(['history', '-o', 'json'])).stdout)).toMatchObject([{ added: 15 }]);
});

test('a sync that fails for one site writes the other ones', async () => {
  const figures = figuresOf([7, 8], '2026-03-01', 13);
  const respond = respondFrom(figures);
  const { sync, folder } = await syncing(figures, FILE, request =>
    request.body.includes('"domain_id":8')
      ? { status: 400, body: '{"error":{"code":"validation_error","message":"no"}}' }
      : respond(request),
  );
  expect((await sync(['run'])).code).toBe(7);
  expect(await inFile(folder, 'SELECT DISTINCT domain_id FROM pages')).toEqual([{ domain_id: '7' }]);
});

test('a table of 1,200 columns and 60 days fits into the memory of DuckDB', async () => {
  const names = Array.from({ length: 1200 }, (_, index) => `metric_${index}`);
  const days = Array.from({ length: 60 }, (_, index) => addDays('2026-01-01', index));
  const rows = days.map(day =>
    JSON.stringify({ report_day: day, ...Object.fromEntries(names.map(name => [name, 12])) }),
  );
  const columns = ['report_day', ...names].map(name => ({ name, type: 'number', data_sets: ['pageview'] }));
  const { sync } = await syncing(
    new Map(),
    `destination: duckdb:wide.duckdb
tables:
  wide:
    data_set: pageview
    metrics: [${names.join(', ')}]
    start: 2026-01-01
    end: 2026-03-01
`,
    ({ method, target }) => {
      if (method === 'POST') return { body: `{"rows":[${rows.join(',')}],"total_rows":${rows.length}}` };
      if (target.endsWith('/domains'))
        return { body: '{"domains":[{"id":7,"domain":"site-7.example.com"}]}' };
      return { body: JSON.stringify({ columns }) };
    },
  );
  expect(await sync(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
});
