import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Gateway as NodeGateway, type GatewayOptions as NodeOptions } from '../../src/client/index.ts';
import {
  AbortedError,
  Gateway,
  type GatewayOptions,
  InvalidResponseError,
  NetworkError,
  PartialError,
  RateLimitError,
  UsageError,
} from '../../src/client/web/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { rawServer } from '../support/raw-server.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';

const READER = { email: 'active@example.com' };
const DAYS = { start_date: '2026-03-01', end_date: '2026-03-07' };
const QUERY = {
  data_set: 'pageview',
  date_range: DAYS,
  dimensions: ['country'],
  metrics: ['visits'],
} as const;

/** A gateway over `fetch` to a server that replies as the test says. */
async function gatewayTo(
  reply: (request: Received, index: number) => Reply | Promise<Reply>,
  options: Partial<GatewayOptions> = {},
) {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  const gateway = new Gateway({
    baseUrl: server.baseUrl,
    apiKey: 'a-key-4711',
    domain: 'example.com',
    retries: 0,
    ...options,
  });
  onTestFinished(() => gateway.close());
  return { gateway, server };
}

const rows = (texts: readonly string[], total?: number): Reply => ({
  body: `{"rows":[${texts.join(',')}]${total === undefined ? '' : `,"total_rows":${total}`}}`,
});
const rowOf = (index: number) => `{"country":"C${index}","visits":${index}}`;

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
}

/** The operations that both clients have. */
const OPERATIONS: Record<string, (gateway: Gateway | NodeGateway) => Promise<unknown>> = {
  access: ({ subscriptions }) => subscriptions.access(READER, { product: 'premium' }),
  products: ({ subscriptions }) => subscriptions.products(READER),
  purchases: ({ subscriptions }) => subscriptions.purchases(READER),
  identityToken: async ({ subscriptions }) =>
    Object.keys(await subscriptions.identityToken(READER.email)).sort(),
  ping: ({ cdn }) => cdn.ping(),
  purge: ({ cdn }) => cdn.purge(['https://www.example.com/a', 'https://www.example.com/b']),
  purgeKeys: ({ cdn }) => cdn.purgeKeys(['news', 'sports']),
  purgeDomain: ({ cdn }) => cdn.purgeDomain('example.com'),
  query: ({ bda }) => bda.query(QUERY).toArray(),
  columns: ({ bda }) => bda.columns(),
};

describe('over fetch, the embedded gateway', () => {
  test.each(Object.keys(OPERATIONS))('replies to %s as it does over connections of Node', async name => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const options = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' };
    const call = OPERATIONS[name] ?? expect.unreachable();
    const [here, there] = [new Gateway(options), new NodeGateway(options)];
    const result = await call(here);
    expect(result).toEqual(await call(there));
    if (name === 'access') expect(result).toMatchObject({ allowed: true });
    if (name === 'query') expect((result as unknown[]).length).toBeGreaterThan(3);
    await Promise.all([here.close(), there.close()]);
  });
});

