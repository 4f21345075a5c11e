import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { parseFault, type RequestLogEntry, type Sandbox } from '../../../src/sandbox/index.ts';
import { someTime } from '../../support/wait.ts';
import { ask, askAs, NOON, sandboxWith } from '../asking.ts';

const PRODUCTS = '/products?domain=example.com';
const products = (sandbox: Sandbox) => askAs(sandbox, 'active@example.com', PRODUCTS);
const statuses = async (sandbox: Sandbox, times: number) => {
  const seen: number[] = [];
  for (let at = 0; at < times; at += 1) seen.push((await products(sandbox)).status);
  return seen;
};

/** Everything that comes over the wire for one request, and how the connection ended. */
function rawExchange(sandbox: Sandbox, path = `/subscriptions/v1${PRODUCTS}`) {
  return new Promise<{ text: string; end: string }>(resolve => {
    let text = '';
    const socket = connect(Number(new URL(sandbox.baseUrl).port), '127.0.0.1');
    socket.on('data', data => {
      text += data.toString();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve({ text, end: error.code ?? '' }));
    socket.on('end', () => resolve({ text, end: 'end' }));
    const headers = ['Host: localhost', `X-API-Key: ${sandbox.apiKey}`];
    headers.push('X-Service-Reader-Email: active@example.com');
    socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  });
}

const WHOLE = '{"success":true,"data":["premium","sports"]}';

describe('replaces the real one', () => {
  test.each([
    ['/subscriptions/v1/products', { success: false, message: 'injected fault: status 503' }],
    ['/cdnservices/ping/', { Success: false, Error: 'injected fault: status 503' }],
    ['/bdaservices/getdata/', { Success: false, Error: 'injected fault: status 503' }],
    [
      '/gateway/bdaservices/v2/query',
      { error: { code: 'upstream_error', message: 'injected fault: status 503' } },
    ],
  ])('a status has the envelope of %s', async (path, envelope) => {
    const answer = await ask(await sandboxWith({ faults: ['status=503'] }), path);
    expect([answer.status, answer.json]).toEqual([503, envelope]);
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  test('a code word and a Retry-After can be chosen', async () => {
    const answer = await ask(
      await sandboxWith({ faults: ['status=400,code=concurrent_request_limit,retry-after=7'] }),
      '/gateway/bdaservices/v2/query',
    );
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([400, '7']);
    expect(answer.json).toMatchObject({ error: { code: 'concurrent_request_limit' } });
  });

  test('html is a page under 200', async () => {
    const answer = await products(await sandboxWith({ faults: ['html'] }));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.text).toMatch(/^<!doctype html>/);
  });

  test('a redirect names its target', async () => {
    const answer = await products(
      await sandboxWith({ faults: ['redirect=https://login.example.com/,status=307'] }),
    );
    expect([answer.status, answer.headers.get('location')]).toEqual([307, 'https://login.example.com/']);
  });

  test('a body is sent as it was written', async () => {
    const answer = await products(await sandboxWith({ faults: ['body={"success":true,"data":[NaN,'] }));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(answer.text).toBe('{"success":true,"data":[NaN,');
  });
});

describe('which requests are hit', () => {
  test('path and method choose, count ends it', async () => {
    const sandbox = await sandboxWith({ faults: ['status=500,path=/subscriptions/,method=GET,count=2'] });
    const ping = () => ask(sandbox, '/cdnservices/ping/', { method: 'POST' });
    expect((await ping()).status).toBe(200);
    expect(await statuses(sandbox, 3)).toEqual([500, 500, 200]);
    expect((await ping()).status).toBe(200);
  });

  test('a path is recognized by its end, too', async () => {
    const sandbox = await sandboxWith({ faults: ['status=500,path=/ping/'] });
    expect((await ask(sandbox, '/cdnservices/ping/', { method: 'POST' })).status).toBe(500);
    expect(await statuses(sandbox, 1)).toEqual([200]);
  });

  test('after exempts the first requests', async () => {
    expect(await statuses(await sandboxWith({ faults: ['status=500,after=2,count=1'] }), 4)).toEqual([
      200, 200, 500, 200,
    ]);
  });

  test('every hits the last of each group', async () => {
    const sandbox = await sandboxWith({ faults: ['status=500,every=3,after=1'] });
    expect(await statuses(sandbox, 8)).toEqual([200, 200, 200, 500, 200, 200, 500, 200]);
  });

  test('of several faults the first that applies responds, and the next one waits for its turn', async () => {
    const sandbox = await sandboxWith({ faults: ['status=500,count=1', 'status=502,count=1'] });
    expect(await statuses(sandbox, 3)).toEqual([500, 502, 200]);
  });

  test("the sandbox's own paths are never hit", async () => {
    const answer = await ask(await sandboxWith({ faults: ['status=503'] }), '/__sandbox/purges');
    expect(answer.status).toBe(200);
  });

  test('pages of the cache are', async () => {
    const answer = await ask(await sandboxWith({ faults: ['status=503'] }), '/__cache/example.com/');
    expect(answer.status).toBe(503);
  });

  test('the log names each fault that hit', async () => {
    const entries: RequestLogEntry[] = [];
    const faults = ['delay=1s,count=1', 'status=500,count=1'];
    const sandbox = await sandboxWith({ faults, log: entry => entries.push(entry) });
    await statuses(sandbox, 2);
    await sandbox.close();
    expect(entries.map(entry => [entry.status, entry.faults])).toEqual([
      [500, faults],
      [200, undefined],
    ]);
  });
});

describe('a rate limit', () => {
  test('responds 429 with the seconds to wait, and counts by the clock', async () => {
    let now = NOON;
    const sandbox = await sandboxWith({ now: () => now, faults: ['rate-limit=2/m'] });
    expect(await statuses(sandbox, 2)).toEqual([200, 200]);
    now += 15_000;
    const refused = await products(sandbox);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '45']);
    expect(refused.json).toEqual({ success: false, message: 'too many requests' });
    now += 45_000;
    expect(await statuses(sandbox, 3)).toEqual([200, 200, 429]);
  });

  test('passes while the clock of the gateway stands still', async () => {
    let time = 0;
    const sandbox = await sandboxWith({ now: () => NOON, rateNow: () => time, faults: ['rate-limit=1/m'] });
    expect(await statuses(sandbox, 2)).toEqual([200, 429]);
    time += 60_000;
    expect(await statuses(sandbox, 1)).toEqual([200]);
  });

  test('speaks the code word of v2', async () => {
    const sandbox = await sandboxWith({ faults: ['rate-limit=0/s'] });
    const answer = await ask(sandbox, '/gateway/bdaservices/v2/domains');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    expect(answer.json).toEqual({ error: { code: 'rate_limit_exceeded', message: 'too many requests' } });
  });
});

