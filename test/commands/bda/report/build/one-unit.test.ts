import { expect, test } from 'vitest';
import type { Received, Reply } from '../../../../support/wire-server.ts';
import { readWorkbook } from '../../../../support/workbook.ts';
import { analytics } from '../../analytics.ts';
import { build, withSections } from './report.ts';

/** A margin of 0.1 in all, of which one row is beyond 1, as is no change. */
function margins({ method, body, target }: Received): Reply {
  if (method === 'GET')
    return target.includes('columns')
      ? { body: '{"columns":[{"name":"country"},{"name":"margin","unit":"ratio"}]}' }
      : { status: 404, body: '{}' };
  const isNow = body.includes('"start_date":"2026-03-07"');
  const rows = body.includes('"dimensions"')
    ? [`{"country":"DE","margin":${isNow ? 1.5 : 1.2}}`, `{"country":"AT","margin":${isNow ? -0.25 : -0.2}}`]
    : [`{"margin":${isNow ? 0.1 : 0.05}}`];
  return { body: `{"rows":[${rows}],"total_rows":${rows.length}}` };
}

const QUERY = 'dimension: country, metric: margin';

test.each([
  ['rows', QUERY],
  ['compared rows', `${QUERY}, compare: previous`],
])('a ratio beyond 1 in %s leaves no figure of its section in percent', async (_, query) => {
  const report = withSections('- title: Margins', `  query: {${query}}`, '  chart: true');
  const { stdout } = await build(report, [], { reply: margins });
  const shares = stdout.replaceAll(/\(?[+−][\d.]+ %\)?|Change %/g, '');
  expect(shares).not.toMatch(/%|\bpp\b/);
  expect(stdout).toMatch(/DE .*1\.5/);
  const { path } = await build(report, [], { reply: margins, name: 'a.xlsx' });
  const sheet = readWorkbook(path).find(({ name }) => name === 'Margins');
  expect(sheet?.rows[1]?.[1]?.format).not.toContain('%');
});

test.each([[[]], [['--chart']]])('nor a query with %j', async flags => {
  const { gatectl } = await analytics(margins);
  const { stdout } = await gatectl([
    ...['bda', 'query', '--data-set', 'pageview', '-d', 'country', '-m', 'margin'],
    ...['--from', '2026-03-07', '--to', '2026-03-13', '--compare', 'previous', ...flags],
  ]);
  expect(stdout).toContain('Margin: 0.1');
  expect(stdout.replaceAll(/\(?[+−-][\d.]+ %\)?|Change %/g, '')).not.toMatch(/%|\bpp\b/);
});

test('a total that the gateway does not give is not said to be of no rows', async () => {
  const reply = (request: Received): Reply =>
    request.method !== 'GET' && !request.body.includes('"dimensions"')
      ? { body: '{"rows":[],"total_rows":0}' }
      : margins(request);
  const { stdout } = await build(withSections(`- query: {${QUERY}}`), [], { reply });
  expect(stdout).toContain('Margin: no total: the gateway gave none for 7 to 13 March 2026');
  expect(stdout).not.toContain('no rows');
});
