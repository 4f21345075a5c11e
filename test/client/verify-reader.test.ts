import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Gateway, UsageError, type VerifyReaderOptions, verifyReader } from '../../src/client/index.ts';
import { verifyReader as verifyOnTheWeb, Gateway as WebGateway } from '../../src/client/web/index.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/library.ts';

const OPTIONS = { target: { product: 'premium' }, onDecisionUnavailable: 'deny', retries: 0 } as const;
const SIGNED_OUT = { allowed: false, decision: 'login_required', reasonCode: undefined };
const PAGE = 'https://example.com/articles/long-read';

let sandbox: Sandbox;
let gateway: Gateway;
let token: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = new Gateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' });
  token = sandbox.readers.find(({ email }) => email === 'active@example.com')?.sessionToken ?? '';
  return async () => {
    await gateway.close();
    await sandbox.close();
  };
});
beforeEach(() => {
  sandbox.reset();
  gateway.reset();
});

const ofHeaders = ({ headers }: Request) => ({ token: headers.get('x-session-token') });
const withToken = (sent: string) => new Request(PAGE, { headers: { 'x-session-token': sent } });

function verifier(options: Partial<VerifyReaderOptions<Request>> = {}) {
  return verifyReader<Request>(gateway, { ...OPTIONS, reader: ofHeaders, ...options });
}

describe('the decision on a request', () => {
  test('is that of the gateway, for a session token and for an address of the site', async () => {
    expect(await verifier().check(withToken(token))).toMatchObject({ allowed: true, decision: 'allowed' });
    const ofAddress = (email: string) => verifier({ reader: () => ({ email }) }).check(withToken('unused'));
    expect(await ofAddress('active@example.com')).toMatchObject({ allowed: true });
    expect(await ofAddress('expired@example.com')).toMatchObject({ allowed: false, decision: 'expired' });
    const target = async ({ url }: Request) => ({ item: url });
    expect(await verifier({ target }).check(withToken(token))).toMatchObject({ allowed: true });
    expect(sandbox.requests.at(-1)?.query.item).toBe(PAGE);
  });

  test.each([
    ['no identity', undefined],
    ['no token', { token: undefined }],
    ['null, as of getSessionToken()', { token: null }],
    ['no address', { email: null }],
    ['two headers', { token: ['a.b.c', 'a.b.c'] }],
    ['an empty token', { token: '' }],
    ['what no token contains', { token: 'a b\r\nc' }],
  ])('is that of a visitor who is signed out for %s, without a request', async (_, identity) => {
    expect(await verifier({ reader: () => identity }).check(withToken(token))).toEqual(SIGNED_OUT);
    expect(sandbox.requests).toEqual([]);
  });

  test('is asked for again with each request, which creates nothing', async () => {
    const readers = verifier();
    const request = withToken(token);
    for (let time = 0; time < 3; time += 1) await readers.check(request);
    await readers.fetch(() => new Response('article'))(request);
    expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(4).fill('GET /subscriptions/v1/access'),
    );
    sandbox.clock.set('2040-01-01');
    expect(await readers.check(request)).toMatchObject({ allowed: false });
  });

  test.each(['deny', 'allow'] as const)(
    'is what was chosen when the gateway does not decide: %s',
    async onDecisionUnavailable => {
      const readers = verifier({ onDecisionUnavailable });
      for (const fault of ['status=500', 'status=401', 'status=429', 'reset', 'html']) {
        sandbox.setFaults(fault);
        gateway.reset();
        const { allowed, error } = await readers.check(withToken(token));
        expect([fault, allowed]).toEqual([fault, onDecisionUnavailable === 'allow']);
        expect(error).toBeDefined();
      }
    },
  );

  test.each([
    ['like a JWT', 'aaaa.bbbb.cccc'],
    ['unlike one', 'not-a-jwt'],
    ['a long one', 'x'.repeat(3000)],
  ])('is a denial for a token that the gateway rejects, whatever was chosen: %s', async (_, forged) => {
    const { allowed, error } = await verifier({ onDecisionUnavailable: 'allow' }).check(withToken(forged));
    expect(allowed).toBe(false);
    expect(error?.message).not.toContain(forged);
  });

  test('is not made without a choice, and a mistake of the site is an error', async () => {
    // @ts-expect-error it must be chosen
    expect(() => verifyReader(gateway, { reader: ofHeaders, target: { product: 'premium' } })).toThrow(
      "onDecisionUnavailable must be 'deny' or 'allow'",
    );
    const check = (options: object) => verifier(options).check(withToken(token));
    await expect(check({ target: { product: '' } })).rejects.toThrow(UsageError);
    await expect(check({ reader: () => ({ email: 'nobody' }) })).rejects.toThrow(UsageError);
    await expect(check({ reader: () => ({ email: 'a@example.com', token }) })).rejects.toThrow(UsageError);
    const failing = () => Promise.reject(new Error('no session store'));
    await expect(check({ reader: failing })).rejects.toThrow('no session store');
  });
});

