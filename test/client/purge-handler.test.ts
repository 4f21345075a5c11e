import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPurgeHandler, Gateway, type PurgeHandlerOptions } from '../../src/client/web/index.ts';
import { PAYLOADS, requestOf, SENT_AT } from '../apis/cdn/events/payloads.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';

const DONE: Reply = { body: '{"Success":true,"Error":""}' };
const MAP = {
  site: 'https://www.example.com',
  always: '/',
  rules: [{ on: { type: ['post', 'article'] }, urls: '/{slug}/', keys: ['entry-{entry}'] }],
};
const SENDERS = { ghost: { format: 'ghost', secret: PAYLOADS.ghost.secret } } as const;

/** A handler, and a gateway that replies as the test says. */
async function handlerTo(
  reply: (request: Received, index: number) => Reply | Promise<Reply> = () => DONE,
  options: Partial<PurgeHandlerOptions> = {},
) {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  const gateway = new Gateway({
    baseUrl: server.baseUrl,
    apiKey: 'a-key',
    domain: 'example.com',
    retries: 0,
  });
  onTestFinished(() => gateway.close());
  const handle = createPurgeHandler({ gateway, map: MAP, senders: SENDERS, now: () => SENT_AT, ...options });
  const answered = async (request: Request) => {
    const response = await handle(request);
    return {
      status: response.status,
      body: await response.json(),
      retryAfter: response.headers.get('retry-after'),
    };
  };
  return { answered, sent: () => server.received.map(({ body }) => JSON.parse(body)) };
}

