import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ownerName } from '../../src/sync/destinations/clickhouse/owners.ts';
import { startGatectl } from '../support/gatectl.ts';
import { type InProcessOptions, NOON, run } from '../support/run.ts';
import { wireServer } from '../support/wire-server.ts';
import { type Figures, figuresOf, respondFrom, SYNC_FILE, type SyncRuns, syncing } from '../sync/source.ts';
import { expectCells } from './clickhouse-cells.ts';
import {
  type ClickHouseServer,
  clickHouseServers,
  PASSWORD,
  program,
  READER,
  STRANGER,
  USER,
} from './servers/clickhouse.ts';
import { proxyTo } from './support.ts';

const LOGIN = { CLICKHOUSE_USER: USER, CLICKHOUSE_PASSWORD: PASSWORD };
let server: ClickHouseServer;
let databases = 0;

beforeAll(async () => {
  [server] = (await clickHouseServers(1)) as [ClickHouseServer];
  if (program.find() !== undefined) await server.start();
});
afterAll(() => server?.remove());

interface Synced {
  readonly name: string;
  run(args: readonly string[], options?: InProcessOptions): ReturnType<SyncRuns['sync']>;
  /** What a run with JSON output says of the table. */
  counts(): Promise<unknown>;
}

/** A sync of some figures into a database of its own. */
async function synced(figures: Figures, file = SYNC_FILE, reply = respondFrom(figures)): Promise<Synced> {
  databases += 1;
  const name = `d${databases}`;
  await server.query(`CREATE DATABASE ${name}`);
  const destination = `clickhouse://127.0.0.1:${server.http}/${name}`;
  const { sync } = await syncing(
    figures,
    file.replace('destination: lake', `destination: ${destination}`),
    reply,
  );
  const runSync: Synced['run'] = (args, options = {}) => sync(args, { env: LOGIN, ...options });
  return {
    name,
    run: runSync,
    counts: async () => {
      const ran = await runSync(['run', '-o', 'json']);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(ran.stdout).tables[0];
    },
  };
}

const tablesOf = (name: string) =>
  server.query(`SELECT name FROM system.tables WHERE database = '${name}' ORDER BY name`);

