import { UsageError } from '../errors/index.ts';
import type {
  AccessPolicyOptions,
  PolicyDecision,
  ReaderIdentity,
  Subscriptions,
  Target,
} from './subscriptions.ts';

/**
 * Whom a request is from: the session token that the page got from `getSessionToken()` and sent along, or the address of the site's own
 * sign-in. An address must not come from the request itself. Anything but a text is a visitor who is signed out.
 */
export type RequestIdentity =
  | { readonly token: string | readonly string[] | null | undefined; readonly email?: undefined }
  | { readonly email: string | null | undefined; readonly token?: undefined }
  | undefined;

/** How readers of requests are verified. */
export interface VerifyReaderOptions<AnyRequest> extends AccessPolicyOptions {
  /** The reader of a request. */
  readonly reader: (request: AnyRequest) => RequestIdentity | Promise<RequestIdentity>;
  /** What the reader needs access to. */
  readonly target: Target | ((request: AnyRequest) => Target | Promise<Target>);
}

/**
 * Verifies the readers of requests. Each request is one access check: the gateway validates the token, and nothing is decided here, kept
 * for another request or created. Responses get `Cache-Control: private, no-store`.
 */
export interface ReaderVerifier<AnyRequest> {
  /** The decision on a request, for any server. The response must not be cached. Throws as `AccessPolicy.check`. */
  readonly check: (request: AnyRequest) => Promise<PolicyDecision>;
  /** A Fetch-style handler, as of workers, around one that also gets the decision. */
  fetch<Rest extends readonly unknown[]>(
    handler: (request: AnyRequest, decision: PolicyDecision, ...rest: Rest) => Response | Promise<Response>,
  ): (request: AnyRequest, ...rest: Rest) => Promise<Response>;
  /** Middleware for Express, and what calls middleware as it does. Handlers after it call `decisionOf`. */
  readonly express: (
    request: AnyRequest,
    response: { setHeader(name: string, value: string): unknown },
    next: (error?: unknown) => void,
  ) => void;
  /** A hook for Fastify, such as `preHandler`. Handlers after it call `decisionOf`. */
  readonly fastify: (
    request: AnyRequest,
    reply: { header(name: string, value: string): unknown },
  ) => Promise<void>;
  /** The decision that a middleware made on this request. Throws UsageError if none did, so that a route without it serves nothing. */
  readonly decisionOf: (request: AnyRequest) => PolicyDecision;
}

const CACHE_CONTROL = 'Cache-Control';
const NO_STORE = 'private, no-store';

/** What the gateway decides on a reader whom nothing identifies. */
const SIGNED_OUT: PolicyDecision = Object.freeze({
  allowed: false,
  decision: 'login_required',
  reasonCode: undefined,
});

/**
 * Verifies the readers of requests to a site, with the time limit and retries of `accessPolicy`. What happens without a decision must be
 * chosen. Throws UsageError.
 *
 * @example
 * const readers = verifyReader(gateway, {
 *   reader: request => ({ token: request.headers['x-session-token'] }),
 *   target: { product: 'premium' },
 *   onDecisionUnavailable: 'deny',
 * });
 */
export function verifyReader<AnyRequest extends object>(
  gateway: { readonly subscriptions: Subscriptions },
  { reader, target, ...options }: VerifyReaderOptions<AnyRequest>,
): ReaderVerifier<AnyRequest> {
  const policy = gateway.subscriptions.accessPolicy(options);
  const decisions = new WeakMap<AnyRequest, PolicyDecision>();
  const check = async (request: AnyRequest): Promise<PolicyDecision> => {
    const identity = identityOf(await reader(request));
    if (identity === undefined) return SIGNED_OUT;
    const asked = typeof target === 'function' ? await target(request) : target;
    try {
      return await policy.check(identity, asked);
    } catch (error) {
      // Visitors can send anything as a token.
      if (error instanceof UsageError && error.reason === 'not_a_session_token') return SIGNED_OUT;
      throw error;
    }
  };
  const decide = async (request: AnyRequest) => {
    // If this check fails, that of another middleware does not count either.
    decisions.delete(request);
    decisions.set(request, await check(request));
  };
  return {
    check,
    fetch:
      handler =>
      async (request, ...rest) => {
        const { body, status, statusText, headers } = await handler(request, await check(request), ...rest);
        const changed = new Headers(headers);
        changed.set(CACHE_CONTROL, NO_STORE);
        return new Response(body, { status, statusText, headers: changed });
      },
    express: (request, response, next) => {
      response.setHeader(CACHE_CONTROL, NO_STORE);
      decide(request).then(() => next(), next);
    },
    fastify: async (request, reply) => {
      reply.header(CACHE_CONTROL, NO_STORE);
      await decide(request);
    },
    decisionOf: request => {
      const decision = decisions.get(request);
      if (decision !== undefined) return decision;
      throw new UsageError('the reader of this request was not verified', { code: 'invalid_usage' });
    },
  };
}

function identityOf(given: RequestIdentity): ReaderIdentity | undefined {
  const { email, token } = given ?? {};
  if (typeof email !== 'string') return typeof token === 'string' ? { token } : undefined;
  // Both are a mistake of the site, which the access check rejects.
  return { email, token } as ReaderIdentity;
}