describe('rows', () => {
  test('keep every digit', async () => {
    const { gateway } = await gatewayTo(() => rows(['{"country":"US","visits":12345678901234567890.10}'], 1));
    expect(await gateway.bda.query(QUERY).toArray()).toEqual([
      { country: 'US', visits: '12345678901234567890.10' },
    ]);
  });

  test('are requested page by page in a total order, from where the last page ended', async () => {
    const all = Array.from({ length: 25 }, (_, index) => rowOf(index));
    const { gateway, server } = await gatewayTo(({ body }) => {
      const { offset, limit } = JSON.parse(body);
      return rows(all.slice(offset, offset + limit), all.length);
    });
    const request = gateway.bda.query(QUERY, { pageSize: 10 });
    const countries = (await request.toArray()).map(({ country }) => country);
    expect(countries).toEqual(all.map((_, index) => `C${index}`));
    expect(request.stats).toEqual({ rows: 25, total: 25, complete: true, warnings: [] });
    expect(server.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { offset: 0, limit: 10, sort: [{ column: 'country', direction: 'asc' }] },
      { offset: 10, limit: 10 },
      { offset: 20, limit: 10 },
    ]);
  });

  test('end where a server without a total returns the same page twice, and say so', async () => {
    const warnings: string[] = [];
    const { gateway, server } = await gatewayTo(() => rows([rowOf(1), rowOf(2)]), {
      onWarning: text => warnings.push(text),
    });
    const request = gateway.bda.query(QUERY, { pageSize: 2 });
    expect(await request.toArray()).toHaveLength(2);
    expect(server.received).toHaveLength(2);
    expect(request.stats?.complete).toBe(false);
    expect(warnings.join()).toContain('the same page twice');
  });

  test.each([
    ['a column that no row has', () => rows(['{"country":"US"}'], 1), {}],
    ['no rows although some are announced', () => rows([], 3), {}],
    [
      'fewer rows than announced, when strict',
      ({ body }: Received) => rows(JSON.parse(body).offset > 0 ? [] : [rowOf(1)], 3),
      { strict: true },
    ],
  ])('throw at the end for %s', async (_, reply, options) => {
    const { gateway } = await gatewayTo(reply);
    expect(await errorOf(gateway.bda.query(QUERY, options).toArray())).toBeInstanceOf(PartialError);
  });

  test('beyond the limit of a query are dropped', async () => {
    const { gateway } = await gatewayTo(() => rows([rowOf(1), rowOf(2), rowOf(3)], 3));
    const request = gateway.bda.query({ ...QUERY, limit: 2 });
    expect(await request.toArray()).toHaveLength(2);
    expect(request.stats?.warnings).toEqual(['dropped 1 row beyond the requested ones']);
  });

  test('are requested one page after the other, which an option cannot change', async () => {
    const { gateway } = await gatewayTo(() => rows([], 0));
    expect(() => gateway.bda.query(QUERY, { pagesInFlight: 2 })).toThrow(UsageError);
  });
});

