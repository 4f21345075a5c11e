import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { standingOf } from '../../src/config/trust.ts';
import { parseAddress } from '../../src/sync/destinations/clickhouse/address.ts';
import { Server } from '../../src/sync/destinations/clickhouse/server.ts';
import { Session } from '../../src/sync/destinations/postgres/session.ts';
import { postgresSettings } from '../../src/sync/destinations/postgres/settings.ts';
import { reachOf } from '../../src/sync/destinations/reach.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type InProcessOptions, run } from '../support/run.ts';
import { figuresOf, queriesOf, SYNC_FILE, syncing } from './source.ts';

const to = (destination: string) => SYNC_FILE.replace('destination: lake', `destination: ${destination}`);
const PG = 'postgres://loader@db.example.com/analytics';
const SECRETS = {
  PGPASSWORD: 'pg-secret-1',
  CLICKHOUSE_PASSWORD: 'ch-secret-1',
  AWS_SECRET_ACCESS_KEY: 'aws-1',
};

/** A cloned repository with a sync file, and a user with a home of his own. */
async function cloned(destination: string, extra: Record<string, string> = {}) {
  const runs = await syncing(figuresOf([7], '2026-03-01', 13), to(destination));
  const home = temporaryFolder();
  const env = { GATECTL_CONFIG_DIR: join(home, 'gatectl'), HOME: home, ...SECRETS, ...extra };
  const sync = (args: readonly string[], options: InProcessOptions = {}) =>
    runs.sync(args, { ...options, env: { ...env, ...options.env } });
  const gatectl = (args: readonly string[], options: InProcessOptions = {}) =>
    run(args, { cwd: runs.folder, ...options, env: { ...env, TZ: 'UTC', ...options.env } });
  const store = join(home, 'gatectl', 'trust.json');
  const rewrite = (text: string) => writeFileSync(join(runs.folder, 'gatectl.sync.yaml'), text);
  return { ...runs, sync, gatectl, store, rewrite };
}

/** The targets of a destination that are not trusted in an environment. */
async function untrusted(destination: string, env: Record<string, string>) {
  const reach = await reachOf('/srv/a.yaml', { destination, tables: [], folder: '/srv', env });
  const system = { env, platform: 'linux' as const, homedir: undefined, cwd: '/srv' };
  return (await standingOf(reach, system)).untrusted.map(({ name }) => name);
}

const first = (text: string) => text.split('\n')[0];

