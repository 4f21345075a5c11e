import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { analytics, BASE, paging } from './analytics.ts';

const ROWS = [
  '{"country":"ES","visits":12345,"epmv":12345.6789}',
  '{"country":"PT","visits":8,"epmv":-0.125}',
  '{"country":"FR","visits":3,"epmv":7}',
];
const ASKED = [...BASE, '-d', 'country', '-m', 'visits', '-m', 'epmv'];

describe('--decimals', () => {
  test('rounds the columns of a table that have decimals, and aligns them', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    expect((await gatectl([...ASKED, '--decimals', '2'])).stdout).toBe(
      `Country  Visits       EPMV
ES       12,345  12,345.68
PT            8      −0.13
FR            3       7.00
`,
    );
  });

  test('is those of the kind of figure by default, and all on request', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    expect((await gatectl(ASKED)).stdout).toContain('ES       12,345  12,345.68\n');
    expect((await gatectl([...ASKED, '--decimals', 'all'])).stdout).toContain('12,345.6789\n');
    const refused = await gatectl([...ASKED, '--decimals', 'some']);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('is in the form of the locale', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    const german = 'ES       12.345  12.345,68\nPT            8      −0,13\nFR            3       7,00\n';
    expect((await gatectl([...ASKED, '--locale', 'de-DE'])).stdout).toContain(german);
    expect((await gatectl(ASKED, { env: { LANG: 'de_DE.UTF-8' } })).stdout).toContain(german);
    expect((await gatectl([...ASKED, '--csv', '--locale', 'de-DE'])).stdout).toContain('ES,12345,12345.6789');
    const refused = await gatectl([...ASKED, '--locale', 'nowhere!']);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('rounds in md and html too', async () => {
    const { gatectl } = await analytics(paging(ROWS));
    expect((await gatectl([...ASKED, '--decimals', '0', '-o', 'md'])).stdout).toContain(
      '| ES      | 12,345 | 12,346 |\n',
    );
    expect((await gatectl([...ASKED, '--decimals', '1', '-o', 'html'])).stdout).toContain('>12,345.7</td>');
  });

  test.each([
    ['csv', ['--csv'], '--decimals requires -o table, md or html, not csv', 'csv has all digits'],
    ['jq', ['--jq', '.'], '--decimals requires -o table, md or html, not json', 'json has all digits'],
  ])('is rejected with %s before a request is sent', async (_, flags, error, hint) => {
    const { gatectl, server } = await analytics(paging(ROWS));
    const { code, stdout, stderr } = await gatectl([...ASKED, '--decimals', '2', ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(error);
    expect(stderr).toContain(`omit --decimals; ${hint}`);
    expect(server.received).toEqual([]);
  });

  test.each([
    ['--out', ['--out', 'rows.csv']],
    ['--chart', ['--chart']],
  ])('is rejected with %s', async (name, flags) => {
    const { gatectl, server } = await analytics(paging(ROWS));
    const done = await gatectl([...ASKED, '--decimals', '2', ...flags], { cwd: temporaryFolder() });
    expect(done.code).toBe(2);
    expect(done.stderr).toContain(`error: --decimals and ${name} cannot be combined\n`);
    expect(server.received).toEqual([]);
  });
});
