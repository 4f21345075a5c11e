/** Types between server and APIs: request, reply, route. */

/** A complete request. Header names are lower-case; `path` is unmodified, without the query. */
export interface SandboxRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A response as data. A body of known length gets a `Content-Length`; an iterable is sent in chunks. */
export interface SandboxReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

export type Api = 'subscriptions' | 'cdn' | 'bda-v1' | 'bda-v2';

/** Where the API key is expected. */
export type KeyPlace = 'header' | 'query' | 'either';

/** One endpoint of an API. `handle` is called after the key is checked. */
export interface Route {
  readonly api: Api;
  readonly method: string;
  /** Matched literally, trailing slash included. */
  readonly path: string;
  readonly key: KeyPlace;
  /** Whether the body and its content type are ignored. */
  readonly ignoresBody?: boolean;
  handle(request: SandboxRequest): SandboxReply | Promise<SandboxReply>;
}

/** The account that the API key belongs to. */
export interface Account {
  readonly apiKey: string;
  readonly domains: readonly { readonly id: number; readonly domain: string }[];
}

/** A JSON response. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): SandboxReply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** The response of a listing: clients may cache it, but must revalidate it. */
export function listingReply(value: unknown): SandboxReply {
  return json(200, value, { 'cache-control': 'no-cache' });
}

/** A plain-text response. */
export function plainText(status: number, text: string, headers: Record<string, string> = {}): SandboxReply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: text };
}
