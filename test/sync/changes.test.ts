import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addDays, type Day } from '../../src/apis/bda/days.ts';
import { startSandbox } from '../../src/sandbox/library.ts';
import { BDA_V2_PREFIX } from '../../src/wire/bda-v2.ts';
import { bare } from '../support/duckdb.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NOON, run } from '../support/run.ts';
import { fillUp, smallDisk } from '../support/small-disk.ts';
import { type Figures, figuresOf, queriesOf, respondFrom, SYNC_FILE, syncing } from './source.ts';

const DAY_MS = 86_400_000;
const FILE = `tables:
  pages:
    data_set: pageview
    dimensions: [device]
    metrics: [visits, revenue]
    start: 2026-03-01
`;

/** A sandbox that restates, and a folder with a sync file whose commands have the clock of the sandbox. */
async function restating(destination: string, partition: 'day' | 'month' = 'month') {
  const sandbox = await startSandbox({
    clock: NOON,
    restates: true,
    fixtures: { domains: [7, 8].map(id => ({ domain: `site-${id}.example.com`, id })) },
  });
  onTestFinished(() => sandbox.close());
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'gatectl.sync.yaml'),
    `destination: ${destination}\n${FILE}    partition: ${partition}\n`,
  );
  const totals = async () => {
    const found = new Map<string, string>();
    for (const { id } of sandbox.domains) {
      const response = await fetch(`${sandbox.baseUrl}${BDA_V2_PREFIX}/query`, {
        method: 'POST',
        headers: { 'X-API-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          data_set: 'pageview',
          date_range: { start_date: '2026-03-01', end_date: '2026-03-13' },
          dimensions: ['report_day'],
          metrics: ['visits', 'revenue'],
          domain_id: id,
          limit: 1000,
        }),
      });
      for (const [row, day] of (await response.text()).matchAll(/\{"report_day":"([\d-]+)"[^}]*\}/g))
        found.set(`${id}/${day}`, row);
    }
    return found;
  };
  return {
    sandbox,
    folder,
    totals,
    sync: (args: readonly string[]) =>
      run(['bda', 'sync', ...args], {
        now: sandbox.clock.now().getTime(),
        cwd: folder,
        env: { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey, TZ: 'UTC' },
      }),
  };
}

describe('figures that the gateway restates as days age', () => {
  test('are found by sweep at any age, which requests exactly the days that changed', async () => {
    const { sandbox, totals, sync } = await restating('lake', 'day');
    expect((await sync(['run'])).code).toBe(0);
    for (const days of [1, 60]) {
      const before = await totals();
      sandbox.clock.advance(days * DAY_MS);
      const after = await totals();
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        key => before.get(key) !== after.get(key),
      );
      expect(changed.length).toBeGreaterThan(1);
      const from = sandbox.requests.length;
      expect((await sync(['sweep', '--quiet'])).code).toBe(0);
      const requested = sandbox.requests
        .slice(from)
        .map(({ json }) => json as RowsQuery | undefined)
        .filter(query => query?.dimensions?.includes('device'))
        .flatMap(query => daysOf(query as RowsQuery));
      expect(requested.sort()).toEqual(changed.sort());
    }
    // All that is in the lake is as at the gateway.
    const verified = JSON.parse((await sync(['verify', '-o', 'json'])).stdout);
    expect(verified.mismatches).toEqual([]);
  });
});

interface RowsQuery {
  readonly dimensions: readonly string[];
  readonly domain_id: number;
  readonly date_range: { readonly start_date: Day; readonly end_date: Day };
}

function daysOf({ domain_id, date_range: { start_date, end_date } }: RowsQuery): readonly string[] {
  const days: string[] = [];
  for (let day = start_date; day <= end_date; day = addDays(day, 1)) days.push(`${domain_id}/${day}`);
  return days;
}

/** What syncs can write to here, as the sync file names it. */
const DESTINATIONS = ['lake', 'duckdb:figures.duckdb'];

