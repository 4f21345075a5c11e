import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Lake } from '../../src/sync/destinations/lake/lake.ts';
import { readParquet } from '../support/duckdb.ts';
import type { Received, Reply } from '../support/wire-server.ts';
import { figuresOf, queriesOf, respondFrom, SYNC_FILE, syncing } from './source.ts';

const NOON = Date.UTC(2026, 2, 14, 12);

/** Whether a request is for the totals of each day. */
function isTotals({ method, body }: Received): boolean {
  return method === 'POST' && !body.includes('page_url');
}

describe('a data file that changed at the same size', () => {
  test('is named by verify with the command that repairs it', async () => {
    const { sync, lake } = await syncing(figuresOf([7], '2026-01-01', 72));
    await sync(['run']);
    const file = join(lake, 'pages/domain_id=7/month=2026-01/data.parquet');
    const before = readFileSync(file);
    const damaged = Buffer.from(before);
    damaged[100] = (damaged[100] ?? 0) ^ 1;
    writeFileSync(file, damaged);
    const { code, stderr } = await sync(['verify', 'gatectl.sync.yaml']);
    expect([code, stderr]).toEqual([
      7,
      'error: 1 difference found; request the rows again: gatectl bda sync run gatectl.sync.yaml --refetch 2026-01\n',
    ]);
    const ran = await sync(['run', 'gatectl.sync.yaml', '--refetch', '2026-01', '-o', 'json']);
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ changed: 0, unchanged: 2 });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect((await sync(['verify'])).code).toBe(0);
  });
});

describe('a gateway with shorter pages than requested', () => {
  /** Responds with `most` rows at most; `total` changes total_rows, by the number of requests for totals so far. */
  const capped = async (most: number, total = (_request: number, rows: number) => rows) => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const respond = respondFrom(figures);
    let requests = 0;
    const runs = await syncing(figures, SYNC_FILE, request => {
      if (request.method !== 'POST') return respond(request);
      const query = JSON.parse(request.body);
      const limit = Math.min(query.limit, most);
      const { body } = respond({ ...request, body: JSON.stringify({ ...query, limit }) });
      if (!isTotals(request)) return { body };
      requests += 1;
      const count = requests;
      return { body: String(body).replace(/\d+}$/, rows => `${total(count, Number.parseInt(rows, 10))}}`) };
    });
    return { ...runs, figures, requests: () => requests };
  };

  test('is asked for the totals page by page by verify and sweep', async () => {
    const { sync, figures, requests } = await capped(13);
    await sync(['run']);
    expect(await sync(['verify'])).toEqual({
      code: 0,
      stdout: '3 partitions with 216 rows compared\nall as at the gateway\n',
      stderr: '',
    });
    expect(requests()).toBe(6);
    figures.get(7)?.get('2026-03-01')?.pop();
    const { code, stderr } = await sync(['sweep']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'note: 1 partition changed at the gateway: pages of site-7.example.com: 2026-03\nnote: compared totals in 6 requests\n',
    });
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('is asked for the totals again when their number changes between two pages', async () => {
    const { sync, requests } = await capped(13, (request, rows) => (request === 1 ? rows + 1 : rows));
    await sync(['run']);
    expect((await sync(['verify'])).code).toBe(0);
    expect(requests()).toBe(12);
    const restless = await capped(13, (request, rows) => rows + request);
    await restless.sync(['run']);
    expect(await restless.sync(['verify'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('total_rows changed while the totals of pages were requested'),
    });
  });
});

test('a gateway that ignores the offset is an error without an option that sync lacks', async () => {
  const figures = figuresOf([7], '2026-03-01', 13);
  const respond = respondFrom(figures);
  const { sync } = await syncing(figures, SYNC_FILE.replace('2026-01-01', '2026-03-01'), request => {
    if (request.method !== 'POST') return respond(request);
    const query = JSON.parse(request.body);
    const limit = Math.min(query.limit, 5);
    return respond({ ...request, body: JSON.stringify({ ...query, limit, offset: 0 }) });
  });
  const { code, stderr } = await sync(['run']);
  expect([code, stderr]).toEqual([
    7,
    'error: the page of 5 rows from offset 5 repeats the page before it: the server ignores the offset\n',
  ]);
});

