import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { type OpenApiDocument, openApiDocument } from '../../src/wire/openapi/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { OpenApiValidator, type Operation } from '../support/openapi.ts';
import { NOON, run } from '../support/run.ts';
import { bdaV1Pairs } from '../wire/bda-v1.ts';
import { bdaV2Pairs } from '../wire/bda-v2.ts';
import { cdnPairs } from '../wire/cdn.ts';
import { subscriptionsPairs } from '../wire/subscriptions.ts';

const BRAND = 'acme';
const validator = new OpenApiValidator(openApiDocument({ brand: BRAND }));

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => NOON, brand: BRAND });
});
afterAll(() => sandbox.close());

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function send({ method, target, headers, body }: Sent) {
  const response = await fetch(`${sandbox.baseUrl}${target}`, {
    method,
    headers,
    ...(body !== '' && { body }),
  });
  const { status } = response;
  return { status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

/** Requests that the document gives as examples, one for each example body. */
function exampleRequests(operation: Operation): Sent[] {
  const { method, path, parameters = [], security, requestBody } = operation;
  const withExample = parameters as readonly { name: string; in: string; example?: string }[];
  const given = withExample.filter(({ example }) => example !== undefined);
  const query = new URLSearchParams();
  for (const { in: place, name, example = '' } of given) if (place === 'query') query.set(name, example);
  const headers: Record<string, string> = {};
  for (const { in: place, name, example = '' } of given)
    if (place === 'header') headers[name.toLowerCase()] = example;
  if (security[0]?.keyInQuery === undefined) headers['x-api-key'] = sandbox.apiKey;
  else query.set('developerKey', sandbox.apiKey);
  const target = query.size === 0 ? path : `${path}?${query}`;
  const bodies = Object.values(requestBody?.content['application/json']?.examples ?? {});
  if (bodies.length === 0) return [{ method, target, headers, body: '' }];
  headers['content-type'] = 'application/json';
  return bodies.map(({ value }) => ({ method, target, headers, body: JSON.stringify(value) }));
}

describe('the sandbox and the OpenAPI document agree', () => {
  test('every request that the document gives as an example succeeds with a documented response', async () => {
    expect(validator.operations).toHaveLength(27);
    for (const operation of validator.operations) {
      for (const request of exampleRequests(operation)) {
        expect(validator.requestViolations(request), request.target).toEqual([]);
        const response = await send(request);
        expect([operation.operationId, response.status, response.body]).toEqual([
          operation.operationId,
          200,
          response.body,
        ]);
        expect(validator.responseViolations(operation, response)).toEqual([]);
      }
    }
  });

  test('requests without a key, with a wrong key and with a malformed body are rejected as documented', async () => {
    for (const operation of validator.operations) {
      const [request] = exampleRequests(operation);
      if (request === undefined) return expect.unreachable();
      const target = request.target.replace(/developerKey=[^&]*/, 'developerKey=wrong');
      const { 'x-api-key': _, ...keyless } = request.headers;
      const rejected = [
        { ...request, target: target.replace('developerKey=wrong', ''), headers: keyless },
        { ...request, target, headers: { ...keyless, ...(_ !== undefined && { 'x-api-key': 'wrong' }) } },
        ...(request.body === '' ? [] : [{ ...request, body: '{"' }]),
      ];
      for (const sent of rejected) {
        const response = await send(sent);
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(validator.responseViolations(operation, response)).toEqual([]);
      }
    }
  });

  test.each([
    ['subscriptions', subscriptionsPairs],
    ['cdn', cdnPairs],
    ['bda v1', bdaV1Pairs],
    ['bda v2', bdaV2Pairs],
  ])('the literal requests and responses of %s are allowed by the document', (_, pairs) => {
    const neutral = new OpenApiValidator(openApiDocument());
    for (const { title, request, response } of pairs) {
      const body = request.body === undefined ? '' : JSON.stringify(request.body);
      expect(neutral.requestViolations({ ...request, body }), title).toEqual([]);
      const operation = neutral.operationOf(request);
      if (operation === undefined) return expect.unreachable();
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
      const sent = { status: response.status, headers, body: JSON.stringify(response.body) };
      expect(neutral.responseViolations(operation, sent), title).toEqual([]);
    }
  });

  test('the sandbox serves the document with its own address and brand', async () => {
    const response = await send({ method: 'GET', target: '/openapi.json', headers: {}, body: '' });
    expect(response.status).toBe(200);
    const served: OpenApiDocument = JSON.parse(response.body);
    expect(served.servers).toEqual([{ url: sandbox.baseUrl }]);
    expect(served).toEqual(
      JSON.parse(JSON.stringify(openApiDocument({ brand: BRAND, baseUrl: sandbox.baseUrl }))),
    );
  });
});

describe('gatectl schema --openapi', () => {
  test("prints the document with the profile's brand", async () => {
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const settings = ['--brand', BRAND, '--base-url', 'https://gateway.example.com', '--api-key-stdin'];
    await run(['profile', 'add', 'test', ...settings], { env, input: 'some-key\n' });
    const { code, stdout, stderr } = await run(['schema', '--openapi'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const printed: OpenApiDocument = JSON.parse(stdout);
    expect(printed.openapi).toBe('3.1.1');
    expect(stdout).toContain('"X-Acme-Reader-Email"');
  });

  test('accepts a jq expression', async () => {
    const { stdout } = await run(['schema', '--openapi', '--jq', '[.paths[] | keys[]] | length']);
    expect(stdout).toBe('27\n');
  });

  test('rejects the words of a command', async () => {
    expect(await run(['schema', 'cdn', 'purge', '--openapi'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --openapi describes the API, not gatectl cdn purge\n  gatectl schema --openapi\n',
    });
  });
});

test('a validating gateway would reject what the document does not allow', () => {
  const key = { 'x-api-key': 'some-key' };
  const json = { ...key, 'content-type': 'application/json' };
  const statusesOf = (method: string, target: string, headers: Record<string, string>, body = '') =>
    validator.requestViolations({ method, target, headers, body }).map(({ status }) => status);
  const query = { data_set: 'pageview', date_range: { start_date: '2026-03-01', end_date: '2026-03-07' } };
  const v2 = '/gateway/bdaservices/v2/query';
  expect(statusesOf('POST', v2, json, JSON.stringify(query))).toEqual([]);
  expect(statusesOf('POST', `${v2}?developerKey=k`, json, JSON.stringify(query))).toEqual([401]);
  expect(statusesOf('POST', v2, key, JSON.stringify(query))).toEqual([415]);
  expect(statusesOf('POST', v2, json, JSON.stringify({ ...query, limit: 100_001 }))).toEqual([422]);
  expect(statusesOf('POST', v2, json, JSON.stringify({ ...query, metric: [] }))).toEqual([422]);
  expect(statusesOf('POST', `${v2}/`, json, JSON.stringify(query))).toEqual([404]);
  expect(statusesOf('GET', v2, json)).toEqual([405]);
  expect(statusesOf('POST', '/cdnservices/ping/', json, '{}')).toEqual([415]);
  expect(statusesOf('GET', '/bdaservices/getdomains/', key)).toEqual([401]);
  const reader = { 'x-acme-reader-email': 'active@example.com' };
  const access = '/subscriptions/v1/access?domain=example.com';
  expect(statusesOf('GET', `${access}&product=p`, { ...key, ...reader })).toEqual([]);
  expect(statusesOf('GET', `${access}&product=p`, key)).toEqual([400]);
  expect(statusesOf('GET', access, { ...key, ...reader })).toEqual([400]);
  expect(statusesOf('GET', `${access}&product=p&email=a`, { ...key, ...reader })).toEqual([400]);
});
