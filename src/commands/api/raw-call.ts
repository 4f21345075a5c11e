import type { ApiOfPath } from '../../apis/api-of-path.ts';
import { UsageError } from '../../errors/index.ts';
import { invalidUsage, invalidValue } from '../../errors/usage.ts';
import { convertedByGitBash } from '../../files/git-bash.ts';
import type { GatewayRequest } from '../../http/request.ts';
import { jsonIn, stringifyJson } from '../../json/index.ts';
import { brandNames } from '../../wire/brand.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER } from '../../wire/key.ts';
import type { Context } from '../framework/context.ts';
import { inputName, readInput } from '../framework/json-input.ts';
import { rawRequest } from '../framework/raw-request.ts';
import { fieldsFrom, objectOf, type TypedField } from './fields.ts';

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
  const target = targetFrom(typed.path, (await context.settings()).baseUrl.value ?? '');
  const fields = await fieldsFrom([...typed.rawField, ...typed.field], context);
  withoutKey(fields.map(({ name, text }) => [name, text] as const));
  const inQuery = typed.method === 'GET' || typed.method === 'HEAD' || typed.input !== undefined;
  const body = typed.input === undefined ? undefined : await jsonFrom(typed.input, context);
  const made = inQuery || fields.length === 0 ? undefined : stringifyJson(objectOf(fields));
  const raw = {
    method: typed.method,
    path: target.path,
    query: [...target.query, ...(inQuery ? fields.map(({ name, text }) => [name, text] as const) : [])],
    readerHeaders: await headersFrom(typed.header, context),
    ...((body ?? made) !== undefined && { body: body ?? made }),
  };
  return await rawRequest(raw, context);
}

/** The body as it was given, byte for byte, once it is known to be JSON. */
async function jsonFrom(file: string, context: Context): Promise<string> {
  const text = await readInput(file, context);
  jsonIn(text, inputName(file));
  return text;
}

/** Transport headers, which callers cannot set. */
const OF_THE_CONNECTION = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers that are sent anyway; another value takes their place. */
const OWN = ['Accept', 'Content-Type'];

/** Parses `-H 'Name: value'`. Values may identify a reader, so they are never printed. Throws UsageError. */
async function headersFrom(
  given: readonly string[],
  context: Context,
): Promise<Readonly<Record<string, string>>> {
  if (given.length === 0) return {};
  const { brand } = await context.settings();
  const { readerEmailHeader, readerTokenHeader } = brandNames(brand.value);
  const spellings = [...OWN, readerEmailHeader, readerTokenHeader];
  const headers: Record<string, string> = {};
  for (const text of given) {
    const [, typed = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*?)\s*$/s.exec(text) ?? [];
    if (typed === '') throw invalidValue(`-H ${text} is not a header`, "type -H 'Name: value'");
    checkHeader(typed, value);
    const name = spellings.find(known => known.toLowerCase() === typed.toLowerCase()) ?? typed;
    if (!OWN.includes(name)) context.redactor.add(value);
    headers[name] = value;
  }
  return headers;
}

function checkHeader(name: string, value: string): void {
  if (name.toLowerCase() === API_KEY_HEADER.toLowerCase()) throw keyGiven(API_KEY_HEADER);
  if (OF_THE_CONNECTION.includes(name.toLowerCase()))
    throw invalidValue(`the header ${name} cannot be set`, 'omit it');
  if (/[\r\n\0]/.test(value)) throw invalidValue(`the header ${name} has a line break in it`);
}

/** Where a raw call goes: a path below the base URL and its query. */
interface Target {
  /** Begins with a slash. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/**
 * Parses the PATH of a raw request: with or without a leading slash, or as a full URL below the base URL. Throws UsageError for
 * any other URL, because the key must not be sent there.
 */
function targetFrom(text: string, baseUrl: string): Target {
  const mangled = convertedByGitBash(text);
  if (mangled !== undefined) {
    const { typed } = mangled;
    const path = typed === undefined ? 'cdnservices/ping/' : typed.slice(1);
    throw invalidUsage(`Git Bash turned the path into ${text}`, `omit the leading slash: ${path}`);
  }
  const url = new URL('http://path.invalid');
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/s.exec(belowBase(text, baseUrl)) ?? [];
  url.pathname = path;
  url.search = query;
  return { path: url.pathname, query: withoutKey([...url.searchParams]) };
}

/** Refuses the key's own parameter: a key on the command line can be seen by others. */
function withoutKey<Pair extends readonly [string, unknown]>(pairs: readonly Pair[]): readonly Pair[] {
  if (!pairs.some(([name]) => name.toLowerCase() === API_KEY_PARAMETER.toLowerCase())) return pairs;
  throw keyGiven(API_KEY_PARAMETER);
}

function keyGiven(name: string): UsageError {
  return new UsageError(`${name} is not given on the command line, where others can see it`, {
    code: 'key_on_command_line',
    hints: ['omit it: gatectl sends the key as the API of this path requires'],
  });
}

function belowBase(text: string, baseUrl: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text.startsWith('/') ? text : `/${text}`;
  const isBelow = text === baseUrl || ['/', '?'].some(next => text.startsWith(baseUrl + next));
  if (isBelow) return text.slice(baseUrl.length) || '/';
  throw invalidValue(
    `the URL is not below the base URL ${baseUrl}, to which the key belongs`,
    'pass only the path, such as /cdnservices/ping/, or another --profile or --base-url',
  );
}