describe('files that are not in the ledger', () => {
  test('are named by verify with the command that removes them', async () => {
    const { sync, lake } = await syncing(figuresOf([7], '2026-01-01', 72));
    await sync(['run']);
    const source = join(lake, 'pages/domain_id=7/month=2026-01/data.parquet');
    const strays = [
      'pages/copy.parquet',
      'pages/domain_id=07/month=2026-01/data.parquet',
      'pages/domain_id=7/month=2026-01/more.parquet',
      'pages/domain_id=7/month=2027-01/data.parquet',
      "pages/domain_id=99/month=2026-01/it's.parquet",
    ];
    for (const key of [...strays, 'pages/README.txt']) {
      mkdirSync(dirname(join(lake, key)), { recursive: true });
      copyFileSync(source, join(lake, key));
    }
    const { code, stdout, stderr } = await sync(['verify', '-o', 'json']);
    expect(code).toBe(7);
    const { mismatches } = JSON.parse(stdout) as {
      mismatches: { domain: string; partition: string; problem: string; removal: string }[];
    };
    expect(mismatches.map(({ problem }) => problem)).toEqual(
      strays.map(key => `${key} is not in the ledger`),
    );
    expect(mismatches.map(({ domain, partition }) => [domain, partition])).toEqual([
      [null, null],
      ['site-7.example.com', '2026-01'],
      ['site-7.example.com', '2026-01'],
      ['site-7.example.com', '2027-01'],
      ['site 99', '2026-01'],
    ]);
    expect(JSON.parse(stderr).error.hints[0]).toBe(
      `remove what no run wrote: rm ${join(lake, 'pages/copy.parquet')}`,
    );
    for (const { removal } of mismatches) execFileSync('sh', ['-c', removal]);
    expect(await sync(['verify'])).toMatchObject({ code: 0 });
  });
});

describe('totals that do not answer the query', () => {
  test.each([
    ['without a metric', (body: string) => body.replaceAll('"visits"', '"other"'), 'have no visits'],
    ['with a text', (body: string) => body.replace(/"visits":\d+/, '"visits":"many"'), 'is not a number'],
    ['with fewer rows than total_rows', (body: string) => body.replace(/\d+}$/, '99}'), 'total_rows is 99'],
  ])('%s are an error of verify and of sweep', async (_, change, message) => {
    const respond = respondFrom(figuresOf([7], '2026-03-01', 13));
    const { sync } = await syncing(new Map(), SYNC_FILE, request => {
      const reply = respond(request);
      return isTotals(request) ? { body: change(String(reply.body)) } : reply;
    });
    await sync(['run']);
    for (const command of ['verify', 'sweep']) {
      const { code, stdout, stderr } = await sync([command]);
      expect([code, stdout]).toEqual([6, '']);
      expect(stderr).toContain(message);
    }
  });
});

describe('a total of rows', () => {
  test.each(['"TOTAL"', 'TOTAL.0', 'TOTALe0'])('is read by run and verify in the form %s', async form => {
    const respond = respondFrom(figuresOf([7], '2026-03-01', 13));
    const { sync } = await syncing(new Map(), SYNC_FILE, request => {
      const reply = respond(request);
      const body = String(reply.body).replace(
        /"total_rows":(\d+)/,
        (_, total) => `"total_rows":${form.replace('TOTAL', total)}`,
      );
      return request.method === 'POST' ? { body } : reply;
    });
    expect((await sync(['run'])).code).toBe(0);
    expect((await sync(['verify'])).code).toBe(0);
  });
});

