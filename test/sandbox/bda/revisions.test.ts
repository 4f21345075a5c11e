import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/library.ts';
import { BDA_V2_PREFIX } from '../../../src/wire/bda-v2.ts';
import { run } from '../../support/run.ts';
import { openBda } from './calling.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-03-10T12:00:00Z');

/** Rows and visits of each day and site, as of a time. */
async function figuresAt(now: number, seed = 1): Promise<Map<string, string>> {
  return await figuresOf(openBda({ now: () => now, restates: true, seed }));
}

async function figuresOf(
  { query }: ReturnType<typeof openBda>,
  [first, last] = ['2025-01-01', '2027-12-31'],
): Promise<Map<string, string>> {
  const { json } = await query({
    date_range: { start_date: first, end_date: last },
    dimensions: ['report_day', 'site', 'device'],
    metrics: ['visits', 'revenue'],
    limit: 100_000,
  });
  const days = new Map<string, { rows: number; visits: number; revenue: number }>();
  for (const { report_day, site, visits, revenue } of json.rows) {
    const key = `${report_day} ${site}`;
    const known = days.get(key) ?? { rows: 0, visits: 0, revenue: 0 };
    days.set(key, {
      rows: known.rows + 1,
      visits: known.visits + visits,
      revenue: known.revenue + revenue,
    });
  }
  return new Map([...days].map(([key, totals]) => [key, JSON.stringify(totals)]));
}

function age(key: string, now: number): number {
  return Math.floor((now - Date.parse(key.slice(0, 10))) / DAY_MS);
}

describe('figures that are restated', () => {
  test('change for each of the last days, settle within a week, and a few change after months', async () => {
    const before = await figuresAt(NOON);
    const after = await figuresAt(NOON + 30 * DAY_MS);
    const common = [...new Set([...before.keys(), ...after.keys()])].filter(
      key => age(key, NOON) >= 0 && age(key, NOON + 30 * DAY_MS) < 399,
    );
    const changed = (key: string) => before.get(key) !== after.get(key);
    expect(common.filter(key => age(key, NOON) < 2).every(changed)).toBe(true);
    const young = common.filter(key => age(key, NOON) >= 2 && age(key, NOON) < 7);
    expect(young.some(changed)).toBe(true);
    const old = common.filter(key => age(key, NOON) >= 7);
    const share = old.filter(changed).length / old.length;
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(0.03);
    expect(old.filter(changed).some(key => age(key, NOON) >= 60)).toBe(true);
    // Some figures are withdrawn, those of a day together too.
    expect([...before.keys()].some(key => age(key, NOON) < 360 && !after.has(key))).toBe(true);
  });

  test('leave some days without rows', async () => {
    const figures = await figuresAt(NOON);
    const days = [...figures.keys()].filter(key => key.endsWith('example.com')).length;
    expect(days).toBeLessThan(398);
    expect(days).toBeGreaterThan(370);
  });

  test('are the same for a seed and a day, and others for another seed', async () => {
    const figures = await figuresAt(NOON);
    expect(await figuresAt(NOON + 3_600_000)).toEqual(figures);
    expect(await figuresAt(NOON, 2)).not.toEqual(figures);
  });

  test('are the same in whatever order their days are asked for', async () => {
    const all = await figuresAt(NOON, 3);
    const sandbox = openBda({ now: () => NOON, restates: true, seed: 3 });
    for (const [first, last] of [
      ['2026-03-04', '2026-03-10'],
      ['2025-06-30', '2025-07-01'],
      ['2025-04-20', '2025-12-31'],
      ['2025-02-04', '2025-02-04'],
      ['2025-01-01', '2027-12-31'],
    ] as const) {
      const own = [...all].filter(([key]) => key.slice(0, 10) >= first && key.slice(0, 10) <= last);
      expect(await figuresOf(sandbox, [first, last])).toEqual(new Map(own));
    }
  });

  test('follow the clock of a sandbox that is running, and rewind with it', async () => {
    await using sandbox = await startSandbox({ clock: '2026-03-10T12:00:00Z', restates: true });
    const visits = async () => {
      const response = await fetch(`${sandbox.baseUrl}${BDA_V2_PREFIX}/query`, {
        method: 'POST',
        headers: { 'X-API-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          data_set: 'pageview',
          date_range: { start_date: '2026-03-09', end_date: '2026-03-09' },
          metrics: ['visits'],
          domain_id: 1001,
        }),
      });
      return ((await response.json()) as { rows: { visits: number }[] }).rows[0]?.visits ?? 0;
    };
    const provisional = await visits();
    sandbox.clock.advance(8 * DAY_MS);
    const settled = await visits();
    expect(settled).toBeGreaterThan(provisional);
    sandbox.reset();
    expect(await visits()).toBe(provisional);
  });

  test('are off unless they are asked for', async () => {
    const visits = async (env: Record<string, string>) => {
      const { stdout } = await run(
        [
          'bda',
          'query',
          '--data-set',
          'pageview',
          '-m',
          'visits',
          '--from',
          '2026-03-09',
          '--to',
          '2026-03-09',
          '-o',
          'csv',
          '--sandbox',
        ],
        { env: { GATECTL_SANDBOX_CLOCK: '2026-03-10T12:00:00Z', TZ: 'UTC', ...env } },
      );
      return Number(stdout.split('\n')[1]);
    };
    const plain = await visits({});
    expect(await visits({ GATECTL_SANDBOX_RESTATE: '1' })).toBeLessThan(plain);
    expect(
      await run(['bda', 'data-sets', '--sandbox'], { env: { GATECTL_SANDBOX_RESTATE: 'yes' } }),
    ).toMatchObject({
      code: 2,
      stderr: "error: invalid GATECTL_SANDBOX_RESTATE 'yes'\n  set it to 1, or unset it\n",
    });
  });
});
