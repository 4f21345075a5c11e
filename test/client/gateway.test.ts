import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Agent } from 'undici';
import { afterEach, describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { version } from '../../package.json';
import {
  AbortedError,
  ApiError,
  type Attempt,
  AuthError,
  Gateway,
  type GatewayOptions,
  InvalidResponseError,
  NetworkError,
  PartialError,
  type Query,
  RateLimitError,
  type ResponseInfo,
  UsageError,
} from '../../src/client/index.ts';
import { MOST_IN_FLIGHT } from '../../src/http/adaptive-limiter.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { rawServer } from '../support/raw-server.ts';
import { run } from '../support/run.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';

const KEY = 'a-very-secret-key-4711';
const EMAIL = 'vera.reader@example.com';
const READER = { email: EMAIL };
const QUERY = {
  data_set: 'pageview',
  date_range: { start_date: '2026-03-01', end_date: '2026-03-07' },
  dimensions: ['country'],
  metrics: ['visits', 'revenue'],
} as const;

/** A gateway to a server that answers as the test says. */
async function gatewayTo(
  reply: (request: Received, index: number) => Reply | Promise<Reply>,
  options: Partial<GatewayOptions> = {},
) {
  const server = await wireServer(reply);
  const gateway = new Gateway({
    baseUrl: server.baseUrl,
    apiKey: KEY,
    domain: 'example.com',
    retries: 0,
    ...options,
  });
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  return { gateway, server };
}

const success = (data: unknown): Reply => ({ body: JSON.stringify({ success: true, data }) });
const rows = (texts: readonly string[], total = texts.length): Reply => ({
  body: `{"rows":[${texts.join(',')}],"total_rows":${total}}`,
});

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
}

describe('access', () => {
  test.each([
    ['allowed', true],
    ['denied', false],
    ['login_required', false],
    ['expired', false],
    ['revoked', false],
    ['unknown_product', false],
  ])('for the decision %s, allowed is %s', async (decision, allowed) => {
    const { gateway } = await gatewayTo(() => success({ decision, reasonCode: 'allowed' }));
    const access = await gateway.subscriptions.access(READER, { product: 'gold' });
    expect(access).toEqual({ allowed, decision, reasonCode: 'allowed' });
  });

  test.each([
    ['a new word', success({ decision: 'ALLOWED' })],
    ['no decision', success({ allowed: true })],
    ['null', success({ decision: null })],
    ['a list', success({ decision: ['allowed'] })],
    ['no envelope', { body: '{"decision":"allowed"}' }],
    ['an envelope of failure', { body: '{"success":false,"message":"no","data":{"decision":"allowed"}}' }],
    ['a web page', { body: '<html>allowed</html>', headers: { 'content-type': 'text/html' } }],
  ])('a response with %s is an error, never a result', async (_, reply) => {
    const { gateway } = await gatewayTo(() => reply);
    const error = await errorOf(gateway.subscriptions.access(READER, { product: 'gold' }));
    expect([InvalidResponseError, ApiError].some(type => error instanceof type)).toBe(true);
  });

  test('its result cannot be changed into an allowed one', async () => {
    const { gateway } = await gatewayTo(() => success({ decision: 'denied', reasonCode: 'no_entitlement' }));
    const access = await gateway.subscriptions.access(READER, { product: 'gold' });
    expect(() => Object.assign(access, { allowed: true })).toThrow(TypeError);
    if (access.allowed) expectTypeOf(access.decision).toEqualTypeOf<'allowed'>();
    else expectTypeOf(access.decision).not.toEqualTypeOf<'allowed'>();
  });

  test.each([
    [{}, { product: 'gold' }, 'a reader is either an email or a token'],
    [{ email: EMAIL, token: 'a.b.c' }, { product: 'gold' }, 'a reader is either an email or a token'],
    [{ email: 'nobody' }, { product: 'gold' }, 'email is not a valid e-mail address'],
    [{ token: 'a b' }, { product: 'gold' }, 'the reader token contains characters that no token has'],
    [READER, {}, 'a target is either a product or an item'],
    [READER, { product: 'a', item: 'b' }, 'a target is either a product or an item'],
    [READER, { product: '' }, 'product is required'],
  ])(
    'an ambiguous or invalid call is rejected before anything is sent: %j %j',
    async (reader, target, message) => {
      const { gateway, server } = await gatewayTo(() => success({ decision: 'allowed' }));
      const error = await errorOf(gateway.subscriptions.access(reader as never, target as never));
      expect(error).toBeInstanceOf(UsageError);
      expect((error as UsageError).message).toBe(message);
      expect(server.received).toEqual([]);
    },
  );
});