describe('Fetch-style handlers', () => {
  test('get the decision before their other arguments, and their responses are stored nowhere', async () => {
    const handler = verifier().fetch((request, { allowed }, env: { name: string }) => {
      const headers = { 'cache-control': 'public, max-age=600', 'x-name': env.name };
      return new Response(allowed ? request.url : 'teaser', { status: allowed ? 200 : 402, headers });
    });
    const response = await handler(withToken(token), { name: 'a site' });
    expect([response.status, await response.text()]).toEqual([200, PAGE]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      'x-name': 'a site',
    });
    expect((await handler(withToken('aaaa.bbbb.cccc'), { name: '' })).status).toBe(402);
  });

  test('may return what has no body and headers that cannot be changed', async () => {
    const redirect = verifier().fetch(() => Response.redirect('https://example.com/sign-in', 303));
    const response = await redirect(withToken(token));
    expect([response.status, response.headers.get('location')]).toEqual([303, 'https://example.com/sign-in']);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const empty = verifier().fetch(() => new Response(null, { status: 204 }));
    expect((await empty(withToken(token))).status).toBe(204);
  });

  test('run over fetch alone', async () => {
    const web = new WebGateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' });
    onTestFinished(() => web.close());
    const handler = verifyOnTheWeb<Request>(web, { ...OPTIONS, reader: ofHeaders }).fetch(
      (_, { allowed }) => new Response(String(allowed)),
    );
    expect(await (await handler(withToken(token))).text()).toBe('true');
  });
});

describe('middleware', () => {
  const ofMessage = ({ headers }: IncomingMessage) => ({ token: headers['x-session-token'] });
  const readersOf = (reader: VerifyReaderOptions<IncomingMessage>['reader'] = ofMessage) =>
    verifyReader<IncomingMessage>(gateway, { ...OPTIONS, reader });

  async function served(readers: ReturnType<typeof readersOf>, sent: string) {
    const server = createServer((request, response) =>
      readers.express(request, response, error => {
        const text = error === undefined ? String(readers.decisionOf(request).allowed) : String(error);
        response.end(text);
      }),
    );
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-session-token': sent } });
    return [await response.text(), response.headers.get('cache-control')];
  }

  test('as of Express leaves the decision with the request, or passes the error on', async () => {
    expect(await served(readersOf(), token)).toEqual(['true', 'private, no-store']);
    expect(await served(readersOf(), 'aaaa.bbbb.cccc')).toEqual(['false', 'private, no-store']);
    const failing = readersOf(() => Promise.reject(new Error('no session store')));
    expect(await served(failing, token)).toEqual(['Error: no session store', 'private, no-store']);
  });

  test('as of Fastify leaves the decision with the request, or rejects', async () => {
    const readers = readersOf();
    const sent: Record<string, string> = {};
    const reply = { header: (name: string, value: string) => Object.assign(sent, { [name]: value }) };
    const request = { headers: { 'x-session-token': token } } as unknown as IncomingMessage;
    await readers.fastify(request, reply);
    expect(readers.decisionOf(request)).toMatchObject({ allowed: true });
    expect(sent).toEqual({ 'Cache-Control': 'private, no-store' });
    await expect(readersOf(() => Promise.reject(new Error('no'))).fastify(request, reply)).rejects.toThrow(
      'no',
    );
  });

  test('that did not run leaves no decision, and neither does that of another verifier', async () => {
    const request = { headers: { 'x-session-token': token } } as unknown as IncomingMessage;
    expect(() => readersOf().decisionOf(request)).toThrow(UsageError);
    await readersOf().fastify(request, { header: () => undefined });
    expect(() => readersOf().decisionOf(request)).toThrow('the reader of this request was not verified');
  });

  test('does not outlive a later check of the same request that failed', async () => {
    const identities = [() => ({ token }), () => Promise.reject(new Error('the session store is gone'))];
    const readers = verifier({ reader: () => (identities.shift() ?? (() => undefined))() });
    const request = withToken(token);
    const reply = { header: () => undefined };
    await readers.fastify(request, reply);
    expect(readers.decisionOf(request)).toMatchObject({ allowed: true });
    await expect(readers.fastify(request, reply)).rejects.toThrow('the session store is gone');
    expect(() => readers.decisionOf(request)).toThrow(UsageError);
  });
});

test('docs/client.md shows lines of the applications in examples/, which are tested', () => {
  const unindented = (text: string) => text.replaceAll(/^ +/gm, '').trim();
  const sources = ['worker/worker.js', 'site/express.js', 'fastify/app.js'].map(path =>
    unindented(readFileSync(`examples/${path}`, 'utf8')),
  );
  const blocks = [...readFileSync('docs/client.md', 'utf8').matchAll(/^```js\n(.*?)^```$/gms)];
  expect(blocks).toHaveLength(3);
  for (const [index, [, block = '']] of blocks.entries()) expect(sources[index]).toContain(unindented(block));
});
