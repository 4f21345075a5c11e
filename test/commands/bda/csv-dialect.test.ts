import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { analytics, BASE, paging } from './analytics.ts';

const ROWS = [
  '{"country":"DE","visits":12345,"revenue":172.4133208101921}',
  '{"country":"A;B","visits":-7,"revenue":1.5e-7}',
  '{"country":"=1,5","visits":null,"revenue":-0.25}',
  '{"country":"1.5","visits":3,"revenue":10}',
];
const EXPECTED = [
  '\ufeffcountry;visits;revenue',
  'DE;12345;172,4133208101921',
  '"A;B";-7;1,5e-7',
  `"'=1,5";;-0,25`,
  '1.5;3;10',
  '',
].join('\r\n');

describe('--csv-dialect excel-semicolon', () => {
  test.each([[[]], [['--all']]])(
    'separates by semicolons and writes decimals with a comma, in files too (%j)',
    async all => {
      const { gatectl } = await analytics(paging(ROWS));
      const asked = [
        ...BASE,
        '-d',
        'country',
        '-m',
        'visits,revenue',
        '--csv-dialect',
        'excel-semicolon',
        ...all,
      ];
      const out = join(temporaryFolder(), 'rows.csv');
      expect((await gatectl([...asked, '--out', out])).code).toBe(0);
      expect(readFileSync(out, 'utf8')).toBe(EXPECTED);
      expect((await gatectl([...asked, '--csv'])).stdout).toBe(EXPECTED);
    },
  );

  test('is named where a file has the extension of an older Excel', async () => {
    const { server, gatectl } = await analytics(paging(ROWS));
    const { code, stderr } = await gatectl([...BASE, '-m', 'visits', '--out', 'rows.xls'], {
      cwd: temporaryFolder(),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('or .csv with --csv-dialect excel, or excel-semicolon for decimal commas');
    expect(server.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('has the same form in lists that are not exports', async () => {
    const { gatectl } = await analytics(() => ({ body: '[{"name":"a;b","share":0.5}]' }));
    const { stdout } = await gatectl(['bda', 'domains', '--csv', '--csv-dialect', 'excel-semicolon']);
    expect(stdout).toBe('\ufeffname;share\r\n"a;b";0,5\r\n');
  });
});

test.each([
  ['table', []],
  ['json', ['--json']],
  ['ndjson', ['--out', 'rows.ndjson']],
])('--csv-dialect is rejected where the output is %s', async (format, words) => {
  const { gatectl } = await analytics(paging(ROWS));
  const ran = await gatectl([...BASE, '-d', 'country', ...words, '--csv-dialect', 'excel']);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(`--csv-dialect requires csv output, not ${format}`);
  expect(ran.stderr).toContain('add --csv, or write a file whose name ends in .csv');
});