describe.skipIf(program.find() === undefined)('bda sync run into ClickHouse', () => {
  test('writes every cell, and nothing else remains', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { name, run } = await synced(figures);
    expect(await run(['run'])).toEqual({
      code: 0,
      stdout: `6 partitions written to clickhouse://127.0.0.1:${server.http}/${name}
TABLE  PARTITIONS  ADDED  CHANGED  UNCHANGED  FAILED  ROWS  REQUESTS
pages           6      6        0          0       0   432         2
`,
      stderr: '',
    });
    await expectCells(figures, [server], name);
    expect(await tablesOf(name)).toEqual(['_gatectl_ledger', '_gatectl_state', 'pages']);
    expect(await server.query(`DESCRIBE TABLE ${name}.pages FORMAT TabSeparated`)).toEqual(
      [
        'domain_id\tInt64',
        'domain\tString',
        'report_day\tDate',
        'page_url\tNullable(String)',
        'visits\tNullable(Int64)',
        'revenue\tNullable(Decimal(18, 2))',
      ].map(column => `${column}\t\t\t`),
    );
    const partitions = await server.query(
      `SELECT DISTINCT partition FROM system.parts WHERE active AND database = '${name}' AND table = 'pages' ORDER BY partition`,
    );
    expect(partitions).toEqual(
      [7, 8].flatMap(id => ['202601', '202602', '202603'].map(month => `(${id},${month})`)),
    );
  });

  test('keeps rows aside that only a double could hold, and leaves those of its table', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { name, run } = await synced(figures);
    expect(await run(['run', '--quiet'])).toMatchObject({ code: 0 });
    const day = figures.get(7)?.get('2026-03-05') ?? [];
    const [row, ...others] = day;
    if (row !== undefined) figures.get(7)?.set('2026-03-05', [{ ...row, revenue: '1e308' }, ...others]);
    expect(await run(['run', '--quiet'])).toMatchObject({ code: 7 });
    const [{ quarantined }] = JSON.parse((await run(['status', '-o', 'json'])).stdout);
    expect(quarantined).toMatchObject([{ partition: '2026-03', rows: 39 }]);
    figures.get(7)?.set('2026-03-05', day);
    await expectCells(figures, [server], name);
    expect(await run(['run', '--quiet', '--refetch', '2026-03'])).toMatchObject({ code: 0 });
    expect(JSON.parse((await run(['status', '-o', 'json'])).stdout)[0].quarantined).toEqual([]);
  });

  test('requests only the last days again, and leaves equal rows as they are', async () => {
    const { counts } = await synced(figuresOf([7], '2026-01-01', 72));
    await counts();
    expect(await counts()).toMatchObject({ partitions: 1, unchanged: 1, changed: 0 });
  });

  test('replaces what changed, and removes what the gateway withdrew', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { name, counts } = await synced(figures);
    await counts();
    figures.get(7)?.set('2026-03-10', [{ page: '"/new"', visits: '1', revenue: '0.5' }]);
    for (const day of ['01', '02', '03']) figures.get(7)?.delete(`2026-03-${day}`);
    expect(await counts()).toMatchObject({ changed: 1, unchanged: 0 });
    await expectCells(figures, [server], name);
    for (const day of [...(figures.get(7)?.keys() ?? [])]) if (day >= '2026-03') figures.get(7)?.delete(day);
    expect(await counts()).toMatchObject({ changed: 1, rows: 0 });
    await expectCells(figures, [server], name);
    expect(await counts()).toMatchObject({ unchanged: 1, rows: 0 });
  });

  test('keeps all digits and characters, while types become wider in place', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { name, run } = await synced(figures);
    await run(['run']);
    const strange = ['tab\there', 'line\nbreak', 'back\\slash', "quote'", 'ünï ✓', '\\N', '', '\r', '\0'];
    figures.get(7)?.set(
      '2026-03-10',
      strange.map((page, index) => ({
        page: JSON.stringify(page),
        visits: `${index + 1}123456789012345678`,
        revenue: `${index === 0 ? '-' : ''}12345678901234${index}.000000001`,
      })),
    );
    const ran = await run(['run']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(
      /^note: pages, version 2 of its column types: visits: BIGINT -> DECIMAL\(38,0\), revenue: /,
    );
    const types = await server.query(
      `SELECT name, type FROM system.columns WHERE database = '${name}' AND table = 'pages' AND name IN ('visits', 'revenue') FORMAT TabSeparated`,
    );
    expect(types).toEqual(['visits\tNullable(Decimal(38, 0))', 'revenue\tNullable(Decimal(38, 9))']);
    const rows = await server.query(
      `SELECT hex(page_url), visits, revenue FROM ${name}.pages WHERE report_day = '2026-03-10' ORDER BY visits FORMAT TabSeparated`,
    );
    expect(rows).toEqual(
      strange.map(
        (page, index) =>
          `${Buffer.from(page).toString('hex').toUpperCase()}\t${index + 1}123456789012345678\t${index === 0 ? '-' : ''}12345678901234${index}.000000001`,
      ),
    );
    expect((await run(['verify'])).stderr).toBe('');
  });

  test('has true where the gateway has it, also in rows that were stored before the column became text', async () => {
    const figures = figuresOf([7], '2026-02-01', 0);
    const rowsWith = (...pages: readonly string[]) =>
      pages.map((page, index) => ({ page, visits: String(index), revenue: '1' }));
    figures.get(7)?.set('2026-02-01', rowsWith('true', 'false', 'null'));
    const { name, run } = await synced(figures);
    const pages = () =>
      server.query(`SELECT page_url FROM ${name}.pages ORDER BY report_day, visits FORMAT TabSeparated`);
    const typeOf = () =>
      server.query(
        `SELECT type FROM system.columns WHERE database = '${name}' AND table = 'pages' AND name = 'page_url'`,
      );
    expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await pages()).toEqual(['1', '0', '\\N']);
    // A run that is killed may leave the column in another form than is recorded.
    for (const type of ["Enum8('false' = 0, 'true' = 1)", 'String']) {
      await server.query(
        `ALTER TABLE ${name}.pages MODIFY COLUMN page_url Nullable(Enum8('false' = 0, 'true' = 1))`,
      );
      await server.query(`ALTER TABLE ${name}.pages MODIFY COLUMN page_url Nullable(${type})`);
      expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(await pages()).toEqual(['1', '0', '\\N']);
      expect(await typeOf()).toEqual(['Nullable(UInt8)']);
    }
    figures.get(7)?.set('2026-03-10', rowsWith('"/home"', 'true'));
    expect(await run(['run', '--quiet'])).toMatchObject({ code: 0, stdout: '' });
    expect(await pages()).toEqual(['true', 'false', '\\N', '/home', 'true']);
    expect(await typeOf()).toEqual(['Nullable(String)']);
    expect(await run(['verify', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('compares sums of 38 digits, and does not lose any in a column that becomes text', async () => {
    const figures = figuresOf([7], '2026-02-01', 1, () => 1);
    const digits = '12345678901234567890123456789012345678';
    const rows = [{ page: digits, visits: '1', revenue: digits }];
    figures.get(7)?.set('2026-02-01', rows);
    const { name, run } = await synced(figures);
    expect(await run(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await run(['verify', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    figures.get(7)?.set('2026-03-10', [{ page: '"/home"', visits: '1', revenue: '1' }]);
    const again = await run(['run', '--quiet']);
    const stored = await server.query(
      `SELECT page_url, revenue FROM ${name}.pages WHERE report_day = '2026-02-01'`,
    );
    expect(stored).toEqual([`${digits}\t${digits}`]);
    // Old versions print such numbers wrongly as text.
    const [printed] = await server.query(`SELECT toString(toDecimal128('${digits}', 0))`);
    if (printed === digits) expect(again).toEqual({ code: 0, stdout: '', stderr: '' });
    else {
      expect(again.code).toBe(2);
      expect(again.stderr).toMatch(
        /^error: ClickHouse [\d.]+ at \S+ cannot make the numbers of pages.page_url text: it loses digits\n {2}upgrade the server, or/,
      );
    }
  });

  test('rejects a column with the name of one that every table has', async () => {
    const file = SYNC_FILE.replace('page_url', '_part').replace('2026-01-01', '2026-03-01');
    const respond = respondFrom(figuresOf([7], '2026-03-01', 3));
    const { run } = await synced(new Map(), file, request => {
      const { body = '', ...reply } = respond({
        ...request,
        body: request.body.replace('_part', 'page_url'),
      });
      return { ...reply, body: String(body).replaceAll('page_url', '_part') };
    });
    expect(await run(['run'])).toMatchObject({
      code: 2,
      stderr: `error: ClickHouse has a column _part of its own in each table
  omit the column, or choose another destination
`,
    });
  });

  test('creates a table and a column again that somebody dropped, and requests what was lost', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { name, run, counts } = await synced(figures);
    await counts();
    await server.query(`DROP TABLE ${name}.pages`);
    expect(await counts()).toMatchObject({ partitions: 6 });
    await expectCells(figures, [server], name);
    for (const column of ['visits', 'page_url']) {
      await server.query(`ALTER TABLE ${name}.pages DROP COLUMN ${column}`);
      if (column === 'visits') expect(await run(['verify', '--quiet'])).toMatchObject({ code: 7 });
      expect(await counts()).toMatchObject({ partitions: 6, changed: 6 });
      await expectCells(figures, [server], name);
      expect(await counts()).toMatchObject({ partitions: 2, unchanged: 2 });
    }
  });

  test('changes columns at once, although a process of this machine was killed while it did', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { name, counts } = await synced(figures);
    const ended = { pid: 999, host: 'test', boot: 'this boot', pidNamespace: undefined, startTime: '1' };
    const owner = ownerName({ identify: () => ended, find: () => undefined });
    await server.query(`CREATE TABLE ${name}._gatectl_lock_pages (held_${owner} UInt8) ENGINE = TinyLog`);
    await counts();
    await expectCells(figures, [server], name);
    expect(await tablesOf(name)).toEqual(['_gatectl_ledger', '_gatectl_state', 'pages']);
  });

  test('partitions by day, adds columns, and leaves removed ones empty', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const file = SYNC_FILE.replace('pages:', 'pages:\n    partition: day').replace(', revenue]', ']');
    const { name, run } = await synced(figures, file);
    await run(['run']);
    const partitions = await server.query(
      `SELECT count() FROM (SELECT DISTINCT partition FROM system.parts WHERE active AND database = '${name}' AND table = 'pages')`,
    );
    expect(partitions).toEqual(['13']);
    expect((await run(['verify'])).code).toBe(0);
  });

  test('finds rows that were edited by hand, and repairs them', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { name, run, counts } = await synced(figures);
    await counts();
    await server.query(
      `INSERT INTO ${name}.pages (domain_id, domain, report_day, visits) VALUES (7, 'site-7.example.com', '2026-01-05', 9)`,
    );
    const verified = await run(['verify', '-o', 'json']);
    expect(verified.code).toBe(7);
    expect(JSON.parse(verified.stdout).mismatches).toEqual([
      {
        table: 'pages',
        domain: 'site-7.example.com',
        partition: '2026-01',
        state: 'final',
        problem: '2026-01-05: 4 rows here, 3 in the ledger',
      },
    ]);
    const plan = JSON.parse((await run(['plan', '-o', 'json'])).stdout);
    expect(plan.map((unit: { reasons: string }) => unit.reasons)).toEqual(['1 damaged', '1 provisional']);
    await counts();
    await expectCells(figures, [server], name);
    // As many rows with other figures.
    await server.query(`ALTER TABLE ${name}.pages DROP PARTITION (7, 202602)`);
    await server.query(
      `INSERT INTO ${name}.pages (domain_id, domain, report_day, visits) SELECT 7, '', toDate('2026-02-01') + number % 28, 1 FROM numbers(84)`,
    );
    const again = JSON.parse((await run(['verify', '-o', 'json'])).stdout);
    expect(again.mismatches).toMatchObject([
      { partition: '2026-02', problem: expect.stringMatching(/^visits on /) },
    ]);
    expect((await run(['run', '--refetch', '2026-02'])).code).toBe(0);
    await expectCells(figures, [server], name);
  });

  test('finds rows of sites and months that are not in the ledger, and prints the SQL that removes them', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { name, run, counts } = await synced(figures);
    await counts();
    await server.query(
      `INSERT INTO ${name}.pages (domain_id, domain, report_day, visits) VALUES (99, '', '2026-01-05', 1), (7, '', '2027-01-05', 1)`,
    );
    const { code, stdout, stderr } = await run(['verify', '-o', 'json']);
    expect(code).toBe(7);
    const problem = '1 row here, none in the ledger';
    expect(JSON.parse(stdout).mismatches).toMatchObject([
      { domain: 'site-7.example.com', partition: '2027-01', problem },
      { domain: 'site 99', partition: '2026-01', problem },
    ]);
    for (const hint of JSON.parse(stderr).error.hints)
      await server.query(hint.replace('remove what no run wrote: ', ''));
    expect(await run(['verify', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    await expectCells(figures, [server], name);
  });

  test('two runs at once take turns', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { name, run } = await synced(figures);
    const [one, two] = await Promise.all([run(['run', '-o', 'json']), run(['run', '-o', 'json'])]);
    expect([one.code, two.code]).toEqual([0, 0]);
    const partitions = [one, two].map(({ stdout }) => JSON.parse(stdout).tables[0].partitions).sort();
    expect(partitions).toEqual([2, 6]);
    expect(one.stderr + two.stderr).toMatch(/^note: clickhouse:.* is locked by .*; waiting until it ends\n$/);
    await expectCells(figures, [server], name);
  });

  test('status and history read what was recorded', async () => {
    const { run } = await synced(figuresOf([7], '2026-01-01', 72));
    await run(['run']);
    await run(['run'], { now: NOON + 1000 });
    const status = JSON.parse((await run(['status', '-o', 'json'])).stdout);
    expect(status).toMatchObject([{ table: 'pages', sites: 1, partitions: 3, rows: 216, schema: 1 }]);
    const history = JSON.parse((await run(['history', '-o', 'json'])).stdout);
    expect(history).toMatchObject([{ partitions: 1 }, { partitions: 3 }]);
  });
});

describe.skipIf(program.find() === undefined)('a sync that ClickHouse cannot store', () => {
  const errorOf = async (file: string, env: Readonly<Record<string, string>> = LOGIN) => {
    const { sync } = await syncing(figuresOf([7], '2026-03-01', 13), file);
    const { code, stdout, stderr } = await sync(['run'], { env });
    expect(stdout).toBe('');
    expect(stderr).not.toContain(PASSWORD);
    return { code, stderr };
  };
  const to = (destination: string) => SYNC_FILE.replace('destination: lake', `destination: ${destination}`);

  test('with a wrong password exits 4', async () => {
    const address = `127.0.0.1:${server.http}`;
    expect(await errorOf(to(`clickhouse://${address}`), { ...LOGIN, CLICKHOUSE_PASSWORD: 'other' })).toEqual({
      code: 4,
      stderr: `error: ClickHouse at ${address} rejected the user loader: Wrong password for user loader
  set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, as for clickhouse-client
`,
    });
  });

  test('without the database names the command that creates it', async () => {
    const address = `127.0.0.1:${server.http}`;
    expect(await errorOf(to(`clickhouse://${address}/nowhere`))).toEqual({
      code: 2,
      stderr: `error: ClickHouse at ${address} has no database nowhere
  create it: clickhouse-client --query 'CREATE DATABASE nowhere'
`,
    });
  });

  test('as a user who may only read exits 4', async () => {
    const address = `127.0.0.1:${server.http}`;
    await server.query('CREATE DATABASE readable');
    expect(
      await errorOf(to(`clickhouse://${address}/readable`), { ...LOGIN, CLICKHOUSE_USER: READER }),
    ).toEqual({
      code: 4,
      stderr: `error: ClickHouse at ${address} does not let viewer do this: Cannot create table in readonly mode
  give viewer a settings profile with readonly = 0
`,
    });
  });

  test('as a user of other databases exits 4', async () => {
    const address = `127.0.0.1:${server.http}`;
    expect(
      await errorOf(to(`clickhouse://${address}/readable`), { ...LOGIN, CLICKHOUSE_USER: STRANGER }),
    ).toEqual({
      code: 4,
      stderr: `error: ClickHouse at ${address} does not let stranger do this: Access denied to database readable for user stranger
  add readable to allow_databases of stranger in users.xml
`,
    });
  });

  test.each([
    [
      'a day that its dates do not contain',
      ['"1969-07-20"', '1'],
      'page_url as it is: the day 1969-07-20 is not between 1970-01-01 and 2105-12-31',
    ],
    [
      'a number with too many digits',
      ['"/page"', '1234567890123456789012345678901234567890.123'],
      'visits as it is: numbers that are too long for it, such as 1234567890123456789012345678901234567890.123',
    ],
  ])('with %s names the column', async (_, [page = '', visits = ''], why) => {
    const figures = figuresOf([7], '2026-03-01', 1, () => 0);
    figures.get(7)?.set('2026-03-01', [{ page, visits, revenue: '1' }]);
    const { name, run: sync } = await synced(figures);
    const { code, stdout } = await sync(['run', '-o', 'json']);
    expect(code).toBe(7);
    expect(JSON.parse(stdout).failures).toMatchObject([
      { error: `clickhouse://127.0.0.1:${server.http}/${name} cannot store the column ${why}` },
    ]);
  });

  test('does not touch a table of another program', async () => {
    const address = `127.0.0.1:${server.http}`;
    await server.query('CREATE DATABASE taken');
    await server.query('CREATE TABLE taken.pages (a Int64) ENGINE = MergeTree ORDER BY a');
    expect(await errorOf(to(`clickhouse://${address}/taken`))).toEqual({
      code: 2,
      stderr: `error: taken on ${address} has a table pages, which no sync wrote
  give the table of the sync file another name, or name another database
`,
    });
  });

  test('on the port of clickhouse-client names the right one', async () => {
    expect(await errorOf(to(`clickhouse://127.0.0.1:${server.tcp}`))).toEqual({
      code: 6,
      stderr: `error: cannot reach ClickHouse at 127.0.0.1:${server.tcp}: the port is not that of its HTTP interface
  name the HTTP port: ${server.http}
`,
    });
  });

  test('with TLS on a port without names the URL', async () => {
    const { code, stderr } = await errorOf(to(`clickhouses://127.0.0.1:${server.http}/default`));
    expect(code).toBe(6);
    // Such a server closes the connection, or waits for the rest of what it takes for a request.
    expect(stderr).toMatch(/: (the port does not use TLS|it did not respond in time)\n/);
    expect(stderr).toMatch(new RegExp(`TLS: clickhouse://127.0.0.1:${server.http}/default\n$`));
  });

  test('at a server that never responds exits 6 after ten seconds', async () => {
    const silent = await proxyTo(server.http);
    onTestFinished(() => silent.close());
    silent.silentAfter(0);
    for (const [scheme, hint] of [
      ['clickhouse', 'if the server expects TLS, use clickhouses://'],
      ['clickhouses', `if the port does not use TLS: clickhouse://127.0.0.1:${silent.port}/default`],
    ]) {
      const { code, stderr } = await errorOf(to(`${scheme}://127.0.0.1:${silent.port}/default`));
      expect([code, stderr]).toEqual([
        6,
        `error: cannot reach ClickHouse at 127.0.0.1:${silent.port}: it did not respond in time\n  ${hint}\n`,
      ]);
    }
  });

  test('where no server runs exits 6', async () => {
    const { code, stderr } = await errorOf(to('clickhouse://127.0.0.1:1'));
    expect(code).toBe(6);
    expect(stderr).toBe(`error: cannot reach ClickHouse at 127.0.0.1:1: connection refused by 127.0.0.1:1
  check that the server runs, and its HTTP port
`);
  });

  test('on a server that is too old says so', async () => {
    const old = await wireServer(() => ({ body: '{"version":"1.1.54390"}\n' }));
    const address = new URL(old.baseUrl).host;
    const { code, stderr } = await errorOf(to(`clickhouse://${address}`));
    await old.close();
    expect(code).toBe(2);
    expect(stderr).toBe(`error: ClickHouse at ${address} has version 1.1.54390, which is too old
  gatectl requires version 18.16; a current version is recommended
`);
  });

  test.each([
    ['clickhouse://loader:word@db.example.com/a', 'the destination contains a password'],
    ['clickhouse://db.example.com/a?password=word', 'the destination contains a password'],
    ['clickhouse://db.example.com/a?clustr=main', 'a destination in ClickHouse has no parameter clustr'],
    ['clickhouse://db.example.com/a?shards=a:1', 'shards= requires cluster='],
    ['clickhouse://db.example.com/a?cluster=main&shards=a', 'shards= contains "a"'],
    ['clickhouse:///a', 'clickhouse:///a names no server'],
  ])('%s: %s', async (destination, message) => {
    const { code, stderr } = await errorOf(to(destination));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/:word|=word/);
  });
});

const certificate = (name: string) => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));

