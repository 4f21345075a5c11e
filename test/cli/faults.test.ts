import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { rawServer } from '../support/raw-server.ts';
import { run } from '../support/run.ts';
import { granted, type Reply, wireServer } from '../support/wire-server.ts';

const KEY = 'canary-key-4711';
const QUESTION = [
  'access',
  '--product',
  'premium',
  '--email',
  'reader@example.com',
  '--domain',
  'example.com',
];

async function askOf(reply: (index: number) => Reply, args: readonly string[] = QUESTION) {
  const server = await wireServer((_, index) => reply(index));
  try {
    const ran = await run(args, { env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY } });
    return {
      ...ran,
      requests: server.received.length,
      stderr: ran.stderr.replaceAll(server.baseUrl, 'BASE'),
    };
  } finally {
    await server.close();
  }
}

async function askOfRaw(
  onRequest: (socket: Socket, index: number) => void,
  args: readonly string[] = QUESTION,
) {
  const server = await rawServer(onRequest);
  try {
    const ran = await run(args, { env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY } });
    return { ...ran, connections: server.connections() };
  } finally {
    await server.close();
  }
}

const refused = (message: string) => JSON.stringify({ success: false, message });
const allowed = granted({ decision: 'allowed', reasonCode: 'allowed' });
const LINE = 'GET /subscriptions/v1/access?domain=example.com&product=premium';

describe('an answer that says no', () => {
  test('the plain-text "no key" answer ends at once with 4 and tells where the key came from', async () => {
    const ran = await askOf(() => ({
      status: 503,
      body: 'Developer key is empty.',
      headers: { 'content-type': 'text/plain' },
    }));
    expect(ran).toMatchObject({ code: 4, stdout: '', requests: 1 });
    expect(ran.stderr).toBe(
      [
        'error: the gateway saw no API key in the request',
        `  in ${LINE}: 503`,
        '  the key came from environment GATECTL_API_KEY',
        '  a proxy on the way may drop the X-API-Key header; Subscriptions and CDN also take the key in the query: gatectl profile set key-in query',
        '',
      ].join('\n'),
    );
  });

  test.each([
    { status: 401, exit: 4 },
    { status: 403, exit: 4 },
    { status: 400, exit: 5 },
    { status: 404, exit: 5 },
    { status: 405, exit: 5 },
    { status: 410, exit: 5 },
    { status: 413, exit: 5 },
    { status: 422, exit: 5 },
  ])('$status ends with $exit, the words of the server, and one request', async ({ status, exit }) => {
    const ran = await askOf(() => ({ status, body: refused('the server says so') }));
    expect(ran).toMatchObject({ code: exit, stdout: '', requests: 1 });
    expect(ran.stderr.split('\n').slice(0, 2)).toEqual([
      'error: the server says so',
      `  in ${LINE}: ${status}`,
    ]);
  });

  test('success:false under 200 is a refusal and never a success', async () => {
    const ran = await askOf(() => ({ status: 200, body: refused('not today') }));
    expect(ran).toMatchObject({ code: 5, stdout: '', requests: 1 });
  });

  test('control characters in the words of the server reach no terminal', async () => {
    const ran = await askOf(() => ({ status: 400, body: refused('\u001b[2Jgone\u202e\r\n') }));
    expect(ran.stderr.split('\n')[0]).toBe('error: \\x1b[2Jgone\\u202e\\r\\n');
  });

  test('with -o json the error is one JSON object', async () => {
    const ran = await askOf(() => ({ status: 403, body: refused('no') }), [...QUESTION, '-o', 'json']);
    expect(ran.code).toBe(4);
    expect(JSON.parse(ran.stderr)).toEqual({
      error: { code: 'auth', message: 'no', status: 403, details: [], exit: 4, request: LINE },
    });
  });
});

describe('an answer that may come later', () => {
  test.each([408, 500, 502, 503, 504, 522, 524])(
    '%i is tried three more times, then it is 6',
    async status => {
      const ran = await askOf(() => ({ status, body: refused('busy') }));
      expect(ran).toMatchObject({ code: 6, stdout: '', requests: 4 });
      expect(ran.stderr).toContain(`${LINE}: ${status}, 4 attempts in`);
    },
  );

  test('429 is tried three more times, then it is 8', async () => {
    expect(await askOf(() => ({ status: 429, body: refused('slow down') }))).toMatchObject({
      code: 8,
      requests: 4,
    });
  });

  test('a limit that asks for an hour is taken at its word at once', async () => {
    const ran = await askOf(() => ({
      status: 429,
      headers: { 'retry-after': '3600' },
      body: refused('later'),
    }));
    expect(ran).toMatchObject({ code: 8, requests: 1 });
    expect(ran.stderr).toContain('wait 3600 s');
  });

  test('two failures and a success are a success', async () => {
    const ran = await askOf(index => (index < 2 ? { status: 503 } : allowed));
    expect(ran).toMatchObject({ code: 0, requests: 3, stderr: '' });
  });

  test('--retries 0 asks once', async () => {
    expect(await askOf(() => ({ status: 503 }), [...QUESTION, '--retries', '0'])).toMatchObject({
      code: 6,
      requests: 1,
    });
  });

  test('an identity token is never asked for twice', async () => {
    const token = ['token', '--email', 'reader@example.com', '--domain', 'example.com'];
    expect(await askOf(() => ({ status: 503, body: '' }), token)).toMatchObject({ code: 6, requests: 1 });
  });
});

