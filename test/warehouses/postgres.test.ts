import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addDays } from '../../src/apis/bda/days.ts';
import { startGatectl } from '../support/gatectl.ts';
import { NOON, run } from '../support/run.ts';
import { type Figures, figuresOf, KEY, queriesOf, respondFrom, SYNC_FILE, syncing } from '../sync/source.ts';
import { program as pgBouncer, startPgBouncer } from './servers/pgbouncer.ts';
import { LOADER, PASSWORD, PostgresServer, program, rowsOf } from './servers/postgres.ts';
import { KILLS, proxyTo, restate, seeded, sourceRows } from './support.ts';

/** A share of all kills: those of gatectl, and those of the server. */
const GATECTL_KILLS = Math.ceil(KILLS / 4);
const SERVER_KILLS = Math.ceil(KILLS / 8);
/** Every cell is compared after this many kills. */
const COMPARE_EACH = 3;
const TIMEOUT = { timeout: 120_000 + 5_000 * KILLS };
const REFETCH = ['run', '--quiet', '--refetch', '2026'];
const certificate = (name: string) => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));

let server: PostgresServer;
let databases = 0;

/** A sync of these figures into a new database. */
async function syncInto(figures: Figures, { file = SYNC_FILE, port = server.port } = {}) {
  databases += 1;
  const name = `d${databases}`;
  await server.query(`CREATE DATABASE ${name}`);
  const url = `postgres://postgres@127.0.0.1:${port}/${name}`;
  const text = (other = file) => other.replace('destination: lake', `destination: ${url}`);
  const syncs = await syncing(figures, text());
  const rows = async () => {
    const found = await server.query(
      'SELECT domain_id, domain, report_day, page_url, visits, revenue FROM gatectl.pages',
      name,
    );
    return found.map(row => row.join('|')).sort();
  };
  return {
    ...syncs,
    url,
    name,
    /** Replaces the sync file. */
    use: (other: string) => writeFileSync(join(syncs.folder, 'gatectl.sync.yaml'), text(other)),
    rows,
    /** Runs a sync to its end, and compares every cell with the figures and the ledger. */
    expectAll: async (args: readonly string[]) => {
      expect(await syncs.sync(args)).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(await rows()).toEqual(sourceRows(figures));
      expect(await syncs.sync(['verify', '--quiet'])).toMatchObject({ code: 0 });
    },
    /** Starts the built program. */
    start: (args: readonly string[]) =>
      startGatectl(['bda', 'sync', ...args], {
        cwd: syncs.folder,
        env: {
          HOME: syncs.folder,
          TMPDIR: syncs.folder,
          GATECTL_BASE_URL: syncs.server.baseUrl,
          GATECTL_API_KEY: KEY,
        },
      }),
  };
}

const BY_DAY = SYNC_FILE.replace('pages:', 'pages:\n    partition: day').replace(
  'start: 2026-01-01',
  'start: 2026-01-01\n    end: 2026-02-09',
);

