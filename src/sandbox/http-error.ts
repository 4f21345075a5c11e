import { nearest } from '../errors/nearest.ts';
import type { ErrorCode, ErrorEnvelope } from '../wire/bda-v2.ts';
import type { CdnAnswer } from '../wire/cdn.ts';
import type { SubscriptionsEnvelope } from '../wire/subscriptions.ts';
import { type Api, json, plainText, type SandboxReply } from './routing.ts';

/** Thrown by a route to reject a request; the gateway responds with the error envelope of the API. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'validation_error',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_found',
  413: 'validation_error',
  415: 'validation_error',
  422: 'validation_error',
  429: 'rate_limit_exceeded',
  502: 'upstream_error',
  503: 'upstream_error',
  504: 'upstream_error',
};

interface ErrorFields {
  readonly status: number;
  readonly message: string;
  readonly headers?: Record<string, string>;
  /** v2 error code, if not the default one for the status. */
  readonly code?: string;
}

/** A response with the error envelope of the API, or plain text outside of all APIs. */
export function errorResponse(api: Api | undefined, facts: ErrorFields): SandboxReply {
  const { status, message, headers } = facts;
  switch (api) {
    case 'subscriptions':
      return json(status, { success: false, message } satisfies SubscriptionsEnvelope<never>, headers);
    case 'cdn':
    case 'bda-v1':
      return json(status, { Success: false, Error: message } satisfies CdnAnswer, headers);
    case 'bda-v2': {
      const code = (facts.code ?? CODES[status] ?? 'internal_error') as ErrorCode;
      return json(status, { error: { code, message } } satisfies ErrorEnvelope, headers);
    }
    default:
      return plainText(status, `${message}\n`, headers);
  }
}

/** `; did you mean 'pageviews'?`, or empty if no known word is similar. */
export function suggestion(word: string, known: readonly string[]): string {
  const found = nearest(word, known);
  return found === undefined ? '' : `; did you mean '${found}'?`;
}
