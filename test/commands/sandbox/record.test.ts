import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Pseudonyms } from '../../../src/commands/sandbox/record/pseudonyms.ts';
import { scrubText } from '../../../src/commands/sandbox/record/scrub.ts';
import type { Signal } from '../../../src/errors/index.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { startSandbox as startLibrarySandbox } from '../../../src/sandbox/library.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { rawServer } from '../../support/raw-server.ts';
import { NOON, run } from '../../support/run.ts';
import { runs } from '../../support/runs.ts';
import { type Received, type Reply, wireServer } from '../../support/wire-server.ts';

const KEY = 'real-KEY-4711-abcdef';

interface Served {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly requests: readonly string[];
}

/** Runs `sandbox serve` until `use` is done. */
async function served(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  use: (printed: Served) => Promise<void>,
) {
  let send: (signal: Signal) => void = () => {};
  let failure: unknown;
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      done();
      use(JSON.parse(String(chunk)))
        .catch(error => {
          failure = error;
        })
        .finally(() => send('SIGINT'));
    },
  });
  const onSignals = (given: typeof send) => {
    send = given;
  };
  const ran = await run(['sandbox', 'serve', '--port', '0', '--json', ...args], { stdout, onSignals, env });
  if (failure !== undefined) throw failure;
  return ran;
}

/** A profile `news` for a gateway, and an empty place for a recording. */
async function profileFor(baseUrl: string, key = KEY, flags: readonly string[] = []) {
  const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
  const added = await run(['profile', 'add', 'news', '--base-url', baseUrl, ...flags, '--api-key-stdin'], {
    env,
    input: `${key}\n`,
  });
  expect(added.code).toBe(0);
  const folder = join(temporaryFolder(), 'recording');
  return { env, folder, record: ['--record-from', 'news', '--record-to', folder] };
}