test('verify names the sites that were not synced yet, and calls them neither equal nor different', async () => {
  const { sync } = await syncing(figuresOf([7, 8], '2026-03-01', 13));
  expect((await sync(['run', '--domain', 'site-7.example.com'])).code).toBe(0);
  expect(await sync(['verify'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no difference found; not synced yet: pages of site-8.example.com\n'),
  });
});

test('verify of a destination that holds nothing yet says so', async () => {
  const { sync } = await syncing(figuresOf([7], '2026-03-01', 13));
  const { code, stdout, stderr } = await sync(['verify']);
  expect(code).toBe(7);
  expect(stdout).toContain('no partitions to compare: nothing was synced yet');
  expect(stderr).toContain('error: nothing was compared, because nothing was synced yet\n');
});

test('a column of the site among those of the rows is the one that gatectl adds', async () => {
  const figures = figuresOf([7], '2026-03-01', 13);
  const respond = respondFrom(figures);
  const { sync, lake, folder } = await syncing(figures, SYNC_FILE, request => {
    const body = String(respond(request).body);
    if (request.method !== 'POST') return { body };
    return {
      body: body.replaceAll('"report_day"', '"domain_id":99,"domain":"other.example.com","report_day"'),
    };
  });
  await sync(['run']);
  // Outside the lake, where DuckDB does not take columns from the names of folders.
  const copy = join(folder, 'copy.parquet');
  copyFileSync(join(lake, 'pages/domain_id=7/month=2026-03/data.parquet'), copy);
  const { rows } = await readParquet(copy);
  expect(rows).toHaveLength(39);
  for (const row of rows) expect(row).toMatchObject({ domain_id: '7', domain: 'site-7.example.com' });
});

describe('sites that vanish from the list', () => {
  test('are named by every command that compares, and verify exits 7', async () => {
    const figures = figuresOf([7, 8], '2026-03-01', 13);
    const { sync } = await syncing(figures);
    await sync(['run']);
    figures.delete(8);
    const warning = 'warning: the gateway no longer lists site-8.example.com; the files remain as they are\n';
    expect((await sync(['run'])).stderr).toBe(warning);
    expect((await sync(['sweep', '--quiet'])).stderr).toBe(warning);
    expect((await sync(['status'])).stderr).toBe(
      'warning: at the latest run, the gateway no longer listed site-8.example.com\n',
    );
    const { code, stdout, stderr } = await sync(['verify', '-o', 'json']);
    expect(code).toBe(7);
    expect(JSON.parse(stdout).mismatches).toEqual([
      {
        table: 'pages',
        domain: 'site-8.example.com',
        partition: '2026-01-01..2026-03-13',
        state: null,
        problem: 'the gateway no longer lists the site',
      },
    ]);
    expect(stderr).toContain('1 difference found');
    expect((await sync(['verify', '--domain', 'site-7.example.com'])).code).toBe(0);
  });

  test('are an error if no site is left', async () => {
    const { sync } = await syncing(new Map());
    for (const command of ['run', 'verify', 'sweep'])
      expect(await sync([command])).toEqual({
        code: 6,
        stdout: '',
        stderr: 'error: the gateway lists no sites\n',
      });
  });
});

describe('days that the gateway has no data for yet', () => {
  test('remain provisional, however late they arrive', async () => {
    const figures = figuresOf([7], '2026-01-01', 20);
    const respond = respondFrom(figures);
    let latest = '2026-01-20';
    const { sync } = await syncing(
      figures,
      SYNC_FILE.replace('pages:', 'pages:\n    partition: day'),
      request =>
        request.target.endsWith('/date-range')
          ? { body: JSON.stringify({ earliest_date: '2025-01-01', latest_date: latest }) }
          : respond(request),
    );
    expect((await sync(['run'])).stderr).toBe(
      'warning: pageview has data up to 2026-01-20; pages from 2026-01-21 to 2026-03-13 remains provisional\n',
    );
    for (const [day, rows] of figuresOf([7], '2026-01-21', 52).get(7) ?? []) figures.get(7)?.set(day, rows);
    latest = '2026-03-13';
    const ran = await sync(['run', '-o', 'json'], { now: NOON });
    expect(ran.stderr).toBe('');
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ partitions: 52, changed: 52, rows: 156 });
    expect((await sync(['verify'])).code).toBe(0);
    const plan = await sync(['plan', '-o', 'json'], { now: NOON });
    expect(JSON.parse(plan.stdout)).toMatchObject([{ partitions: 7, reasons: '7 provisional' }]);
  });
});

describe('metrics in quotes', () => {
  test('make a column numeric that an earlier version stored as text', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const { sync, lake } = await syncing(figures);
    await sync(['run']);
    const path = join(lake, '_gatectl/tables/pages.json');
    const schema = JSON.parse(readFileSync(path, 'utf8'));
    for (const column of schema.columns)
      if (column.name === 'visits') Object.assign(column, { kind: 'text', whole: 0, scale: 0 });
    writeFileSync(path, JSON.stringify(schema));
    expect((await sync(['run'])).stderr).toBe(
      'note: pages, version 2 of its column types: visits: VARCHAR -> BIGINT\n',
    );
  });

  test('are numbers, with the same files as without quotes', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const plain = await syncing(figures);
    await plain.sync(['run']);
    const respond = respondFrom(figures);
    const quoted = await syncing(figures, SYNC_FILE, request => {
      const reply = respond(request);
      return request.method === 'GET'
        ? reply
        : {
            body: String(reply.body)
              .replace(/"visits":(\d+)/, '"visits":"$1"')
              .replace(/"revenue":([\d.]+)/g, '"revenue":"$1"'),
          };
    });
    expect((await quoted.sync(['run'])).code).toBe(0);
    const file = 'pages/domain_id=7/month=2026-03/data.parquet';
    expect(readFileSync(join(quoted.lake, file)).equals(readFileSync(join(plain.lake, file)))).toBe(true);
    expect((await quoted.sync(['verify'])).code).toBe(0);
  });

  test('fail the partition whose text is no number', async () => {
    const figures = figuresOf([7, 8], '2026-03-01', 13);
    const respond = respondFrom(figures);
    const { sync } = await syncing(figures, SYNC_FILE, request => {
      const reply = respond(request);
      return request.body.includes('"domain_id":8')
        ? { body: String(reply.body).replace(/"visits":\d+/, '"visits":"many"') }
        : reply;
    });
    const ran = await sync(['run', '-o', 'json']);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout).failures).toEqual([
      {
        table: 'pages',
        domain: 'site-8.example.com',
        from: '2026-03-01',
        to: '2026-03-13',
        error: 'visits on 2026-03-01 is "many" in a row of pages, which is not a number',
      },
    ]);
  });
});