describe('slow responses', () => {
  test('delays add up and precede the response', async () => {
    const slept: number[] = [];
    const sandbox = await sandboxWith({
      faults: ['delay=2s', 'delay=500ms'],
      sleep: async ms => {
        slept.push(ms);
      },
    });
    expect((await products(sandbox)).text).toBe(WHOLE);
    expect(slept).toEqual([2500]);
  });

  test('a drip sends the complete response piece by piece', async () => {
    const slept: number[] = [];
    const sandbox = await sandboxWith({
      faults: ['drip=10/250ms'],
      sleep: async ms => {
        slept.push(ms);
      },
    });
    expect((await products(sandbox)).text).toBe(WHOLE);
    expect(slept).toEqual([250, 250, 250, 250, 250]);
  });

  test('a client that gives up ends the wait', async () => {
    let ended = (): void => {};
    const waited = new Promise<void>(resolve => {
      ended = resolve;
    });
    const patience = new AbortController();
    const sandbox = await sandboxWith({
      faults: ['delay=1h'],
      sleep: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended();
            reject(new Error('aborted'));
          });
          patience.abort();
        }),
    });
    const impatient = fetch(`${sandbox.baseUrl}/subscriptions/v1/products`, { signal: patience.signal });
    await expect(impatient).rejects.toThrow();
    await expect(waited).resolves.toBeUndefined();
  });
});

describe('responses that break off', () => {
  test('a cut body is shorter than its headers promise', async () => {
    const { text, end } = await rawExchange(await sandboxWith({ faults: ['truncate=11'] }));
    expect(text.toLowerCase()).toContain(`content-length: ${WHOLE.length}\r\n`);
    expect(text.split('\r\n\r\n')[1]).toBe('{"success":');
    expect(end).toBe('end');
  });

  test('a cut at 0 sends only the headers', async () => {
    const { text } = await rawExchange(await sandboxWith({ faults: ['truncate=0'] }));
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text.split('\r\n\r\n')[1]).toBe('');
  });

  test('a fetch of a cut body fails', async () => {
    await expect(products(await sandboxWith({ faults: ['truncate=11'] }))).rejects.toThrow('terminated');
  });

  // The wait before a reset is real here: without it the reset would overtake what was sent.
  const sleep = someTime;

  test('a reset before the response sends nothing', async () => {
    expect(await rawExchange(await sandboxWith({ faults: ['reset'] }))).toEqual({
      text: '',
      end: 'ECONNRESET',
    });
  });

  test('a reset amid the headers', async () => {
    const { text, end } = await rawExchange(await sandboxWith({ faults: ['reset=headers'], sleep }));
    expect(text).toBe('HTTP/1.1 200 OK\r\nContent-Type: applic');
    expect(end).toBe('ECONNRESET');
  });

  test('a reset amid the body', async () => {
    const { text, end } = await rawExchange(await sandboxWith({ faults: ['reset=body'], sleep }));
    expect(text.split('\r\n\r\n')[1]).toBe(WHOLE.slice(0, WHOLE.length / 2));
    expect(end).toBe('ECONNRESET');
  });

  test.each([
    ['reset', 0],
    ['reset=headers', 1],
    ['reset=body', 1],
    ['truncate=3', 1],
  ])('under %s the request is carried out %i times', async (fault, requests) => {
    const sandbox = await sandboxWith({ faults: [`${fault},method=POST`] });
    const purge = ask(sandbox, '/cdnservices/purgecache', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"domain":"example.com"}',
    });
    await expect(purge).rejects.toThrow();
    expect((await ask(sandbox, '/__sandbox/purges')).json).toMatchObject({ requests });
  });
});

test('every form that the hints show can be parsed', () => {
  const forms = [
    'status=503',
    'delay=2s',
    'reset',
    'truncate=100',
    'drip=16/250ms',
    'rate-limit=10/s',
    'html',
  ];
  expect(forms.map(form => parseFault(form).spec)).toEqual(forms);
});