/** The sandbox as a gateway to record, with a key of its own. */
async function realGateway(brand?: string) {
  const sandbox = await startSandbox({ now: () => NOON, apiKey: KEY, ...(brand !== undefined && { brand }) });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Runs a command against a served gateway. */
function gatectl({ baseUrl, apiKey }: Served, args: readonly string[], brand?: string) {
  const env = {
    GATECTL_CONFIG_DIR: temporaryFolder(),
    GATECTL_BASE_URL: baseUrl,
    GATECTL_API_KEY: apiKey,
    GATECTL_DOMAIN: 'example.com',
    ...(brand !== undefined && { GATECTL_BRAND: brand }),
  };
  return run(args, { env, now: NOON });
}

/** All names and contents of the files of a folder. */
const contentOf = (folder: string) =>
  readdirSync(folder)
    .map(name => `${name}\n${readFileSync(join(folder, name), 'utf8')}`)
    .join('\n');

const DAYS = ['--from', '2026-03-01', '--to', '2026-03-03'];
const COMMANDS = [
  ['access', 'ADDRESS', '--product', 'premium', '--json'],
  ['reader', 'ADDRESS', '--json'],
  ['token', 'ADDRESS', '--jq', '.expiresAt'],
  ['cdn', 'purge', 'https://example.com/news', 'https://example.com/', '--json'],
  ['cdn', 'purge', '--key', 'front', '--domain', 'example.com', '--json'],
  ['bda', 'domains', '--json'],
  [
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-d',
    'country',
    '-m',
    'visits,revenue',
    ...DAYS,
    '--all',
    '--json',
  ],
  ['bda', 'report', 'run', 'Devices', ...DAYS, '--json'],
  ['bda', 'segment', 'list', '--json'],
];

test.each([undefined, 'acme'])(
  'what a gateway of the brand %s responded is replayed to the same commands, under other names',
  async brand => {
    const real = await realGateway(brand);
    const { env, folder, record } = await profileFor(
      real.baseUrl,
      KEY,
      brand === undefined ? [] : ['--brand', brand],
    );
    const live: string[] = [];
    const recording = await served(record, env, async printed => {
      expect(printed.apiKey).not.toBe(KEY);
      for (const command of COMMANDS) {
        const args = command.map(word => word.replace('ADDRESS', 'active@example.com'));
        const { code, stdout, stderr } = await gatectl(printed, args, brand);
        expect([args, code, stderr]).toEqual([args, 0, expect.anything()]);
        live.push(stdout);
      }
    });
    expect(recording.stderr).toContain('warning: requests are sent to the gateway of profile news');
    expect(recording.stderr).toMatch(
      /note: \d+ responses recorded in .*; replaced 1 reader, 1 token and \d+ ids/,
    );
    const files = contentOf(folder);
    expect(files).not.toMatch(/active@example|real-key/i);

    const replayed: string[] = [];
    await served(['--replay', folder], {}, async printed => {
      for (const command of COMMANDS) {
        const args = command.map(word => word.replace('ADDRESS', 'reader-1@example.com'));
        const { code, stdout, stderr } = await gatectl(printed, args, brand);
        expect([args, code, stderr]).toEqual([args, 0, expect.anything()]);
        replayed.push(stdout);
      }
      expect(printed.requests.length).toBeGreaterThanOrEqual(COMMANDS.length);
    });
    const withoutIds = (text: string) =>
      text.replaceAll('active@', 'reader-1@').replaceAll(/"?\b\d+\b"?/g, '0');
    expect(replayed.map(withoutIds)).toEqual(live.map(withoutIds));
    // Figures have their digits.
    expect(replayed[6]).toBe(live[6]);
  },
);

test('errors, redirects and texts are recorded too, and served in their order', async () => {
  const replies: Reply[] = [
    {
      status: 503,
      headers: { 'retry-after': '7', 'set-cookie': 'session=1' },
      body: '{"Success":false,"Error":"busy"}',
    },
    { status: 200, body: '{"Success":true,"Error":""}' },
    { status: 302, headers: { location: 'https://login.example.net/?of=ana%40example.org' } },
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>ask ana@example.org</p>' },
  ];
  const real = await wireServer((_, index) => replies[index] ?? {});
  onTestFinished(() => real.close());
  const { env, folder, record } = await profileFor(real.baseUrl);
  const ask = async ({ baseUrl, apiKey }: Served) => {
    const response = await fetch(`${baseUrl}/cdnservices/ping/`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      redirect: 'manual',
    });
    const { status, headers } = response;
    return [
      status,
      headers.get('retry-after'),
      headers.get('location'),
      headers.get('set-cookie'),
      await response.text(),
    ];
  };
  await served(record, env, async printed => {
    for (const { status = 0 } of replies) expect((await ask(printed))[0]).toBe(status);
  });
  await served(['--replay', folder], {}, async printed => {
    expect(await ask(printed)).toEqual([503, '7', null, null, '{"Success":false,"Error":"busy"}']);
    expect((await ask(printed))[0]).toBe(200);
    expect((await ask(printed))[2]).toBe('https://login.example.net/?of=reader-1%40example.com');
    for (let time = 0; time < 2; time += 1)
      expect((await ask(printed))[4]).toBe('<p>ask reader-1@example.com</p>');
  });
});

test('the gateway gets its own key where the client put the other one, and no other header', async () => {
  const real = await wireServer(() => ({ body: '[]' }));
  onTestFinished(() => real.close());
  const { env, folder, record } = await profileFor(`${real.baseUrl}/base`, KEY, ['--prefix-cdn', '/edge']);
  const fetch = async (...request: Parameters<typeof globalThis.fetch>) => {
    const response = await globalThis.fetch(...request);
    await response.text();
    return response;
  };
  await served(record, env, async ({ baseUrl, apiKey }) => {
    await fetch(`${baseUrl}/bdaservices/getreports/?developerKey=${apiKey}`);
    await fetch(`${baseUrl}/gateway/bdaservices/v2/domains`, {
      headers: { 'x-api-key': apiKey, cookie: 'session=secret', authorization: 'Bearer secret' },
    });
    await fetch(`${baseUrl}/gateway/bdaservices/v2/domains`, {
      headers: { 'x-api-key': 'key of something else' },
    });
    await fetch(`${baseUrl}/cdnservices/ping/`, { method: 'POST' });
    expect((await fetch(`${baseUrl}/elsewhere`)).status).toBe(404);
  });
  const seen = ({ target, headers }: Received) => [
    target,
    headers['x-api-key'],
    headers.cookie,
    headers.authorization,
  ];
  expect(real.received.map(seen)).toEqual([
    [`/base/bdaservices/getreports/?developerKey=${KEY}`, undefined, undefined, undefined],
    ['/base/gateway/bdaservices/v2/domains', KEY, undefined, undefined],
    ['/base/gateway/bdaservices/v2/domains', 'invalid-key', undefined, undefined],
    ['/base/edge/ping/', undefined, undefined, undefined],
  ]);
  let requests: readonly string[] = [];
  const replay = await served(['--replay', folder], {}, async printed => {
    requests = printed.requests;
  });
  expect(replay.code).toBe(0);
  expect(requests).toEqual([
    'GET /bdaservices/getreports/ (key in query)',
    'GET /gateway/bdaservices/v2/domains (key in header)',
    'GET /gateway/bdaservices/v2/domains (an invalid key)',
    'POST /cdnservices/ping/ (no key)',
  ]);
});

