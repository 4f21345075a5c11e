import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { openApiDocument } from '../../src/wire/openapi/index.ts';
import { OpenApiValidator, type Operation } from '../support/openapi.ts';
import { NOON } from '../support/run.ts';
import { runs } from '../support/runs.ts';
import { schemaArbitrary } from '../support/schema-arbitrary.ts';

const document = openApiDocument();
const validator = new OpenApiValidator(document);
const schemas = document.components.schemas;

/** Strings that mean something to the sandbox. */
const WORDS = [
  ...['example.com', 'example.org', 'example.net', 'www.example.com', 'premium', 'sports', 'gold'],
  ...['https://example.com/news', 'https://example.com/poisoned', 'news', 'front,news', 'pageview'],
  ...['report_day', 'country', 'device', 'visits', 'revenue', 'US', 'in', 'greater_than', 'asc', 'desc'],
  ...['Daily Revenue', 'Devices', 'BASE_LAST_7', 'GREATER', 'INCLUDE', 'string', 'number', 'DESC'],
];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => NOON });
});
afterAll(() => sandbox.close());

interface Generated {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Requests of an operation: parameters and bodies by their schemas, present or not. */
function requestsOf(operation: Operation): fc.Arbitrary<Generated> {
  const { parameters = [], requestBody } = operation;
  const of = (place: 'query' | 'header') => {
    const own = parameters.filter(each => each.in === place);
    const values = own.map(
      ({ name, schema }) => [name, schemaArbitrary({ ...schema }, schemas, WORDS)] as const,
    );
    // One that is required is missing now and then.
    return fc.record(Object.fromEntries(values), { requiredKeys: [], noNullPrototype: true });
  };
  const schema = requestBody?.content['application/json']?.schema;
  return fc.record({
    query: of('query'),
    headers: of('header'),
    body: schema === undefined ? fc.constant(undefined) : schemaArbitrary({ ...schema }, schemas, WORDS),
  });
}

async function send(operation: Operation, { query, headers, body }: Generated) {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const isKeyInHeader = operation.security.some(choice => 'keyInHeader' in choice);
  if (!isKeyInHeader) parameters.set('developerKey', sandbox.apiKey);
  const sent: Record<string, string> = {};
  // Header values are bytes; those of clients are UTF-8.
  for (const [name, value] of Object.entries(headers))
    sent[name.toLowerCase()] = Buffer.from(String(value).replaceAll(/\p{Cc}/gu, '')).toString('latin1');
  if (isKeyInHeader) sent['x-api-key'] = sandbox.apiKey;
  if (body !== undefined) sent['content-type'] = 'application/json';
  const target = parameters.size === 0 ? operation.path : `${operation.path}?${parameters}`;
  const { method } = operation;
  const text = body === undefined ? '' : JSON.stringify(body);
  const response = await fetch(sandbox.baseUrl + target, {
    method,
    headers: sent,
    ...(text !== '' && { body: text }),
  });
  return {
    request: { method, target, headers: sent, body: text },
    response: {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    },
  };
}

test.each(validator.operations.map(operation => [operation.operationId, operation] as const))(
  'whatever the document allows in %s gets a documented response, and what it rejects is an error',
  async (_, operation) => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async generated => {
        const { request, response } = await send(operation, generated);
        expect(validator.responseViolations(operation, response)).toEqual([]);
        expect(response.status).not.toBe(500);
        const violations = validator.requestViolations(request);
        if (violations.length === 0) accepted += 1;
        // Unknown parameters and members are ignored; what is missing is not.
        if (violations.some(({ message }) => /is missing|required/.test(message)))
          expect([request.target, request.body, response.status]).toEqual([
            request.target,
            request.body,
            expect.toSatisfy((status: number) => status >= 400 && status < 500),
          ]);
      }),
      { numRuns: runs(60) },
    );
    expect(accepted).toBeGreaterThan(0);
  },
);