describe('a sync file of a repository', () => {
  test.each([
    [PG, 'gatectl.sync.yaml sends rows and credentials to db.example.com:5432, which you have not trusted'],
    [
      'postgres://db.example.com:6432/a?sslmode=disable',
      'gatectl.sync.yaml sends rows and credentials to db.example.com:6432, which you have not trusted',
    ],
    [
      'clickhouse://db.example.com/analytics',
      'gatectl.sync.yaml sends rows and credentials to db.example.com:8123, which you have not trusted',
    ],
    [
      'clickhouse://localhost/a?cluster=main&shards=localhost:8123,db2.example.com:8123',
      'gatectl.sync.yaml sends rows and credentials to db2.example.com:8123, which you have not trusted',
    ],
    [
      's3://news-analytics/lake',
      'gatectl.sync.yaml sends rows to the bucket s3://news-analytics, which you have not trusted',
    ],
    [
      's3://news-analytics/lake?endpoint=https://s3.example.com',
      'gatectl.sync.yaml sends rows to the bucket s3://news-analytics and sends credentials to s3.example.com, which you have not trusted',
    ],
  ])('with %s is refused without a terminal, and nothing is sent', async (destination, message) => {
    const { sync, server } = await cloned(destination);
    for (const command of [['run'], ['plan'], ['status'], ['verify'], ['sweep'], ['history']]) {
      const { code, stdout, stderr } = await sync(command);
      expect([command, code, stdout, stderr]).toEqual([
        command,
        2,
        '',
        `error: ${message}\n  if you know it, trust it: gatectl trust gatectl.sync.yaml\n`,
      ]);
      for (const secret of Object.values(SECRETS)) expect(stderr).not.toContain(secret);
    }
    expect(server.received).toEqual([]);
  });

  test.each([
    ['../outside'],
    ['/absolute'],
    ['duckdb:../outside.duckdb'],
    ['link'],
    ['dangling'],
    ['nested'],
    ['runs'],
    ['state'],
    ['ledger'],
    ['site'],
    ['month'],
  ])('creates nothing outside its folder without being trusted: %s', async given => {
    const above = temporaryFolder();
    const outside = join(above, 'outside');
    const { sync, gatectl, folder, server, rewrite } = await cloned(given);
    if (given === '/absolute') rewrite(to(outside));
    if (given.includes('..')) rewrite(to(given.replace('..', `../${basename(above)}`)));
    symlinkSync(above, join(folder, 'link'));
    symlinkSync(join(above, 'later'), join(folder, 'dangling'));
    mkdirSync(join(folder, 'nested'));
    symlinkSync(above, join(folder, 'nested', 'pages'));
    for (const [lake, link, target] of [
      ['runs', '_gatectl/runs.ndjson', join(above, 'profile')],
      ['state', '_gatectl/lake.json', join(above, 'later')],
      ['ledger', '_gatectl/ledger/pages', above],
      ['site', 'pages/domain_id=1001', above],
      ['month', 'pages/domain_id=1001/month=2026-03', above],
    ] as const) {
      mkdirSync(join(folder, lake, dirname(link)), { recursive: true });
      symlinkSync(target, join(folder, lake, link));
    }
    const { code, stderr } = await sync(['run']);
    expect([code, first(stderr)]).toEqual([
      2,
      expect.stringMatching(/^error: gatectl\.sync\.yaml writes to \/.*, which you have not trusted$/),
    ]);
    expect([readdirSync(above), server.received]).toEqual([[], []]);
    if (given !== '../outside') return;
    expect((await gatectl(['trust'])).code).toBe(0);
    expect((await sync(['run'])).code).toBe(0);
    expect(existsSync(join(outside, 'pages'))).toBe(true);
  });

  test.each([['lake'], ['data/lake'], ['duckdb:analytics.duckdb'], ['./lake']])(
    'that stays in its folder asks nothing: %s',
    async destination => {
      const { sync, store } = await cloned(destination);
      expect((await sync(['run'])).code).toBe(0);
      expect(existsSync(store)).toBe(false);
    },
  );

  test('that is trusted is asked about again when its destination changes, not when anything else does', async () => {
    const outside = temporaryFolder();
    const { sync, gatectl, store, rewrite } = await cloned(join(outside, 'one'));
    expect(await gatectl(['trust'])).toEqual({
      code: 0,
      stdout: '',
      stderr: `trusted: gatectl.sync.yaml writes to ${join(outside, 'one')}\n`,
    });
    expect(statSync(store).mode & 0o777).toBe(0o600);
    expect((await sync(['run'])).code).toBe(0);
    rewrite(`# a comment\n${to(join(outside, 'one')).replace('[visits, revenue]', '[visits]')}`);
    expect((await sync(['run'])).code).toBe(0);
    rewrite(to(join(outside, 'two')));
    expect((await sync(['run'])).code).toBe(2);
    expect(existsSync(join(outside, 'two'))).toBe(false);
  });

  test('that is trusted is asked about again when a link in its folder leads elsewhere', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    const { sync, gatectl, folder } = await cloned('link');
    symlinkSync(one, join(folder, 'link'));
    await gatectl(['trust']);
    expect((await sync(['run'])).code).toBe(0);
    rmSync(join(folder, 'link'));
    symlinkSync(two, join(folder, 'link'));
    expect((await sync(['run'])).code).toBe(2);
    expect(readdirSync(two)).toEqual([]);
  });

  test('is trusted by its path: a copy elsewhere is not, and a removed one no longer', async () => {
    const outside = temporaryFolder();
    const { sync, gatectl, folder } = await cloned(outside);
    await gatectl(['trust', 'gatectl.sync.yaml']);
    mkdirSync(join(folder, 'copy'));
    writeFileSync(join(folder, 'copy', 'gatectl.sync.yaml'), to(outside));
    expect((await sync(['run', 'copy/gatectl.sync.yaml'])).code).toBe(2);
    const { stdout } = await gatectl(['trust', 'list', '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual([
      {
        path: join(folder, 'gatectl.sync.yaml'),
        targets: [outside],
        insecure: false,
        since: '2026-03-14T12:00:00.000Z',
      },
    ]);
    expect((await gatectl(['trust', 'remove'])).code).toBe(0);
    expect((await sync(['run'])).code).toBe(2);
    const again = await gatectl(['trust', 'remove']);
    expect([again.code, again.stderr]).toEqual([
      2,
      'error: no trusted file is . or below it\n  list them: gatectl trust list\n',
    ]);
  });

  test('that does not exist cannot be trusted: as for any missing file', async () => {
    const { gatectl } = await cloned('lake');
    expect(await gatectl(['trust', 'missing.yaml'])).toEqual({
      code: 9,
      stdout: '',
      stderr: 'error: no such file: missing.yaml\n',
    });
  });

  test('that init writes is trusted at once', async () => {
    const { gatectl, folder, store } = await cloned('lake');
    const flags = ['--data-set', 'pageview', '-m', 'visits', '--start', '2026-03-01', '--destination', PG];
    expect((await gatectl(['bda', 'sync', 'init', 'own.sync.yaml', ...flags])).code).toBe(0);
    const { files } = JSON.parse(readFileSync(store, 'utf8'));
    expect(files).toMatchObject([{ path: join(folder, 'own.sync.yaml'), targets: ['db.example.com:5432'] }]);
  });

  test.each([
    [PG, { PGHOST: 'db.example.com' }],
    [PG, { GATECTL_TRUST: 'other.example.com, db.example.com' }],
    [PG, { GATECTL_TRUST: 'db.example.com:5432' }],
    ['postgres://loader@/analytics', { PGHOST: 'db.example.com' }],
    ['postgres://loader@/analytics?host=/run/postgresql', {}],
    ['postgres://127.0.0.1:5433/analytics', {}],
    ['clickhouses://db.example.com/a', { CLICKHOUSE_HOST: 'db.example.com' }],
    ['clickhouse://[::1]:8123/a', {}],
    ['s3://news-analytics/lake', { AWS_ENDPOINT_URL: 'https://s3.example.com' }],
    ['s3://news-analytics/lake?endpoint=http://127.0.0.1:9000', {}],
    ['s3://news-analytics/lake', { GATECTL_TRUST: 's3://news-analytics' }],
  ])(
    'is trusted where this machine or the environment names its server: %s, %j',
    async (destination, env) => {
      expect(await untrusted(destination, env)).toEqual([]);
    },
  );

  test.each([
    [PG, { PGHOST: 'other.example.com' }],
    ['postgres://db.example.com:5432/a', { PGHOST: 'db.example.com', PGPORT: '5433' }],
    [PG, { GATECTL_TRUST: 'example.com' }],
    [PG, { GATECTL_TRUST: 'db.example.com:5433' }],
    [PG, { GATECTL_TRUST: 'db' }],
    [PG, { GATECTL_TRUST: '/' }],
    ['postgres://localhost.example.com/a', {}],
    ['postgres://127.0.0.1.example.com/a', {}],
    ['postgres://%6cocalhost.example.com/a', {}],
    ['postgres:///a?host=db.example.com', {}],
    [
      's3://news-analytics/lake?endpoint=https://b.example.com',
      { AWS_ENDPOINT_URL: 'https://a.example.com' },
    ],
    ['s3://news-analytics/lake?endpoint=https://b.example.com', { GATECTL_TRUST: 's3://news-analytics' }],
  ])('is not where they name another one: %s, %j', async (destination, env) => {
    expect(await untrusted(destination, env)).not.toEqual([]);
  });

  test('may write to a folder that GATECTL_TRUST names, and to those below it only', async () => {
    const outside = temporaryFolder();
    const { sync } = await cloned(join(outside, 'lake'));
    expect((await sync(['run'], { env: { GATECTL_TRUST: outside } })).code).toBe(0);
    expect((await sync(['run'], { env: { GATECTL_TRUST: `${outside}/la` } })).code).toBe(2);
  });
});

