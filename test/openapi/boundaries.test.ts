import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { openApiDocument } from '../../src/wire/openapi/index.ts';
import { OpenApiValidator, type Operation } from '../support/openapi.ts';
import { NOON } from '../support/run.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
type Path = readonly (string | number)[];

const document = openApiDocument();
const validator = new OpenApiValidator(document);
const NUMBERS = [-1, 0, 1, 2, 5, 6, 7, 100_000, 100_001, 1.5];
/** For a number of a column, whose limit depends on the request, and for the ids of a list, which the account has. */
const FEW_NUMBERS = [1.5];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => NOON });
});
afterAll(() => sandbox.close());

/** The values to try for each number and each choice in a body, by their paths. */
function trials(schema: Schema, path: Path = []): { path: Path; values: readonly unknown[] }[] {
  if (schema.$ref !== undefined) {
    const schemas: Readonly<Record<string, Schema>> = document.components.schemas;
    return trials(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, path);
  }
  if (schema.type === 'integer')
    return [{ path, values: path.at(-1) === 'ColumnNumber' || path.at(-1) === 0 ? FEW_NUMBERS : NUMBERS }];
  if (schema.enum !== undefined) return [{ path, values: [...schema.enum, 'nope', ''] }];
  if (schema.items !== undefined) return trials(schema.items, [...path, 0]);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => trials(inner, [...path, name]));
}

/** A copy with another value at a path; undefined where the body has nothing that contains it. */
function changed(body: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  if (typeof body !== 'object' || body === null) return undefined;
  const inner = changed((body as Record<string, unknown>)[first], rest, value);
  if (inner === undefined) return undefined;
  if (Array.isArray(body) && body.length === 0) return [inner];
  if (Array.isArray(body)) return body.with(Number(first), inner);
  return { ...body, [first]: inner };
}

async function statusOf({ method, path, security }: Operation, query: string, body: string) {
  const isKeyInHeader = security.some(choice => 'keyInHeader' in choice);
  const key = isKeyInHeader ? '' : `${query === '' ? '?' : '&'}developerKey=${sandbox.apiKey}`;
  const target = `${path}${query}${key}`;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(isKeyInHeader && { 'x-api-key': sandbox.apiKey }),
  };
  const { status } = await fetch(sandbox.baseUrl + target, { method, headers, body });
  return {
    status,
    isDocumented: validator.requestViolations({ method, target, headers, body }).length === 0,
  };
}

const withBody = validator.operations.flatMap(operation => {
  const content = operation.requestBody?.content['application/json'];
  const [example] = Object.values(content?.examples ?? {});
  const schema = content?.schema as Schema | undefined;
  return schema === undefined || example === undefined || trials(schema).length === 0
    ? []
    : [[operation.operationId, { operation, schema, example: example.value }] as const];
});

test.each(withBody)(
  'at the limits of each number and choice, %s rejects what the document excludes, and nothing else',
  async (_, { operation, schema, example }) => {
    const given = (operation.parameters ?? []) as readonly { name: string; in: string; example?: string }[];
    const pairs = given.flatMap(({ name, in: place, example: value }) =>
      place === 'query' && value !== undefined ? [[name, value] as [string, string]] : [],
    );
    const query = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
    expect(await statusOf(operation, query, JSON.stringify(example))).toEqual({
      status: 200,
      isDocumented: true,
    });
    const disagreements: string[] = [];
    for (const { path, values } of trials(schema))
      for (const value of values) {
        const body = changed(example, path, value);
        if (body === undefined) continue;
        const { status, isDocumented } = await statusOf(operation, query, JSON.stringify(body));
        if ((status !== 400) !== isDocumented)
          disagreements.push(
            `${path.join('.')}=${JSON.stringify(value)}: ${status}, documented: ${isDocumented}`,
          );
      }
    expect(disagreements).toEqual([]);
  },
);