describe('errors', () => {
  const CASES: [string, Reply, abstract new (...args: never[]) => Error, string][] = [
    ['no key seen', { status: 503, body: 'Developer key is empty.' }, AuthError, 'key_not_received'],
    ['401', { status: 401, body: '{"success":false,"message":"no"}' }, AuthError, 'unauthorized'],
    ['403', { status: 403, body: '{"success":false,"message":"no"}' }, AuthError, 'forbidden'],
    ['400', { status: 400, body: '{"success":false,"message":"no"}' }, ApiError, 'rejected'],
    ['404', { status: 404, body: '{"success":false,"message":"no"}' }, ApiError, 'not_found'],
    ['429', { status: 429, body: '{}' }, RateLimitError, 'rate_limit_exceeded'],
    ['502', { status: 502, body: '' }, NetworkError, 'service_unavailable'],
    ['not JSON', { body: '{"success":tru' }, InvalidResponseError, 'invalid_json'],
  ];

  test.each(CASES)('%s has a class and a code', async (_, reply, type, code) => {
    const { gateway } = await gatewayTo(() => reply);
    const error = await errorOf(gateway.subscriptions.products(READER));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code });
  });

  test('v2 field problems are in details', async () => {
    const body = JSON.stringify({
      error: {
        code: 'validation_error',
        message: 'invalid',
        details: [{ field: 'metrics[0]', message: 'did you mean visits?' }],
      },
    });
    const { gateway } = await gatewayTo(() => ({ status: 400, body }));
    const error = await errorOf(gateway.bda.query(QUERY).toArray());
    expect(error).toMatchObject({
      code: 'validation_error',
      details: [{ field: 'metrics[0]', message: 'did you mean visits?' }],
    });
  });

  test('no error contains the key or the reader, whatever the server repeats', async () => {
    const echo = ({ target, headers, rawHeaders }: Received) =>
      `${target} ${JSON.stringify(headers)} ${rawHeaders.join()}`;
    const replies: ((request: Received) => Reply)[] = [
      request => ({ status: 400, body: JSON.stringify({ success: false, message: echo(request) }) }),
      request => ({ status: 401, body: JSON.stringify({ success: false, message: echo(request) }) }),
      request => ({ status: 500, body: echo(request) }),
      request => ({ status: 200, body: echo(request) }),
      request => ({
        status: 302,
        headers: { location: `https://example.com/?${encodeURIComponent(echo(request))}` },
      }),
      request => ({
        status: 400,
        body: JSON.stringify({ error: { code: 'forbidden', message: echo(request) } }),
      }),
      request => ({ body: JSON.stringify({ Success: false, Error: echo(request) }) }),
      request => ({ body: `<title>${echo(request)}</title>`, headers: { 'content-type': 'text/html' } }),
    ];
    for (const keyIn of ['header', 'query'] as const)
      for (const reply of replies) {
        const { gateway } = await gatewayTo(reply, { keyIn });
        const errors = [
          await errorOf(gateway.subscriptions.access(READER, { product: 'gold' })),
          await errorOf(gateway.cdn.purge(['https://example.com/'])),
          await errorOf(gateway.bda.query(QUERY).toArray()),
          await errorOf(gateway.bdaV1.reports()),
        ];
        for (const error of errors) {
          const shown = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error);
          expect(shown).not.toContain(KEY);
          expect(shown).not.toContain(EMAIL);
        }
      }
  });

  test('nor does an error of the HTTP parser, which carries what the server sent', async () => {
    const server = await rawServer(() => {}, {
      onData: (socket, text) =>
        socket.end(`HTTP/1.1 200 OK\r\nbroken ${String(text).replaceAll(/\s+/g, ' ')}\r\n\r\n`),
    });
    const gateway = new Gateway({ baseUrl: server.baseUrl, apiKey: KEY, domain: 'example.com', retries: 0 });
    onTestFinished(async () => {
      await gateway.close();
      await server.close();
    });
    const error = await errorOf(gateway.subscriptions.access(READER, { product: 'gold' }));
    expect(error).toMatchObject({ code: 'invalid_http' });
    const shown = inspect(error, { depth: 20, showHidden: true });
    expect(shown).not.toContain(KEY);
    expect(shown).not.toContain(EMAIL);
    expect(shown).not.toContain(
      Buffer.from(KEY)
        .toString('hex')
        .replaceAll(/(..)(?=.)/g, '$1 '),
    );
  });
});

