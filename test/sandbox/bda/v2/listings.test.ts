import { expect, test } from 'vitest';
import { openBda } from '../calling.ts';

const bda = openBda();

test('domains are the account’s', async () => {
  const { status, json } = await bda.v2('GET', '/domains');
  expect(status).toBe(200);
  expect(json).toEqual({
    domains: [
      { domain_id: 1001, domain: 'example.com' },
      { domain_id: 1002, domain: 'example.org' },
    ],
  });
});

test('columns name type, unit, description and data sets, every documented one among them', async () => {
  const { json } = await bda.v2('GET', '/columns');
  const names = json.columns.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'report_day',
      'report_week',
      'report_month',
      'visits',
      'pageviews',
      'engaged_page_pageviews',
      'engaged_pageviews_per_visit',
      'engaged_time',
      'bounce_rate',
      'revenue',
      'epmv',
      'copy_paste_per_pageview',
      'country',
    ]),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(json.columns.find(({ name }: { name: string }) => name === 'revenue')).toEqual({
    name: 'revenue',
    type: 'number',
    unit: 'USD',
    description: 'Revenue at full precision',
    role: 'metric',
    data_sets: ['pageview', 'visit', 'bulk'],
  });
});

test('columns do not include those that only v1 has', async () => {
  const { json } = await bda.v2('GET', '/columns');
  expect(json.columns.map(({ name }: { name: string }) => name)).not.toContain('pageviews_per_visit');
});

test('data sets are pageview, visit and bulk', async () => {
  const { json } = await bda.v2('GET', '/data-sets');
  expect(json.data_sets.map(({ name }: { name: string }) => name)).toEqual(['pageview', 'visit', 'bulk']);
});

test('each column of each data set can be requested', async () => {
  const { json } = await bda.v2('GET', '/columns');
  for (const data_set of ['pageview', 'visit', 'bulk']) {
    const of = (role: string) =>
      json.columns
        .filter((column: { role: string; data_sets: string[] }) => column.role === role)
        .filter((column: { data_sets: string[] }) => column.data_sets.includes(data_set))
        .map(({ name }: { name: string }) => name);
    const answer = await bda.query({
      data_set,
      dimensions: of('dimension'),
      metrics: of('metric'),
      limit: 3,
    });
    expect(answer.status, answer.text).toBe(200);
    expect(Object.keys(answer.json.rows[0])).toEqual([...of('dimension'), ...of('metric')]);
  }
});

test('the date range is that of the data', async () => {
  expect((await bda.v2('GET', '/date-range')).json).toEqual({
    earliest_date: '2025-02-04',
    latest_date: '2026-03-10',
  });
});
