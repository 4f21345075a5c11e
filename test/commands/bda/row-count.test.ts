import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readParquet } from '../../support/duckdb.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Received, Reply } from '../../support/wire-server.ts';
import { analytics, BASE, offsetOf, paging } from './analytics.ts';

const COUNT = 2_524;
const ROWS = Array.from({ length: COUNT }, (_, i) => `{"page_url":"/p${i}","visits":${i}}`);
const COLUMNS = ['-d', 'page_url', '-m', 'visits'];
const QUERY = [...BASE, ...COLUMNS];
const REPORT = ['bda', 'report', 'run', ...COLUMNS, '--from', '2026-02-01', '--to', '2026-02-28'];

/** Answers v1 and v2 from the same rows; v1 reports no total. */
function both(request: Received): Reply {
  if (!request.target.includes('getCustomData')) return paging(ROWS)(request);
  const { StartItem, MaxItems } = JSON.parse(request.body) as Record<string, number>;
  const from = StartItem ?? 0;
  return { body: `[${ROWS.slice(from, from + (MaxItems ?? 0)).join(',')}]` };
}

const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['bda query', QUERY],
  ['bda report run', REPORT],
];

describe.each(COMMANDS)('without --limit, %s', (_, asked) => {
  test.each([
    ['csv', ['-o', 'csv'], (text: string) => text.split('\n').length - 2],
    ['tsv', ['-o', 'tsv'], (text: string) => text.split('\n').length - 2],
    ['ndjson', ['-o', 'ndjson'], (text: string) => text.split('\n').length - 1],
    ['json', ['--json'], (text: string) => JSON.parse(text).length],
    ['--jq', ['--jq', 'length'], Number],
  ])('prints all rows as %s, and nothing on stderr under --quiet', async (_, flags, countIn) => {
    const { gatectl } = await analytics(both);
    const { code, stdout, stderr } = await gatectl([...asked, ...flags, '--quiet']);
    expect({ code, stderr, rows: countIn(stdout) }).toEqual({ code: 0, stderr: '', rows: COUNT });
  });

  test.each(['csv', 'tsv', 'ndjson', 'json', 'csv.gz', 'parquet'])(
    'writes all rows to a .%s file',
    async extension => {
      const { gatectl } = await analytics(both);
      const out = join(temporaryFolder(), `rows.${extension}`);
      const { code, stderr } = await gatectl([...asked, '--out', out, '--quiet']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      if (extension === 'parquet') return expect((await readParquet(out)).rows.length).toBe(COUNT);
      const text = (extension.endsWith('gz') ? gunzipSync(readFileSync(out)) : readFileSync(out)).toString();
      expect(text.split('/p').length - 1).toBe(COUNT);
    },
  );

  test.each([
    ['table', []],
    ['md', ['-o', 'md']],
    ['html', ['-o', 'html']],
  ])('shows 100 rows as %s, warns under --quiet, and shows all with --all', async (_, flags) => {
    const { gatectl } = await analytics(both);
    const some = await gatectl([...asked, ...flags, '--quiet']);
    expect({ code: some.code, rows: some.stdout.match(/\/p\d/g)?.length }).toEqual({ code: 0, rows: 100 });
    expect(some.stderr).toMatch(
      /^warning: (100 of 2,524 rows; --all shows all, --csv prints all as CSV|the first 100 rows; there may be more, --all shows all, --csv prints all as CSV)\n$/,
    );
    const all = await gatectl([...asked, ...flags, '--quiet', '--all']);
    expect({ rows: all.stdout.match(/\/p\d/g)?.length, stderr: all.stderr }).toEqual({
      rows: COUNT,
      stderr: '',
    });
  });

  test('fetches as many rows as --limit, also to files', async () => {
    const { gatectl } = await analytics(both);
    const out = join(temporaryFolder(), 'rows.csv');
    expect((await gatectl([...asked, '--limit', '7', '--out', out])).code).toBe(0);
    expect(readFileSync(out, 'utf8').split('\n').length).toBe(9);
  });

  test('draws a chart of all rows, and shows 100 of them below a chart in a file', async () => {
    const { gatectl } = await analytics(both);
    const screen = await gatectl([...asked, '--chart', '--quiet']);
    expect(screen.stdout).toContain('the first 20 of 2,524 rows');
    const svg = join(temporaryFolder(), 'a.svg');
    const file = await gatectl([...asked, '--chart', svg, '--quiet']);
    expect({ rows: file.stdout.split('/p').length - 1, stderr: file.stderr }).toEqual({
      rows: 100,
      stderr: 'warning: 100 of 2,524 rows; --all shows all\n',
    });
    expect(readFileSync(svg, 'utf8')).toContain('2,524 rows');
  });

  test('compares all rows in formats for programs, 100 in a table', async () => {
    const { gatectl } = await analytics(both);
    const compared = [...asked, '--compare', 'previous', '--quiet'];
    const csv = await gatectl([...compared, '--csv']);
    expect({ rows: csv.stdout.split('\n').length - 2, stderr: csv.stderr }).toEqual({
      rows: COUNT,
      stderr: '',
    });
    const md = await gatectl([...compared, '-o', 'md']);
    expect(md.stdout.split('/p').length - 1).toBe(100);
    expect(md.stderr).toMatch(
      /^warning: only the first 100( of 2,524)? rows are compared; --all compares all/,
    );
    expect(md.stdout).toMatch(
      /\n\nonly the first 100( of 2,524)? rows are compared(; it is unknown which days have no rows)?\n$/,
    );
  });
});

test('an interrupted export is resumed without --all', async () => {
  let fails = true;
  const { gatectl } = await analytics(request => {
    if (offsetOf(request) > 0 && fails) return { status: 400, body: '{}' };
    return both(request);
  });
  const out = join(temporaryFolder(), 'rows.csv');
  const asked = [...QUERY, '--page-size', '1000', '--out', out];
  const first = await gatectl(asked);
  expect(first.stderr).toContain('; to resume, run: gatectl bda query ');
  fails = false;
  const second = await gatectl(asked);
  expect(second.stderr).toContain('resuming at row 1,001');
  expect(readFileSync(out, 'utf8').split('\n').length).toBe(COUNT + 2);
});

test('a limit in the JSON of a query counts as one, and --all overrides it', async () => {
  const { gatectl } = await analytics(both);
  const file = join(temporaryFolder(), 'q.json');
  writeFileSync(file, '{"limit":5}');
  const asked = ['bda', 'query', file, ...QUERY.slice(2), '--csv'];
  const limited = await gatectl(asked);
  expect({ rows: limited.stdout.split('\n').length - 2, stderr: limited.stderr }).toEqual({
    rows: 5,
    stderr: 'note: 5 of 2,524 rows; --all shows all\n',
  });
  expect((await gatectl([...asked, '--all'])).stdout.split('\n').length - 2).toBe(COUNT);
});