describe('rows', () => {
  test('keep every digit, as strings, bigints or whatever a function makes of them', async () => {
    const text = '{"country":"US","visits":12345678901234567890,"revenue":0.1234567890123456789000}';
    const { gateway } = await gatewayTo(() => rows([text]));
    const strings = await gateway.bda.query(QUERY).toArray();
    expect(strings).toEqual([
      { country: 'US', visits: '12345678901234567890', revenue: '0.1234567890123456789000' },
    ]);
    const bigints = await gateway.bda.query(QUERY, { numbers: 'bigint' }).toArray();
    expect(bigints).toEqual([
      { country: 'US', visits: 12345678901234567890n, revenue: '0.1234567890123456789000' },
    ]);
    const own = await gateway.bda.query(QUERY, { numbers: digits => ({ digits }) }).toArray();
    expect(own[0]?.visits).toEqual({ digits: '12345678901234567890' });
    expectTypeOf(strings).toEqualTypeOf<
      {
        readonly country: string | boolean | null;
        readonly visits: string | null;
        readonly revenue: string | null;
      }[]
    >();
    expectTypeOf(bigints[0]?.visits).toEqualTypeOf<string | bigint | null | undefined>();
    expectTypeOf(own[0]?.revenue).toEqualTypeOf<{ digits: string } | null | undefined>();
  });

  test('have the digits and texts that were sent, whatever they are', async () => {
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.constantFrom('', '.0', '.10', '.000000000000000000001'),
        fc.constantFrom('', 'e5', 'E-400'),
      )
      .map(parts => parts.join(''));
    let texts: readonly string[] = [];
    const { gateway } = await gatewayTo(() => rows(texts));
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.oneof(
              fc.string({ unit: 'binary' }).filter(text => text.isWellFormed()),
              fc.constant('__proto__'),
            ),
            number,
          ),
          { maxLength: 20, minLength: 1 },
        ),
        async given => {
          texts = given.map(
            ([country, digits]) => `{"country":${JSON.stringify(country)},"visits":${digits},"revenue":null}`,
          );
          const got = await gateway.bda.query(QUERY).toArray();
          expect(got).toEqual(given.map(([country, visits]) => ({ country, visits, revenue: null })));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('are requested page by page while they are read, and leaving the loop ends the requests', async () => {
    const { gateway, server } = await gatewayTo(({ body }) => {
      const { offset, limit } = JSON.parse(body);
      return rows(
        Array.from(
          { length: limit },
          (_, index) => `{"country":"C${offset + index}","visits":1,"revenue":2}`,
        ),
        100_000,
      );
    });
    const seen: unknown[] = [];
    for await (const row of gateway.bda.query(QUERY, { pageSize: 10, pagesInFlight: 2 })) {
      seen.push(row.country);
      if (seen.length === 25) break;
    }
    expect(seen.at(-1)).toBe('C24');
    for (let call = 0; call < 20; call += 1) await gateway.bda.query({ ...QUERY, limit: 1 }).toArray();
    // Of 10,000 pages, with two in flight.
    expect(server.received.filter(({ body }) => JSON.parse(body).limit === 10).length).toBeLessThan(10);
  });

  test('of a cut page are requested again, without gap or repetition', async () => {
    const all = Array.from(
      { length: 40 },
      (_, index) => `{"country":"C${index}","visits":${index},"revenue":0}`,
    );
    const { gateway } = await gatewayTo(
      (_, index) => (index === 0 ? { body: `{"rows":[${all.slice(0, 20).join(',')},{"coun` } : rows(all)),
      { retries: 1 },
    );
    const request = gateway.bda.query(QUERY);
    const countries = (await request.toArray()).map(row => row.country);
    expect(countries).toEqual(all.map((_, index) => `C${index}`));
    expect(request.stats).toEqual({ rows: 40, total: 40, complete: true, warnings: [] });
  });

  test('that are fewer than the total end with an error when strict, and with a warning otherwise', async () => {
    const warnings: string[] = [];
    const { gateway } = await gatewayTo(
      ({ body }) => rows(JSON.parse(body).offset > 0 ? [] : ['{"country":"US","visits":1,"revenue":2}'], 3),
      { onWarning: text => warnings.push(text) },
    );
    expect(await gateway.bda.query(QUERY).toArray()).toHaveLength(1);
    expect(warnings).toEqual(['received 1 row, expected 3']);
    const error = await errorOf(gateway.bda.query(QUERY, { strict: true }).toArray());
    expect(error).toBeInstanceOf(PartialError);
    expect(error).toMatchObject({ code: 'rows_incomplete' });
  });

  test('are read once', async () => {
    const { gateway } = await gatewayTo(() => rows([]));
    const request = gateway.bda.query(QUERY);
    await request.toArray();
    expect(await errorOf(request.toArray())).toBeInstanceOf(UsageError);
  });

  test('of v1 end with an error when the server ignores paging, from any offset', async () => {
    const page = JSON.stringify(Array.from({ length: 10 }, (_, index) => ({ visits: index })));
    const { gateway } = await gatewayTo(() => ({ body: page }));
    const request = gateway.bdaV1.data({ reportName: 'Countries' }, { StartItem: 5 }, { pageSize: 10 });
    expect(await errorOf(request.toArray())).toMatchObject({ code: 'page_repeated' });
  });

  test('of v1 end with an error when the server ignores paging', async () => {
    const page = JSON.stringify(
      Array.from({ length: 50 }, (_, index) => ({ country: `C${index}`, visits: index })),
    );
    const { gateway } = await gatewayTo(() => ({ body: page }));
    const request = gateway.bdaV1.data({ reportName: 'Countries' }, {}, { pageSize: 50, numbers: 'bigint' });
    const got: unknown[] = [];
    const error = await errorOf(
      (async () => {
        for await (const { visits } of request) got.push(visits);
      })(),
    );
    expect(got).toHaveLength(50);
    expect(got[7]).toBe(7n);
    expect(error).toMatchObject({ code: 'page_repeated' });
  });

  test.each([
    [{ ...QUERY, data_set: '' }, 'invalid query: data_set must be the name of a data set'],
    [{ ...QUERY, limit: 0 }, 'invalid query: limit must be an integer from 1 to 100000'],
    [{ ...QUERY, offset: Number.NaN }, 'the query.offset is NaN, which JSON cannot express'],
    [
      { ...QUERY, filters: [{ column: 'a', operator: 'in', values: [new Date(0)] }] },
      'the query.filters[0].values[0] is a Date, which JSON cannot express',
    ],
  ])('of an invalid query are rejected before anything is sent', async (query, message) => {
    const { gateway, server } = await gatewayTo(() => rows([]));
    expect(() => gateway.bda.query(query as never)).toThrow(
      expect.objectContaining({ name: 'UsageError', message }),
    );
    expect(server.received).toEqual([]);
  });
});