test('units are trusted with the file that they were planned from, and else by path or variable', async () => {
  const outside = join(temporaryFolder(), 'lake');
  const { sync, gatectl, folder, server } = await cloned(outside);
  const { stdout } = await sync(['plan', '--units'], { env: { GATECTL_TRUST: outside } });
  writeFileSync(join(folder, 'units.ndjson'), stdout);
  const before = queriesOf(server).length;
  const refused = await sync(['run', '--units', 'units.ndjson']);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    `error: units.ndjson writes to ${outside}, which you have not trusted\n  if you know it, trust it: gatectl trust units.ndjson\n`,
  ]);
  const piped = await sync(['run', '--units', '-'], { input: stdout });
  expect([piped.code, piped.stderr.split('\n')[1]]).toEqual([2, `  trust it: GATECTL_TRUST=${outside}`]);
  expect(queriesOf(server).length).toBe(before);
  expect((await gatectl(['trust', 'units.ndjson'])).code).toBe(0);
  expect((await sync(['run', '--units', '-'], { input: stdout })).code).toBe(0);
  await gatectl(['trust', 'remove']);
  await gatectl(['trust', 'gatectl.sync.yaml']);
  expect((await sync(['run', '--units', 'units.ndjson'])).code).toBe(0);
});

describe('.gatectl.yaml', () => {
  const profiles = (current: string) =>
    JSON.stringify({
      version: 1,
      current,
      profiles: Object.fromEntries(
        ['news', 'staging'].map(name => [name, { 'base-url': `https://${name}.example.com` }]),
      ),
    });

  test('that selects another profile than the current one is refused until it is trusted', async () => {
    const { gatectl, folder, store } = await cloned('lake');
    mkdirSync(dirname(store), { recursive: true });
    writeFileSync(join(dirname(store), 'config.json'), profiles('staging'), { mode: 0o600 });
    writeFileSync(join(folder, '.gatectl.yaml'), 'profile: news\noutput: json\n');
    const show = () => gatectl(['api', 'GET', '/x', '--curl']);
    const refused = await show();
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'error: .gatectl.yaml selects the profile news, which you have not trusted\n  if you know it, trust it: gatectl trust .gatectl.yaml\n',
    ]);
    expect((await gatectl(['api', 'GET', '/x', '--curl', '--profile', 'news'])).code).toBe(0);
    expect((await gatectl(['trust'])).stderr).toBe('trusted: .gatectl.yaml selects the profile news\n');
    expect((await show()).stdout).toContain('https://news.example.com');
    writeFileSync(join(folder, '.gatectl.yaml'), 'profile: staging\n');
    expect((await show()).code).toBe(0);
  });
});