describe.skipIf(program.find() === undefined)('ClickHouse with TLS', () => {
  let secure: ClickHouseServer;
  beforeAll(async () => {
    [secure] = (await clickHouseServers(1, {
      tls: { certificate: certificate('local.pem'), key: certificate('local.key') },
    })) as [ClickHouseServer];
    await secure.start();
    await secure.query('CREATE DATABASE stats');
  });
  afterAll(() => secure?.remove());

  const runTo = async (destination: string, env: Readonly<Record<string, string>> = {}) => {
    const { server: gateway, folder } = await syncing(
      figuresOf([7], '2026-03-01', 3),
      SYNC_FILE.replace('destination: lake', `destination: ${destination}`),
    );
    const { exitCode, stderr } = await startGatectl(['bda', 'sync', 'run', '--quiet'], {
      cwd: folder,
      env: {
        ...LOGIN,
        ...env,
        HOME: folder,
        GATECTL_BASE_URL: gateway.baseUrl,
        GATECTL_API_KEY: 'key-for-sync-0001',
        GATECTL_CONFIG_DIR: folder,
      },
    });
    expect(stderr).not.toContain(PASSWORD);
    return { code: exitCode, stderr };
  };

  test('is written to if its certificate is trusted', async () => {
    const url = `clickhouses://127.0.0.1:${secure.secure}/stats`;
    expect(await runTo(url, { NODE_EXTRA_CA_CERTS: certificate('authority.pem') })).toEqual({
      code: 0,
      stderr: '',
    });
    expect(await secure.query('SELECT count() FROM stats.pages')).toEqual(['9']);
  });

  test('whose certificate is not trusted is an error that says how to trust it', async () => {
    expect(await runTo(`clickhouses://127.0.0.1:${secure.secure}/stats`)).toEqual({
      code: 6,
      stderr: `error: cannot reach ClickHouse at 127.0.0.1:${secure.secure}: the server's TLS certificate comes from an authority that is not trusted here
  if a private certificate authority signed the certificate, trust it: NODE_EXTRA_CA_CERTS=FILE
`,
    });
  });

  test('on its TLS port without TLS names the scheme', async () => {
    expect(await runTo(`clickhouse://127.0.0.1:${secure.secure}/stats`)).toEqual({
      code: 6,
      stderr: `error: cannot reach ClickHouse at 127.0.0.1:${secure.secure}: the connection was closed before the response was complete
  if the server expects TLS, use clickhouses://
`,
    });
  });
});

