import {
  type ErrorCode,
  GatectlError,
  InvalidResponseError,
  NetworkError,
  type RequestInfo,
} from '../errors/index.ts';
import { BROKEN_ENCODING, DecodeError } from './content-encoding.ts';

/**
 * What a failed attempt says of the next: `final`, it would fail, too; `unsent`, no byte reached the server, so that any request may be
 * retried; `transient`, an idempotent one may; `rate_limited`, the server asked for a pause.
 */
export type FailureKind = 'final' | 'unsent' | 'transient' | 'rate_limited';

interface Diagnosis {
  readonly code: ErrorCode<'network'>;
  readonly message: string;
  readonly kind: FailureKind;
}

const TLS_MESSAGES: Record<string, string> = {
  CERT_HAS_EXPIRED: "the server's TLS certificate has expired",
  CERT_NOT_YET_VALID: "the server's TLS certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's TLS certificate is for another host name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's TLS certificate is self-signed and not trusted here",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's TLS certificate comes from an authority that is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "the server's TLS certificate comes from an authority that is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT: "the server's TLS certificate comes from an authority that is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "the server's TLS certificate comes from an authority that is not trusted here",
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS on this port',
  EPROTO: 'the TLS handshake failed',
};

/** What a `fetch` rejected with: only some runtimes say more than that it failed. */
export class FetchFailed extends Error {}

/** An expired time limit, used as an abort reason; the message names the limit. */
export class TimeoutReached extends Error {}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let e = error; e instanceof Error && codes.length < 8; e = e.cause) {
    const code = (e as NodeJS.ErrnoException).code;
    if (typeof code === 'string') codes.push(code);
    if (e instanceof AggregateError) codes.push(...e.errors.flatMap(codesOf));
  }
  return codes;
}

/** Details of the system error in the chain of causes. */
function systemFacts(error: unknown): { hostname?: string; address?: string; port?: number } {
  for (let e = error; e instanceof Error; e = e instanceof AggregateError ? e.errors[0] : e.cause) {
    const { hostname, address, port } = e as { hostname?: string; address?: string; port?: number };
    if (hostname !== undefined || port !== undefined)
      return { ...(hostname && { hostname }), ...(address && { address }), ...(port && { port }) };
  }
  return {};
}

function diagnose(error: unknown, { host, port: portText, protocol }: URL): Diagnosis {
  const ownPort = Number(portText || (protocol === 'https:' ? 443 : 80));
  if (error instanceof TimeoutReached) {
    return { code: 'timeout', message: error.message, kind: 'transient' };
  }
  const codes = codesOf(error);
  const has = (...wanted: string[]) => codes.some(code => wanted.includes(code));
  const text = error instanceof Error ? error.message : String(error);

  if (error instanceof RangeError && /WebAssembly|Wasm memory/.test(text)) {
    return {
      code: 'address_space_exhausted',
      message: 'not enough memory for WebAssembly, which parses HTTP',
      kind: 'final',
    };
  }
  if (has('EMFILE', 'ENFILE')) {
    const message = 'too many open files: cannot open a connection';
    return { code: 'too_many_open_files', message, kind: 'final' };
  }
  const status = /^Proxy response \((\d{3})\)/.exec(text)?.[1];
  if (status !== undefined || has('UND_ERR_PRX_TLS')) {
    const what =
      status === '407'
        ? 'the proxy requires other credentials (407)'
        : `the proxy refused (${status ?? text})`;
    return { code: 'proxy_failed', message: what, kind: 'final' };
  }
  const tls = codes.find(
    code => code in TLS_MESSAGES || code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL'),
  );
  if (tls !== undefined || /wrong version number|packet length too long/i.test(text)) {
    const message = /wrong version number|packet length/i.test(text)
      ? TLS_MESSAGES.ERR_SSL_WRONG_VERSION_NUMBER
      : TLS_MESSAGES[tls ?? ''];
    return {
      code: 'tls_failed',
      message: message ?? 'the TLS handshake failed',
      kind: 'final',
    };
  }
  const { hostname = host, address, port } = systemFacts(error);
  if (has('ENOTFOUND')) {
    return {
      code: 'dns_failed',
      message: `the host name ${hostname} is not known`,
      kind: 'final',
    };
  }
  if (has('EAI_AGAIN')) {
    return {
      code: 'dns_failed',
      message: `the name server did not respond for ${hostname}`,
      kind: 'unsent',
    };
  }
  if (has('ECONNREFUSED')) {
    // A port other than the gateway's belongs to a proxy.
    const isProxy = port !== undefined && port !== ownPort;
    return {
      code: 'connection_refused',
      message: `connection refused by ${isProxy ? `the proxy ${address}:${port}, on the way to ${host}` : host}`,
      kind: 'unsent',
    };
  }
  if (has('UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH', 'ENETUNREACH')) {
    return {
      code: 'timeout',
      message: `could not connect to ${host} in time`,
      kind: 'unsent',
    };
  }
  if (has('UND_ERR_HEADERS_TIMEOUT')) {
    return {
      code: 'timeout',
      message: 'the server did not start to respond in time',
      kind: 'transient',
    };
  }
  if (has('UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT')) {
    return { code: 'timeout', message: 'the response stalled', kind: 'transient' };
  }
  if (has('ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ECONNABORTED')) {
    return {
      code: 'connection_reset',
      message: 'the connection closed before the response was complete',
      kind: 'transient',
    };
  }
  return {
    code: 'network_error',
    message: `the request failed: ${text}`,
    kind: error instanceof FetchFailed ? 'transient' : 'final',
  };
}

interface Failure {
  readonly error: GatectlError;
  readonly kind: FailureKind;
}

/** Converts an error of undici or Node into a typed error; typed errors are returned unchanged. */
export function networkFailure(error: unknown, request: RequestInfo): Failure {
  if (error instanceof GatectlError) return { error, kind: 'final' };
  if (error instanceof DecodeError) {
    const { message } = error;
    return {
      error: new InvalidResponseError(message, { request, cause: error, code: BROKEN_ENCODING }),
      kind: 'transient',
    };
  }
  const codes = codesOf(error);
  // A status below 100 passes undici's parser and then fails an assertion.
  const notHttp =
    (error instanceof Error && error.name === 'HTTPParserError') || codes.includes('ERR_ASSERTION');
  if (notHttp || codes.some(code => code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')) {
    const message = 'the response is not valid HTTP';
    return {
      error: new InvalidResponseError(message, { request, code: 'invalid_http', cause: error }),
      kind: 'final',
    };
  }
  const { code, message, kind } = diagnose(error, new URL(request.origin));
  return { error: new NetworkError(message, { request, code, cause: error }), kind };
}