describe('a response with rows that a destination cannot take', () => {
  test('of days that were not requested fails its site, in the month of those that were', async () => {
    const figures = figuresOf([7, 8], '2026-03-10', 4);
    const respond = respondFrom(figures);
    const { sync } = await syncing(figures, SYNC_FILE.replace('2026-01-01', '2026-03-10'), request => {
      const reply = respond(request);
      return request.body.includes('"domain_id":8')
        ? { body: String(reply.body).replace('2026-03-10', '2026-03-01') }
        : reply;
    });
    const ran = await sync(['run', '-o', 'json']);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout).failures).toMatchObject([
      { domain: 'site-8.example.com', error: 'pages has rows of 2026-03-01, which were not requested' },
    ]);
  });

  test('with a number that is too long fails its partition, and leaves the types and the other sites alone', async () => {
    const figures = figuresOf([7, 8, 9], '2026-03-01', 13);
    figures.get(7)?.get('2026-03-02')?.push({ page: '"/x"', visits: '1E400', revenue: '1' });
    const { sync } = await syncing(figures);
    const ran = await sync(['run', '-o', 'json']);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout).failures).toMatchObject([
      {
        domain: 'site-7.example.com',
        error:
          'lake cannot store the column visits as it is: numbers that are too long for it, such as 1E400',
      },
    ]);
    expect(ran.stderr).not.toContain('column types');
    expect(JSON.parse((await sync(['status', '-o', 'json'])).stdout)).toMatchObject([{ rows: 78 }]);
  });
});

describe('a value that cannot be stored', () => {
  const BY_DAY = SYNC_FILE.replace('pages:', 'pages:\n    partition: day').replace(
    '2026-01-01',
    '2026-03-01',
  );
  /** Two days with such values, in the middle of a unit. */
  const broken = () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    for (const day of ['2026-03-05', '2026-03-06'])
      figures.get(7)?.get(day)?.push({ page: '"bad\\ud800x"', visits: '1', revenue: '1' });
    figures.get(7)?.get('2026-03-10')?.push({ page: '"/x"', visits: '"many"', revenue: '1' });
    return figures;
  };
  const failuresIn = (target: string) => [
    {
      ...{ table: 'pages', domain: 'site-7.example.com', from: '2026-03-05', to: '2026-03-06' },
      error: `${target} cannot store the column page_url as it is: a text that is cut in the middle of a character`,
    },
    {
      ...{ table: 'pages', domain: 'site-7.example.com', from: '2026-03-10', to: '2026-03-10' },
      error: 'visits on 2026-03-10 is "many" in a row of pages, which is not a number',
    },
  ];

  test.each(['lake', 'duckdb:pages.duckdb'])(
    'fails its partition only, without a further request, in %s',
    async destination => {
      const { sync, server } = await syncing(
        broken(),
        BY_DAY.replace('destination: lake', `destination: ${destination}`),
      );
      const failures = failuresIn(destination.replace('duckdb:', ''));
      const ran = await sync(['run', '-o', 'json']);
      expect(ran.code).toBe(7);
      expect(JSON.parse(ran.stdout)).toMatchObject({
        tables: [{ added: 10, failed: 3, requests: 1 }],
        failures,
      });
      expect(JSON.parse(ran.stderr).error.message).toBe(
        '3 of 13 partitions failed: a value that cannot be stored fails again, unless the gateway changes it or the sync file omits its column',
      );
      expect(queriesOf(server)).toHaveLength(1);
      const again = await sync(['run', '-o', 'json']);
      expect([again.code, JSON.parse(again.stdout).failures]).toEqual([7, failures]);
      expect(JSON.parse((await sync(['status', '-o', 'json'])).stdout)).toMatchObject([{ partitions: 10 }]);
    },
  );

  test('in units, is all that the next try requests, which exits 9', async () => {
    const { sync, folder } = await syncing(broken(), BY_DAY);
    writeFileSync(join(folder, 'units.ndjson'), (await sync(['plan', '--units'])).stdout);
    const args = ['run', '--units', 'units.ndjson', '--concurrency', '1', '-o', 'json'];
    expect((await sync(args, { cwd: folder })).code).toBe(7);
    const again = await sync(args, { cwd: folder });
    expect([again.code, JSON.parse(again.stderr).error.code]).toEqual([9, 'unrepresentable_value']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      tables: [{ partitions: 0, failed: 3 }],
      failures: failuresIn('lake'),
    });
  });

  test('is skipped by the pass that a wider type requires', async () => {
    const figures = broken();
    figures.get(7)?.set('2026-03-13', [{ page: '"/wide"', visits: '1', revenue: '0.123456789' }]);
    const { sync } = await syncing(figures, BY_DAY);
    const ran = await sync(['run', '-o', 'json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ tables: [{ failed: 3 }], failures: failuresIn('lake') });
    expect(JSON.parse((await sync(['status', '-o', 'json'])).stdout)).toMatchObject([{ partitions: 10 }]);
  });
});

