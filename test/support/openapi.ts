import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '../../src/wire/openapi/index.ts';

/** A request as it arrived, or as it is about to be sent. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As sent; empty for none. */
  readonly body: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** What a validating gateway would reject a request with. */
export interface Violation {
  /** 400 parameters, 401 key, 404 path, 405 method, 415 content type, 422 body; for a response its own status. */
  readonly status: number;
  readonly message: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly required?: boolean;
  readonly schema: object;
}

interface Content {
  readonly [type: string]: {
    readonly schema: object;
    readonly examples: { readonly [name: string]: { readonly value: unknown } };
  };
}

/** An operation of the document; nothing in it is a reference but schemas. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly method: string;
  readonly path: string;
  readonly security: readonly { readonly [scheme: string]: unknown }[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: {
    readonly [status: string]: {
      readonly headers?: {
        readonly [name: string]: { readonly schema: object; readonly required?: boolean };
      };
      readonly content: Content;
    };
  };
  readonly 'x-exactly-one-of'?: readonly (readonly string[])[];
  readonly 'x-at-least-one-of'?: readonly (readonly string[])[];
  readonly 'x-forbidden-headers'?: readonly string[];
}

interface Scheme {
  readonly in: 'header' | 'query';
  readonly name: string;
}

/** Checks requests and responses against an OpenAPI document. */
export class OpenApiValidator {
  readonly operations: readonly Operation[];
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<object, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) =>
          ({ ...(operation as object), method: method.toUpperCase(), path }) as Operation,
      ),
    );
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'document', components: document.components });
  }

  /** The operation of a request; undefined where the document has none. */
  operationOf({ method, target }: Pick<HttpRequest, 'method' | 'target'>): Operation | undefined {
    const path = pathOf(target);
    return this.operations.find(operation => operation.path === path && operation.method === method);
  }

  /** What is wrong with a request; empty where the document allows it. */
  requestViolations(request: HttpRequest): Violation[] {
    const operation = this.operationOf(request);
    if (operation === undefined) {
      const path = pathOf(request.target);
      const isKnown = this.operations.some(known => known.path === path);
      return [{ status: isKnown ? 405 : 404, message: `${request.method} ${path}` }];
    }
    return [
      ...this.#keyViolations(operation, request),
      ...this.#parameterViolations(operation, request),
      ...this.#bodyViolations(operation, request),
    ];
  }

  /** What is wrong with a response to an operation; empty where the document allows it. */
  responseViolations(operation: Operation, { status, headers, body }: HttpResponse): Violation[] {
    const wrong = (message: string): Violation => ({
      status,
      message: `${operation.operationId}: ${message}`,
    });
    const type = typeOf(headers);
    const described = [String(status), `${String(status)[0]}XX`, 'default']
      .map(key => operation.responses[key])
      .filter(response => response !== undefined);
    if (described.length === 0) return [wrong(`status ${status} is not described`)];
    const response = described.find(({ content }) => content[type] !== undefined);
    if (response === undefined) return [wrong(`content type ${type} is not described`)];
    const value = type === 'application/json' ? parsed(body) : { json: body };
    if (value === undefined) return [wrong('the body is not JSON')];
    const missing = Object.entries(response.headers ?? {}).flatMap(([name, { schema, required }]) => {
      const sent = headers[name.toLowerCase()];
      if (sent === undefined) return required ? [wrong(`header ${name} is missing`)] : [];
      return this.#errorsOf(schema, sent).map(message => wrong(`header ${name} ${message}`));
    });
    const schema = response.content[type]?.schema ?? {};
    return [...missing, ...this.#errorsOf(schema, value.json).map(wrong)];
  }

  #keyViolations({ security }: Operation, request: HttpRequest): Violation[] {
    const schemes = this.#document.components.securitySchemes as unknown as Readonly<Record<string, Scheme>>;
    const query = queryOf(request.target);
    const isSent = ({ in: place, name }: Scheme) =>
      place === 'query' ? Boolean(query.get(name)) : Boolean(request.headers[name.toLowerCase()]);
    const sent = Object.keys(schemes).filter(id => isSent(schemes[id] as Scheme));
    const isAllowed = sent.length === 1 && security.some(choice => Object.keys(choice)[0] === sent[0]);
    return isAllowed ? [] : [{ status: 401, message: `key in ${sent.join(' and ') || 'no place'}` }];
  }

  #parameterViolations(operation: Operation, { target, headers }: HttpRequest): Violation[] {
    const wrong = (message: string): Violation => ({ status: 400, message });
    const { parameters = [] } = operation;
    const query = queryOf(target);
    const schemes = Object.values(this.#document.components.securitySchemes) as unknown as Scheme[];
    const known = [...parameters, ...schemes]
      .filter(({ in: place }) => place === 'query')
      .map(({ name }) => name);
    const valuesOf = (parameter: Pick<Parameter, 'in' | 'name'>) =>
      parameter.in === 'query'
        ? query.getAll(parameter.name)
        : [headers[parameter.name.toLowerCase()]].flat().filter(value => value !== undefined);
    const isGiven = (name: string) =>
      parameters.some(parameter => parameter.name === name && valuesOf(parameter).length > 0);
    return [
      ...[...query.keys()]
        .filter(name => !known.includes(name))
        .map(name => wrong(`unknown parameter ${name}`)),
      ...parameters.flatMap(parameter => {
        const values = valuesOf(parameter);
        if (values.length === 0) return parameter.required ? [wrong(`${parameter.name} is missing`)] : [];
        if (values.length > 1) return [wrong(`${parameter.name} is given ${values.length} times`)];
        const value =
          'type' in parameter.schema && parameter.schema.type === 'integer' ? Number(values[0]) : values[0];
        return this.#errorsOf(parameter.schema, value).map(message => wrong(`${parameter.name} ${message}`));
      }),
      ...(operation['x-exactly-one-of'] ?? [])
        .filter(group => group.filter(isGiven).length !== 1)
        .map(group => wrong(`exactly one of ${group.join(', ')} is required`)),
      ...(operation['x-at-least-one-of'] ?? [])
        .filter(group => !group.some(isGiven))
        .map(group => wrong(`one of ${group.join(', ')} is required`)),
      ...(operation['x-forbidden-headers'] ?? [])
        .filter(name => headers[name.toLowerCase()] !== undefined)
        .map(name => wrong(`${name} is not allowed`)),
    ];
  }

  #bodyViolations({ requestBody }: Operation, { headers, body }: HttpRequest): Violation[] {
    if (requestBody === undefined)
      return body === '' ? [] : [{ status: 415, message: 'a body is not allowed' }];
    const schema = requestBody.content[typeOf(headers)]?.schema;
    if (schema === undefined) return [{ status: 415, message: `content type ${typeOf(headers)}` }];
    const value = parsed(body);
    if (value === undefined) return [{ status: 422, message: 'the body is not JSON' }];
    return this.#errorsOf(schema, value.json).map(message => ({ status: 422, message }));
  }

  #errorsOf(schema: object, value: unknown): string[] {
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
      validate = this.#ajv.compile(JSON.parse(text));
      this.#compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].filter(Boolean).join(' '),
    );
  }
}

function pathOf(target: string): string {
  return target.split('?')[0] ?? '';
}

function queryOf(target: string): URLSearchParams {
  const mark = target.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1));
}

function typeOf(headers: HttpRequest['headers']): string {
  return String(headers['content-type'] ?? '').split(';')[0] ?? '';
}

function parsed(body: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(body) };
  } catch {
    return undefined;
  }
}
