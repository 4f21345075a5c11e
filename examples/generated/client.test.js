// @ts-check
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSandbox } from 'gatectl/sandbox';
import createClient from 'openapi-fetch';

/** @type {import('gatectl/sandbox').Sandbox} */
let sandbox;
/** @type {import('openapi-fetch').Client<import('./gateway.d.ts').paths>} */
let client;

before(async () => {
  sandbox = await startSandbox({ clock: '2026-03-14T12:00:00Z' });
  client = createClient({ baseUrl: sandbox.baseUrl, headers: { 'X-API-Key': sandbox.apiKey } });
});
after(() => sandbox.close());

test('a reader has access', async () => {
  const { data, error } = await client.GET('/subscriptions/v1/access', {
    params: {
      query: { domain: 'example.com', product: 'premium' },
      header: { 'X-Service-Reader-Email': 'active@example.com' },
    },
  });
  assert.equal(error, undefined);
  assert.equal(data?.data.decision, 'allowed');
});

test('the rows of a query arrive', async () => {
  const { data } = await client.POST('/gateway/bdaservices/v2/query', {
    body: {
      data_set: 'pageview',
      date_range: { start_date: '2026-03-01', end_date: '2026-03-03' },
      dimensions: ['report_day'],
      metrics: ['visits'],
    },
  });
  assert.equal(data?.total_rows, 3);
  assert.equal(data?.rows.length, 3);
});

test('a purge is sent, and an error is typed', async () => {
  const { data } = await client.POST('/cdnservices/clearcache', {
    body: { url: 'https://example.com/news' },
  });
  assert.equal(data?.Success, true);
  const { error, response } = await client.POST('/gateway/bdaservices/v2/query', {
    body: {
      data_set: 'none such',
      date_range: { start_date: '2026-03-01', end_date: '2026-03-03' },
      dimensions: [],
      metrics: ['visits'],
    },
  });
  assert.equal(response.status, 400);
  assert.ok(typeof error === 'object');
  assert.equal(error.error.code, 'validation_error');
});

test('v1 takes the key in the query', async () => {
  const { data } = await client.GET('/bdaservices/getreports/', {
    querySerializer: () => `developerKey=${sandbox.apiKey}`,
  });
  assert.ok(Array.isArray(data));
});
