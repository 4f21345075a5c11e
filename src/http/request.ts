import type { ApiName, FieldProblem, RequestInfo } from '../errors/index.ts';
import type { Json } from '../json/index.ts';
import type { Redactor } from '../text/redactor.ts';
import type { Effect } from '../wire/effect.ts';

const MEBIBYTE = 1024 * 1024;

/** For a decision, a token or a confirmation: a few fields, with room for fields of later versions. */
export const SMALL_RESPONSE: ResponseLimit = { bytes: MEBIBYTE, values: 20_000 };

/** For a listing of an account: domains, columns, segments, purchases. */
export const LISTING_RESPONSE: ResponseLimit = { bytes: 16 * MEBIBYTE, values: 400_000 };

/** For rows that are needed all at once, and for any response to `gatectl api`. */
export const LARGE_RESPONSE: ResponseLimit = { bytes: 64 * MEBIBYTE, values: 2_000_000 };

/** Where an API expects its key; `nowhere` for requests without one. */
export type KeyPlacement =
  | { readonly in: 'nowhere' }
  | { readonly in: 'header'; readonly name: string }
  | { readonly in: 'query'; readonly name: string };

/** A failure that an API reports in its envelope. */
export interface ApiFailure {
  /** The kind of the API's error code, if it has one; otherwise the HTTP status decides. */
  readonly kind?: 'auth' | 'rejected' | 'rate_limited' | 'unavailable';
  readonly code?: string;
  readonly message: string;
  /** True for the API's own envelope, which shows that the request reached the API and that its path is right. */
  readonly isOwn?: boolean;
  readonly details?: readonly FieldProblem[];
}

/** Reads the error envelope of an API; undefined if the body has none. */
export type ErrorReader = (body: Json) => ApiFailure | undefined;

/** A request as an API describes it. The gateway adds origin, key, time limits and retries. */
export interface GatewayRequest {
  /** Undefined for a path of no known API. */
  readonly api?: ApiName;
  readonly method: string;
  /** Path below the base URL, beginning with `/`. */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** Further headers. Their values may identify a reader and are never printed. */
  readonly readerHeaders?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  readonly key: KeyPlacement;
  readonly effect: Effect;
  /** Whether sending it twice does no harm; any other request is sent at most once. */
  readonly idempotent: boolean;
  /** Milliseconds; without it, the timeout of the settings applies. */
  readonly timeoutMs?: number;
  /** Maximum retries; without it, those of the settings apply. */
  readonly retries?: number;
  /** Aborts this request alone; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Whether `signal` aborts after a limited time: the newest of such requests is sent first where they must wait. */
  readonly hasDeadline?: boolean;
  /** Maximum size of the response; LARGE_RESPONSE by default. Streamed rows have limits of their own. */
  readonly responseLimit?: ResponseLimit;
  readonly readError: ErrorReader;
}

/** A request as sent over the network. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Adds the base URL (which may have a path) and the key to a request. Requests, `--curl` and `--dry-run` all use it. */
export function wireRequest(request: GatewayRequest, baseUrl: URL, apiKey: string): WireRequest {
  const url = new URL(baseUrl);
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + request.path;
  url.search = '';
  url.hash = '';
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (request.body !== undefined || request.method === 'POST') headers['Content-Type'] = 'application/json';
  if (request.key.in === 'header') headers[request.key.name] = apiKey;
  if (request.key.in === 'query') url.searchParams.append(request.key.name, apiKey);
  for (const [name, value] of request.query ?? []) url.searchParams.append(name, value);
  Object.assign(headers, request.readerHeaders);
  return { method: request.method, url, headers, body: request.body };
}

/** Header values are sent as Latin-1, so their UTF-8 bytes are passed as Latin-1 characters. */
export function headerBytes(headers: Readonly<Record<string, string>>): Record<string, string> {
  const latin1 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, latin1(value)]));
}

/** The request for output: path and query, with the key and all known secrets redacted. */
export function requestInfo(request: GatewayRequest, baseUrl: URL, redactor: Redactor): RequestInfo {
  const { url, method } = wireRequest(request, baseUrl, '***');
  const facts = { method, origin: url.origin, path: redactor.redact(`${url.pathname}${url.search}`) };
  return request.api === undefined ? facts : { ...facts, api: request.api };
}

/** Maximum size of one JSON document. A larger response is an InvalidResponseError. */
export interface ResponseLimit {
  readonly bytes: number;
  /** Maximum number of values, including keys: the cost of parsing depends on them more than on bytes. */
  readonly values: number;
}
