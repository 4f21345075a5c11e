import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  LoopbackOnlyError,
  type RequestLogEntry,
  type Sandbox,
  startSandbox,
} from '../../src/sandbox/index.ts';
import { until } from '../support/wait.ts';
import { ask, askAs, NOON, sandboxWith } from './asking.ts';

function statusForHost(sandbox: Sandbox, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'x-api-key': sandbox.apiKey };
    const asking = request(`${sandbox.baseUrl}/cdnservices/ping/`, { method: 'POST', headers, agent: false });
    asking.on('response', response => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.on('error', reject);
    asking.end();
  });
}

function portOf(sandbox: Sandbox): number {
  return Number(new URL(sandbox.baseUrl).port);
}

function closedSocket(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume();
  });
}

describe('who may talk to the sandbox', () => {
  test.each(['0.0.0.0', '192.168.1.5', '::', 'example.com', ''])('it does not listen on %s', async host => {
    await expect(startSandbox({ host })).rejects.toThrow(LoopbackOnlyError);
  });

  test('it listens on the given port of this machine', async () => {
    const sandbox = await sandboxWith({ host: 'localhost' });
    expect((await ask(sandbox, '/cdnservices/ping/', { method: 'POST' })).status).toBe(200);
  });

  test('a port that is taken is reported as such', async () => {
    const sandbox = await sandboxWith();
    await expect(startSandbox({ port: portOf(sandbox) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:8080'])(
    'the host header %s is this machine',
    async host => {
      expect(await statusForHost(await sandboxWith(), host)).toBe(200);
    },
  );

  test.each(['example.com', '127.0.0.1.example.com', 'localhost.example.com:80', '10.0.0.1', '[::2]'])(
    'the host header %s is turned away',
    async host => {
      expect(await statusForHost(await sandboxWith(), host)).toBe(421);
    },
  );
});

describe('the API key', () => {
  const PING = '/cdnservices/ping/';
  const PRODUCTS = '/subscriptions/v1/products?domain=example.com';

  test.each([
    ['GET', PRODUCTS],
    ['POST', PING],
    ['GET', '/bdaservices/getcolumns/'],
    ['GET', '/gateway/bdaservices/v2/columns'],
    ['GET', '/subscriptions/v1/nowhere'],
  ])('without one, %s %s is a plain-text 503', async (method, path) => {
    const answer = await ask(await sandboxWith(), path, { method, key: '' });
    expect([answer.status, answer.text]).toEqual([503, 'Developer key is empty.']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('a blank key and an empty parameter are not a key', async () => {
    const answer = await ask(await sandboxWith(), `${PING}?developerKey=`, {
      method: 'POST',
      headers: { 'x-api-key': '  ' },
      key: '',
    });
    expect(answer.status).toBe(503);
  });

  test.each([
    ['GET', PRODUCTS, { success: false, message: 'the API key is not valid' }],
    ['POST', PING, { Success: false, Error: 'the API key is not valid' }],
    [
      'GET',
      '/gateway/bdaservices/v2/columns',
      { error: { code: 'unauthorized', message: 'the API key is not valid' } },
    ],
  ])('a wrong one is rejected in the envelope of %s %s', async (method, path, envelope) => {
    const answer = await ask(await sandboxWith(), path, { method, key: 'wrong' });
    expect([answer.status, answer.json]).toEqual([401, envelope]);
  });

  test('a wrong v1 key is rejected in its envelope', async () => {
    const answer = await ask(await sandboxWith(), '/bdaservices/getcolumns/?developerKey=wrong', { key: '' });
    expect([answer.status, answer.json]).toEqual([
      401,
      { Success: false, Error: 'the API key is not valid' },
    ]);
  });

  test('Subscriptions and CDN also accept it in the query', async () => {
    const sandbox = await sandboxWith();
    const key = `developerKey=${sandbox.apiKey}`;
    const ping = await ask(sandbox, `${PING}?${key}`, { method: 'POST', key: '' });
    expect(ping.status).toBe(200);
    const products = await askAs(sandbox, 'denied@example.com', `/products?domain=example.com&${key}`, {
      key: '',
    });
    expect(products.json).toEqual({ success: true, data: ['sports'] });
  });

  test('where both are given the header counts', async () => {
    const sandbox = await sandboxWith();
    const path = `${PING}?developerKey=${sandbox.apiKey}`;
    expect((await ask(sandbox, path, { method: 'POST', key: 'wrong' })).status).toBe(401);
    expect((await ask(sandbox, `${PING}?developerKey=wrong`, { method: 'POST' })).status).toBe(200);
  });

  test('v1 does not look into the header', async () => {
    expect((await ask(await sandboxWith(), '/bdaservices/getcolumns/')).status).toBe(503);
  });

  test('v2 rejects a key in the query, even with the header', async () => {
    const sandbox = await sandboxWith();
    const path = `/gateway/bdaservices/v2/columns?developerKey=${sandbox.apiKey}`;
    for (const key of ['', sandbox.apiKey]) {
      const answer = await ask(sandbox, path, { key });
      expect([answer.status, answer.json]).toEqual([
        401,
        {
          error: {
            code: 'unauthorized',
            message: 'the developerKey parameter is not accepted here: send the key in the X-API-Key header',
          },
        },
      ]);
    }
  });
});

describe('requests that no API accepts', () => {
  test('an unknown prefix is a plain-text 404', async () => {
    const answer = await ask(await sandboxWith(), '/subscriptions/v2/products');
    expect([answer.status, answer.text]).toEqual([404, 'there is nothing at /subscriptions/v2/products\n']);
  });

  test('an unknown path of the CDN gets its error envelope', async () => {
    const answer = await ask(await sandboxWith(), '/cdnservices/ping', { method: 'POST' });
    expect([answer.status, answer.json]).toEqual([
      404,
      {
        Success: false,
        Error: 'there is nothing at /cdnservices/ping: did you mean /cdnservices/ping/?',
      },
    ]);
  });

  test('a body of more than a mebibyte is rejected in the envelope', async () => {
    const answer = await ask(await sandboxWith(), '/cdnservices/clearcache', {
      method: 'POST',
      body: new Uint8Array(1_048_577),
    });
    expect([answer.status, answer.json]).toEqual([
      413,
      { Success: false, Error: 'the body is larger than 1048576 bytes' },
    ]);
  });

  test('a body of exactly a mebibyte is read', async () => {
    const answer = await ask(await sandboxWith(), '/cdnservices/ping/', {
      method: 'POST',
      body: new Uint8Array(1_048_576),
    });
    expect(answer.status).toBe(200);
  });

  test('a body with a false length is measured as it arrives', async () => {
    const sandbox = await sandboxWith();
    const socket = connect(portOf(sandbox), '127.0.0.1');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    socket.write('POST /cdnservices/ping/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write(chunk.repeat(17));
    const answer = await new Promise<string>(resolve =>
      socket.once('data', data => resolve(data.toString())),
    );
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('the log', () => {
  test('an entry names the request without its key, and nothing of the reader', async () => {
    const entries: RequestLogEntry[] = [];
    const sandbox = await sandboxWith({ log: entry => entries.push(entry) });
    const path = `/products?domain=example.com&developer%4Bey=${sandbox.apiKey}`;
    await askAs(sandbox, 'active@example.com', path, { key: '' });
    await sandbox.close();
    expect(entries).toEqual([
      {
        at: NOON,
        method: 'GET',
        target: '/subscriptions/v1/products?domain=example.com&developerKey=***',
        status: 200,
        elapsedMs: 0,
      },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/sandbox-key|active@/);
  });
});

test('connections beyond a thousand are closed, and earlier ones continue', async () => {
  const sandbox = await sandboxWith();
  const sockets = Array.from({ length: 1010 }, () => connect(portOf(sandbox), '127.0.0.1'));
  const closed = sockets.map(socket => closedSocket(socket).then(() => 'closed'));
  let count = 0;
  for (const each of closed) each.then(() => count++);
  await until(() => count >= 10);
  expect(count).toBe(10);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  expect((await ask(sandbox, '/cdnservices/ping/', { method: 'POST' })).status).toBe(200);
});

describe('closing', () => {
  test('ends idle, waiting and half-sent connections at once, and the port is free again', async () => {
    const sandbox = await sandboxWith({
      faults: ['delay=1h'],
      sleep: (_, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('closed'))),
        ),
    });
    const port = portOf(sandbox);
    const texts = ['', 'GET /subscriptions/v1/x HTTP/1.1\r\nHost: localhost\r\n\r\n', 'POST /cdnservices/'];
    const sockets = texts.map(text => {
      const socket = connect(port, '127.0.0.1');
      socket.write(text);
      return socket;
    });
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('connect', resolve))));
    const ended = Promise.all(sockets.map(closedSocket));
    await sandbox.close();
    await ended;
    const again = await sandboxWith({ port });
    expect(portOf(again)).toBe(port);
  });

  test('may be called twice', async () => {
    const sandbox = await sandboxWith();
    await sandbox.close();
    await expect(sandbox.close()).resolves.toBeUndefined();
  });
});
