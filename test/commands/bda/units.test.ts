import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { analytics, BASE, rowsReply } from './analytics.ts';

const LISTING = JSON.stringify([
  { name: 'country', type: 'string', unit: null },
  { name: 'visits', type: 'number', unit: 'count' },
  { name: 'revenue', type: 'number', unit: 'USD' },
]);
const server = (listing = LISTING) =>
  analytics(({ method, target }) => {
    if (/columns/.test(target)) return { body: listing };
    return method === 'GET'
      ? { status: 404, body: '{}' }
      : rowsReply(['{"country":"ES","visits":12,"revenue":1.255}'], 1);
  });
const ASKED = [...BASE, '-d', 'country', '-m', 'visits,revenue'];

describe('units in headings', () => {
  test.each([
    ['table', 'Country  Visits  Revenue (USD)\nES           12           1.26\n'],
    ['md', '| Country | Visits | Revenue (USD) |\n'],
    ['html', '>Revenue (USD)</th>'],
  ])('adds the units that are known to the headings of %s', async (format, printed) => {
    const { gatectl } = await server();
    const { code, stdout, stderr } = await gatectl([...ASKED, '--decimals', '2', '-o', format]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(printed);
  });

  test('adds them to the figures of an earlier period', async () => {
    const { gatectl } = await server();
    const { stdout } = await gatectl([...ASKED, '--compare', 'previous', '-o', 'md']);
    expect(stdout).toMatch(/^\| Country .*\| Revenue \(USD\) \| Revenue before \(USD\) \|/m);
  });

  test('prints the table without units if the columns cannot be listed', async () => {
    const { gatectl } = await server('not json');
    const { code, stdout } = await gatectl([...ASKED]);
    expect({ code, heading: stdout.split('\n')[0] }).toEqual({
      code: 0,
      heading: 'Country  Visits  Revenue',
    });
  });

  test('works for reports of v1', async () => {
    const { gatectl } = await server();
    const days = ['--from', '2026-02-01', '--to', '2026-02-02'];
    const report = ['bda', 'report', 'run', '-d', 'country', '-m', 'visits,revenue', ...days];
    expect((await gatectl([...report])).stdout).toContain('Revenue (USD)\n');
  });

  test('are those of v2 for reports of v1 too, also where only the columns of v1 are cached', async () => {
    const v1 = JSON.stringify([{ Data: 'country' }, { Data: 'visits' }, { Data: 'revenue' }]);
    const { gatectl } = await analytics(({ method, target }) => {
      if (/getcolumns/.test(target)) return { body: v1 };
      if (/columns/.test(target)) return { body: LISTING };
      if (method === 'GET' || target.includes('getreport/')) return { status: 404, body: '{}' };
      const row = '{"country":"ES","visits":12,"revenue":1.255}';
      return target.includes('query') ? rowsReply([row], 1) : { body: `[${row}]` };
    });
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const days = ['--from', '2026-02-01', '--to', '2026-02-02'];
    const named = await gatectl(['bda', 'report', 'run', 'Countries', ...days], { env });
    expect(named.stdout).toContain('Revenue (USD)\n');
    await gatectl(['bda', 'columns', '--api', 'v1'], { env });
    expect((await gatectl([...ASKED], { env })).stdout).toContain('Revenue (USD)\n');
  });

  test.each([
    [['--csv'], ['query']],
    [
      ['-o', 'table'],
      ['query', 'columns', 'date-range'],
    ],
  ])('are requested for %j only', async (format, requests) => {
    const { gatectl, server: wire } = await server();
    await gatectl([...ASKED, ...format]);
    expect(wire.received.map(({ target }) => target.split('/').pop())).toEqual(requests);
  });

  test('are requested once, and cached', async () => {
    const { gatectl, server: wire } = await server();
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const first = await gatectl([...ASKED, '-o', 'md'], { env });
    const second = await gatectl([...ASKED, '-o', 'md'], { env });
    expect(second.stdout).toBe(first.stdout);
    expect(wire.received.filter(({ target }) => target.endsWith('/columns')).length).toBe(1);
  });
});
