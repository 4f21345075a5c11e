import type { GatewayRequest } from '../../http/request.ts';
import { stringifyJson } from '../../json/index.ts';
import { cdnSite } from '../cdn/site.ts';
import type { Context } from '../framework/context.ts';
import { inputName, jsonIn, readInput } from '../framework/json-input.ts';
import { type ApiOfPath, apiOfPath, isRepeatable } from './api-of-path.ts';
import { fieldsFrom, objectOf, type TypedField } from './fields.ts';
import { headersFrom } from './headers.ts';
import { targetFrom, withoutKey } from './target.ts';

interface Typed {
  readonly method: string;
  readonly path: string;
  readonly rawField: readonly TypedField[];
  readonly field: readonly TypedField[];
  readonly header: readonly string[];
  readonly input: string | undefined;
}

/** The request that the words of a command line describe. Throws UsageError or FileError; nothing is sent. */
export async function rawCall(
  typed: Typed,
  context: Context,
): Promise<{ api: ApiOfPath; request: GatewayRequest }> {
  const settings = await context.settings();
  const target = targetFrom(typed.path, settings.baseUrl.value ?? '');
  const api = apiOfPath(target.path, settings);
  const fields = await fieldsFrom([...typed.rawField, ...typed.field], context);
  withoutKey(fields.map(({ name, text }) => [name, text] as const));
  const inQuery = typed.method === 'GET' || typed.method === 'HEAD' || typed.input !== undefined;
  const body = typed.input === undefined ? undefined : await jsonFrom(typed.input, context);
  const made = inQuery || fields.length === 0 ? undefined : stringifyJson(objectOf(fields));
  const request: GatewayRequest = {
    ...(api.name !== 'unknown' && { api: api.name }),
    method: typed.method,
    path: target.path,
    query: [...target.query, ...(inQuery ? fields.map(({ name, text }) => [name, text] as const) : [])],
    readerHeaders: await headersFrom(typed.header, context),
    ...((body ?? made) !== undefined && { body: body ?? made }),
    key: api.key,
    idempotent: isRepeatable(typed.method, target.path, api),
    ...(api.name === 'cdn' && { timeoutMs: (await cdnSite(context)).timeoutMs }),
    readError: api.readError,
  };
  return { api, request };
}

/** The body as it was given, byte for byte, once it is known to be JSON. */
async function jsonFrom(file: string, context: Context): Promise<string> {
  const text = await readInput(file, context);
  jsonIn(text, inputName(file));
  return text;
}