describe('createPurgeHandler', () => {
  test('purges what an event leads to before it responds', async () => {
    const onPurge = vi.fn();
    const { answered, sent } = await handlerTo(undefined, { onPurge });
    expect(await answered(requestOf('ghost'))).toMatchObject({
      status: 200,
      body: { status: 'confirmed', requested: 4, cleared: 4, failed: 0, failures: [] },
    });
    expect(sent()).toEqual([
      { urls: ['/new-name/', '/old-name/', '/'].map(path => `https://www.example.com${path}`) },
      { keys: 'entry-6a1', domain: 'example.com' },
    ]);
    expect(onPurge.mock.calls[0]?.[0]).toMatchObject({ kind: 'moved', entry: '6a1' });
  });

  test('purges a repeated event once, also one that arrives while it is purged', async () => {
    const { answered, sent } = await handlerTo();
    const both = await Promise.all([answered(requestOf('ghost')), answered(requestOf('ghost'))]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await answered(requestOf('ghost'))).body).toMatchObject({ status: 'duplicate' });
    expect(sent()).toHaveLength(2);
  });

  test('ids may be kept elsewhere, for all instances', async () => {
    const known = new Set<string>();
    const ids = { has: async (id: string) => known.has(id), add: async (id: string) => void known.add(id) };
    await (await handlerTo(undefined, { ids })).answered(requestOf('ghost'));
    const other = await handlerTo(undefined, { ids });
    expect((await other.answered(requestOf('ghost'))).body).toMatchObject({ status: 'duplicate' });
    expect(other.sent()).toEqual([]);
  });

  test('a gateway that fails is 502, and the sender may try again', async () => {
    const { answered } = await handlerTo((_, index) => (index === 0 ? { status: 503 } : DONE));
    expect(await answered(requestOf('ghost'))).toMatchObject({ status: 502, retryAfter: '30' });
    expect(await answered(requestOf('ghost'))).toMatchObject({ status: 200, body: { status: 'confirmed' } });
  });

  test.each([
    ['rejects', { body: '{"Success":false,"Error":"no"}' }, 1],
    ['does not find', { status: 404, body: '{"error":"not found"}' }, 1],
    ['takes for invalid', { status: 400, body: '{"error":"bad"}' }, 0],
  ])('what the gateway %s is 502 and not remembered', async (_, failure: Reply, cleared) => {
    const { answered } = await handlerTo(({ target }) =>
      cleared > 0 && target.includes('surrogate') ? DONE : failure,
    );
    expect(await answered(requestOf('ghost'))).toMatchObject({ status: 502, body: { status: 'failed' } });
    expect(await answered(requestOf('ghost'))).toMatchObject({ status: 502, body: { status: 'failed' } });
  });

  test('a value that cannot be purged is named, and what can be is purged', async () => {
    const { answered, sent } = await handlerTo(undefined, {
      map: { ...MAP, rules: [{ on: {}, urls: '/{slug}/', keys: ['tag-{tag}'] }] },
      senders: {
        own: {
          ...{ format: 'json', sign: 'token', secret: PAYLOADS.strapi.secret },
          event: () => ({ kind: 'updated', path: '/a/', tags: ['two words'] }),
        },
      },
    });
    expect(await answered(requestOf('strapi'))).toMatchObject({
      status: 422,
      body: { status: 'failed', requested: 3, cleared: 2, failures: [{ target: 'tag-two words' }] },
    });
    expect(sent()).toHaveLength(1);
  });

  test("nothing outside the gateway's domain is purged", async () => {
    const { answered, sent } = await handlerTo(undefined, {
      map: { ...MAP, rules: [{ on: {}, urls: 'https://www.example.org/{slug}/' }] },
    });
    expect(await answered(requestOf('ghost'))).toMatchObject({
      status: 422,
      body: { error: { code: 'leads_to_nothing' } },
    });
    expect(sent()).toEqual([]);
  });

  test('a function of the options that throws is 500, without its message', async () => {
    const onError = vi.fn();
    const fail = () => {
      throw new Error('a secret path');
    };
    for (const options of [{ gateway: fail }, { ids: { has: fail, add: fail } }]) {
      const { answered } = await handlerTo(undefined, { ...options, onError });
      const { status, body } = await answered(requestOf('ghost'));
      expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('secret')]);
    }
    expect(onError).toHaveBeenCalledTimes(2);
  });

  test('what is forged or stale, or leads nowhere, is refused and purges nothing', async () => {
    const { answered, sent } = await handlerTo(undefined, {
      senders: { ...SENDERS, strapi: { format: 'strapi', secret: PAYLOADS.strapi.secret } },
    });
    const body = PAYLOADS.ghost.body.replace('new-name', 'other');
    const nowhere =
      '{"event":"entry.delete","createdAt":"2026-03-20T09:46:40.000Z","model":"article","entry":{}}';
    expect(await answered(requestOf('ghost', { body }))).toMatchObject({
      status: 401,
      body: { error: { code: 'forged' } },
    });
    expect(await answered(requestOf('strapi', { body: nowhere }))).toMatchObject({ status: 422 });
    expect(await answered(requestOf('ghost', { path: '/events/other' }))).toMatchObject({ status: 404 });
    const late = await handlerTo(undefined, { now: () => SENT_AT + 600_000 });
    expect(await late.answered(requestOf('ghost'))).toMatchObject({
      status: 401,
      body: { error: { code: 'stale' } },
    });
    expect([...sent(), ...late.sent()]).toEqual([]);
  });

  test('another system: a function makes the event', async () => {
    const { answered, sent } = await handlerTo(undefined, {
      gateway: () => ({
        cdn: new Gateway({
          baseUrl: 'http://127.0.0.1:9',
          apiKey: 'k',
          fetch: async () => Response.json({ Success: true, Error: '' }),
        }).cdn,
      }),
      map: { site: 'https://www.example.com', rules: [{ on: {}, urls: '{path}' }] },
      senders: {
        shop: {
          ...{ format: 'json', sign: 'token', secret: 'strapi token' },
          event: content => (content as { sku?: string }).sku && { kind: 'updated', path: '/p/1', id: '1' },
        },
      },
    });
    expect(await answered(requestOf('strapi', { body: '{"sku":"1"}' }))).toMatchObject({
      status: 200,
      body: { cleared: 1 },
    });
    expect((await answered(requestOf('strapi', { body: '{}' }))).body).toMatchObject({ status: 'ignored' });
    expect(sent()).toEqual([]);
  });

  test.each([
    [{ senders: {} }, 'senders has none'],
    [{ senders: { a: { format: 'ghost', secret: '' } } }, 'senders.a: secret is missing'],
    [{ senders: { a: { format: 'drupal', secret: 'x' } } }, 'senders.a: format must be one of'],
    [{ senders: { a: { format: 'ghost', secret: 'x', sign: 'token' } } }, 'only json has sign'],
    [{ senders: { a: { format: 'json', secret: 'x' } } }, 'senders.a: json needs event'],
    [{ map: { site: 'x', rules: [] } }, 'map.site: site must be a URL'],
    [{ map: { ...MAP, rules: [{ on: {}, urls: '/{name}/' }] } }, 'map.rules[0]: {name} is not in an event'],
    [{ map: { ...MAP, rule: [] } }, 'unknown setting "rule"'],
  ])('%j is a UsageError', (options, message) => {
    const gateway = { cdn: {} } as unknown as Gateway;
    const all = { gateway, map: MAP, senders: SENDERS, ...options } as PurgeHandlerOptions;
    expect(() => createPurgeHandler(all)).toThrow(message);
  });
});
