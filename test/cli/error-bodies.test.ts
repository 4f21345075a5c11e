import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { type Reply, type WireServer, wireServer } from '../support/wire-server.ts';

let reply: Reply;
let server: WireServer;
beforeAll(async () => {
  server = await wireServer(() => reply);
});
afterAll(() => server.close());

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  Subscriptions: [
    'access',
    '--product',
    'premium',
    '--email',
    'reader@example.com',
    '--domain',
    'example.com',
  ],
  CDN: ['cdn', 'ping'],
  'BDA v1': ['bda', 'report', 'run', 'Pages', '--last', '7d'],
  'the listings of BDA v1': ['bda', 'domains', '--api', 'v1'],
  'BDA v2': ['bda', 'query', '--data-set', 'pageview', '--metric', 'visits', '--last', '7d'],
  'the listings of BDA v2': ['bda', 'domains'],
};

async function answered(args: readonly string[], status: number, body: unknown) {
  reply = { status, body: JSON.stringify(body) };
  const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'canary-key-4711' };
  const ran = await run([...args, '--retries', '0'], { env });
  const all = ran.stderr.split('\n');
  return { ...ran, lines: all.slice(all.findIndex(line => line.startsWith('error: '))) };
}

/** An error body as gateways, proxies and frameworks send it, and the line that a user reads. */
const BODIES: readonly (readonly [string, unknown, string])[] = [
  ['message', { message: 'Invalid report name' }, 'Invalid report name'],
  ['Message', { Message: 'Invalid report name' }, 'Invalid report name'],
  ['error text', { error: 'Invalid report name' }, 'Invalid report name'],
  ['Error alone', { Error: 'Invalid report name' }, 'Invalid report name'],
  ['ErrorMessage', { Success: false, ErrorMessage: 'Invalid report name' }, 'Invalid report name'],
  ['error object', { error: { message: 'Invalid report name', code: 17 } }, 'Invalid report name'],
  ['list of texts', { errors: ['no such report', 'no such day'] }, 'no such report; no such day'],
  ['list of objects', { errors: [{ message: 'no such report' }] }, 'no such report'],
  ['a JSON string', 'Invalid report name', 'Invalid report name'],
  [
    'problem+json',
    { type: 'about:blank', title: 'Bad request', status: 422, detail: 'no such report' },
    'Bad request: no such report',
  ],
  [
    'status, error and message',
    { statusCode: 422, error: 'Bad Request', message: ['limit is too high', 'no such day'] },
    'Bad Request: limit is too high; no such day',
  ],
  ['OAuth', { error: 'invalid_request', error_description: 'no such key' }, 'invalid_request: no such key'],
  ['a SOAP-like fault', { fault: { faultstring: 'no such key', detail: { errorcode: 'x' } } }, 'no such key'],
  ['JSend', { status: 'fail', data: { title: 'no such report' } }, 'no such report'],
  ['no text at all', { oops: 7 }, 'the server responded with 422: {"oops":7}'],
  ['an empty object', {}, 'the server responded with 422'],
];

