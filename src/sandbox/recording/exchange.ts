import { type BrandNames, brandNames } from '../../wire/brand.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER } from '../../wire/key.ts';
import type { SandboxRequest } from '../routing.ts';

/** The file of a recording that describes it; every other `.json` file without `.body` in its name is an exchange. */
export const MANIFEST = 'recording.json';
export const RECORDING_VERSION = 1;

export interface RecordingManifest {
  readonly version: typeof RECORDING_VERSION;
  /** The brand word of the gateway. */
  readonly brand: string;
}

/** A request as a recording has it: what its response depends on, without the key. */
export interface RecordedCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly key: 'header' | 'query' | 'invalid' | 'none';
  /** Who was named by the reader headers. */
  readonly reader?: { readonly email?: string; readonly token?: string };
  /** JSON, or text that is none. */
  readonly body?: unknown;
}

/** The content of one file of a recording. */
export interface RecordedExchange {
  readonly request: RecordedCall;
  readonly response: {
    readonly status: number;
    /** Lower-case names. */
    readonly headers: Readonly<Record<string, string>>;
    /** The file that has the body. */
    readonly bodyFile?: string;
  };
}

/** What a recording has of a request. `apiKey` is the only valid key. */
export function recordedCall(
  { method, path, query, headers, body }: SandboxRequest,
  { brand, apiKey }: { readonly brand: string; readonly apiKey: string },
): RecordedCall {
  const names = brandNames(brand);
  const reader = readerOf(headers, names);
  const text = body.toString();
  return {
    method,
    path,
    query: grouped([...query].filter(([name]) => name !== API_KEY_PARAMETER)),
    key: keyPlace(headers, query, apiKey),
    ...(reader !== undefined && { reader }),
    ...(text !== '' && { body: jsonOr(text) }),
  };
}

/** The same text for requests that get the same response: neither the order of parameters counts nor that of JSON members. */
export function callId({ method, path, query, key, reader = {}, body }: RecordedCall): string {
  return JSON.stringify(sorted([method, path, query, key, reader, body ?? null]));
}

/** A request in one line. */
export function callText({ method, path, query, key, reader, body }: RecordedCall): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map(value => `${name}=${value}`),
  );
  const target = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
  const further = [
    ...(reader === undefined ? [] : [`reader ${reader.email ?? shortened(reader.token ?? '')}`]),
    ...(key === 'none' ? ['no key'] : key === 'invalid' ? ['an invalid key'] : [`key in ${key}`]),
    ...(body === undefined ? [] : [`body ${shortened(JSON.stringify(body))}`]),
  ];
  return `${method} ${target} (${further.join(', ')})`;
}

const shortened = (text: string) => (text.length > 100 ? `${text.slice(0, 99)}…` : text);

function readerOf(headers: SandboxRequest['headers'], names: BrandNames): RecordedCall['reader'] {
  const email = utf8(headers[names.readerEmailHeader.toLowerCase()]);
  const token = utf8(headers[names.readerTokenHeader.toLowerCase()]);
  if (email === undefined && token === undefined) return undefined;
  return { ...(email !== undefined && { email }), ...(token !== undefined && { token }) };
}

/** Node reads the bytes of a header as Latin-1. */
const utf8 = (header: string | undefined) =>
  header === undefined ? undefined : Buffer.from(header, 'latin1').toString('utf8');

function keyPlace(
  headers: SandboxRequest['headers'],
  query: URLSearchParams,
  apiKey: string,
): RecordedCall['key'] {
  const inHeader = headers[API_KEY_HEADER.toLowerCase()]?.trim();
  const inQuery = query.get(API_KEY_PARAMETER);
  if (inHeader) return inHeader === apiKey ? 'header' : 'invalid';
  if (inQuery) return inQuery === apiKey ? 'query' : 'invalid';
  return 'none';
}

function grouped(pairs: readonly (readonly [string, string])[]): RecordedCall['query'] {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) all.set(name, [...(all.get(name) ?? []), value]);
  return Object.fromEntries(
    [...all].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/** The JSON of a text, or the text. */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A copy with the members of all objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
