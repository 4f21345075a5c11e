import {
  ApiError,
  AuthError,
  type GatectlError,
  InvalidResponseError,
  NetworkError,
  RateLimitError,
  type RequestInfo,
} from '../errors/index.ts';
import { InvalidJsonError, type Json, parseJson } from '../json/index.ts';
import { shortened } from '../text/shortened.ts';
import { EMPTY_KEY_BODY } from '../wire/key.ts';
import { BROKEN_ENCODING, HEADER_MISSING, UNSUPPORTED_ENCODING } from './content-encoding.ts';
import { bodyText, kindOfStatus, readErrorBody } from './error-body.ts';
import { isWebPage, pageTitle } from './html-response.ts';
import type { FailureKind } from './network-errors.ts';
import type { ApiFailure, ErrorReader } from './request.ts';

/** A response with its body as text, not yet classified. */
export interface ReceivedResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** Why its body could not be decoded. */
  readonly undecodable?: string;
}

export type Verdict =
  | { readonly kind: 'success'; readonly body: Json }
  | { readonly kind: Exclude<FailureKind, 'unsent'>; readonly error: GatectlError };

const TRANSIENT_STATUS = new Set([408, 500, 502, 503, 504, 522, 524]);
const NOT_MODIFIED = 304;
const RESET_CONTENT = 205;
const PARTIAL_CONTENT = 206;
/** API codes that gatectl uses as its own error codes; others are only printed as `apiCode`. */
const LIMIT_CODES = ['rate_limit_exceeded', 'concurrent_request_limit'] as const;
const UNAVAILABLE_CODES = ['upstream_error', 'internal_error'] as const;
const REJECTION_CODES = ['not_found', 'validation_error'] as const;
/** The first bytes of gzip data, decoded as UTF-8. */
const GZIP_AS_TEXT = '\u001f\ufffd';
const EXCERPT_LENGTH = 80;
/** The part of a body to redact before an excerpt is taken; longer than any secret. */
const EXCERPT_SOURCE_LENGTH = 16 * 1024;

/**
 * Classifies a response, by the plain-text "no key" body first, then the API's error code, then the status; an error envelope in a 200
 * is a failure. `redact` removes secrets from server text in messages. JSON with more than `maxValues` values is a failure.
 */
