import { describe, expect, test } from 'vitest';
import { rawServer } from '../support/raw-server.ts';
import { run } from '../support/run.ts';
import { type Reply, wireServer } from '../support/wire-server.ts';

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

const refused = (message: string) => JSON.stringify({ success: false, message });
const LINE = 'GET /subscriptions/v1/access?domain=example.com&product=premium';

describe('a response that reports a failure', () => {
  test('the plain-text "no key" response ends immediately with 4 and names the origin of the key', async () => {
    const ran = await askOf(() => ({
      status: 503,
      body: 'Developer key is empty.',
      headers: { 'content-type': 'text/plain' },
    }));
    expect(ran).toMatchObject({ code: 4, stdout: '', requests: 1 });
    expect(ran.stderr).toBe(
      [
        'error: the gateway received no API key',
        `  in ${LINE}: 503`,
        '  the key came from environment GATECTL_API_KEY',
        '  a proxy may remove the X-API-Key header; Subscriptions and CDN also accept the key in the query: gatectl profile set key-in query',
        '',
      ].join('\n'),
    );
  });

  test('with -o json the error is one JSON object', async () => {
    const ran = await askOf(() => ({ status: 403, body: refused('no') }), [...QUESTION, '-o', 'json']);
    expect(ran.code).toBe(4);
    expect(JSON.parse(ran.stderr)).toEqual({
      error: {
        code: 'forbidden',
        message: 'no',
        status: 403,
        details: [],
        exit: 4,
        hints: [
          'the key came from environment GATECTL_API_KEY',
          'known causes: Subscriptions are not enabled for this domain, the domain is not in the account of this key, or the reader token is invalid or belongs to another domain',
        ],
        request: LINE,
      },
    });
  });

  test.each([
    ['a limit', { status: 429, headers: { 'retry-after': '1' } }, ['--retries', '0']],
    ['a wrong address', { status: 404, body: refused('no such page') }, []],
    ['a redirect', { status: 302, headers: { location: 'https://www.example.org/' } }, []],
    ['a service that is away', { status: 503 }, ['--retries', '0']],
    ['a wrong word on the command line', { status: 200 }, ['--produkt', 'premium']],
  ])('the hints of %s in JSON are the lines of the text', async (_, reply, flags) => {
    const text = await askOf(() => reply, [...QUESTION, ...flags]);
    const json = await askOf(() => reply, [...QUESTION, ...flags, '-o', 'json']);
    const { hints } = JSON.parse(json.stderr).error;
    expect(hints.length).toBeGreaterThan(0);
    expect(text.stderr.endsWith(`\n${hints.map((hint: string) => `  ${hint}\n`).join('')}`)).toBe(true);
  });
});

describe('a transient response', () => {
  test('--retries 0 sends one request', async () => {
    expect(await askOf(() => ({ status: 503 }), [...QUESTION, '--retries', '0'])).toMatchObject({
      code: 6,
      requests: 1,
    });
  });
});

describe('a connection that fails', () => {
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

describe('what is rejected before anything is sent', () => {
  test('a missing key exits 4 and lists where it was searched for', async () => {
    const ran = await run(QUESTION, { env: { GATECTL_BASE_URL: 'https://gateway.example.com' } });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('error: no API key found\n  searched environment GATECTL_API_KEY (not set)');
  });
});

test('an error that nothing awaits is reported even if the command completes', async () => {
  const ran = await run(['profile', 'list', '--json'], { strayError: new Error('a stray fault') });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('gatectl itself failed: a stray fault');
});