/** The rows of the table `pages`, sorted, one text each: site, day, page and metrics. Read by a DuckDB that knows nothing of gatectl. */
async function storedRows(folder: string, destination: string, metrics = ['visits', 'revenue']) {
  const isLake = destination === 'lake';
  if (isLake && !existsSync(join(folder, 'lake/pages'))) return [];
  const path = isLake ? ':memory:' : join(folder, destination.slice('duckdb:'.length));
  const instance = await DuckDBInstance.create(path, isLake ? {} : { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    const source = isLake
      ? `read_parquet('${folder}/lake/pages/**/*.parquet', hive_partitioning = false)`
      : 'pages';
    const columns = ['domain_id', 'report_day', 'page_url', ...metrics].map(name => `${name}::VARCHAR`);
    const read = await connection.runAndReadAll(`SELECT ${columns} FROM ${source}`);
    return read
      .getRows()
      .map(row => row.map((cell, at) => (at < 3 ? cell : bare(String(cell)))).join('|'))
      .sort();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The rows that a destination must hold from a day on, in the form of `storedRows`. */
function rowsOf(figures: Figures, from: Day): readonly string[] {
  return [...figures]
    .flatMap(([site, days]) =>
      [...days]
        .filter(([day]) => day >= from)
        .flatMap(([day, rows]) =>
          rows.map(row =>
            [site, day, JSON.parse(row.page), ...[row.visits, row.revenue].map(bare)].join('|'),
          ),
        ),
    )
    .sort();
}

describe.each(DESTINATIONS)('a connection to the gateway that is lost, with %s', destination => {
  test('in the middle of rows stops the run with one error and no partition, and the next run completes it', async () => {
    const { sandbox, sync } = await restating(destination);
    sandbox.setFaults('truncate=700,path=/query');
    const { code, stderr } = await sync(['run', '--retries', '0', '--quiet']);
    expect([code, stderr.trimEnd().split('\n')[0]]).toEqual([
      6,
      expect.stringMatching(/^error: .*before the response was complete$/),
    ]);
    expect((await sync(['status', '--jq', '.[0] | [.partitions, .rows]'])).stdout).toBe('[0,0]\n');
    sandbox.setFaults();
    expect((await sync(['run'])).code).toBe(0);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('loses nothing that was there, whichever request it hits', async () => {
    const { sandbox, sync } = await restating(destination);
    await sync(['run']);
    sandbox.clock.advance(3 * DAY_MS);
    sandbox.setFaults('reset=body,path=/query,every=2', 'truncate=300,path=/query,every=3');
    await sync(['run', '--retries', '1', '--refetch', '2026-03']);
    sandbox.setFaults();
    expect((await sync(['run', '--refetch', '2026'])).code).toBe(0);
    expect((await sync(['verify'])).code).toBe(0);
  });
});

describe.each(DESTINATIONS)('a sync file that changes, with %s', destination => {
  const file = SYNC_FILE.replace('destination: lake', `destination: ${destination}`);
  const reasonsOf = (stdout: string) => JSON.parse(stdout).map((unit: { reasons: string }) => unit.reasons);

  test('without a column that the table has, leaves it empty, with one warning', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    const { sync, folder } = await syncing(figures, file);
    await sync(['run']);
    writeFileSync(join(folder, 'gatectl.sync.yaml'), file.replace('visits, revenue', 'visits'));
    const { code, stderr } = await sync(['run']);
    expect([code, stderr]).toEqual([
      0,
      'warning: the sync file no longer has revenue in pages: the column is empty from now on\n',
    ]);
    expect(await storedRows(folder, destination)).toEqual(
      rowsOf(figures, '2026-01-01').map(row => row.replace(/[^|]*$/, 'null')),
    );
    expect((await sync(['run'])).stderr).toBe('');
  });

  test('with another column, an earlier start and another site, requests what is missing and loses nothing', async () => {
    const figures = figuresOf([7], '2025-12-01', 103);
    const { sync, folder, server } = await syncing(figures, file.replace('visits, revenue', 'visits'));
    const write = (text: string) => writeFileSync(join(folder, 'gatectl.sync.yaml'), text);
    await sync(['run']);
    write(file);
    await sync(['run']);
    expect(await storedRows(folder, destination)).toEqual(rowsOf(figures, '2026-01-01'));
    // Neither the new column nor its types, which became wider, changed a figure.
    expect((await sync(['status', '--jq', '.[0].revisions'])).stdout).toBe('0\n');
    write(file.replace('start: 2026-01-01', 'start: 2025-12-15'));
    expect(reasonsOf((await sync(['plan', '-o', 'json'])).stdout)).toEqual(['1 new', '1 provisional']);
    await sync(['run']);
    expect(await storedRows(folder, destination)).toEqual(rowsOf(figures, '2025-12-15'));
    for (const [site, days] of figuresOf([8], '2026-02-10', 30)) figures.set(site, days);
    const before = queriesOf(server).length;
    await sync(['run']);
    const bySite = queriesOf(server)
      .slice(before)
      .sort((one, other) => one.domain_id - other.domain_id);
    expect(bySite).toMatchObject([
      { domain_id: 7, date_range: { start_date: '2026-03-01' } },
      { domain_id: 8, date_range: { start_date: '2025-12-15' } },
    ]);
    expect(await storedRows(folder, destination)).toEqual(rowsOf(figures, '2025-12-15'));
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('with another filter, requests everything again', async () => {
    const { sync, folder, server } = await syncing(figuresOf([7], '2026-01-01', 72), file);
    await sync(['run']);
    writeFileSync(join(folder, 'gatectl.sync.yaml'), `${file}    filters: [page_url:contains:news]\n`);
    expect(reasonsOf((await sync(['plan', '-o', 'json'])).stdout)).toEqual(['3 query']);
    const before = queriesOf(server).length;
    await sync(['run']);
    expect(queriesOf(server).slice(before)).toMatchObject([
      {
        date_range: { start_date: '2026-01-01', end_date: '2026-03-13' },
        filters: [{ column: 'page_url', operator: 'contains', value: 'news' }],
      },
    ]);
    expect(reasonsOf((await sync(['plan', '-o', 'json'])).stdout)).toEqual(['1 provisional']);
  });

  test('with a later start and an earlier end, holds what is there, and all of it with one query', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, folder, server } = await syncing(figures, file);
    const write = (text: string) => writeFileSync(join(folder, 'gatectl.sync.yaml'), text);
    await sync(['run']);
    const shorter = file.replace('start: 2026-01-01', 'start: 2026-02-05\n    end: 2026-03-08');
    write(shorter);
    expect((await sync(['run'])).stderr).toBe('');
    expect(await storedRows(folder, destination)).toEqual(rowsOf(figures, '2026-01-01'));
    const before = queriesOf(server).length;
    write(shorter.replace('visits, revenue', 'visits'));
    expect(reasonsOf((await sync(['plan', '-o', 'json'])).stdout)).toEqual(['3 query']);
    await sync(['run']);
    expect(await storedRows(folder, destination)).toEqual(
      rowsOf(figures, '2026-01-01').map(row => row.replace(/[^|]*$/, 'null')),
    );
    expect((await sync(['run', '--refetch', '2026-01'])).code).toBe(0);
    const ranges = queriesOf(server)
      .slice(before)
      .map(query => Object.values(query.date_range).join());
    expect(ranges.sort()).toEqual([
      '2026-01-01,2026-01-31',
      '2026-01-01,2026-03-13',
      '2026-03-01,2026-03-13',
    ]);
    expect((await sync(['run', '--refetch', '2025-12'])).code).toBe(2);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('and a machine where it is a day earlier, which removes no day', async () => {
    const figures = figuresOf([7], '2026-01-01', 72);
    const { sync, folder } = await syncing(figures, file);
    await sync(['run']);
    const options = { now: NOON - DAY_MS / 4, env: { TZ: 'Pacific/Pago_Pago' } };
    expect((await sync(['run'], options)).code).toBe(0);
    expect(await storedRows(folder, destination)).toEqual(rowsOf(figures, '2026-01-01'));
  });

  test('and a site that gets another name, requests it again, for one name in all rows', async () => {
    const figures = figuresOf([7, 8], '2026-01-01', 72);
    let name = 'site-7.example.com';
    const respond = respondFrom(figures);
    const { sync, folder } = await syncing(figures, file, request => {
      const { body, ...reply } = respond(request);
      return { ...reply, body: String(body).replace('site-7.example.com', name) };
    });
    await sync(['run']);
    name = 'renamed.example.com';
    expect(reasonsOf((await sync(['plan', '-o', 'json'])).stdout)).toEqual(['3 renamed', '1 provisional']);
    expect((await sync(['run'])).code).toBe(0);
    expect(await storedRows(folder, destination)).toEqual(rowsOf(figures, '2026-01-01'));
    const names = [
      'bda',
      'sql',
      'SELECT DISTINCT domain_id, domain FROM pages ORDER BY 1',
      '--csv',
      '--sync',
    ];
    expect((await run(names, { cwd: folder })).stdout.split(/\r?\n/)).toEqual([
      'domain_id,domain',
      '7,renamed.example.com',
      '8,site-8.example.com',
      '',
    ]);
    expect((await sync(['status', '--jq', '.[0].revisions'])).stdout).toBe('0\n');
  });
});

describe.each(DESTINATIONS)('a disk that is full, with %s', destination => {
  test('stops the run with one error, leaves what was there, and the next run completes it', async ({
    skip,
  }) => {
    const disk = smallDisk(6_000, reason => skip(reason));
    const figures = figuresOf([7, 8], '2026-01-01', 72, () => 40);
    const file = SYNC_FILE.replace(
      'destination: lake',
      `destination: ${destination === 'lake' ? join(disk, 'lake') : `duckdb:${join(disk, 'figures.duckdb')}`}`,
    );
    const runs = await syncing(figures, file);
    const sync = (args: readonly string[]) => runs.sync(args, { env: { GATECTL_TRUST: disk } });
    fillUp(disk);
    const empty = () => {
      for (const name of readdirSync(disk)) if (name.startsWith('fill-')) rmSync(join(disk, name));
    };
    const expectFull = ({ code, stderr }: { code: number; stderr: string }) => {
      expect(stderr).toMatch(
        /^error: [^\n]*disk is full[^\n]*\n {2}free some space, or write elsewhere: [^\n]*\n$/,
      );
      expect(code).toBe(9);
    };
    expectFull(await sync(['run', '--quiet']));
    empty();
    expect((await sync(['run'])).code).toBe(0);
    const before = await storedRows(disk, destination);
    expect(before).toEqual(rowsOf(figures, '2026-01-01'));
    for (const days of figures.values())
      for (const rows of days.values()) rows.push({ page: '"/late"', visits: '1', revenue: '2.5' });
    fillUp(disk);
    expectFull(await sync(['run', '--quiet', '--refetch', '2026']));
    empty();
    expect(await storedRows(disk, destination)).toEqual(before);
    expect((await sync(['run', '--refetch', '2026'])).code).toBe(0);
    expect(await storedRows(disk, destination)).toEqual(rowsOf(figures, '2026-01-01'));
    expect((await sync(['verify'])).code).toBe(0);
  });
});
