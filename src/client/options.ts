import type { GatectlError, RequestInfo } from '../errors/index.ts';

/** What every call accepts. */
export interface CallOptions {
  /** Aborts the call: it throws AbortedError with the reason as its cause, or NetworkError `timeout` for `AbortSignal.timeout`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, with its retries and pauses; for rows, until all were read. Then it throws NetworkError `timeout`. */
  readonly timeoutMs?: number | undefined;
  /** Maximum retries per request, instead of those of the gateway. */
  readonly retries?: number | undefined;
  /** Called with the response of each request of the call that succeeded, for its status, its headers, its id and its body. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
}

/** A response. */
export interface ResponseInfo {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The header `X-Request-Id`, if the gateway sends it. */
  readonly requestId: string | undefined;
  /** The body as text, with secrets redacted; undefined for rows, which Node reads while they arrive. */
  readonly body: string | undefined;
  /** Its request, with secrets redacted. */
  readonly request: RequestInfo;
}

/** What calls that send a document of v1 accept. */
export interface DocumentOptions {
  /** Members to send although the API does not document them. Any other such member is a UsageError: the API ignores it in silence. */
  readonly allowUnknown?: readonly string[];
}

/** One attempt at sending a request, for logs and traces. It contains no key, no reader and no body. */
export interface Attempt {
  /** Method, origin and path; the API, and the status if a response was received. */
  readonly request: RequestInfo;
  /** Counted from 1; a retry is a further attempt. */
  readonly attempt: number;
  /** Until the end of the response. */
  readonly elapsedMs: number;
  /** The error of a failed attempt, whether or not it is retried. */
  readonly error?: GatectlError;
  /** Bytes of the response body over the network. */
  readonly receivedBytes: number;
}

/** Settings of a gateway that have defaults. */
export interface GatewaySettings {
  /** One of the account's domains, for readers and surrogate keys. Calls may name another. */
  readonly domain?: string;
  /** The brand word in the service's header names; `service` by default. */
  readonly brand?: string;
  /** Where Subscriptions and CDN requests carry the key; `header` by default. */
  readonly keyIn?: 'header' | 'query';
  /** Paths of the APIs below the base URL, for a gateway that uses others than documented. */
  readonly prefixes?: {
    readonly subscriptions?: string;
    readonly cdn?: string;
    readonly bdaV1?: string;
    readonly bdaV2?: string;
  };
  /** Milliseconds for one attempt; 30,000 by default, and 60,000 for the CDN. */
  readonly timeoutMs?: number;
  /** Maximum retries per request; 3 by default. Creating something is never retried. */
  readonly retries?: number;
  /** Whether to accept compressed responses; true by default. */
  readonly compression?: boolean;
  /** Rejects requests that change something; in Node, GATECTL_READ_ONLY=1 does, too. */
  readonly readOnly?: boolean;
  /**
   * In Node, a folder for the log of all requests that change something, as `gatectl log` has it; `gatectl log verify` reads it where it is
   * `log` in gatectl's folder for state. A request that cannot be logged is not sent.
   */
  readonly writeLog?: string;
  /** PEM text of a certificate authority to trust in addition to those of Node. In a bundle, use `dispatcher`. */
  readonly ca?: string;
  /** The name and version of your program, such as `site/1.2`: sent before those of the library in `User-Agent`. */
  readonly userAgent?: string;
  /**
   * What sends all requests, such as an `Agent` or `MockAgent` of undici 7, and is not closed. It decides about connections, certificates
   * and proxies: `ca` cannot be set as well, and the proxies of the environment are not used.
   */
  readonly dispatcher?: { readonly dispatch: (options: never, handler: never) => boolean };
  /**
   * What sends all requests, with the signature of the global `fetch`. It decides about connections, certificates, proxies and compression:
   * `ca`, `dispatcher` and `proxy` cannot be set as well.
   */
  readonly fetch?: typeof fetch;
  /**
   * Whether to use the proxies of the environment (`HTTPS_PROXY`, `NO_PROXY`); true by default. A bundle requires `dispatcher` for them,
   * or NODE_USE_ENV_PROXY=1, with which Node itself uses them.
   */
  readonly proxy?: boolean;
  /** Allows sending the key unencrypted to another machine. */
  readonly insecureHttp?: boolean;
  /** Aborts all requests of this gateway. */
  readonly signal?: AbortSignal;
  /** Called at the end of each attempt, in the async context of its call. */
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Called with a likely problem that is not an error, such as repeated rows. */
  readonly onWarning?: (text: string) => void;
}

export interface GatewayOptions extends GatewaySettings {
  /** Root URL of the gateway; may include a path. */
  readonly baseUrl: string | URL;
  /** The API key, or a function that returns it, called before the first request. */
  readonly apiKey: string | (() => string | Promise<string>);
}