export function classify(
  response: ReceivedResponse,
  request: RequestInfo,
  readError: ErrorReader,
  redact: (text: string) => string,
  maxValues?: number,
): Verdict {
  const show = (text: string) => shortened(redact(text));
  const excerpt = (text: string) => firstOf(redact(text.slice(0, EXCERPT_SOURCE_LENGTH)));
  const shownPage = (text: string) =>
    show(pageTitle(text) ?? '').replace(/\s+/g, ' ') || excerpt(text.trim());
  const { status } = response;
  const plainInfo = { ...request, status };

  if (response.text.trim() === EMPTY_KEY_BODY) {
    return final(
      new AuthError('the gateway received no API key', { code: 'key_not_received', request: plainInfo }),
    );
  }
  if (status >= 300 && status < 400) {
    const { location } = response.headers;
    if (location === undefined || status === NOT_MODIFIED) {
      const message = `the server sent status ${status}${status === NOT_MODIFIED ? ' (Not Modified)' : ' without a target'}, which gatectl does not expect`;
      return final(new InvalidResponseError(message, { request: plainInfo, code: 'unexpected_status' }));
    }
    return final(
      new InvalidResponseError(`the server redirects to ${show(location)}, which is not followed`, {
        request: plainInfo,
        code: 'redirect',
      }),
    );
  }
  if (status === RESET_CONTENT && response.text !== '') {
    const message = 'the server sent a body with status 205 (Reset Content)';
    return final(new InvalidResponseError(message, { request: plainInfo, code: 'unexpected_status' }));
  }
  if (status === PARTIAL_CONTENT) {
    const message = 'the server sent only a part of the response (206)';
    return final(new InvalidResponseError(message, { request: plainInfo, code: 'partial_content' }));
  }
  if (response.undecodable !== undefined) {
    const message = `the response is ${show(response.undecodable)}`;
    return final(new InvalidResponseError(message, { request: plainInfo, code: UNSUPPORTED_ENCODING }));
  }

  const parsed = readJson(response.text, maxValues);
  const isPage = !parsed.ok && isWebPage(response.text, response.headers['content-type']);
  const fault = parsed.ok ? readError(parsed.value) : undefined;
  const info = {
    ...plainInfo,
    ...(isPage && { isWebPage: true }),
    ...(fault?.isOwn && { isApiError: true }),
  };
  const ok = status >= 200 && status < 300;
  if (ok && fault === undefined) {
    if (parsed.ok) return { kind: 'success', body: parsed.value };
    if (response.text.startsWith(GZIP_AS_TEXT))
      return final(new InvalidResponseError(HEADER_MISSING, { request: plainInfo, code: BROKEN_ENCODING }));
    const message = isPage
      ? `the response is a web page (${typeOf(response, show)}): ${shownPage(response.text)}`
      : invalidJsonMessage(response, parsed.reason, show, excerpt);
    return final(
      new InvalidResponseError(message, { request: info, code: isPage ? 'html_response' : 'invalid_json' }),
    );
  }

  const apiCode = fault?.code === undefined ? undefined : show(fault.code);
  const words = parsed.ok ? wordsOf(fault, parsed.value) : { message: plainText(response), details: [] };
  const page = isPage ? ` and a web page: ${shownPage(response.text)}` : '';
  const rest = parsed.ok && words.details.length === 0 ? show(bodyText(parsed.value)) : '';
  const fallback = `the server responded with ${status}${page}${rest === '' ? '' : `: ${rest}`}`;
  const message = words.message === '' ? fallback : show(words.message);
  const context = { request: info, apiCode };
  switch (fault?.kind ?? kindOfStatus(status) ?? 'rejected') {
    case 'auth': {
      const forbidden = status === 403 || apiCode === 'forbidden';
      return final(new AuthError(message, { ...context, code: forbidden ? 'forbidden' : 'unauthorized' }));
    }
    case 'rate_limited':
      return {
        kind: 'rate_limited',
        error: new RateLimitError(message, {
          ...context,
          code: oneOf(LIMIT_CODES, apiCode) ?? 'rate_limit_exceeded',
        }),
      };
    case 'unavailable': {
      const error = new NetworkError(message, {
        ...context,
        code: oneOf(UNAVAILABLE_CODES, apiCode) ?? 'service_unavailable',
      });
      const isTransient = fault?.kind !== undefined || TRANSIENT_STATUS.has(status);
      return { kind: isTransient ? 'transient' : 'final', error };
    }
    case 'rejected': {
      const details = words.details.map(d => ({ field: show(d.field), message: show(d.message) }));
      const code = oneOf(REJECTION_CODES, apiCode) ?? (status === 404 ? 'not_found' : 'rejected');
      return final(new ApiError(message, { ...context, code, details }));
    }
  }
}

/** The API's message and details. What its envelope lacks is searched for in the rest of the body. */
function wordsOf(
  fault: ApiFailure | undefined,
  body: Json,
): Pick<ApiFailure, 'message'> & Required<Pick<ApiFailure, 'details'>> {
  const found = readErrorBody(body);
  return { message: fault?.message || found.message, details: fault?.details ?? found.details };
}

function oneOf<Code extends string>(codes: readonly Code[], word: string | undefined): Code | undefined {
  return codes.find(code => code === word);
}

function final(error: GatectlError): Verdict {
  return { kind: 'final', error };
}

function readJson(
  text: string,
  maxValues?: number,
): { ok: true; value: Json } | { ok: false; reason: string } {
  try {
    return { ok: true, value: parseJson(text, maxValues) };
  } catch (error) {
    if (error instanceof InvalidJsonError) return { ok: false, reason: error.message };
    throw error;
  }
}

/** The text of a plain-text body; empty for HTML and XML. */
function plainText(response: ReceivedResponse): string {
  const text = response.text.slice(0, EXCERPT_SOURCE_LENGTH).trim();
  return text.startsWith('<') ? '' : text;
}

function invalidJsonMessage(
  response: ReceivedResponse,
  reason: string,
  show: (text: string) => string,
  excerpt: (text: string) => string,
): string {
  const text = response.text.trim();
  if (text === '') return 'the response is empty';
  return `the response is not valid JSON (${typeOf(response, show)}; ${show(reason)}): ${excerpt(text)}`;
}

/** Truncates a text that is already redacted: half a secret would not be detected. */
function firstOf(text: string): string {
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text;
}

function typeOf({ headers }: ReceivedResponse, show: (text: string) => string): string {
  const type = headers['content-type'];
  return type === undefined ? 'without a content type' : show(type);
}
