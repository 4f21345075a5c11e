import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Gateway } from 'gatectl/client';
import { startSandbox } from 'gatectl/sandbox';
import { eventsSite } from './events.js';

const SECRET = 'a made-up secret';
/** @type {import('gatectl/sandbox').Sandbox} */
let sandbox;
/** @type {Gateway} */
let gateway;
/** @type {import('node:http').Server} */
let server;

before(async () => {
  sandbox = await startSandbox();
  gateway = new Gateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' });
  server = eventsSite(gateway, SECRET);
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
});
after(async () => {
  server.close();
  await gateway.close();
  await sandbox.close();
});

/**
 * Sends an event as a CMS does (www.standardwebhooks.com).
 * @param {string} id
 * @param {string} secret
 */
async function send(id, secret) {
  const body = JSON.stringify({ kind: 'updated', type: 'article', path: '/über-uns/', tags: ['berlin'] });
  const time = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const response = await fetch(`http://127.0.0.1:${port}/events/cms`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  return { status: response.status, word: JSON.parse(await response.text()).status };
}

test('an event is purged once, and what is forged is refused', async () => {
  assert.deepEqual(await send('e1', SECRET), { status: 200, word: 'confirmed' });
  assert.deepEqual(await send('e1', SECRET), { status: 200, word: 'duplicate' });
  assert.deepEqual(await send('e2', 'another secret'), { status: 401, word: undefined });
});