test('a compressed response is recorded as text', async () => {
  const body = JSON.stringify({ rows: [{ page: 'of ana@example.org' }], total_rows: 1 });
  const real = await wireServer(() => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) }));
  onTestFinished(() => real.close());
  const { env, folder, record } = await profileFor(real.baseUrl);
  await served(record, env, async ({ baseUrl }) => {
    expect(await (await fetch(`${baseUrl}/gateway/bdaservices/v2/domains`)).text()).toBe(body);
  });
  expect(contentOf(folder)).toContain('{"rows":[{"page":"of reader-1@example.com"}],"total_rows":1}');
});

test('a response that breaks off is not recorded, and a warning says so', async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n';
  const real = await rawServer(socket => socket.end(`${head}{`));
  onTestFinished(() => real.close());
  const { env, folder, record } = await profileFor(real.baseUrl);
  const { stderr } = await served(record, env, async ({ baseUrl }) => {
    await fetch(`${baseUrl}/gateway/bdaservices/v2/domains`)
      .then(response => response.text())
      .catch(() => {});
  });
  expect(stderr).toContain(
    'warning: not recorded: GET /gateway/bdaservices/v2/domains: the response broke off',
  );
  expect(readdirSync(folder)).toEqual([]);
});

describe('sandbox serve rejects', () => {
  test.each([
    [
      'an unknown profile',
      ['--record-from', 'nwes', '--record-to', 'x'],
      'there is no profile "nwes"\n  did you mean news?',
    ],
    [
      'a recording without a folder',
      ['--record-from', 'news'],
      '--record-from and --record-to require each other',
    ],
    ['a folder without a gateway', ['--record-to', 'x'], '--record-from and --record-to require each other'],
    ['two sources', ['--replay', 'x', '--fixtures', 'y'], '--fixtures and --replay cannot be combined'],
    [
      'a seed for recorded figures',
      ['--replay', 'x', '--seed', '2'],
      '--replay and --seed cannot be combined',
    ],
    [
      'a folder that is no recording',
      ['--replay', '/dev/null'],
      '/dev/null is no recording: it has no recording.json',
    ],
  ])('%s', async (_, args, message) => {
    const { env } = await profileFor('http://127.0.0.1:9');
    const { code, stdout, stderr } = await run(['sandbox', 'serve', '--port', '0', ...args], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('a folder that is not empty', async () => {
    const { env, folder, record } = await profileFor('http://127.0.0.1:9');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const { code, stderr } = await run(['sandbox', 'serve', '--port', '0', ...record], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(`the folder ${folder} is not empty\n  type another --record-to`);
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });

  test.each([
    ['{', /0001\.json is not JSON/],
    ['{"request":{},"response":{}}', /0001\.json: request\.method must be a string/],
    [
      '{"request":{"method":"GET","path":"/a","query":{},"key":"none"},"response":{"status":200,"headers":{},"bodyFile":"../b"}}',
      /response\.bodyFile must be the name of a file/,
    ],
    [
      '{"request":{"method":"GET","path":"/a","query":{},"key":"none"},"response":{"status":200,"headers":{},"bodyFile":"b.txt"}}',
      /response\.bodyFile b\.txt is missing/,
    ],
  ])('a damaged recording: %s', async (text, problem) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'recording.json'), '{"version":1,"brand":"service"}');
    writeFileSync(join(folder, '0001.json'), text);
    const { code, stderr } = await run(['sandbox', 'serve', '--port', '0', '--replay', folder]);
    expect(code).toBe(2);
    expect(stderr).toMatch(problem);
  });
});

test('a test replays a recording, from its beginning after a reset, and an unknown request names the known ones', async () => {
  const real = await realGateway();
  const { env, folder, record } = await profileFor(real.baseUrl);
  await served(record, env, async printed => {
    await gatectl(printed, ['products', 'active@example.com']);
  });
  const sandbox = await startLibrarySandbox({ replay: folder });
  onTestFinished(() => sandbox.close());
  const ask = async (email: string) => {
    const url = `${sandbox.baseUrl}/subscriptions/v1/products?domain=example.com`;
    const headers = { 'x-api-key': sandbox.apiKey, 'x-service-reader-email': email };
    const response = await fetch(url, { headers });
    return { status: response.status, json: await response.json() };
  };
  expect(sandbox.domains.map(({ domain }) => domain)).toEqual(['example.com']);
  expect(await ask('reader-1@example.com')).toEqual({
    status: 200,
    json: { success: true, data: ['premium', 'sports'] },
  });
  expect(await ask('reader-2@example.com')).toEqual({
    status: 404,
    json: {
      success: false,
      message:
        'no response is recorded for GET /subscriptions/v1/products?domain=example.com (reader reader-2@example.com, key in header); recorded: GET /subscriptions/v1/products?domain=example.com (reader reader-1@example.com, key in header)',
    },
  });
  sandbox.reset();
  expect((await ask('reader-1@example.com')).status).toBe(200);
  await expect(startLibrarySandbox({ replay: '/dev/null' })).rejects.toThrow('is no recording');
});

test('the domains of the account are replaced, and ids, everywhere by the same ones', async () => {
  const real = await wireServer(({ target }) => ({
    body: target.includes('/domains')
      ? '{"domains":[{"domain":"daily-news.co.uk","id":77001},{"domain":"weekly.news","id":77002}],"amount":77001.10}'
      : '{"rows":[{"page":"https://www.daily-news.co.uk/a?from=weekly.news","domain_id":77002,"visits":12345678901234567890,"revenue":0.10}],"total_rows":1}',
  }));
  onTestFinished(() => real.close());
  const { env, folder, record } = await profileFor(real.baseUrl);
  await served(record, env, async ({ baseUrl, apiKey }) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const v2 = `${baseUrl}/gateway/bdaservices/v2`;
    await (await fetch(`${v2}/domains`, { headers })).text();
    const query = { method: 'POST', headers, body: '{"domain_id":77002,"dimensions":["page"]}' };
    await (await fetch(`${v2}/query`, query)).text();
  });
  const files = contentOf(folder);
  expect(files).toContain(
    '{"domains":[{"domain":"example.com","id":1001},{"domain":"example.org","id":1002}],"amount":77001.10}',
  );
  expect(files).toContain(
    '{"rows":[{"page":"https://www.example.com/a?from=example.org","domain_id":1002,"visits":12345678901234567890,"revenue":0.10}],"total_rows":1}',
  );
  expect(files).toContain('"domain_id": 1002');
});

