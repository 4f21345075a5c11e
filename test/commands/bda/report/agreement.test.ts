import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/index.ts';
import { NOON, run } from '../../../support/run.ts';

const DAYS = ['--from', '2026-02-01', '--to', '2026-02-28'];

describe('one embedded gateway, queried through both APIs', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ now: () => NOON });
  });
  afterAll(() => sandbox.close());

  async function rows(...args: readonly string[]): Promise<string[]> {
    const { code, stdout, stderr } = await run(['bda', ...args, ...DAYS, '--all', '--csv'], {
      env: { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: 'sandbox-key-0000-not-a-secret' },
    });
    expect(code, stderr).toBe(0);
    return stdout.trimEnd().split('\n');
  }

  test('2,500 rows by pages are the same bytes as one page of 2,500', async () => {
    const columns = ['report', 'run', '-d', 'page_url,report_day,device', '-m', 'visits,revenue'];
    const whole = await rows(...columns, '--page-size', '100000');
    expect(whole.length).toBeGreaterThan(2501);
    const env = { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: 'sandbox-key-0000-not-a-secret' };
    const one = await run(['bda', ...columns, ...DAYS, '--limit', '2500', '--csv'], { env });
    expect(one.stdout.trimEnd().split('\n')).toEqual(whole.slice(0, 2501));
    expect(await rows(...columns, '--page-size', '700')).toEqual(whole);
  });

  test.each([
    [['-d', 'country', '-m', 'visits,revenue'], []],
    [
      ['-d', 'report_week,device', '-m', 'pageviews,revenue'],
      ['--filter', 'pageviews>=50'],
    ],
    [
      ['-d', 'report_day', '-m', 'visits,revenue'],
      ['--domain-id', '1002', '--platform', 'service'],
    ],
    [
      ['-d', 'country', '-m', 'visits,revenue'],
      ['--query-params', 'exclude', '--fragments', 'exclude'],
    ],
  ])('%j with %j: v1 returns the same, rounded', async (columns, scope) => {
    const sorted = (lines: readonly string[]) =>
      lines
        .slice(1)
        .map(line => line.split(','))
        .sort();
    const v2 = sorted(await rows('query', '--data-set', 'pageview', ...columns, ...scope));
    const v1 = sorted(await rows('report', 'run', ...columns, ...scope));
    expect(v1.length).toBeGreaterThan(1);
    expect(v1.map(cells => cells.slice(0, -1))).toEqual(v2.map(cells => cells.slice(0, -1)));
    for (const [index, cells] of v1.entries())
      expect(Math.abs(Number(cells.at(-1)) - Number(v2[index]?.at(-1)))).toBeLessThanOrEqual(0.005 + 1e-9);
  });
});
