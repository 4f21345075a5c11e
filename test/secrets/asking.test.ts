import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { granted, type Received, type Reply, wireServer } from '../support/wire-server.ts';
import { CANARY, leaks } from './canaries.ts';

const { key: KEY, email: EMAIL, token: TOKEN } = CANARY;

const SITE = ['--domain', 'example.com', '--retries', '1', '--verbose'];
const BY_EMAIL = ['--email', EMAIL, ...SITE];
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

  test('a successful request with --verbose prints no secret on stderr, and sends the key in the right place', async () => {
    const ran = await sent(['access', '--product', 'premium', ...BY_EMAIL], () =>
      granted({ decision: 'allowed', reasonCode: 'allowed' }),
    );
    expect(ran.code).toBe(0);
    expect(leaks(ran.stderr)).toEqual([]);
    const [request] = ran.received;
    const inQuery = new URL(request?.target ?? '', 'http://gateway.example').searchParams.get('developerKey');
    expect({ header: request?.headers['x-api-key'], query: inQuery }).toEqual(
      keyIn === 'header' ? { header: KEY, query: null } : { header: undefined, query: KEY },
    );
    expect(request?.target).not.toContain('canary.reader');
  });
});

test('--curl prints a command without the key and without a session token', async () => {
  const env = { GATECTL_API_KEY: KEY, GATECTL_BASE_URL: 'https://gateway.example.com' };
  const ran = await run(['products', '--reader-token', TOKEN, '--domain', 'example.com', '--curl'], { env });
  expect(ran.code).toBe(0);
  expect(leaks(ran.stdout + ran.stderr)).toEqual([]);
  expect(ran.stdout).toBe(
    [
      "curl 'https://gateway.example.com/subscriptions/v1/products?domain=example.com'",
      "  -H 'Accept: application/json'",
      '  -H "X-API-Key: $GATECTL_API_KEY"',
      '  -H "X-Service-Reader-Token: $GATECTL_READER_TOKEN"',
      '  --compressed',
      '',
    ]
      .join(' \\\n')
      .replace(/ \\\n$/, '\n'),
  );
});

test("a proxy's password is known as a secret, in every form, wherever it turns up", async () => {
  const password = encodeURIComponent(CANARY.proxyPassword);
  const pair = Buffer.from(`me:${CANARY.proxyPassword}`).toString('base64');
  const server = await wireServer(() => ({
    status: 400,
    body: JSON.stringify({ success: false, message: `${CANARY.proxyPassword} ${password} Basic ${pair}` }),
  }));
  const env = {
    ...{ GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, GATECTL_DOMAIN: 'example.com' },
    ...{ HTTP_PROXY: `http://me:${password}@127.0.0.1:9`, NO_PROXY: '127.0.0.1' },
  };
  const ran = await run(['products', '--email', EMAIL], { env });
  await server.close();
  expect(ran.stderr.split('\n')[0]).toBe('error: *** *** Basic ***');
});

test.each([
  [`products --api-key=${KEY}`, 'error: --api-key is not accepted: other users can see'],
  [`products --reader-tokn=${TOKEN}`, "error: unknown option '--reader-tokn'"],
  [
    `cdn purge https://me:${encodeURIComponent(CANARY.proxyPassword)}@example.com/a`,
    'https://***@example.com/a contains a user name or password',
  ],
  [
    `products --email a@example.com --base-url https://me:${TOKEN}@example.com`,
    'contains a user name or password',
  ],
])('what is typed in the wrong place is rejected without being repeated: %s', async (line, says) => {
  const ran = await run(line.split(' '), { env: { GATECTL_API_KEY: 'some-key' } });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(says);
  expect(leaks(ran.stdout + ran.stderr)).toEqual([]);
});