describe.skipIf(program.find() === undefined)('doctor, with a destination in ClickHouse', () => {
  const doctorOf = async (destination: string, env: Readonly<Record<string, string>> = LOGIN) => {
    const { folder } = await syncing(
      new Map(),
      SYNC_FILE.replace('destination: lake', `destination: ${destination}`),
    );
    const { code, stdout } = await run(['doctor', '--sandbox', '--json'], { cwd: folder, env });
    const findings = JSON.parse(stdout) as Record<string, string>[];
    return { code, sync: findings.filter(({ area }) => area === 'sync') };
  };

  test('checks version, encryption, rights, parts and space, and changes nothing', async () => {
    await server.query('CREATE DATABASE examined');
    const { code, sync } = await doctorOf(`clickhouse://127.0.0.1:${server.http}/examined`);
    expect(code).toBe(0);
    const url = `clickhouse://127.0.0.1:${server.http}/examined`;
    const [version] = await server.query('SELECT version()');
    expect(sync.map(({ check, state, found }) => [check, state, found])).toEqual([
      ['file', 'ok', `gatectl.sync.yaml: 1 table in ${url}`],
      ['destination', 'ok', `${url} can be used`],
      ['encryption', 'ok', 'none, on this machine'],
      ['version', 'ok', `ClickHouse ${version}`],
      ['rights', 'ok', 'the user loader may write; this version does not report its grants'],
      ['parts', 'ok', '0 in the database examined'],
      ['space', 'ok', 'the database has 0 B; this version of ClickHouse does not report free space'],
    ]);
    expect(await tablesOf('examined')).toEqual([]);
  });

  test('says how a user who may only read is given rights', async () => {
    const { code, sync } = await doctorOf(`clickhouse://127.0.0.1:${server.http}/examined`, {
      ...LOGIN,
      CLICKHOUSE_USER: READER,
    });
    expect(code).toBe(4);
    expect(sync.find(({ check }) => check === 'rights')).toMatchObject({
      state: 'wrong',
      found: 'the user viewer may only read',
      advice: 'give viewer a settings profile with readonly = 0 and allow_ddl = 1',
    });
  });
});
