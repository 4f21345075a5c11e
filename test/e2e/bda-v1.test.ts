import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyHome, gatectl, serveSandbox } from '../support/gatectl.ts';

const ENDPOINTS = [
  ...['getreports', 'getreport', 'getdata', 'getCustomData', 'getcolumns', 'createcustomreport'],
  ...['getcustomreports', 'getsegments', 'getmultifilters', 'getmultifiltertypes', 'createsegment'],
  ...['getdomains', 'getfilters'],
];

const DAYS = ['--from', '2026-02-01', '--to', '2026-02-28'];

describe('an account on saved reports', () => {
  let home: Awaited<ReturnType<typeof emptyHome>>;
  let server: Awaited<ReturnType<typeof serveSandbox>>['server'];
  let env: Record<string, string>;
  const asked = new Set<string>();

  beforeAll(async () => {
    home = await emptyHome();
    const served = await serveSandbox(['--clock', '2026-03-14T12:00:00Z'], { env: home.env });
    server = served.server;
    env = { ...home.env, GATECTL_BASE_URL: served.baseUrl, GATECTL_API_KEY: served.apiKey };
  });
  afterAll(async () => {
    server.kill('SIGTERM');
    await server;
    await home.remove();
  });

  /** Runs a command, records the endpoints it requests, and checks that it does not print the key. */
  async function ran(...args: readonly string[]) {
    const { exitCode, stdout, stderr } = await gatectl(['bda', ...args, '-v'], { env });
    for (const [, endpoint = ''] of stderr.matchAll(/\/bdaservices\/(\w+)\//g)) asked.add(endpoint);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).not.toContain(env.GATECTL_API_KEY);
    return stdout;
  }

  test('makes a segment by name, uses it, copies a report, and reaches every endpoint on the way', async () => {
    const reports = JSON.parse(await ran('report', 'list', '--json')) as { kind: string }[];
    expect(new Set(reports.map(({ kind }) => kind))).toEqual(new Set(['predefined', 'custom']));
    expect(await ran('report', 'show', 'Countries')).toContain('It has no default date range');

    const made = await ran('segment', 'create', '--name', 'Nordic', '--country', 'SE,norway', '--json');
    const { id } = JSON.parse(made) as { id: number };
    expect(await ran('segment', 'list', '--csv')).toContain(`${id},Nordic`);
    const split = await ran('report', 'run', 'Countries', ...DAYS, '--segment', 'Nordic', '--csv');
    expect(
      split
        .split('\n')
        .slice(1, -1)
        .map(row => row.split(',').slice(0, 2).join())
        .sort(),
    ).toEqual(['Nordic,NO', 'Nordic,SE']);

    const file = join(home.home, 'report.json');
    writeFileSync(
      file,
      await ran('report', 'show', '--id', '101', '--jq', '.ReportTitle = "Copy" | del(.id)'),
    );
    const copy = JSON.parse(await ran('report', 'create', file, '--json')) as { id: number };
    const rows = await ran('report', 'run', '--id', String(copy.id), '--csv');
    expect(rows).toBe(await ran('report', 'run', '--id', '101', '--csv'));
    expect(rows.split('\n')[0]).toBe('report_day,country,visits,revenue,epmv');

    expect(await ran('columns', '--api', 'v1', '--search', 'epmv')).toContain('epmv');
    expect(await ran('domains', '--api', 'v1', '--csv')).toContain('1001,example.com');
    expect(await ran('filter', 'list', '--csv')).toContain('page_url');
    expect(await ran('multifilter', 'list', '--csv')).toContain('country,11,1');
    expect(await ran('multifilter', 'types', '--json')).toContain('"SE": "Sweden"');
    expect(await ran('report', 'run', '-m', 'visits', ...DAYS, '--csv')).toMatch(/^visits\n\d+\n$/);
    expect([...asked].sort()).toEqual([...ENDPOINTS].sort());
  });
});
