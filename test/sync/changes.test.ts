import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addDays, type Day } from '../../src/apis/bda/days.ts';
import { startSandbox } from '../../src/sandbox/library.ts';
import { BDA_V2_PREFIX } from '../../src/wire/bda-v2.ts';
import { readParquet } from '../support/duckdb.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NOON, run } from '../support/run.ts';
import { figuresOf, queriesOf, SYNC_FILE, syncing } from './source.ts';

const DAY_MS = 86_400_000;
const FILE = `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [device]
    metrics: [visits, revenue]
    start: 2026-02-20
`;

/** A sandbox that restates, and a folder with a sync file whose commands have the clock of the sandbox. */
async function restating(partition: 'day' | 'month' = 'month') {
  const sandbox = await startSandbox({
    clock: NOON,
    restates: true,
    fixtures: { domains: [7, 8].map(id => ({ domain: `site-${id}.example.com`, id })) },
  });
  onTestFinished(() => sandbox.close());
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gatectl.sync.yaml'), `${FILE}    partition: ${partition}\n`);
  const totals = async () => {
    const found = new Map<string, string>();
    for (const { id } of sandbox.domains) {
      const response = await fetch(`${sandbox.baseUrl}${BDA_V2_PREFIX}/query`, {
        method: 'POST',
        headers: { 'X-API-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          data_set: 'pageview',
          date_range: { start_date: '2026-02-20', end_date: '2026-03-13' },
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
    const { sandbox, totals, sync } = await restating('day');
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
  }, 30_000);
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

describe('a connection that is lost in the middle of rows', () => {
  test('stops the run with one error and no file, and the next run completes it', async () => {
    const { sandbox, folder, sync } = await restating();
    sandbox.setFaults('truncate=700,path=/query');
    const { code, stderr } = await sync(['run', '--retries', '0', '--quiet']);
    expect([code, stderr.trimEnd().split('\n')[0]]).toEqual([
      6,
      expect.stringMatching(/^error: .*before the response was complete$/),
    ]);
    const files = readdirSync(join(folder, 'lake'), { recursive: true }).map(String);
    expect(files.filter(name => /parquet|json$/.test(name)).sort()).toEqual([
      '_gatectl/lake.json',
      '_gatectl/runs.ndjson',
    ]);
    sandbox.setFaults();
    expect((await sync(['run'])).code).toBe(0);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('loses nothing that was there, whichever request it hits', async () => {
    const { sandbox, sync } = await restating();
    await sync(['run']);
    sandbox.clock.advance(3 * DAY_MS);
    sandbox.setFaults('reset=body,path=/query,every=2', 'truncate=300,path=/query,every=3');
    await sync(['run', '--retries', '1', '--refetch', '2026-02']);
    sandbox.setFaults();
    expect((await sync(['run', '--refetch', '2026'])).code).toBe(0);
    expect((await sync(['verify'])).code).toBe(0);
  });
});

describe('a sync file that changes', () => {
  test('without a column that the table has, leaves it empty, with one warning', async () => {
    const { sync, folder, lake } = await syncing(figuresOf([7, 8], '2026-01-01', 72));
    await sync(['run']);
    writeFileSync(join(folder, 'gatectl.sync.yaml'), SYNC_FILE.replace('visits, revenue', 'visits'));
    const { code, stderr } = await sync(['run']);
    expect([code, stderr]).toEqual([
      0,
      'warning: the sync file no longer has revenue in pages: the column is empty from now on\n',
    ]);
    const { rows, types } = await readParquet(join(lake, 'pages/domain_id=7/month=2026-02/data.parquet'));
    expect(types.revenue).toMatch(/^DECIMAL/);
    expect(rows.every(({ revenue, visits }) => revenue === null && visits !== null)).toBe(true);
    expect((await sync(['run'])).stderr).toBe('');
  });

  test('with another filter, requests everything again', async () => {
    const { sync, folder, server } = await syncing(figuresOf([7], '2026-01-01', 72));
    await sync(['run']);
    writeFileSync(join(folder, 'gatectl.sync.yaml'), `${SYNC_FILE}    filters: [page_url:contains:news]\n`);
    const plan = await sync(['plan', '-o', 'json']);
    expect(JSON.parse(plan.stdout)).toMatchObject([{ reasons: '3 query', from: '2026-01-01' }]);
    const before = queriesOf(server).length;
    await sync(['run']);
    expect(queriesOf(server).slice(before)).toMatchObject([
      {
        date_range: { start_date: '2026-01-01', end_date: '2026-03-13' },
        filters: [{ column: 'page_url', operator: 'contains', value: 'news' }],
      },
    ]);
    expect(JSON.parse((await sync(['plan', '-o', 'json'])).stdout)).toMatchObject([
      { reasons: '1 provisional' },
    ]);
  });
});