describe('an answer that can not be used is 6', () => {
  test.each<{ what: string; reply: Reply; says: string }>([
    {
      what: 'a page of HTML',
      reply: { headers: { 'content-type': 'text/html' }, body: '<html>sign in to the wifi' },
      says: '<html>sign in',
    },
    { what: 'nothing', reply: { body: '' }, says: 'the answer is empty' },
    { what: 'cut JSON', reply: { body: '{"success":true,"data":{"deci' }, says: 'not usable JSON' },
    { what: 'NaN', reply: { body: '{"success":true,"data":NaN}' }, says: 'not usable JSON' },
    { what: 'JSON of another shape', reply: { body: '[1,2]' }, says: 'lacks "success" and "data"' },
    {
      what: 'a gzip nobody asked for',
      reply: { headers: { 'content-encoding': 'gzip' }, body: 'x' },
      says: 'compressed (gzip)',
    },
    { what: 'no decision', reply: granted({}), says: 'no decision; treat it as no access' },
    {
      what: 'a null decision',
      reply: granted({ decision: null }),
      says: 'no decision; treat it as no access',
    },
    {
      what: 'a new decision',
      reply: granted({ decision: 'maybe' }),
      says: "'maybe' is not a known word; treat it as no access",
    },
  ])('$what', async ({ reply, says }) => {
    const ran = await askOf(() => reply, [...QUESTION, '--exit-code']);
    expect(ran).toMatchObject({ code: 6, stdout: '', requests: 1 });
    expect(ran.stderr).toContain(says);
  });

  test('a redirect is not followed, and its target is named', async () => {
    const elsewhere = await wireServer(() => allowed);
    const ran = await askOf(() => ({
      status: 302,
      headers: { location: `${elsewhere.baseUrl}/next?developerKey=${KEY}` },
    }));
    expect(ran).toMatchObject({ code: 6, requests: 1 });
    expect(ran.stderr).toContain('/next?developerKey=***, which is not followed');
    expect(elsewhere.received).toHaveLength(0);
    await elsewhere.close();
  });

  test('something that is not HTTP', async () => {
    const ran = await askOfRaw(socket => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain('the answer is not valid HTTP');
  });
});

describe('a connection that fails', () => {
  test('a reset before the answer is tried again', async () => {
    const body = JSON.stringify({ success: true, data: { decision: 'allowed', reasonCode: 'allowed' } });
    const ran = await askOfRaw((socket, index) => {
      if (index < 2) socket.resetAndDestroy();
      else socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    expect(ran).toMatchObject({ code: 0, connections: 3 });
  });

  test('a body shorter than announced is never an answer', async () => {
    const ran = await askOfRaw(socket =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"success":true,'),
    );
    expect(ran).toMatchObject({ code: 6, stdout: '', connections: 4 });
    expect(ran.stderr).toContain('the connection broke before the answer was complete');
  });

  test('nobody listening is 6 and names the base URL', async () => {
    const server = await rawServer(() => {});
    await server.close();
    const ran = await run(QUESTION, { env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY } });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain('connection refused');
    expect(ran.stderr).toContain(`the base URL in use is ${server.baseUrl}`);
  });

  test('a host name that does not exist is 6', async () => {
    const ran = await run([...QUESTION, '--retries', '0'], {
      env: { GATECTL_BASE_URL: 'https://gateway.invalid', GATECTL_API_KEY: KEY },
    });
    expect(ran.code).toBe(6);
  });

  test('TLS spoken to a port without it is told as such', async () => {
    const server = await wireServer(() => allowed);
    const ran = await run(QUESTION, {
      env: { GATECTL_BASE_URL: server.baseUrl.replace('http:', 'https:'), GATECTL_API_KEY: KEY },
    });
    await server.close();
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain('error: the server does not speak TLS on this port');
    expect(ran.stderr).not.toMatch(/insecure|reject_?unauthorized|verif/i);
  });

  test('a server that drips ends at the total limit', async () => {
    const ran = await askOfRaw(
      socket => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
        const drip = setInterval(() => socket.write(' '), 20);
        socket.on('close', () => clearInterval(drip));
      },
      [...QUESTION, '--timeout', '0.3', '--retries', '0'],
    );
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain('no complete answer within 0.3 s');
  });

  test('Ctrl-C while waiting is 130', async () => {
    let send: (signal: 'SIGINT') => void = () => {};
    const server = await rawServer(() => send('SIGINT'));
    const ran = await run(QUESTION, {
      env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY },
      onSignals: given => {
        send = given;
      },
    });
    await server.close();
    expect(ran).toEqual({ code: 130, stdout: '', stderr: 'error: interrupted\n' });
  });
});

describe('what is refused before anything is sent', () => {
  test('plain http to another machine', async () => {
    const ran = await run(QUESTION, {
      env: { GATECTL_BASE_URL: 'http://gateway.example.com', GATECTL_API_KEY: KEY },
    });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('would send the API key unencrypted');
  });

  test('no key at all is 4 and lists where one was looked for', async () => {
    const ran = await run(QUESTION, { env: { GATECTL_BASE_URL: 'https://gateway.example.com' } });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain(
      'error: there is no API key\n  looked in environment GATECTL_API_KEY (not set)',
    );
  });
});
