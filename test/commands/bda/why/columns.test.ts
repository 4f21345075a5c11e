import { expect, test } from 'vitest';
import { run } from '../../../support/run.ts';
import { wireServer } from '../../../support/wire-server.ts';

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