/** Ways in which a server may hide a secret in JSON or text. */
const ENCODINGS: readonly ((secret: string) => string)[] = [
  secret => secret,
  secret => secret.toUpperCase(),
  encodeURIComponent,
  secret => encodeURIComponent(encodeURIComponent(secret)),
  secret => secret.replaceAll(/[^a-z]/gi, c => `%${c.charCodeAt(0).toString(16)}`),
  secret => Buffer.from(secret).toString('base64'),
  secret => Buffer.from(`for ${secret}!`).toString('base64url'),
  secret =>
    Buffer.from(JSON.stringify({ of: secret }))
      .toString('base64')
      .replaceAll('=', '%3D'),
  secret => Buffer.from(secret, 'utf16le').toString('base64'),
  secret => Buffer.from(secret).toString('hex'),
  secret => JSON.stringify({ inner: JSON.stringify({ of: secret }) }),
  secret => secret.replaceAll(/[^a-z0-9]/gi, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  secret => secret.replaceAll(/[^a-z0-9]/gi, c => `&#${c.charCodeAt(0)};`),
  secret =>
    `https://www.example.org/a?next=${encodeURIComponent(`https://b.example/?of=${encodeURIComponent(secret)}`)}`,
  secret => Buffer.from(Buffer.from(secret).toString('base64')).toString('base64'),
];

const WORD = fc.stringMatching(/^[a-z][a-z0-9]{5,11}$/);
const SECRETS = fc.record({
  key: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9.+/=_-]{14,30}[A-Za-z0-9]$/),
  email: fc
    .tuple(WORD, fc.constantFrom('.', '+', '_', '-', ''), WORD)
    .map(([a, s, b]) => `${a}${s}${b}@people.example`),
  other: WORD.map(word => `${word}@elsewhere.example`),
  token: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{20,40}[A-Za-z0-9]$/),
});