describe.skipIf(program.find() === undefined)('bda sync into PostgreSQL', () => {
  beforeAll(async () => {
    server = await PostgresServer.create();
  });
  afterAll(() => server?.remove());

  test('writes every cell of the source, and requests nothing again that is final', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, rows, url } = await syncInto(figures);
    expect(await sync(['run'])).toEqual({
      code: 0,
      stdout: `6 partitions written to ${url}
TABLE  PARTITIONS  ADDED  CHANGED  UNCHANGED  FAILED  ROWS  REQUESTS
pages           6      6        0          0       0   432         2
`,
      stderr: '',
    });
    expect(await rows()).toEqual(sourceRows(figures));
    const again = JSON.parse((await sync(['run', '-o', 'json'])).stdout);
    expect(again.tables[0]).toMatchObject({ partitions: 2, unchanged: 2, changed: 0 });
    expect(await sync(['verify'])).toMatchObject({ code: 0 });
    expect((await sync(['status', '-o', 'csv'])).stdout.split('\n')[1]).toMatch(/^pages,2,6,2,432,/);
  });

  test('keeps rows aside that fail a test, and every digit without a choice', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, rows, use } = await syncInto(figures);
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    const before = await rows();
    const [row] = figures.get(7)?.get('2026-03-05') ?? [];
    if (row !== undefined) figures.get(7)?.set('2026-03-05', [{ ...row, page: '"a\\tb"', revenue: '1e45' }]);
    use(`${SYNC_FILE}    tests: {range: {revenue: {max: 100}}}\n`);
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 7 });
    expect(await rows()).toEqual(before);
    const [{ quarantined }] = JSON.parse((await sync(['status', '-o', 'json'])).stdout);
    expect(quarantined).toMatchObject([
      { partition: '2026-03', rows: 37, problems: ['range: revenue is 1e45 on 2026-03-05, more than 100'] },
    ]);
    const kept = readFileSync(quarantined[0].path, 'utf8').split('\n');
    expect(kept[0]).toBe('domain_id\tdomain\treport_day\tpage_url\tvisits\trevenue');
    expect(kept.find(line => line.includes('2026-03-05'))).toContain(
      `a\\tb\t${row?.visits}\t1${'0'.repeat(45)}`,
    );
    use(`${SYNC_FILE}    on_type_change: fail\n`);
    expect((await sync(['run', '--quiet'])).stdout).toMatch(
      / {2}revenue: DECIMAL\(18,2\) -> DOUBLE, for 10{45} on 2026-03-05\n/,
    );
    expect(await rows()).toEqual(before);
    use(SYNC_FILE);
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    expect((await rows()).filter(line => line.endsWith(`|1${'0'.repeat(45)}`))).toHaveLength(1);
    expect(JSON.parse((await sync(['status', '-o', 'json'])).stdout)[0].quarantined).toEqual([]);
  });

  test('has the cells that bda query prints, of a gateway with all kinds of columns', async () => {
    databases += 1;
    const url = await server.database(`d${databases}`);
    const { folder } = await syncing(new Map());
    const columns = ['report_day', 'country', 'device', 'visits', 'revenue', 'bounce_rate'];
    writeFileSync(
      join(folder, 'gatectl.sync.yaml'),
      `destination: ${url}\ntables:\n  pages:\n    data_set: pageview\n    dimensions: [country, device]\n    metrics: [visits, revenue, bounce_rate]\n    start: 2026-02-01\n    end: 2026-03-01\n`,
    );
    const options = { cwd: folder, now: NOON, env: { TZ: 'UTC' } };
    expect(await run(['bda', 'sync', 'run', '--sandbox', '--quiet'], options)).toMatchObject({
      code: 0,
      stderr: '',
    });
    for (const site of ['example.com', 'example.org', 'example.net']) {
      const query = [
        'bda',
        'query',
        '--sandbox',
        '--domain',
        site,
        '--data-set',
        'pageview',
        '-o',
        'csv',
        '--quiet',
      ];
      const days = [
        '-d',
        'report_day,country,device',
        '-m',
        'visits,revenue,bounce_rate',
        '--from',
        '2026-02-01',
        '--to',
        '2026-03-01',
      ];
      const { stdout } = await run([...query, ...days], options);
      const source = (parse(stdout) as string[][]).slice(1).map(row => row.join('|'));
      const stored = await server.query(
        `SELECT ${columns.join(', ')} FROM gatectl.pages WHERE domain = '${site}'`,
        `d${databases}`,
      );
      expect(source.length).toBeGreaterThan(100);
      expect(stored.map(row => row.map(cell => cell ?? '').join('|')).sort()).toEqual(source.sort());
    }
  });

  test('keeps texts with tabs, line ends, backslashes and quotes, and rejects NUL with its column', async () => {
    const figures = figuresOf([7], '2026-03-01', 1, () => 1);
    const texts = ['"a\\tb\\nc\\rd\\\\e\\"f"', '"\\\\N"', '"\\\\."', '""', '"\\ud83d\\ude00"', '" "'];
    figures.get(7)?.set(
      '2026-03-02',
      texts.map(page => ({ page, visits: '-1', revenue: '1.50' })),
    );
    const { sync, rows, url, name } = await syncInto(figures, {
      file: SYNC_FILE.replace('2026-01-01', '2026-03-01'),
    });
    expect(await sync(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await rows()).toEqual(sourceRows(figures));
    figures.get(7)?.set('2026-03-03', [{ page: '"x\\u0000y"', visits: '1', revenue: '2' }]);
    // The only unit of this run fails, so that the exit code is that of its error.
    const ran = await sync(['run', '-o', 'json']);
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout).failures).toMatchObject([
      { error: `${url} cannot store the column page_url as it is: a text with the character NUL` },
    ]);
    expect(await server.query('SELECT count(*) FROM gatectl.pages', name)).toEqual([['7']]);
  });

  test('has true where the gateway has it, although other sites make the column text meanwhile', async () => {
    const sites = [1, 2, 3, 4, 5, 6, 7, 8];
    const figures = figuresOf(sites, '2026-03-01', 4);
    const page = (site: number) => (site === 5 ? '1' : site % 2 === 0 ? 'true' : '1e2');
    for (const site of sites)
      for (const rows of figures.get(site)?.values() ?? [])
        for (const [index] of rows.entries())
          rows[index] = { page: page(site), visits: '1', revenue: String(index) };
    const { sync, url, name } = await syncInto(figures, {
      file: SYNC_FILE.replace('2026-01-01', '2026-03-01\n    partition: day'),
    });
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    expect(
      // A number that was stored before has the digits that PostgreSQL prints.
      await server.query(
        `SELECT DISTINCT domain_id, replace(page_url, '1e2', '100') FROM gatectl.pages ORDER BY 1`,
        name,
      ),
      url,
    ).toEqual(sites.map(site => [String(site), page(site).replace('1e2', '100')]));
  });

  test('has flags as booleans, an empty text as such, and null where a row has no value', async () => {
    const figures = figuresOf([7], '2026-03-01', 1, () => 1);
    const values = ['true', 'false', 'null'];
    const withPages = (pages: readonly string[]) => pages.map(page => ({ page, visits: '1', revenue: '2' }));
    figures.get(7)?.set('2026-03-01', withPages(values));
    const { sync, name } = await syncInto(figures, { file: SYNC_FILE.replace('2026-01-01', '2026-03-01') });
    const stored = () =>
      server.query(
        `SELECT page_url, pg_typeof(page_url) FROM gatectl.pages ORDER BY report_day, page_url`,
        name,
      );
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    expect(await stored()).toEqual([
      ['f', 'boolean'],
      ['t', 'boolean'],
      [null, 'boolean'],
    ]);
    figures.get(7)?.set('2026-03-02', withPages(['null', '"N"', '"\\\\N"', '"\\t"', '""']));
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    expect((await stored()).slice(3)).toEqual([
      ['', 'text'],
      ['\t', 'text'],
      ['N', 'text'],
      ['\\N', 'text'],
      [null, 'text'],
    ]);
    expect(await sync(['verify', '--quiet'])).toMatchObject({ code: 0 });
  });

  test('keeps all digits of any number', async () => {
    const figures = figuresOf([7], '2026-03-01', 1, () => 1);
    const { sync, rows } = await syncInto(figures, { file: SYNC_FILE.replace('2026-01-01', '2026-03-01') });
    const numbers = [
      '12345678901234567890123456789012345678',
      '0.000000000000000000000000000001',
      '-9223372036854775808',
      '0.10',
    ];
    for (const [day, revenue] of numbers.entries()) {
      figures.get(7)?.set(addDays('2026-03-02', day), [{ page: '"/n"', visits: '1', revenue }]);
      expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    }
    expect(await rows()).toEqual(sourceRows(figures));
  });

  test('replaces what changed, removes what the gateway withdrew, and readers never see a wrong count', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 40, () => 3);
    const { sync, rows, name } = await syncInto(figures, { file: BY_DAY });
    await sync(['run', '--quiet']);
    const reader = await server.connect(name);
    onTestFinished(() => reader.end());
    const counts = new Set<string>();
    let [isDone, polls, slowest] = [false, 0, 0];
    const polling = (async () => {
      while (!isDone) {
        const began = performance.now();
        const found = await rowsOf(
          reader,
          `SELECT count(*) FROM gatectl.pages GROUP BY domain_id, report_day`,
        );
        slowest = Math.max(slowest, performance.now() - began);
        polls += 1;
        for (const [count] of found) counts.add(String(count));
        counts.add(`${found.length} partitions`);
      }
    })();
    for (const size of [5, 2]) {
      for (const days of figures.values())
        for (const day of days.keys())
          days.set(
            day,
            Array.from({ length: size }, (_, row) => ({
              page: `"/${size}-${row}"`,
              visits: '1',
              revenue: '0.5',
            })),
          );
      expect(await sync(['run', '--quiet', '--refetch', '2026'])).toMatchObject({
        code: 0,
      });
    }
    isDone = true;
    await polling;
    expect([...counts].sort()).toEqual(['2', '3', '5', '80 partitions']);
    expect(polls).toBeGreaterThan(20);
    expect(slowest).toBeLessThan(5000);
    figures.get(8)?.clear();
    await sync(['run', '--quiet', '--refetch', '2026']);
    expect(await rows()).toEqual(sourceRows(figures));
  });

  test('adds a column, leaves a removed one empty, and changes integers to decimals once, and says so', async () => {
    const figures = figuresOf([7], '2026-01-01', 40, () => 2);
    for (const days of figures.values())
      for (const [day, all] of days)
        days.set(
          day,
          all.map(row => ({ ...row, revenue: day < '2026-02-05' ? '4' : '4.25' })),
        );
    const one = BY_DAY.replace('metrics: [visits, revenue]', 'metrics: [visits]');
    const early = (file: string) => file.replace('2026-02-09', '2026-02-04');
    const { sync, rows, use, name, server: gateway } = await syncInto(figures, { file: early(one) });
    await sync(['run', '--quiet']);
    use(early(BY_DAY));
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    const type = async () =>
      await server.query(
        `SELECT data_type FROM information_schema.columns WHERE table_schema = 'gatectl' AND table_name = 'pages' AND column_name = 'revenue'`,
        name,
      );
    expect(await type()).toEqual([['bigint']]);
    const before = queriesOf(gateway).length;
    use(BY_DAY);
    const widened = await sync(['run']);
    expect(widened.stderr).toMatch(
      /^note: pages, version \d+ of its column types: revenue: BIGINT -> DECIMAL\(18,2\)\n$/,
    );
    expect(await type()).toEqual([['numeric']]);
    // Nothing is requested again because of a type.
    expect(queriesOf(gateway).length - before).toBe(1);
    expect(await rows()).toEqual(sourceRows(figures));
    use(one);
    await sync(['run', '--quiet']);
    expect(await server.query('SELECT DISTINCT revenue FROM gatectl.pages', name)).toEqual([[null]]);
    expect(await sync(['verify', '--quiet'])).toMatchObject({ code: 0 });
  });

  test('rejects a jump that lasts on each of its days, until the sync file accepts the first one', async () => {
    const figures = figuresOf([7], '2026-01-01', 38, () => 1);
    const file = (jump: string) => `${BY_DAY}    tests: {day_on_day: {visits: ${jump}}}\n`;
    const { sync, rows, use } = await syncInto(figures, { file: file('{max: 2}') });
    const failedAt = async (now: string) => {
      const { stdout } = await sync(['run', '-o', 'json'], { now: Date.parse(now) });
      return JSON.parse(stdout).failures.map(({ from }: { from: string }) => from);
    };
    expect(await failedAt('2026-02-08T12:00:00Z')).toEqual([]);
    for (const day of ['2026-02-08', '2026-02-09'])
      figures.get(7)?.set(day, [{ page: '"/"', visits: '500', revenue: '1.25' }]);
    expect(await failedAt('2026-02-09T12:00:00Z')).toEqual(['2026-02-08']);
    expect(await failedAt('2026-02-10T12:00:00Z')).toEqual(['2026-02-08', '2026-02-09']);
    use(file('{max: 2, accept: 2026-02-08}'));
    expect(await failedAt('2026-02-10T13:00:00Z')).toEqual([]);
    expect(await rows()).toEqual(sourceRows(figures));
  });

  test('stores 5.00 and 1e3 in columns of integers', async () => {
    const figures = figuresOf([7], '2026-01-01', 40, () => 2);
    const spelled = (visits: (value: string) => string, revenue: string) => {
      for (const days of figures.values())
        for (const [day, all] of days)
          days.set(
            day,
            all.map(row => ({ ...row, visits: visits(row.visits), revenue })),
          );
    };
    spelled(visits => `${visits}.000`, '1.0e3');
    const { sync, rows } = await syncInto(figures, {
      file: `${SYNC_FILE}    types: {visits: bigint, revenue: bigint}\n`,
    });
    expect(await sync(['run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    spelled(visits => visits.slice(0, -4), '1000');
    expect(await rows()).toEqual(sourceRows(figures));
  });

  test('finds what was edited by hand, down to one text, and repairs it with the printed command', async () => {
    const figures = figuresOf([7], '2026-01-01', 40);
    const { sync, rows, name } = await syncInto(figures);
    await sync(['run', '--quiet']);
    for (const edit of [
      `UPDATE gatectl.pages SET page_url = '/other' WHERE report_day = '2026-01-05' AND page_url = '/page-0001'`,
      `DELETE FROM gatectl.pages WHERE report_day = '2026-01-06'`,
      `INSERT INTO gatectl.pages SELECT * FROM gatectl.pages WHERE report_day = '2026-01-07'`,
      `UPDATE gatectl.pages SET revenue = revenue + 0.000000001 WHERE report_day = '2026-01-08'`,
      // Two rows exchange their visits, so that all sums remain.
      `UPDATE gatectl.pages SET visits = 31 - visits WHERE report_day = '2026-01-09' AND visits IN (15, 16)`,
      'ALTER TABLE gatectl.pages DROP COLUMN revenue',
    ]) {
      await server.query(edit, name);
      const found = await sync(['verify', '-o', 'json']);
      expect(found.code, edit).toBe(7);
      const commands = JSON.parse(found.stderr).error.message.match(/--refetch \S+/g);
      expect(commands.length, edit).toBeGreaterThan(0);
      for (const command of commands)
        expect(await sync(['run', '--quiet', ...command.split(' ')])).toMatchObject({ code: 0 });
      expect(await rows()).toEqual(sourceRows(figures));
      expect(await sync(['verify', '--quiet'])).toMatchObject({ code: 0 });
    }
    await server.query('DROP TABLE gatectl.pages', name);
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    expect(await rows()).toEqual(sourceRows(figures));
  });

  test('requests what was lost with a column, or with the table, that somebody dropped', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, rows, name, use } = await syncInto(figures);
    const partitions = async (change: string) =>
      JSON.parse((await sync(['run', '-o', 'json'])).stdout).tables[0][change];
    await sync(['run', '--quiet']);
    for (const drop of [
      'ALTER TABLE gatectl.pages DROP COLUMN revenue',
      'ALTER TABLE gatectl.pages DROP COLUMN page_url',
      'DROP TABLE gatectl.pages',
    ]) {
      await server.query(drop, name);
      expect(await partitions('changed'), drop).toBe(6);
      expect(await rows()).toEqual(sourceRows(figures));
      expect(await partitions('unchanged')).toBe(2);
      expect(await sync(['verify', '--quiet'])).toMatchObject({ code: 0 });
    }
    // Part of it, by a run of one site.
    await server.query('ALTER TABLE gatectl.pages DROP COLUMN visits', name);
    await sync(['run', '--quiet', '--domain', 'site-8.example.com']);
    await sync(['run', '--quiet']);
    expect(await rows()).toEqual(sourceRows(figures));
    // A column that the sync file no longer has is not missed.
    use(SYNC_FILE.replace('[visits, revenue]', '[visits]'));
    await sync(['run', '--quiet']);
    await server.query('ALTER TABLE gatectl.pages DROP COLUMN revenue', name);
    expect(await partitions('partitions')).toBe(2);
  });

  test('finds rows of sites and months that are not in the ledger, and prints the SQL that removes them', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 40);
    const { sync, rows, name } = await syncInto(figures);
    await sync(['run', '--quiet']);
    await server.query(
      `CREATE TABLE gatectl.other PARTITION OF gatectl.pages FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');
       INSERT INTO gatectl.pages (domain_id, report_day, visits)
         VALUES (99, '2026-01-05', 1), (99, '2027-01-05', 1), (7, '2027-03-05', 1), (7, '2027-03-06', 1), (NULL, '2026-01-05', 1)`,
      name,
    );
    const { code, stdout, stderr } = await sync(['verify', '-o', 'json']);
    expect(code).toBe(7);
    const { mismatches } = JSON.parse(stdout);
    expect(mismatches).toMatchObject([
      { domain: 'site-7.example.com', partition: '2027-03', problem: '2 rows here, none in the ledger' },
      { domain: 'site 99', partition: '2026-01', problem: '1 row here, none in the ledger' },
      { domain: 'site 99', partition: '2027-01', problem: '1 row here, none in the ledger' },
      { domain: null, partition: '2026-01', problem: '1 row here, none in the ledger' },
    ]);
    const { hints } = JSON.parse(stderr).error;
    expect(hints).toHaveLength(3);
    for (const hint of hints) await server.query(hint.replace('remove what no run wrote: ', ''), name);
    expect(await sync(['verify', '--quiet'])).toMatchObject({ code: 0 });
    expect(await rows()).toEqual(sourceRows(figures));
  });

  test('a second run waits for the first', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, rows, url, folder, server: gateway } = await syncInto(figures);
    await sync(['status']);
    const slow = syncing(
      figures,
      SYNC_FILE.replace('destination: lake', `destination: ${url}`),
      async request => {
        if (request.method === 'POST') await sleep(1500);
        return respondFrom(figures)(request);
      },
    );
    const first = (await slow).sync(['run', '--quiet']);
    while (
      gateway.received.length === 0 &&
      (await server.query(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`))[0]?.[0] === '0'
    )
      await sleep(20);
    const second = await sync(['run']);
    expect(second.code).toBe(0);
    expect(second.stderr).toMatch(
      new RegExp(
        `^note: ${url.replaceAll('.', '\\.')} is locked by pid \\d+ on test since .*Z; waiting until it ends\n$`,
      ),
    );
    expect(await first).toMatchObject({ code: 0 });
    expect(await rows()).toEqual(sourceRows(figures));
    rmSync(folder, { recursive: true, force: true });
  });

  test('a run that is killed at any moment is continued by the next', TIMEOUT, async () => {
    const figures = figuresOf([7, 8, 9], '2026-01-01', 40, () => 20);
    const { start, expectAll } = await syncInto(figures, { file: BY_DAY });
    const random = seeded();
    for (let kill = 1; kill <= GATECTL_KILLS; kill++) {
      restate(figures, kill);
      const child = start(REFETCH);
      await sleep(300 + 1200 * random.next().value);
      child.kill('SIGKILL');
      await child;
      if (kill % COMPARE_EACH === 0 || kill === GATECTL_KILLS) await expectAll(REFETCH);
    }
  });

  test('a server that crashes in the middle of a load loses nothing', TIMEOUT, async () => {
    const figures = figuresOf([7, 8, 9], '2026-01-01', 40, () => 50);
    const { sync, expectAll } = await syncInto(figures, { file: BY_DAY });
    const random = seeded(11);
    for (let kill = 1; kill <= SERVER_KILLS; kill++) {
      restate(figures, kill);
      const running = sync(REFETCH);
      await sleep(50 + 700 * random.next().value);
      await server.kill();
      const { code, stderr } = await running;
      if (code !== 0) {
        expect(stderr).toMatch(
          /^error: (the connection to PostgreSQL at 127\.0\.0\.1:\d+ was lost|cannot connect to PostgreSQL|PostgreSQL at .* shut down)/,
        );
        expect(code).toBe(6);
      }
      await server.start();
      if (kill % COMPARE_EACH === 0 || kill === SERVER_KILLS) await expectAll(REFETCH);
    }
  });

  test('a connection that is cut in the middle of a load is one error, and nothing is lost', async () => {
    const proxy = await proxyTo(server.port);
    onTestFinished(() => proxy.close());
    const figures = figuresOf([7, 8], '2026-01-01', 40, () => 100);
    const { sync, rows } = await syncInto(figures, { port: proxy.port });
    for (const bytes of [4_000, 20_000, 60_000]) {
      proxy.cutAfter(bytes);
      const { code, stderr } = await sync(['run']);
      expect(code).toBe(6);
      expect(stderr.replaceAll(String(proxy.port), 'PORT')).toMatch(
        /^error: (?:the connection to PostgreSQL at 127\.0\.0\.1:PORT was lost|cannot connect to PostgreSQL at 127\.0\.0\.1:PORT): connection reset\n {2}.*\n$/,
      );
    }
    expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    expect(await rows()).toEqual(sourceRows(figures));
  });

  test('doctor checks version, encryption, rights, connections and size, and says how to fix them', async () => {
    const doctorOf = async (url: string) => {
      const { folder } = await syncing(
        new Map(),
        SYNC_FILE.replace('destination: lake', `destination: ${url}`),
      );
      const env = { HOME: '/nowhere', PGPASSWORD: PASSWORD };
      const { code, stdout } = await run(['doctor', '--sandbox', '--json'], { cwd: folder, env });
      const all = JSON.parse(stdout) as {
        area: string;
        check: string;
        state: string;
        found: string;
        advice: string;
      }[];
      return { code, sync: all.filter(({ area }) => area === 'sync') };
    };
    databases += 1;
    const good = await doctorOf(await server.database(`d${databases}`));
    expect(good.code).toBe(0);
    expect(good.sync.map(({ check, state }) => [check, state])).toEqual([
      ['file', 'ok'],
      ['destination', 'ok'],
      ['version', 'ok'],
      ['encryption', 'ok'],
      ['rights', 'ok'],
      ['connections', 'ok'],
      ['space', 'ok'],
    ]);
    expect(await server.query(`SELECT to_regnamespace('gatectl')`, `d${databases}`)).toEqual([[null]]);
    const bad = await doctorOf(`postgres://${LOADER}@127.0.0.1:${server.port}/postgres`);
    expect(bad.code).toBe(4);
    expect(bad.sync.find(({ check }) => check === 'rights')).toMatchObject({
      state: 'wrong',
      found: 'the user loader may not create tables in the schema gatectl',
      advice: 'run as the owner: GRANT CREATE ON DATABASE postgres TO loader',
    });
  });

  describe('a problem is one error that says what to do, without the password:', () => {
    const loader = (rest: string) => `postgres://${LOADER}@127.0.0.1:${server.port}/${rest}`;
    const attempt = async (url: string, env: Record<string, string> = {}) => {
      const { sync } = await syncing(
        figuresOf([7], '2026-03-01', 3),
        SYNC_FILE.replace('destination: lake', `destination: ${url}`),
      );
      const ran = await sync(['run'], { env: { HOME: '/nowhere', ...env } });
      expect(ran.stdout + ran.stderr).not.toContain(PASSWORD);
      expect(ran.stdout + ran.stderr).not.toContain('wrong-password');
      return { code: ran.code, stderr: ran.stderr.replaceAll(String(server.port), 'PORT') };
    };

    /** The URL of a database whose sessions find another function in front of one of the server. */
    const shadowed = async (signature: string, value: string) => {
      databases += 1;
      const name = `d${databases}`;
      await server.query(`CREATE DATABASE ${name}`);
      const type = value === 'true' ? 'boolean' : 'text';
      await server.query(
        `CREATE SCHEMA shadow; CREATE FUNCTION shadow.${signature} RETURNS ${type} LANGUAGE sql AS $$ SELECT ${value} $$`,
        name,
      );
      const options = encodeURIComponent('-c search_path=shadow,pg_catalog');
      return `postgres://postgres@127.0.0.1:${server.port}/${name}?options=${options}`;
    };

    test('a wrong password', async () => {
      expect(await attempt(loader('postgres'), { PGPASSWORD: 'wrong-password' })).toEqual({
        code: 4,
        stderr:
          'error: PostgreSQL at 127.0.0.1:PORT rejected the password of the user loader\n  set PGPASSWORD, or correct the line in ~/.pgpass\n',
      });
    });

    test('no password', async () => {
      expect(await attempt(loader('postgres'))).toEqual({
        code: 4,
        stderr:
          'error: PostgreSQL at 127.0.0.1:PORT requires a password for the user loader\n  set PGPASSWORD, or add a line to /nowhere/.pgpass: 127.0.0.1:PORT:postgres:loader:PASSWORD\n',
      });
    });

    test('a password in the sync file', async () => {
      expect(await attempt(`postgres://loader:${PASSWORD}@127.0.0.1/x`)).toMatchObject({ code: 2 });
      expect(await attempt(`postgres://127.0.0.1/x?password=${PASSWORD}`)).toMatchObject({ code: 2 });
    });

    test('a missing database', async () => {
      expect(await attempt(loader('nowhere'), { PGPASSWORD: PASSWORD })).toEqual({
        code: 2,
        stderr:
          'error: there is no database nowhere at 127.0.0.1:PORT\n  create it: createdb nowhere; or name another one in the URL\n',
      });
    });

    test('missing rights', async () => {
      expect(await attempt(loader('postgres'), { PGPASSWORD: PASSWORD })).toEqual({
        code: 4,
        stderr:
          'error: the user loader lacks a right in the database postgres: permission denied for database postgres\n  run as its owner: GRANT CREATE ON DATABASE postgres TO loader; or GRANT USAGE, CREATE ON SCHEMA gatectl TO loader\n',
      });
    });

    test('tables that another user owns', async () => {
      const { sync, url, name, use } = await syncInto(figuresOf([7], '2026-03-01', 3), {
        file: SYNC_FILE.replace('2026-01-01', '2026-03-01'),
      });
      expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
      await server.query(`GRANT USAGE, CREATE ON SCHEMA gatectl TO ${LOADER}`, name);
      await server.query(`GRANT SELECT ON ALL TABLES IN SCHEMA gatectl TO ${LOADER}`, name);
      use(
        SYNC_FILE.replace('lake', url.replace('postgres@', `${LOADER}@`)).replace('2026-01-01', '2026-03-01'),
      );
      expect(await sync(['run'], { env: { PGPASSWORD: PASSWORD } })).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(
          /^error: the user loader lacks a right in the database \w+: permission denied for table \w+\n {2}another user owns the tables; connect as that user, or run as a superuser: GRANT OWNER TO loader\n$/,
        ),
      });
    });

    test('a table of the same name that no sync wrote', async () => {
      await server.query('CREATE DATABASE taken');
      await server.query('CREATE SCHEMA gatectl; CREATE TABLE gatectl.pages (mine int)', 'taken');
      const url = `postgres://postgres@127.0.0.1:${server.port}/taken`;
      expect(await attempt(url)).toEqual({
        code: 2,
        stderr:
          'error: there is a table gatectl.pages at 127.0.0.1:PORT, which no sync wrote\n  give the table another name, or add ?schema=NAME to the URL for tables of its own\n',
      });
      expect(await server.query('SELECT count(*) FROM gatectl.pages', 'taken')).toEqual([['0']]);
      expect(await attempt(`${url}?schema=of_its_own`)).toMatchObject({ code: 0 });
    });

    test('tables of a newer version', async () => {
      await server.query('CREATE DATABASE newer');
      await server.query(
        'CREATE SCHEMA gatectl; CREATE TABLE gatectl._gatectl_meta (format int); INSERT INTO gatectl._gatectl_meta VALUES (2)',
        'newer',
      );
      const { code, stderr } = await attempt(`postgres://postgres@127.0.0.1:${server.port}/newer`);
      expect([code, stderr.split('\n')[0]]).toEqual([
        2,
        'error: the schema gatectl at 127.0.0.1:PORT was written by a newer version of gatectl',
      ]);
    });

    test('no server', async () => {
      expect(await attempt('postgres://postgres@127.0.0.1:1/x')).toEqual({
        code: 6,
        stderr:
          'error: cannot connect to PostgreSQL at 127.0.0.1:1: connection refused\n  check the host and the port; the server may be down\n',
      });
      expect(await attempt('postgres://postgres@/x?host=/nowhere')).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('there is no such socket'),
      });
    });

    test('a server without TLS, where TLS is required', async () => {
      expect(await attempt(`postgres://postgres@127.0.0.1:${server.port}/x?sslmode=require`)).toEqual({
        code: 6,
        stderr:
          'error: PostgreSQL at 127.0.0.1:PORT does not support TLS, which sslmode=require requires\n  enable it on the server (ssl = on)\n',
      });
    });

    test('a server that is too old', async () => {
      expect(await attempt(await shadowed('current_setting(text)', "'120022'::text"))).toEqual({
        code: 2,
        stderr:
          'error: PostgreSQL at 127.0.0.1:PORT is version 120022\n  gatectl requires PostgreSQL 13 or newer\n',
      });
    });

    test('a replica, before a query', async () => {
      expect(await attempt(await shadowed('pg_is_in_recovery()', 'true'))).toEqual({
        code: 2,
        stderr: 'error: PostgreSQL at 127.0.0.1:PORT is read-only\n  name the primary server\n',
      });
    });

    test.skipIf(pgBouncer.find() === undefined)('a pooler that shares sessions', async () => {
      await server.query('CREATE DATABASE pooled');
      for (const mode of ['transaction', 'session'] as const) {
        const pooler = await startPgBouncer(server.port, mode);
        const { code, stderr } = await attempt(`postgres://postgres@127.0.0.1:${pooler.port}/pooled`);
        await pooler.stop();
        expect({ code, stderr: stderr.replace(String(pooler.port), 'PORT') }).toEqual(
          mode === 'session'
            ? { code: 0, stderr: '' }
            : {
                code: 2,
                stderr:
                  'error: PostgreSQL at 127.0.0.1:PORT is behind a pooler that shares its sessions\n  connect to the server itself, or set pool_mode = session in the pooler\n',
              },
        );
      }
    });

    test('a view that keeps a column from changing its type', async () => {
      const figures = figuresOf([7], '2026-03-01', 3);
      for (const day of figures.get(7)?.values() ?? [])
        for (const row of day) Object.assign(row, { revenue: '4' });
      const { sync, name } = await syncInto(figures);
      expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
      await server.query('CREATE VIEW public.daily AS SELECT sum(revenue) FROM gatectl.pages', name);
      figures.get(7)?.set('2026-03-04', [{ page: '"/n"', visits: '1', revenue: '4.5' }]);
      const { code, stderr } = await sync(['run']);
      expect([code, stderr.split('\n').slice(0, 2)]).toEqual([
        2,
        [
          'error: the type of a column cannot change, because the view public.daily uses it: cannot alter type of a column used by a view or rule',
          '  drop the view, run it again, then create the view again: gatectl bda sync ddl prints those of gatectl',
        ],
      ]);
      await server.query('DROP VIEW public.daily', name);
      expect(await sync(['run', '--quiet'])).toMatchObject({ code: 0 });
    });

    test('a database and a schema whose names need quotes', async () => {
      await server.query('CREATE DATABASE "Odd DB"');
      const url = (user: string) =>
        `postgres://${user}@127.0.0.1:${server.port}/Odd%20DB?schema=My%20%22Schema%22`;
      const { code, stderr } = await attempt(url(LOADER), { PGPASSWORD: PASSWORD });
      expect([code, stderr.split('\n')[1]]).toEqual([
        4,
        '  run as its owner: GRANT CREATE ON DATABASE "Odd DB" TO loader; or GRANT USAGE, CREATE ON SCHEMA "My ""Schema""" TO loader',
      ]);
      await server.query('ALTER DATABASE "Odd DB" SET search_path TO nowhere');
      await server.query('ALTER ROLE postgres IN DATABASE "Odd DB" SET default_transaction_read_only TO on');
      expect(await attempt(url('postgres'))).toMatchObject({ code: 0, stderr: '' });
    });

    test('a column with the name of one that every table has', async () => {
      const file = SYNC_FILE.replace('page_url', 'ctid').replace('2026-01-01', '2026-03-01');
      const respond = respondFrom(figuresOf([7], '2026-03-01', 3));
      databases += 1;
      const url = await server.database(`d${databases}`);
      const { sync } = await syncing(new Map(), file.replace('lake', url), request => {
        const { body = '', ...reply } = respond({
          ...request,
          body: request.body.replace('ctid', 'page_url'),
        });
        return { ...reply, body: String(body).replaceAll('page_url', 'ctid') };
      });
      expect(await sync(['run'])).toMatchObject({
        code: 2,
        stderr: `error: PostgreSQL has a column ctid of its own in each table
  omit the column, or choose another destination
`,
      });
    });

    test('a database of another encoding, for texts that it does not contain', async () => {
      const figures = figuresOf([7], '2026-03-01', 1, () => 1);
      figures.get(7)?.set('2026-03-02', [{ page: '"\ud83d\ude00"', visits: '1', revenue: '1' }]);
      const { sync, use } = await syncInto(figures);
      const name = `d${databases}_latin1`;
      await server.query(
        `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`,
      );
      use(SYNC_FILE.replace('lake', `postgres://postgres@127.0.0.1:${server.port}/${name}`));
      const { code, stdout } = await sync(['run', '-o', 'json']);
      expect(code).toBe(7);
      expect(JSON.parse(stdout).failures).toMatchObject([
        {
          error: expect.stringMatching(
            /^PostgreSQL at .* cannot store the rows as they are: .* encoding "LATIN1"; create the database with ENCODING 'UTF8'$/,
          ),
        },
      ]);
    });

    test('a lock that another session holds on the table', async () => {
      await server.query('CREATE DATABASE held');
      const url = `postgres://postgres@127.0.0.1:${server.port}/held?options=-c%20lock_timeout%3D300ms`;
      expect(await attempt(url)).toMatchObject({ code: 0 });
      const other = await server.connect('held');
      onTestFinished(() => other.end());
      await other.query('BEGIN; LOCK TABLE gatectl.pages IN ACCESS EXCLUSIVE MODE');
      const { code, stderr } = await attempt(url);
      expect(code).toBe(6);
      expect(stderr).toBe(
        'error: another session holds a lock on the tables in gatectl at 127.0.0.1:PORT: canceling statement due to lock timeout\n  stop that session; SELECT * FROM pg_stat_activity lists it\n',
      );
    });
  });
});