test('the types of a query reject a member that it does not have, and know its columns', async () => {
  const { gateway } = await gatewayTo(() => rows(['{"country":"FR","visits":7}']));
  const { data_set, date_range } = QUERY;
  // @ts-expect-error the member is `dimensions`
  expect(() => gateway.bda.query({ data_set, date_range, dimension: ['country'] })).not.toThrow();
  const q: Query = { data_set, date_range, dimensions: ['country'], metrics: ['visits'] };
  const [row] = await gateway.bda.query(q, { numbers: Number }).toArray();
  expectTypeOf(row?.visits).toEqualTypeOf<string | number | boolean | null | undefined>();
  expect(row).toEqual({ country: 'FR', visits: 7 });
});

test('with numbers as Number, a metric is a number or null, and a dimension may be a text', async () => {
  const { gateway } = await gatewayTo(() => rows(['{"country":"FR","visits":7}']));
  const { data_set, date_range } = QUERY;
  const q: Query<'country', 'visits'> = {
    data_set,
    date_range,
    dimensions: ['country'],
    metrics: ['visits'],
  };
  const [row] = await gateway.bda.query(q, { numbers: Number }).toArray();
  expectTypeOf(row?.visits).toEqualTypeOf<number | null | undefined>();
  expectTypeOf(row?.country).toEqualTypeOf<string | number | boolean | null | undefined>();
  // @ts-expect-error the query does not name it
  expect(row?.revenue).toBeUndefined();
  // @ts-expect-error the query does not name it
  const wrong: Query<'country', 'visits'> = { ...q, metrics: ['revenue'] };
  expect(wrong.metrics).toEqual(['revenue']);
  const metrics: readonly string[] = ['visits'];
  const [open] = await gateway.bda.query({ ...q, metrics }, { numbers: Number }).toArray();
  // Any name may be that of the dimension.
  expectTypeOf(open?.country).toEqualTypeOf<string | number | boolean | null | undefined>();
  expect((row?.visits ?? 0) + 1).toBe(8);
});

