import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { granted, type Received, type Reply, wireServer } from '../support/wire-server.ts';

const KEY = 'canary-key+/4711';
const EMAIL = 'canary.reader@example.com';
const TOKEN = 'canaryheader.canarypayload.canarysignature';
const PROXY_PASSWORD = 'canary-proxy-pass';

/** Every form in which a secret might leak. */
function formsOf(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ];
}

function leaks(text: string, secrets: readonly string[]): string[] {
  return secrets.filter(secret => formsOf(secret).some(form => text.includes(form)));
}

/** A server that throws back all it was told, as careless ones do. */
const echo =
  (status: number) =>
  (request: Received): Reply => {
    const told = `${request.target} ${JSON.stringify(request.headers)} ${request.body}`;
    return {
      status,
      headers: { location: `https://elsewhere.example${request.target}` },
      body: JSON.stringify({ success: false, message: told }),
    };
  };

const SITE = ['--domain', 'example.com', '--retries', '1', '--verbose'];
const BY_EMAIL = ['--email', EMAIL, ...SITE];
const BY_TOKEN = ['--reader-token', TOKEN, ...SITE];
const COMMANDS: readonly (readonly string[])[] = [
  ['access', '--product', 'premium', ...BY_EMAIL],
  ['access', '--product', 'premium', ...BY_TOKEN],
  ['access', '--item', 'https://example.com/a', ...BY_EMAIL],
  ['products', ...BY_EMAIL],
  ['purchases', ...BY_TOKEN],
  ['reader', ...BY_EMAIL],
  ['token', ...BY_EMAIL],
];
const SECRETS = [KEY, EMAIL, TOKEN, PROXY_PASSWORD];

describe.each([
  { name: 'key in the header', keyIn: 'header' },
  { name: 'key in the query', keyIn: 'query' },
])('$name', ({ keyIn }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatectl-secrets-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function ask(
    args: readonly string[],
    reply: (request: Received) => Reply,
    extra: Record<string, string> = {},
  ) {
    const server = await wireServer(reply);
    const env = {
      GATECTL_API_KEY: KEY,
      GATECTL_CONFIG_DIR: await mkdtemp(join(folder, 'config-')),
      ...extra,
    };
    const added = await run(['profile', 'add', 'p', '--base-url', server.baseUrl, '--key-in', keyIn], {
      env,
    });
    expect(added.code, added.stderr).toBe(0);
    const ran = await run(args, { env });
    await server.close();
    return { ...ran, received: server.received };
  }

  const sent = async (args: readonly string[], reply: (request: Received) => Reply) => {
    const ran = await ask(args, reply);
    expect(ran.received.length).toBeGreaterThan(0);
    return ran;
  };

  test.each(COMMANDS.map(args => ({ args, name: args.slice(0, 4).join(' ') })))(
    '$name leaks nothing, whatever the server throws back',
    async ({ args }) => {
      for (const status of [200, 302, 400, 401, 403, 404, 429, 500, 503]) {
        for (const format of ['table', 'json']) {
          const ran = await sent([...args, '-o', format], echo(status));
          expect(ran.code).not.toBe(0);
          expect(leaks(ran.stdout + ran.stderr, SECRETS)).toEqual([]);
        }
      }
    },
  );

  test('a successful answer with --verbose shows no secret on stderr, and the key where it belongs on the wire', async () => {
    const ran = await sent(['access', '--product', 'premium', ...BY_EMAIL], () =>
      granted({ decision: 'allowed', reasonCode: 'allowed' }),
    );
    expect(ran.code).toBe(0);
    expect(leaks(ran.stderr, SECRETS)).toEqual([]);
    const [request] = ran.received;
    const inQuery = new URL(request?.target ?? '', 'http://gateway.example').searchParams.get('developerKey');
    expect({ header: request?.headers['x-api-key'], query: inQuery }).toEqual(
      keyIn === 'header' ? { header: KEY, query: null } : { header: undefined, query: KEY },
    );
    expect(request?.target).not.toContain('canary.reader');
  });

  test('an HTML page that repeats the request is excerpted without secrets', async () => {
    const ran = await sent(['products', ...BY_EMAIL], request => ({
      headers: { 'content-type': 'text/html' },
      body: `<p>${request.headers['x-service-reader-email']} ${request.target} ${request.headers['x-api-key'] ?? ''}`,
    }));
    expect(ran.code).toBe(6);
    expect(leaks(ran.stdout + ran.stderr, SECRETS)).toEqual([]);
  });

  test("a proxy's password shows nowhere", async () => {
    const proxy = await wireServer(() => ({ status: 407 }));
    const address = proxy.baseUrl.replace('http://', `http://me:${PROXY_PASSWORD}@`);
    const ran = await ask(['products', ...BY_EMAIL, '--timeout', '0.5'], () => granted([]), {
      HTTP_PROXY: address,
      HTTPS_PROXY: address,
    });
    await proxy.close();
    expect(ran.code).toBe(6);
    expect(leaks(ran.stdout + ran.stderr, SECRETS)).toEqual([]);
  });

  test('the profiles file holds no key that came from the environment', async () => {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      expect(leaks(await readFile(join(entry.parentPath, entry.name), 'utf8'), SECRETS)).toEqual([]);
    }
  });
});

test('--curl prints a command without the key and without a session token', async () => {
  const env = { GATECTL_API_KEY: KEY, GATECTL_BASE_URL: 'https://gateway.example.com' };
  const ran = await run(['products', '--reader-token', TOKEN, '--domain', 'example.com', '--curl'], { env });
  expect(ran.code).toBe(0);
  expect(leaks(ran.stdout + ran.stderr, [KEY, TOKEN])).toEqual([]);
  expect(ran.stdout).toBe(
    [
      "curl 'https://gateway.example.com/subscriptions/v1/products?domain=example.com'",
      "  -H 'Accept: application/json'",
      '  -H "X-API-Key: $GATECTL_API_KEY"',
      '  -H "X-Service-Reader-Token: $GATECTL_READER_TOKEN"',
      '',
    ]
      .join(' \\\n')
      .replace(/ \\\n$/, '\n'),
  );
});