describe('TLS', () => {
  test.each([
    ['postgres://db.example.com/a', {}, false, true],
    ['postgres://db.example.com/a?sslmode=prefer', {}, false, true],
    ['postgres://db.example.com/a', { PGSSLMODE: 'require' }, false, true],
    ['postgres://db.example.com/a', { PGSSLMODE: 'prefer' }, false, false],
    ['postgres://db.example.com/a?sslmode=disable', { PGSSLMODE: 'disable' }, false, false],
    ['postgres://db.example.com/a', {}, true, false],
    ['postgres://localhost/a', {}, false, false],
    ['postgres:///a?host=/run/postgresql', {}, false, false],
  ])('of %s with %j and --insecure-http %j is required: %j', (url, env, allowsPlain, required) => {
    expect(postgresSettings(url, env, { allowsPlain }).requiresTls).toBe(required);
  });

  test.each(['disable', 'allow'])('sslmode=%s of a file is refused for another machine', mode => {
    expect(() => postgresSettings(`postgres://db.example.com/a?sslmode=${mode}`, {})).toThrow(
      'db.example.com:5432 would get the credentials and the rows unencrypted',
    );
    expect(postgresSettings(`postgres://localhost/a?sslmode=${mode}`, {}).sslMode).toBe(mode);
  });

  test('a server of PostgreSQL that refuses it gets nothing else where it is required', async () => {
    const received: Buffer[] = [];
    const server = createServer(socket => {
      socket.on('error', () => {});
      socket.on('data', chunk => {
        received.push(chunk);
        socket.write('N');
      });
    });
    await new Promise<void>(resolve => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(async () => {
      await new Promise(resolve => {
        server.close(resolve);
      });
    });
    const { port } = server.address() as { port: number };
    const env = { PGPASSWORD: SECRETS.PGPASSWORD };
    const settings = postgresSettings(`postgres://loader@127.0.0.1:${port}/analytics`, env);
    // The same server, if it were another machine.
    await expect(Session.open({ ...settings, requiresTls: true }, 'test')).rejects.toMatchObject({
      code: 'destination_unusable',
      message: `PostgreSQL at 127.0.0.1:${port} does not support TLS`,
    });
    expect(received).toEqual([Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])]);
  });

  test('of ClickHouse is required for each server of a cluster, unless the user allows plain HTTP', () => {
    const machine = { sleep: async () => {} };
    const open = (url: string, host: string, allowsPlain = false) => {
      const address = parseAddress(url, {}, { allowsPlain });
      return () => new Server(address, { host, port: 8123 }, machine);
    };
    expect(open('clickhouse://localhost/a?cluster=main', 'db2.example.com')).toThrow(
      'db2.example.com:8123 would get the credentials and the rows unencrypted',
    );
    expect(open('clickhouse://localhost/a', '::1')).not.toThrow();
    expect(open('clickhouse://db.example.com/a', 'db.example.com', true)).not.toThrow();
    expect(open('clickhouses://db.example.com/a', 'db.example.com')).not.toThrow();
  });

  test.each([
    ['clickhouse://db.example.com:8123/a', 'clickhouses://HOST:8443/DATABASE'],
    ['s3://news-analytics/a?endpoint=http://s3.example.com', 'https:// endpoint'],
    ['postgres://db.example.com/a?sslmode=disable', 'PGSSLMODE=prefer'],
  ])('is required of a trusted file: %s', async (destination, hint) => {
    const { sync, gatectl } = await cloned(destination);
    expect((await gatectl(['trust'])).code).toBe(0);
    const { code, stderr } = await sync(['status']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('unencrypted')]);
    expect(stderr).toContain(hint);
  });
});