describe('cdn.purge', () => {
  const BAD = 'https://example.com/bad';
  const rejectBad = ({ body }: Received): Reply => {
    const { url, urls = [url] } = JSON.parse(body);
    return {
      body: urls.includes(BAD) ? '{"Success":false,"Error":"invalid url"}' : '{"Success":true,"Error":""}',
    };
  };
  const urls = Array.from({ length: 150 }, (_, index) => `https://example.com/${index}`);

  test('splits a rejected batch until only the rejected URL remains', async () => {
    const { gateway } = await gatewayTo(rejectBad);
    const results: [string, string | undefined][] = [];
    const result = await gateway.cdn.purge([...urls, BAD, BAD], {
      onResult: (targets, error) =>
        results.push(...targets.map(target => [target, error?.message] as [string, string | undefined])),
    });
    expect(result).toMatchObject({ requested: 151, cleared: 150, failed: 1 });
    expect(result.failures.map(({ target, error }) => [target, error.code])).toEqual([[BAD, 'rejected']]);
    expect(new Map(results)).toEqual(
      new Map([...urls.map(url => [url, undefined] as const), [BAD, expect.stringContaining('invalid url')]]),
    );
  });

  test('reads URLs from an async iterable, and clears nothing if one is invalid', async () => {
    const { gateway, server } = await gatewayTo(rejectBad);
    async function* list() {
      yield 'https://example.com/a';
      yield 'ftp://example.com/b';
      yield 'https://example.com/*';
    }
    const error = await errorOf(gateway.cdn.purge(list()));
    expect(error).toMatchObject({
      code: 'invalid_value',
      message: 'invalid URL: urls[1] is not an http or https URL, and 1 more',
    });
    expect((error as UsageError).details[1]?.message).toContain('purge a surrogate key for a group of pages');
    expect(server.received).toEqual([]);
    expect(await gateway.cdn.purge([])).toEqual({
      requested: 0,
      cleared: 0,
      failed: 0,
      requests: 0,
      failures: [],
    });
  });

  test('throws a rejected key if nothing was cleared, and otherwise lists every URL that was not', async () => {
    const refused: Reply = { status: 401, body: '{}' };
    const { gateway: none } = await gatewayTo(() => refused);
    expect(await errorOf(none.cdn.purge(urls))).toBeInstanceOf(AuthError);
    const { gateway } = await gatewayTo((_, index) =>
      index === 0 ? { body: '{"Success":true,"Error":""}' } : refused,
    );
    const many = Array.from({ length: 450 }, (_, index) => `https://example.com/${index}`);
    const result = await gateway.cdn.purge(many, { concurrency: 1 });
    expect(result).toMatchObject({ requested: 450, cleared: 100, failed: 350, requests: 2 });
    expect(new Set(result.failures.map(({ target }) => target)).size).toBe(350);
  });

  test('surrogate keys end as early as URLs where the gateway fails', async () => {
    const { gateway, server } = await gatewayTo(() => ({ status: 404, body: '{}' }));
    const keys = Array.from({ length: 12_000 }, (_, index) => `key-${index}`);
    const many = keys.map(key => `https://example.com/${key}`);
    await errorOf(gateway.cdn.purge(many, { concurrency: 1 }));
    expect(server.received.length).toBe(5);
    await errorOf(gateway.cdn.purgeKeys(keys, { domain: 'example.com' }));
    // Those in flight when the fifth fails finish.
    expect(server.received.length).toBeLessThan(5 + 12);
  });

  test('purges a domain only when it is named', async () => {
    const { gateway, server } = await gatewayTo(rejectBad);
    expect(await errorOf(gateway.cdn.purgeDomain(undefined as never))).toMatchObject({
      message: 'domain is required',
    });
    expect(await errorOf(gateway.cdn.purgeKeys('news'))).toMatchObject({
      message: 'keys must be a list of surrogate keys',
    });
    expect(await errorOf(gateway.cdn.purgeKeys(['a,b']))).toMatchObject({
      message: 'invalid surrogate key: keys[0] contains a comma',
    });
    expect(server.received).toEqual([]);
  });
});