/** All that a text may stand for: decoded in every way, again and again. */
function meanings(text: string, depth = 4): string[] {
  if (depth === 0) return [text];
  const decoded = [
    text.replaceAll(/(?:%[0-9a-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString()),
    text.replaceAll(/\\+u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
    text.replaceAll(/[A-Za-z0-9+/_-]{8,}/g, run => {
      const inner = Buffer.from(run, 'base64').toString();
      return /^[\x20-\x7e]+$/.test(inner) ? inner : run;
    }),
    text.replaceAll(/[A-Za-z0-9+/_-]{8,}=*/g, run => {
      const inner = Buffer.from(run, 'base64').toString('utf16le');
      return /^[\x20-\x7e]+$/.test(inner) ? inner : run;
    }),
    text.replaceAll(/(?:[0-9a-f]{2}){6,}/g, run => Buffer.from(run, 'hex').toString()),
  ];
  return [text, ...decoded.filter(other => other !== text).flatMap(other => meanings(other, depth - 1))];
}

test('a key that a line break splits is replaced, and other lines stay', () => {
  const pseudonyms = new Pseudonyms();
  pseudonyms.addSecret('live-key-0123456789', 'sandbox-key');
  for (const fold of ['\n', '\r\n  ', '\n\t'])
    expect(scrubText(`was live-key-${fold}0123456789 sent?\nIt was.`, pseudonyms)).toMatch(
      /^was made-up-\d+ sent\?\nIt was\.$/,
    );
});

test('no secret reaches a file, wherever it is and however it is encoded', async () => {
  const fetch = async (...request: Parameters<typeof globalThis.fetch>) =>
    (await globalThis.fetch(...request)).text();
  let reply: (request: Received) => Reply = () => ({});
  const real = await wireServer(request => reply(request));
  onTestFinished(() => real.close());
  const places = fc.record({
    secrets: SECRETS,
    encode: fc.constantFrom(...ENCODINGS),
    also: fc.constantFrom(...ENCODINGS),
    asText: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(places, async ({ secrets, encode, also, asText }) => {
      const { key, email, other, token } = secrets;
      const all = [key, email, other, token];
      const body = {
        success: true,
        message: `about ${all.map(encode).join(' and ')}.`,
        [encode(email)]: { token, list: all.map(also) },
        rows: [
          {
            page: `https://example.org/?${all.map((each, i) => `p${i}=${encodeURIComponent(encode(each))}`).join('&')}`,
          },
        ],
      };
      const text = asText
        ? `<p title='${encode(email)}'>${all.map(also).join(' ')}</p>`
        : JSON.stringify(body);
      reply = () => ({
        headers: {
          'content-type': asText ? 'text/html' : 'application/json',
          location: `/${encode(email)}`,
          etag: also(key),
        },
        body: text,
      });
      const { env, folder, record } = await profileFor(real.baseUrl, key);
      const { stderr } = await served(record, env, async ({ baseUrl, apiKey }) => {
        // Before the token is known to be one.
        await fetch(`${baseUrl}/cdnservices/clearcache`, {
          method: 'POST',
          headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
          body: JSON.stringify({ url: encode(other), [also(token)]: encode(token) }),
        });
        await fetch(
          `${baseUrl}/subscriptions/v1/access?item=${encodeURIComponent(encode(email))}&developerKey=${apiKey}`,
          {
            headers: { 'x-service-reader-token': token },
          },
        );
        await fetch(
          `${baseUrl}/subscriptions/v1/products?domain=example.org&x=${encodeURIComponent(also(key))}`,
          {
            headers: { 'x-service-reader-email': email, 'x-api-key': apiKey },
          },
        );
      });
      expect(stderr).not.toContain('not recorded');
      const found = meanings(`${contentOf(folder)}${stderr}`.toLowerCase());
      const exact = meanings(`${contentOf(folder)}${stderr}`).map(meaning => meaning.toLowerCase());
      const leaked = (secret: string) =>
        [...found, ...exact].some(meaning => meaning.includes(secret.toLowerCase()));
      expect(all.filter(leaked)).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});
