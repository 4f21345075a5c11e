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

describe('--units', () => {
  test.each([
    ['table', 'Country  Visits  Revenue (USD)\nES           12           1.26\n'],
    ['md', '| Country | Visits | Revenue (USD) |\n'],
    ['html', '>Revenue (USD)</th>'],
  ])('adds the units that are known to the headings of %s', async (format, printed) => {
    const { gatectl } = await server();
    const { code, stdout, stderr } = await gatectl([...ASKED, '--units', '--decimals', '2', '-o', format]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(printed);
  });

  test('adds them to the figures of an earlier period', async () => {
    const { gatectl } = await server();
    const { stdout } = await gatectl([...ASKED, '--units', '--compare', 'previous', '-o', 'md']);
    expect(stdout).toMatch(/^\| Country .*\| Revenue \(USD\) \| Revenue before \(USD\) \|/m);
  });

  test('prints the table without units if the columns cannot be listed', async () => {
    const { gatectl } = await server('not json');
    const { code, stdout } = await gatectl([...ASKED, '--units']);
    expect({ code, heading: stdout.split('\n')[0] }).toEqual({
      code: 0,
      heading: 'Country  Visits  Revenue',
    });
  });

  test('works for reports of v1', async () => {
    const { gatectl } = await server();
    const days = ['--from', '2026-02-01', '--to', '2026-02-02'];
    const report = ['bda', 'report', 'run', '-d', 'country', '-m', 'visits,revenue', ...days];
    expect((await gatectl([...report, '--units'])).stdout).toContain('Revenue (USD)\n');
  });

  test.each([
    [['--csv'], '--units requires -o table, md or html, not csv'],
    [['--jq', '.'], '--units requires -o table, md or html, not json'],
    [['--out', 'rows.csv'], '--units and --out cannot be combined'],
    [['--chart'], '--units and --chart cannot be combined'],
  ])('is rejected with %j before a request is sent', async (flags, message) => {
    const { gatectl, server: wire } = await server();
    const { code, stdout, stderr } = await gatectl([...ASKED, '--units', ...flags], {
      cwd: temporaryFolder(),
    });
    expect({ code, stdout, sent: wire.received }).toEqual({ code: 2, stdout: '', sent: [] });
    expect(stderr).toContain(message);
    expect(stderr).toContain('omit --units, which adds the units to the headings of a table');
  });
});
