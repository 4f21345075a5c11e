/** What the server hands to an API, and what an API hands back. */

/** One request, read to its end. Header names are lower-case; `path` is as sent, without the query. */
export interface SandboxRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** One answer. A body of known length gets a `Content-Length`; an iterable is sent in chunks as it comes. */
export interface SandboxReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

export type Api = 'subscriptions' | 'cdn' | 'bda-v1' | 'bda-v2';

/** Where the API key is looked for. */
export type KeyPlace = 'header' | 'query' | 'either';

/** One endpoint of an API. The key was checked before `answer` is called. */
export interface Route {
  readonly api: Api;
  readonly method: string;
  /** Matched literally, trailing slash included. */
  readonly path: string;
  readonly key: KeyPlace;
  /** True where the body and its content type are not looked at. */
  readonly ignoresBody?: boolean;
  answer(request: SandboxRequest): SandboxReply | Promise<SandboxReply>;
}

/** The account that the API key belongs to. */
export interface Account {
  readonly apiKey: string;
  readonly domains: readonly { readonly id: number; readonly domain: string }[];
}

/** A JSON answer. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): SandboxReply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** A listing: unlike everything else the sandbox sends, clients may store it, and must revalidate it before use. */
export function listingReply(value: unknown): SandboxReply {
  return json(200, value, { 'cache-control': 'no-cache' });
}

/** A plain-text answer. */
export function plainText(status: number, text: string, headers: Record<string, string> = {}): SandboxReply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: text };
}
