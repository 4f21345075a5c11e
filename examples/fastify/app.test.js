import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Gateway } from 'gatectl/client';
import { startSandbox } from 'gatectl/sandbox';
import { ARTICLE, createSite, TEASER } from './app.js';

/** @type {Record<string, string>} The site's own sessions. */
const SESSIONS = { 'session=1': 'ada@example.com', 'session=2': 'ben@example.com' };

/** @type {import('gatectl/sandbox').Sandbox} */
let sandbox;
/** @type {Gateway} */
let gateway;
/** @type {ReturnType<typeof createSite>} */
let site;
let address = '';

before(async () => {
  sandbox = await startSandbox({
    clock: '2026-03-14T12:00:00Z',
    fixtures: {
      domains: [
        {
          domain: 'example.com',
          products: [{ key: 'premium' }],
          readers: [
            {
              email: 'ada@example.com',
              entitlements: [{ item: 'https://example.com/articles/one', expires: '2026-03-14T13:00:00Z' }],
            },
            { email: 'ben@example.com' },
          ],
        },
      ],
    },
  });
  gateway = new Gateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' });
  site = createSite(gateway, (cookie = '') => SESSIONS[cookie]);
  address = await site.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  sandbox.reset();
  gateway.reset();
});
after(async () => {
  await site.close();
  await gateway.close();
  await sandbox.close();
});

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function send(path, init) {
  const response = await fetch(address + path, init);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  return { status: response.status, text: await response.text() };
}

/**
 * @param {string} path
 * @param {string} [cookie]
 */
async function get(path, cookie) {
  const { status, text } = await send(path, cookie === undefined ? {} : { headers: { cookie } });
  return [status, text];
}

test('an article is shown to who bought it, and its teaser to everybody else', async () => {
  assert.deepEqual(await get('/articles/one', 'session=1'), [200, ARTICLE]);
  assert.deepEqual(await get('/articles/one?from=mail', 'session=1'), [200, ARTICLE]);
  assert.deepEqual(await get('/articles/two', 'session=1'), [402, TEASER]);
  assert.deepEqual(await get('/articles/one', 'session=2'), [402, TEASER]);
  assert.deepEqual(await get('/articles/one'), [401, TEASER]);
});

test('nothing is remembered: access ends when it ends, and each page is one check', async () => {
  assert.deepEqual(await get('/articles/one', 'session=1'), [200, ARTICLE]);
  sandbox.clock.advance(2 * 3_600_000);
  assert.deepEqual(await get('/articles/one', 'session=1'), [402, TEASER]);
  assert.deepEqual(
    sandbox.requests.map(({ path }) => path),
    ['/subscriptions/v1/access', '/subscriptions/v1/access'],
  );
});

test('without a decision an article stays closed', async () => {
  for (const fault of ['status=503', 'reset', 'html']) {
    sandbox.setFaults(fault);
    assert.deepEqual(await get('/articles/one', 'session=1'), [503, TEASER]);
  }
});

test('an identity token is made for the reader who is signed in, anew for each checkout', async () => {
  /** @param {Record<string, string>} headers */
  const ask = headers => send('/identity-token', { method: 'POST', headers });
  assert.equal((await ask({})).status, 401);
  assert.equal((await ask({ 'x-email': 'ada@example.com' })).status, 401);
  assert.deepEqual(sandbox.requests, []);
  const [first, second] = [await ask({ cookie: 'session=1' }), await ask({ cookie: 'session=1' })];
  assert.equal(JSON.parse(first.text).expiresAt, '2026-03-14T13:00:00Z');
  assert.deepEqual(
    sandbox.requests.map(({ json }) => json),
    [{ email: 'ada@example.com' }, { email: 'ada@example.com' }],
  );
  assert.ok(!`${first.text}${second.text}`.includes('ada@'));
});