describe.skipIf(program.find() === undefined)('PostgreSQL with TLS', () => {
  let secure: PostgresServer;
  beforeAll(async () => {
    secure = await PostgresServer.create({
      certificate: certificate('local.pem'),
      key: certificate('local.key'),
    });
    await secure.query('CREATE DATABASE stats');
    await secure.query(`ALTER DATABASE stats OWNER TO ${LOADER}`);
  });
  afterAll(() => secure?.remove());

  test.each([
    ['sslmode=require', 0, ''],
    ['sslmode=verify-full&sslrootcert=AUTHORITY', 0, ''],
    ['sslmode=verify-full', 6, 'is not trusted'],
    ['sslmode=verify-ca&sslrootcert=OTHER', 6, 'is not trusted'],
    ['sslmode=verify-full&sslrootcert=/nowhere.pem', 2, '/nowhere.pem cannot be read: ENOENT'],
  ])('%s', async (parameters, code, message) => {
    const query = parameters
      .replace('AUTHORITY', certificate('authority.pem'))
      .replace('OTHER', certificate('elsewhere.pem'));
    const url = `postgres://${LOADER}@127.0.0.1:${secure.port}/stats?${query}`;
    const { sync } = await syncing(
      figuresOf([7], '2026-03-01', 3),
      SYNC_FILE.replace('destination: lake', `destination: ${url}`),
    );
    const ran = await sync(['run', '--quiet'], { env: { HOME: '/nowhere', PGPASSWORD: PASSWORD } });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain(PASSWORD);
    if (code === 0)
      expect(await secure.query('SELECT count(*) FROM gatectl.pages', 'stats')).toEqual([['9']]);
  });
});
