import { expect, onTestFinished, test } from 'vitest';
import { wireServer } from '../../support/wire-server.ts';
import { ask, sandboxWith } from '../asking.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

test('a cache in front is purged with the embedded one, and a purge that it does not confirm fails', async () => {
  let status = 200;
  const front = await wireServer(() => ({ status, body: '' }));
  onTestFinished(() => front.close());
  const sandbox = await sandboxWith({ purgeTo: new URL(front.baseUrl) });
  const clear = async (endpoint: string, body: unknown) => {
    const answered = await ask(sandbox, `/cdnservices${endpoint}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    return answered.json;
  };
  await clear('/bulkclearcache', { urls: ['https://www.example.com/a?b=1', 'https://example.com/'] });
  const received = front.received.map(({ method, target, headers }) => `${method} ${headers.host}${target}`);
  expect(received.sort()).toEqual(['PURGE example.com/', 'PURGE www.example.com/a?b=1']);
  status = 503;
  expect(await clear('/clearcache', { url: 'https://example.com/' })).toEqual({
    Success: false,
    Error: 'PURGE to the cache in front failed: status 503',
  });
});

test('the origin serves its pages without the cache', async () => {
  const sandbox = await sandboxWith({});
  const page = async () => await ask(sandbox, '/__origin/www.example.com/news', { key: '' });
  const [one, other] = [await page(), await page()];
  expect([one.status, one.headers.get('x-cache')]).toEqual([200, null]);
  expect(one.text).not.toBe(other.text);
  expect((await ask(sandbox, '/__origin/www.example.com/nothing', { key: '' })).status).toBe(404);
});