describe('a call over fetch', () => {
  test('follows no redirect, which would take the key to another server', async () => {
    const other = await wireServer(() => ({ body: '{}' }));
    onTestFinished(() => other.close());
    const { gateway } = await gatewayTo(() => ({ status: 302, headers: { location: `${other.baseUrl}/` } }));
    expect(await errorOf(gateway.cdn.ping())).toMatchObject({ request: { status: 302 } });
    expect(other.received).toEqual([]);
  });

  test('that finds no server is sent again, and then is a NetworkError with a code', async () => {
    const server = await wireServer(() => ({}));
    const { baseUrl } = server;
    await server.close();
    const gateway = new Gateway({ baseUrl, apiKey: 'a-key', retries: 1 });
    const error = await errorOf(gateway.cdn.ping());
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ code: 'connection_refused', request: { attempts: 2 } });
  });

  test('is sent again after an error of fetch that says nothing, unless it creates something', async () => {
    let calls = 0;
    const fails: typeof fetch = async () => {
      calls += 1;
      throw new TypeError('internal error');
    };
    const gateway = new Gateway({
      baseUrl: 'https://gateway.example.com',
      apiKey: 'a-key',
      domain: 'example.com',
      retries: 1,
      fetch: fails,
    });
    expect(await errorOf(gateway.cdn.ping())).toMatchObject({ code: 'network_error' });
    expect(calls).toBe(2);
    await errorOf(gateway.subscriptions.identityToken(READER.email));
    expect(calls).toBe(3);
  });

  test('of which the response breaks is sent again', async () => {
    const cut = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"Succ';
    const whole =
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 16\r\n\r\n{"Success":true}';
    const server = await rawServer((socket, index) => socket.end(index === 0 ? cut : whole));
    onTestFinished(() => server.close());
    const gateway = new Gateway({ baseUrl: server.baseUrl, apiKey: 'a-key', retries: 1 });
    await gateway.cdn.ping();
    expect(server.connections()).toBe(2);
  });

  test('is aborted by its signal while the server is silent, and within the body', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"Succ';
    for (const sent of ['', head]) {
      const left = new AbortController();
      const server = await rawServer(socket => {
        socket.write(sent, () => left.abort(new Error('the reader left')));
      });
      onTestFinished(() => server.close());
      const gateway = new Gateway({ baseUrl: server.baseUrl, apiKey: 'a-key' });
      const error = await errorOf(gateway.cdn.ping({ signal: left.signal }));
      expect(error).toBeInstanceOf(AbortedError);
      expect(error).toMatchObject({ cause: { message: 'the reader left' } });
    }
  });

  test('is decoded if compressed, and rejected if not UTF-8', async () => {
    const { gateway } = await gatewayTo(() => ({ body: Buffer.from([0x7b, 0xff, 0x7d]) }));
    expect(await errorOf(gateway.cdn.ping())).toBeInstanceOf(InvalidResponseError);
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const encodings: (string | undefined)[] = [];
    const compressed = new Gateway({
      baseUrl: sandbox.baseUrl,
      apiKey: sandbox.apiKey,
      fetch: async (...given) => {
        const response = await fetch(...given);
        encodings.push(response.headers.get('content-encoding') ?? undefined);
        return response;
      },
    });
    expect(JSON.stringify(await compressed.bda.columns())).toContain('visits');
    expect(encodings).toEqual(['gzip']);
  });

  test('checks access during a pause of an hour for queries, which `reset` ends', async () => {
    let isLimited = true;
    const { gateway } = await gatewayTo(({ target }) => {
      if (!target.endsWith('/query')) return { body: '{"success":true,"data":{"decision":"denied"}}' };
      return isLimited ? { status: 429, headers: { 'retry-after': '3600' }, body: '{}' } : rows([], 0);
    });
    expect(await errorOf(gateway.bda.query(QUERY).toArray())).toBeInstanceOf(RateLimitError);
    expect(await gateway.subscriptions.access(READER, { product: 'gold' })).toMatchObject({ allowed: false });
    isLimited = false;
    gateway.reset();
    expect(await gateway.bda.query(QUERY).toArray()).toEqual([]);
  });

  test('contains neither key nor reader in its errors', async () => {
    const { gateway } = await gatewayTo(({ headers }) => ({
      status: 400,
      body: JSON.stringify({ success: false, error: `no ${headers['x-api-key']} ${READER.email}` }),
    }));
    const error = await errorOf(gateway.subscriptions.access(READER, { product: 'gold' }));
    expect(String((error as Error).stack)).not.toMatch(/a-key-4711|active@example/);
  });
});

describe('options', () => {
  const OPTIONS = { baseUrl: 'https://gateway.example.com', apiKey: 'a-key' };

  test.each(['ca', 'dispatcher', 'proxy'])('without connections of its own, %s is rejected', name => {
    expect(() => new Gateway({ ...OPTIONS, [name]: undefined } as GatewayOptions)).toThrow(
      `${name} is for Node only`,
    );
  });

  test('the client for Node sends with the fetch of a program', async () => {
    const server = await wireServer(() => ({ body: '{"Success":true}' }));
    onTestFinished(() => server.close());
    const urls: string[] = [];
    const send: typeof fetch = (url, init) => {
      urls.push(String(url));
      return fetch(url, init);
    };
    const gateway = new NodeGateway({
      baseUrl: server.baseUrl,
      apiKey: 'a-key',
      fetch: send,
      compression: false,
    });
    await gateway.cdn.ping();
    expect(urls.map(url => new URL(url).pathname)).toEqual(server.received.map(({ target }) => target));
    expect(server.received[0]?.headers['accept-encoding']).toBe('identity');
  });

  test.each<[Partial<NodeOptions>, string]>([
    [{ fetch: 'fetch' as unknown as typeof fetch }, 'fetch must be a function'],
    [{ fetch, dispatcher: new Agent() }, 'fetch and dispatcher cannot be combined'],
    [{ fetch, ca: 'a certificate' }, 'fetch and ca cannot be combined'],
    [{ fetch, proxy: false }, 'fetch and proxy cannot be combined'],
  ])('a fetch that cannot be used is rejected: %#', (options, message) => {
    expect(() => new NodeGateway({ ...OPTIONS, ...options })).toThrow(message);
  });
});
