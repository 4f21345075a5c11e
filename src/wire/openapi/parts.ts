import { API_KEY_HEADER, API_KEY_PARAMETER } from '../key.ts';

/** A part of the document: a schema, a parameter, a response. Undocumented behaviour carries `x-assumed`. */
export type Part = { readonly [key: string]: unknown };

/** The operations and schemas of one API. */
export interface ApiParts {
  readonly tag: { readonly name: string; readonly description: string };
  /** Path to its methods. */
  readonly paths: { readonly [path: string]: Part };
  readonly schemas: { readonly [name: string]: Part };
}

/** Where the API key may be placed. */
export const KEY_SCHEMES = {
  keyInHeader: {
    type: 'apiKey',
    in: 'header',
    name: API_KEY_HEADER,
    description: 'API key of the account. Recommended; the only way in BDA v2.',
  },
  keyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: API_KEY_PARAMETER,
    description: 'API key of the account. The only way in BDA v1; rejected by BDA v2.',
  },
} as const;

export const EITHER_KEY = [{ keyInHeader: [] }, { keyInQuery: [] }];
export const HEADER_KEY = [{ keyInHeader: [] }];
export const QUERY_KEY = [{ keyInQuery: [] }];

/** A string with a description; `more` adds keywords. */
export function string(description: string, more: Part = {}): Part {
  return { type: 'string', description, ...more };
}

/** An integer with a description; `more` adds keywords. */
export function integer(description: string, more: Part = {}): Part {
  return { type: 'integer', description, ...more };
}

/** A boolean that is always the same; with its type, which generators of clients need. */
export function constant(value: boolean): Part {
  return { type: 'boolean', const: value };
}

/** A list of one kind of item. */
export function list(items: Part, description: string, more: Part = {}): Part {
  return { type: 'array', items, description, ...more };
}

/** An object of a response, which may have further fields. */
export function object(properties: Part, required: readonly string[], more: Part = {}): Part {
  return { type: 'object', properties, ...(required.length > 0 && { required }), ...more };
}

/** An object of a request, without other fields. */
export function closed(properties: Part, required: readonly string[], more: Part = {}): Part {
  return { ...object(properties, required, more), additionalProperties: false };
}

/** A schema of this document by its name. */
export function ref(name: string): Part {
  return { $ref: `#/components/schemas/${name}` };
}

/** Marks the body of a response as an assumption (`x-assumed`). */
export const ASSUMED_BODY =
  'The response body is not documented; this is the shape that the sandbox of gatectl sends.';

/** A calendar day. */
export function day(description: string): Part {
  return string(description, { format: 'date', examples: ['2026-03-01'] });
}

/** A required JSON body. */
export function jsonBody(schema: Part, examples: Part): Part {
  return { required: true, content: { 'application/json': { schema, examples: named(examples) } } };
}

/** A JSON response. `more` adds headers or `x-assumed`. */
export function jsonResponse(description: string, schema: Part, examples: Part, more: Part = {}): Part {
  return {
    description,
    ...more,
    content: { 'application/json': { schema, examples: named(examples) } },
  };
}

function named(examples: Part): Part {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

/** A query parameter. */
export function inQuery(name: string, schema: Part, more: Part = {}): Part {
  return { name, in: 'query', schema, ...more };
}

/** The response of a gateway that received no key, in every API. */
export const NO_KEY_RESPONSE = {
  description: 'No API key arrived, or it was empty.',
  'x-assumed': 'Seen in deployed gateways; the API documentation does not mention it.',
  content: {
    'text/plain': {
      schema: { type: 'string' },
      examples: { noKey: { value: 'Developer key is empty.' } },
    },
  },
} as const;
