import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startSandbox } from 'gatectl/sandbox';
import worker from './worker.js';

/** @type {import('gatectl/sandbox').Sandbox} */
let sandbox;
before(async () => {
  sandbox = await startSandbox({ clock: '2026-03-14T12:00:00Z' });
});
beforeEach(() => sandbox.reset());
after(() => sandbox.close());

/**
 * What the worker serves to a session token.
 * @param {string} [token]
 */
async function served(token) {
  const headers = token === undefined ? undefined : { 'x-session-token': token };
  const request = new Request('https://example.com/articles/one', headers && { headers });
  const env = { GATEWAY_URL: sandbox.baseUrl, GATEWAY_KEY: sandbox.apiKey };
  const response = await worker.fetch(request, env);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  return [response.status, await response.text()];
}

const tokenOf = (/** @type {string} */ email) =>
  sandbox.readers.find(reader => reader.email === email)?.sessionToken;
const ARTICLE = 'the whole article';
const TEASER = 'the first lines of the article';

test('who holds premium reads the article, and everybody else its first lines', async () => {
  assert.deepEqual(await served(tokenOf('active@example.com')), [200, ARTICLE]);
  assert.deepEqual(await served(), [401, TEASER]);
  assert.deepEqual(await served('two words'), [401, TEASER]);
  assert.deepEqual(
    sandbox.requests.map(({ path, status }) => [path, status]),
    [['/subscriptions/v1/access', 200]],
  );
});

test('a token that the gateway rejects opens nothing', async () => {
  assert.deepEqual(await served('aaaa.bbbb.cccc'), [503, TEASER]);
});

test('the gateway is asked for each page, and without its decision the article stays closed', async () => {
  const token = tokenOf('active@example.com');
  assert.deepEqual(await served(token), [200, ARTICLE]);
  sandbox.setFaults('status=503');
  assert.deepEqual(await served(token), [503, TEASER]);
  sandbox.setFaults();
  sandbox.clock.set('2040-01-01');
  assert.notDeepEqual(await served(token), [200, ARTICLE]);
});
