import { expect, test } from 'vitest';
import { run } from '../../../support/run.ts';
import { wireServer } from '../../../support/wire-server.ts';
import { analytics } from '../analytics.ts';

const WHY = ['bda', 'why', '--data-set', 'pageview', '-m', 'revenue', '-d', 'country', '--last', '7d'];

test.each([
  ['revenue', '{"country":"DE"}'],
  ['country', '{"revenue":5}'],
])('a row without the column %s does not count as zero', async (column, row) => {
  const server = await wireServer(() => ({ body: `{"total_rows":1,"rows":[${row}]}` }));
  const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'k' };
  const { code, stdout, stderr } = await run([...WHY, '--retries', '0'], { env });
  await server.close();
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toContain(`error: the response has a row without the column ${column}\n`);
});

test('a --ratio for another metric is rejected', async () => {
  const { code, stderr } = await run([...WHY, '--ratio', 'x=revenue/visits', '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain('error: --ratio x=revenue/visits does not define the metric revenue\n');
});

test.each([
  ['pageviews', 'error: there is no data set pageviews; did you mean "pageview"?\n'],
  ['nothing', 'error: there is no data set nothing\n  gatectl bda data-sets lists them\n'],
])('a data set %s that no column is of is unknown', async (dataSet, error) => {
  const column = { name: 'country', type: 'string', role: 'dimension', data_sets: ['pageview'] };
  const { server, gatectl } = await analytics(({ method, target }) =>
    method === 'GET' && target.includes('/columns')
      ? { body: JSON.stringify({ columns: [column] }) }
      : { status: 404, body: '{}' },
  );
  const asked = ['bda', 'why', '--data-set', dataSet, '-m', 'visits', '--last', '7d', '--tz', 'UTC'];
  const { code, stderr } = await gatectl(asked);
  expect(code).toBe(2);
  expect(stderr).toContain(error);
  expect(server.received.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('a metric without its flag is named with it', async () => {
  const { code, stderr } = await run(['bda', 'why', 'visits', '--last', '7d', '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain(
    'error: gatectl bda why accepts only flags, but a word without a flag was given\n  type gatectl bda why -m visits --last 7d --sandbox\n',
  );
});
