import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import type { Json } from '../../../../../src/json/index.ts';
import type { Received, Reply } from '../../../../support/wire-server.ts';
import { readWorkbook } from '../../../../support/workbook.ts';
import { analytics } from '../../analytics.ts';
import { build, withSections } from './report.ts';

const LISTING = {
  columns: [
    { name: 'author', type: 'string' },
    { name: 'bounce_rate', unit: 'ratio' },
  ],
};

/** A row for each value of a dimension. */
function valued(values: readonly Json[], figure = '1') {
  return ({ method, target }: Received): Reply => {
    if (method === 'GET')
      return target.includes('columns') ? { body: JSON.stringify(LISTING) } : { status: 404, body: '{}' };
    const rows = values.map(author => `{"author":${JSON.stringify(author)},"bounce_rate":${figure}}`);
    return { body: `{"rows":[${rows}],"total_rows":${rows.length}}` };
  };
}

const REPORT = withSections(
  '- title: Authors',
  '  query: {dimension: author, metric: bounce_rate}',
  '  chart: true',
).replace('sections:', 'mail: {to: [editors@example.com]}\nsections:');
const ALIKE = [null, '', '(none)', 'DE', 'DE '];
const NAMES = ['(none)', '""', '"(none)"', 'DE', '"DE "'];

test('values that look alike are named alike in the tables and charts of every format, and none like another', async () => {
  const reply = valued(ALIKE);
  const md = (await build(REPORT, [], { reply })).stdout;
  const labels = md.split('```')[1]?.split('\n') ?? [];
  const mail = await PostalMime.parse((await build(REPORT, [], { reply, name: 'a.eml' })).written());
  const page = (await build(REPORT, [], { reply, name: 'a.html' })).written().toString();
  const { gatectl } = await analytics(reply);
  const query = [
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-d',
    'author',
    '-m',
    'bounce_rate',
    '--last',
    '7d',
  ];
  const table = (await gatectl(query)).stdout;
  const chart = (await gatectl([...query, '--chart'])).stdout;
  const escaped = (name: string) => name.replaceAll('"', '&quot;');
  for (const name of NAMES) {
    expect(md).toMatch(new RegExp(`^\\| ${name.replace(/[()]/g, '\\$&')} +\\|`, 'm'));
    expect(labels.some(line => line.startsWith(`${name} `))).toBe(true);
    expect(mail.text).toContain(name);
    expect(page).toContain(`>${escaped(name)}</td>`);
    expect(mail.html).toContain(`>${escaped(name)}</td>`);
    expect(table).toContain(`${name} `);
    expect(chart).toContain(`${name} `);
  }
  const { path } = await build(REPORT, [], { reply, name: 'a.xlsx' });
  const sheet = readWorkbook(path).find(({ name }) => name === 'Authors');
  expect(sheet?.rows.slice(1).map(([cell]) => cell?.value)).toEqual(NAMES);
});

test.each([
  ['0.38724035608308605341', '38.7 %'],
  ['-0.00173310970627445921', '−0.2 %'],
])('a workbook has a ratio of %s as a number in the format of a page', async (digits, shown) => {
  const reply = valued(['DE'], digits);
  const { path, stderr } = await build(REPORT, [], { reply, name: 'a.xlsx' });
  const cell = readWorkbook(path).find(({ name }) => name === 'Authors')?.rows[1]?.[1];
  expect(cell).toMatchObject({ kind: 'number', format: '0.0 %' });
  expect(Number(cell?.value)).toBeCloseTo(Number(digits), 15);
  expect(stderr).not.toContain('text');
  expect((await build(REPORT, [], { reply })).stdout).toContain(shown);
});

test('long addresses that differ in their middle are told apart in tables, charts and mails', async () => {
  const pages = [1, 2, 3].map(
    at =>
      `https://www.example.com/${'section/'.repeat(12)}aaaa-00${at}/${'the-same/'.repeat(9)}index.html?utm_source=x`,
  );
  const reply = valued(pages);
  const page = (await build(REPORT, [], { reply, name: 'a.html' })).written().toString();
  const mail = await PostalMime.parse((await build(REPORT, [], { reply, name: 'a.eml' })).written());
  for (const text of [page, mail.html ?? '', mail.text ?? '', (await build(REPORT, [], { reply })).stdout]) {
    for (const at of [1, 2, 3]) expect(text).toMatch(new RegExp(`aaaa-00${at}[^\\n<"]*…`));
  }
});

test('the default heading of an explanation has the label of its metric', async () => {
  const report = withSections('- why: {metric: visits, dimension: country}');
  expect((await build(report)).stdout).toContain('## Why visits changed\n');
  const labeled = report.replace('sections:', 'labels: {visits: Reads}\nsections:');
  expect((await build(labeled)).stdout).toContain('## Why Reads changed\n');
});

test('an error about the depth of an explanation is in the words of the file', async () => {
  const { code, stderr } = await build(withSections('- why: {metric: visits, dimension: country, depth: 2}'));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      "depth: 2 requires another dimension than country\n  name another: dimension: [country, COLUMN], or omit 'dimension' to examine those of the data set\n",
    ),
  });
});