describe.each(Object.entries(COMMANDS))('%s', (_, args) => {
  test.each(BODIES)('an error with %s is shown in the words of the server', async (_shape, body, shown) => {
    const { code, stdout, lines } = await answered(args, 422, body);
    expect({ code, stdout, line: lines[0] }).toEqual({ code: 5, stdout: '', line: `error: ${shown}` });
  });

  test.each([
    ['a text', { error: 'Invalid report name' }],
    ['a text beside an empty list', { error: 'Invalid report name', data: [], rows: [] }],
    ['an object', { error: { message: 'Invalid report name' } }],
    ['a list', { errors: [{ message: 'Invalid report name' }] }],
    ['a text and Success false', { Success: false, Message: 'Invalid report name' }],
    ['a status and a message', { status: 404, message: 'Invalid report name' }],
  ])('%s as the error under 200 is an error', async (_shape, body) => {
    const { code, stdout, lines } = await answered(args, 200, body);
    expect({ code, stdout, line: lines[0] }).toEqual({
      code: 5,
      stdout: '',
      line: 'error: Invalid report name',
    });
  });

  test('the words are printable, cut, and in -o json too', async () => {
    const text = `\u001b[2J\u202e${'no such report '.repeat(200)}`;
    const { lines } = await answered(args, 400, { error: text });
    expect(lines[0]).toMatch(/^error: \\x1b\[2J\\u202eno such report .*…$/);
    expect(lines[0]?.length).toBeLessThan(560);
    const json = await answered([...args, '-o', 'json', '--quiet'], 400, { error: 'no such report' });
    expect(JSON.parse(json.stderr).error).toMatchObject({ message: 'no such report', status: 400, exit: 5 });
  });

  test('the fields that are wrong are listed below the message', async () => {
    const problems = { message: 'not valid', errors: [{ field: 'limit', message: 'is too high' }] };
    const { lines } = await answered(args, 422, problems);
    expect([lines[0], lines[2]]).toEqual(['error: not valid', '  limit: is too high']);
    const keyed = await answered(args, 422, { title: 'not valid', errors: { limit: ['is too high'] } });
    expect([keyed.lines[0], keyed.lines[2]]).toEqual(['error: not valid', '  limit: is too high']);
  });
});

test('a list of problems with status 200 is not read as rows', async () => {
  const args = COMMANDS['BDA v1'] ?? [];
  const { code, stdout } = await answered([...args, '-o', 'ndjson'], 200, {
    errors: [{ message: 'Invalid report name' }],
  });
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
});

test('problems by field under 200 are an error', async () => {
  const { code, lines } = await answered(['bda', 'data-sets'], 200, { errors: { limit: ['is too high'] } });
  expect({ code, detail: lines[2] }).toEqual({ code: 5, detail: '  limit: is too high' });
});

test('success true with an error text is a success, with a warning', async () => {
  expect(await answered(['cdn', 'ping'], 200, { Success: true, Error: 'slow today' })).toMatchObject({
    code: 0,
    stderr: 'warning: the API reported success, but also an error: slow today\n',
  });
});

test('a message with status 200 instead of rows is shown', async () => {
  const { code, lines } = await answered(COMMANDS['BDA v1'] ?? [], 200, { message: 'come back later' });
  expect({ code, line: lines[0] }).toEqual({
    code: 6,
    line: 'error: no rows in the response: come back later',
  });
});

test('an error status in the body under 200 counts as that status', async () => {
  expect(
    await answered(['bda', 'domains', '--api', 'v1'], 200, { status: 401, error: 'no such key' }),
  ).toMatchObject({
    code: 4,
  });
});

describe('advice', () => {
  const hintsOf = async (args: readonly string[], status: number, body: unknown) =>
    JSON.parse((await answered([...args, '-o', 'json', '--quiet'], status, body)).stderr).error
      .hints as string[];

  test('a 404 of the API itself does not suggest another path', async () => {
    const envelope = { error: { code: 'not_found', message: 'there is no domain 5' } };
    expect(await hintsOf(COMMANDS['BDA v2'] ?? [], 404, envelope)).toEqual([
      `the base URL in use is ${server.baseUrl}`,
    ]);
  });

  test.each([
    ['Subscriptions', 'prefix-subscriptions'],
    ['CDN', 'prefix-cdn'],
    ['BDA v1', 'prefix-bda-v1'],
    ['BDA v2', 'prefix-bda-v2'],
  ])('another 404 of %s names doctor and the setting for the path', async (api, setting) => {
    expect(await hintsOf(COMMANDS[api] ?? [], 404, { message: 'no route' })).toEqual([
      `the base URL in use is ${server.baseUrl}`,
      `gatectl doctor finds the path of this API; if it differs, set it: gatectl profile set ${setting} PATH`,
    ]);
  });

  test.each([
    ['CDN', 'API access is not enabled for the CDN, or the domain is not in the account of this key'],
    ['BDA v1', 'API access is not enabled for analytics, or the site is not in the account of this key'],
    ['BDA v2', 'API access is not enabled for analytics, or the site is not in the account of this key'],
  ])('a 403 of %s does not blame a reader token', async (api, causes) => {
    expect(await hintsOf(COMMANDS[api] ?? [], 403, { message: 'no' })).toEqual([
      'the key came from environment GATECTL_API_KEY',
      `known causes: ${causes}`,
    ]);
  });

  test('a mistyped handle brings the one that the reader holds', async () => {
    const args = [
      'access',
      '--product',
      'premiun',
      '--email',
      'active@example.com',
      '--domain',
      'example.com',
    ];
    const { code, stderr } = await run([...args, '--sandbox'], {});
    expect(code).toBe(0);
    expect(stderr).toBe('note: the reader holds premium: did you mean --product premium?\n');
    expect((await run([...args, '--sandbox', '--quiet'], {})).stderr).toBe('');
  });
});