describe('a gateway that becomes unavailable in the middle of a run', () => {
  test.each<[string, Reply, number, number]>([
    ['a status of 503', { status: 503 }, 6, 10],
    ['a rate limit', { status: 429 }, 8, 10],
    ['a rate limit for hours', { status: 429, headers: { 'retry-after': '7200' } }, 8, 1],
  ])(
    'with %s: stops with its exit code after as many units as may succeed, and the next run requests the rest',
    async (_, reply, exit, units) => {
      const sites = Array.from({ length: 40 }, (_, index) => index + 1);
      const figures = figuresOf(sites, '2026-03-13', 1);
      const respond = respondFrom(figures);
      let isDown = true;
      const { sync, server } = await syncing(
        figures,
        SYNC_FILE.replace('2026-01-01', '2026-03-13'),
        request => {
          const id = Number(/"domain_id":(\d+)/.exec(request.body)?.[1] ?? 0);
          return isDown && id > 5 ? { ...reply, body: '{}' } : respond(request);
        },
      );
      const { code, stdout } = await sync(['run', '--retries', '0', '--concurrency', '1', '--quiet']);
      expect([code, stdout]).toEqual([exit, '']);
      expect(new Set(queriesOf(server).map(query => query.domain_id)).size).toBe(5 + units);
      isDown = false;
      const ran = await sync(['run', '-o', 'json']);
      expect([ran.code, JSON.parse(ran.stdout).tables[0].partitions]).toEqual([0, 40]);
      expect(JSON.parse(ran.stdout).tables[0].added).toBe(35);
    },
  );
});

describe('a sync of hundreds of sites', () => {
  test('has the ledgers of a few sites in memory at a time', async () => {
    const open = new Set<string>();
    let most = 0;
    const { ledger, release } = Lake.prototype;
    const spies = [
      vi.spyOn(Lake.prototype, 'ledger').mockImplementation(function (this: Lake, table, id) {
        most = Math.max(most, open.add(`${table}/${id}`).size);
        return ledger.call(this, table, id);
      }),
      vi.spyOn(Lake.prototype, 'release').mockImplementation(function (this: Lake, table, id) {
        open.delete(`${table}/${id}`);
        return release.call(this, table, id);
      }),
    ];
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
    const sites = Array.from({ length: 120 }, (_, index) => index + 1);
    const { sync } = await syncing(
      figuresOf(sites, '2026-03-13', 1),
      SYNC_FILE.replace('2026-01-01', '2026-03-13'),
    );
    const ran = await sync(['run', '-o', 'json']);
    expect(JSON.parse(ran.stdout).tables[0]).toMatchObject({ partitions: 120, added: 120 });
    expect(most).toBeGreaterThan(0);
    // Those in flight, and the one that is planned next.
    expect(most).toBeLessThanOrEqual(16);
    expect(open.size).toBe(0);
  });
});