describe('a gateway', () => {
  test('aborts one call with an error that has a code and the reason, and not the others', async () => {
    const { gateway } = await gatewayTo(async ({ target }) => {
      if (target.includes('slow')) await new Promise(() => {});
      return success({ decision: 'allowed' });
    });
    const controller = new AbortController();
    const reason = new Error('the visitor left');
    const slow = errorOf(
      gateway.subscriptions.access(READER, { product: 'slow' }, { signal: controller.signal }),
    );
    const fast = gateway.subscriptions.access(READER, { product: 'fast' });
    await fast;
    controller.abort(reason);
    expect(await slow).toMatchObject({
      code: 'aborted',
      message: 'the call was aborted: the visitor left',
      cause: { message: reason.message },
    });
    expect((await gateway.subscriptions.access(READER, { product: 'fast' })).allowed).toBe(true);
    const late = gateway.subscriptions.access(READER, { product: 'fast' }, { signal: controller.signal });
    expect(await errorOf(late)).toBeInstanceOf(AbortedError);
  });

  test.each([
    ['timeoutMs', () => ({ timeoutMs: 20 }), 'no result within 0.02 s'],
    ['a signal', () => ({ signal: AbortSignal.timeout(20) }), 'no result before the signal timed out'],
  ])('ends one call in time, with all its retries, by %s', async (_, options, message) => {
    const { gateway } = await gatewayTo(() => new Promise<Reply>(() => {}), { retries: 3 });
    for (const call of [
      () => gateway.subscriptions.access(READER, { product: 'gold' }, options()),
      () => gateway.cdn.purge(['https://www.example.com/'], options()),
      () => gateway.bda.query(QUERY, options()).toArray(),
      () => gateway.bda.columns(options()),
    ]) {
      const error = await errorOf(call());
      expect(error).toBeInstanceOf(NetworkError);
      expect(error).toMatchObject({ code: 'timeout', message });
    }
  });

  test.each([0, 1, 2])('retries one call %i times as it says', async retries => {
    const { gateway, server } = await gatewayTo(() => ({ status: 503 }), { retries: 1 });
    await errorOf(gateway.subscriptions.access(READER, { product: 'gold' }, { retries }));
    expect(server.received).toHaveLength(retries + 1);
  });

  test('passes on status, headers, id and body of the response to one call, without secrets', async () => {
    const body = `{"success":true, "data":[], "seen":["${KEY}","${EMAIL}"], "cost":1.10}`;
    const { gateway } = await gatewayTo(() => ({ body, headers: { 'x-request-id': 'r-17' } }));
    const responses: ResponseInfo[] = [];
    await gateway.subscriptions.products(READER, { onResponse: response => responses.push(response) });
    expect(responses).toMatchObject([
      { status: 200, requestId: 'r-17', headers: { 'x-request-id': 'r-17' }, request: { method: 'GET' } },
    ]);
    expect(responses[0]?.body).toBe('{"success":true, "data":[], "seen":["***","***"], "cost":1.10}');
  });

  test('passes on no body for rows, which are read while they arrive', async () => {
    const { gateway } = await gatewayTo(() => rows(['{"country":"US","visits":1,"revenue":2}']));
    const bodies: unknown[] = [];
    await gateway.bda.query(QUERY, { onResponse: ({ body }) => bodies.push(body) }).toArray();
    expect(bodies).toEqual([undefined]);
  });

  test.each([
    ['deny', false],
    ['allow', true],
  ] as const)('with the policy to %s without a decision, a failure means %s', async (choice, allowed) => {
    let status = 500;
    const { gateway, server } = await gatewayTo(() =>
      status === 200 ? success({ decision: 'denied', reasonCode: 'no_entitlement' }) : { status },
    );
    const policy = gateway.subscriptions.accessPolicy({ onDecisionUnavailable: choice });
    for (status of [500, 401, 404]) {
      const found = await policy.check(READER, { product: 'gold' });
      expect(found).toMatchObject({ allowed, error: { request: { status } } });
    }
    // A 500 is retried once.
    expect(server.received).toHaveLength(2 + 1 + 1);
    status = 200;
    expect(await policy.check(READER, { product: 'gold' })).toEqual({
      allowed: false,
      decision: 'denied',
      reasonCode: 'no_entitlement',
    });
    await expect(policy.check({ email: 'nobody' }, { product: 'gold' })).rejects.toThrow(UsageError);
    const late = policy.check(READER, { product: 'gold' }, { signal: AbortSignal.abort() });
    await expect(late).rejects.toThrow(AbortedError);
  });

  test('assumes nothing for a policy that does not say what happens without a decision', async () => {
    const { gateway } = await gatewayTo(() => success([]));
    // @ts-expect-error it must be chosen
    expect(() => gateway.subscriptions.accessPolicy()).toThrow(
      "onDecisionUnavailable must be 'deny' or 'allow'",
    );
    // @ts-expect-error it must be chosen
    expect(() => gateway.subscriptions.accessPolicy({})).toThrow(
      "onDecisionUnavailable must be 'deny' or 'allow'",
    );
  });

  test('rejects a policy with limits that no check can have', async () => {
    const { gateway } = await gatewayTo(() => success([]));
    for (const limits of [{ timeoutMs: 0 }, { retries: -1 }])
      expect(() => gateway.subscriptions.accessPolicy({ onDecisionUnavailable: 'deny', ...limits })).toThrow(
        UsageError,
      );
  });

  test('aborts a wait for a retry and an export', async () => {
    const stop = new AbortController();
    const { gateway, server } = await gatewayTo(
      () => ({ status: 503, headers: { 'retry-after': '30' }, body: '' }),
      { retries: 3, onAttempt: () => setImmediate(() => stop.abort()) },
    );
    const { signal } = stop;
    expect(await errorOf(gateway.bda.query(QUERY, { signal }).toArray())).toMatchObject({ code: 'aborted' });
    expect(server.received).toHaveLength(1);
  });

  test('sends with a dispatcher of the program, and leaves it open', async () => {
    const agent = new Agent();
    const paths: string[] = [];
    const dispatcher: Pick<Agent, 'dispatch'> = {
      dispatch: (options, handler) => {
        paths.push(options.path);
        return agent.dispatch(options, handler);
      },
    };
    const { gateway, server } = await gatewayTo(() => success({ decision: 'allowed' }), { dispatcher });
    expect((await gateway.subscriptions.access(READER, { product: 'gold' })).allowed).toBe(true);
    expect(paths).toEqual(server.received.map(({ target }) => target));
    await gateway.close();
    expect(agent.closed).toBe(false);
    await agent.close();
  });

  test.each([
    [{ dispatcher: {} }, 'dispatcher must have a function dispatch'],
    [{ dispatcher: new Agent(), ca: 'a certificate' }, 'dispatcher and ca cannot be combined'],
  ])('rejects a dispatcher that cannot be used', (options, message) => {
    const given = { baseUrl: 'https://gateway.example.com', apiKey: KEY, ...options } as GatewayOptions;
    expect(() => new Gateway(given)).toThrow(expect.objectContaining({ name: 'UsageError', message }));
  });

  test('sends the newest of the checks that wait with a time limit first', async () => {
    const held: (() => void)[] = [];
    const { gateway, server } = await gatewayTo(async () => {
      await new Promise<void>(resolve => held.push(resolve));
      return success({ decision: 'denied', reasonCode: 'no_entitlement' });
    });
    const policy = gateway.subscriptions.accessPolicy({ onDecisionUnavailable: 'deny', timeoutMs: 60_000 });
    const check = (product: string) => policy.check(READER, { product });
    const first = Array.from({ length: MOST_IN_FLIGHT }, (_, index) => check(`held-${index}`));
    await expect.poll(() => held.length).toBe(MOST_IN_FLIGHT);
    const waiting = ['one', 'two', 'three'].map(check);
    for (let count = 1; count <= 3; count++) {
      held.shift()?.();
      await expect.poll(() => server.received.length).toBe(MOST_IN_FLIGHT + count);
    }
    for (const release of held) release();
    await Promise.all([...first, ...waiting]);
    const products = server.received
      .slice(MOST_IN_FLIGHT)
      .map(({ target }) => /one|two|three/.exec(target)?.[0]);
    expect(products).toEqual(['three', 'two', 'one']);
  });

  test('checks access and purges during a pause of an hour for queries, which `reset` ends', async () => {
    let isLimited = true;
    const { gateway, server } = await gatewayTo(({ target }) => {
      if (target.includes('/cdnservices/')) return { body: '{"Success":true}' };
      if (!target.endsWith('/query')) return success({ decision: 'denied', reasonCode: 'no_entitlement' });
      return isLimited ? { status: 429, headers: { 'retry-after': '3600' }, body: '{}' } : rows([]);
    });
    const query = () => gateway.bda.query({ ...QUERY, limit: 1 }).toArray();
    expect(await errorOf(query())).toBeInstanceOf(RateLimitError);
    expect(await errorOf(query())).toBeInstanceOf(RateLimitError);
    expect(server.received).toHaveLength(1);
    expect(await gateway.subscriptions.access(READER, { product: 'gold' })).toMatchObject({ allowed: false });
    expect(await gateway.cdn.purge(['https://www.example.com/'])).toMatchObject({ cleared: 1 });
    isLimited = false;
    gateway.reset();
    expect(await query()).toEqual([]);
    expect(server.received).toHaveLength(4);
  });

  test.each([
    [{}, `gatectl-client/${version}`],
    [{ userAgent: 'site/1.2 (news)' }, `site/1.2 (news) gatectl-client/${version}`],
  ])('names the program that uses it: %j', async (options, agent) => {
    const { gateway, server } = await gatewayTo(() => success([]), options);
    await gateway.subscriptions.products(READER);
    expect(server.received[0]?.headers['user-agent']).toBe(agent);
  });

  test('rejects a name that is no header', () => {
    const options = { baseUrl: 'http://127.0.0.1:1', apiKey: KEY };
    expect(() => new Gateway({ ...options, userAgent: 'a\r\nb: c' })).toThrow(
      'userAgent must be printable ASCII, such as site/1.2',
    );
  });

  test('reports every attempt in the async context of its call, without key and reader', async () => {
    const story = new AsyncLocalStorage<string>();
    const attempts: [string | undefined, Attempt][] = [];
    const { gateway } = await gatewayTo(
      (_, index) => (index === 0 ? { status: 503, body: 'busy' } : success([])),
      { retries: 1, keyIn: 'query', onAttempt: attempt => attempts.push([story.getStore(), attempt]) },
    );
    await story.run('request 17', () => gateway.subscriptions.products(READER));
    expect(
      attempts.map(([context, { request, attempt, error }]) => [
        context,
        request.status,
        attempt,
        error?.code,
      ]),
    ).toEqual([
      ['request 17', 503, 1, 'service_unavailable'],
      ['request 17', 200, 2, undefined],
    ]);
    const shown = inspect(attempts, { depth: 20 });
    expect(shown).toContain('developerKey=***');
    expect(shown).not.toContain(KEY);
    expect(shown).not.toContain(EMAIL);
  });

  test('goes through with a call although a hook throws', async () => {
    const warned = new Promise<Error>(resolve => process.once('warning', resolve));
    const { gateway } = await gatewayTo(() => success([]), {
      onAttempt: () => {
        throw new Error('the log is full');
      },
    });
    expect(await gateway.subscriptions.products(READER)).toEqual([]);
    expect((await warned).message).toBe('onAttempt threw: the log is full');
  });

  test('requests its key before the first request, and again after a failure', async () => {
    let asked = 0;
    const { gateway } = await gatewayTo(() => success([]), {
      apiKey: async () => {
        asked += 1;
        if (asked === 1) throw new Error('the vault is sealed');
        return KEY;
      },
    });
    expect(await errorOf(gateway.subscriptions.products(READER))).toMatchObject({
      message: 'apiKey failed: the vault is sealed',
    });
    await gateway.subscriptions.products(READER);
    await gateway.subscriptions.products(READER);
    expect(asked).toBe(2);
  });

  test.each([
    [{ baseUrl: 'gateway.example.com' }, 'baseUrl has no scheme'],
    [{ baseUrl: undefined }, 'baseUrl is required'],
    [
      { baseUrl: 'http://gateway.example.com' },
      'baseUrl would send the API key unencrypted; use https, or set insecureHttp',
    ],
    [{ apiKey: undefined }, 'apiKey is required'],
    [{ domain: 'https://' }, 'domain is not a domain'],
    [{ keyIn: 'body' }, "keyIn must be 'header' or 'query'"],
    [{ retries: -1 }, 'retries must be an integer from 0 to 100'],
    [{ timeoutMs: 0 }, 'timeoutMs must be an integer from 1 to 2147483647'],
    [{ brand: 'a b' }, 'brand is not a brand word'],
  ])('rejects invalid options: %j', (options, message) => {
    const valid = { baseUrl: 'https://gateway.example.com', apiKey: KEY };
    expect(() => new Gateway({ ...valid, ...options } as never)).toThrow(
      expect.objectContaining({ name: 'UsageError', message }),
    );
  });

  test('does not show its key', () => {
    const gateway = new Gateway({ baseUrl: 'https://gateway.example.com', apiKey: KEY });
    expect(inspect(gateway, { depth: 20, showHidden: true }) + JSON.stringify(gateway)).not.toContain(KEY);
  });
});

