import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { expressPurgeHandler } from '../../src/client/index.ts';

type Before = (request: IncomingMessage) => Promise<object>;

/** What a handler behind middleware gets, and the response to a request. */
async function sent(path: string, init: RequestInit, before: Before = async () => ({})) {
  const seen: { url: string; method: string; header: string | null; body: string }[] = [];
  const handle = expressPurgeHandler(async request => {
    seen.push({
      ...{ url: request.url, method: request.method, header: request.headers.get('webhook-id') },
      body: await request.text(),
    });
    return new Response('{"status":"confirmed"}', { status: 202, headers: { 'cache-control': 'no-store' } });
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    Object.assign(request, { originalUrl: request.url, url: '/' }, await before(request));
    handle(request, response, error => {
      response.statusCode = 500;
      response.end((error as Error).message);
    });
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return { seen, status: response.status, headers: response.headers, text: await response.text() };
}

const BODY = '{"text":  "ü"}';
const POST = { method: 'POST', headers: { 'webhook-id': 'e1' }, body: BODY };

test('a handler of Express gets the bytes as they were sent, and the path that was signed', async () => {
  const { seen, status, headers, text } = await sent('/events/blog?x=1', POST);
  expect(seen).toEqual([
    { url: 'http://localhost/events/blog?x=1', method: 'POST', header: 'e1', body: BODY },
  ]);
  expect([status, headers.get('cache-control'), text]).toEqual([202, 'no-store', '{"status":"confirmed"}']);
});

test('also where express.raw has read them, and for a request without a body', async () => {
  const { seen } = await sent('/events', POST, async request => ({ body: await buffer(request) }));
  expect(seen[0]?.body).toBe(BODY);
  expect((await sent('/events', { method: 'GET' })).seen[0]).toMatchObject({ method: 'GET', body: '' });
});

test('a body that was parsed is an error that says what to do', async () => {
  const { seen, status, text } = await sent('/events', POST, async request => ({
    body: JSON.parse(String(await buffer(request))),
  }));
  expect([seen, status]).toEqual([[], 500]);
  expect(text).toContain('put the route of events before express.json()');
});