describe('Gateway.fromProfile', () => {
  const saved = { ...process.env };
  afterEach(() => {
    process.env = { ...saved };
  });

  test('uses settings and key of a profile of the command line', async () => {
    const sandbox = await startSandbox({ brand: 'acme' });
    onTestFinished(() => sandbox.close());
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const settings = ['--base-url', sandbox.baseUrl, '--domain', 'example.com', '--brand', 'acme'];
    await run(['profile', 'add', 'news', ...settings, '--api-key-stdin'], {
      env,
      input: `${sandbox.apiKey}\n`,
    });
    process.env = { ...saved, ...env };
    const gateway = await Gateway.fromProfile('news');
    onTestFinished(() => gateway.close());
    expect(
      await gateway.subscriptions.access({ email: 'active@example.com' }, { product: 'premium' }),
    ).toMatchObject({
      allowed: true,
    });
    expect(await errorOf(Gateway.fromProfile('new'))).toMatchObject({ code: 'unknown_profile' });
  });

  test('without a profile and an environment, it names what is missing', async () => {
    process.env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    expect(await errorOf(Gateway.fromProfile())).toMatchObject({
      code: 'missing_setting',
      message: 'no gateway configured: name a profile, or set GATECTL_BASE_URL',
    });
  });
});

describe('what JavaScript lets a program type wrongly', () => {
  const settings = { baseUrl: 'http://127.0.0.1:9', apiKey: 'key', domain: 'example.com' };

  test('an unknown option is named, with the one that was meant', () => {
    expect(() => new Gateway({ ...settings, timeout: 3 } as GatewayOptions)).toThrow(
      'unknown option timeout; did you mean timeoutMs?',
    );
  });

  test.each([
    [
      'a reader that is a string',
      'ana@example.com',
      { product: 'gold' },
      'a reader must be { email } or { token }',
    ],
    ['a missing target', { email: 'ana@example.com' }, undefined, 'a target must be { product } or { item }'],
    [
      'a target that is a string',
      { email: 'ana@example.com' },
      'gold',
      'a target must be { product } or { item }',
    ],
  ])('%s is a usage error', async (_, reader, target, message) => {
    const gateway = new Gateway(settings);
    await expect(gateway.subscriptions.access(reader as never, target as never)).rejects.toThrow(message);
    await gateway.close();
  });
});

test('a loop that aborts its rows gets no further row', async () => {
  const sandbox = await startSandbox();
  const gateway = new Gateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
  onTestFinished(async () => {
    await gateway.close();
    await sandbox.close();
  });
  const controller = new AbortController();
  const rows = gateway.bda.query(
    {
      data_set: 'pageview',
      date_range: { start_date: '2026-01-01', end_date: '2026-01-31' },
      dimensions: ['report_day', 'country'],
      metrics: ['visits'],
    },
    { signal: controller.signal },
  );
  let count = 0;
  const reading = (async () => {
    for await (const _ of rows) {
      count += 1;
      if (count === 10) controller.abort(new Error('enough'));
    }
  })();
  await expect(reading).rejects.toThrow('enough');
  expect(count).toBe(10);
});
