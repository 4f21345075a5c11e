/**
 * The errors that gatectl throws, as facts. Hints about other commands are added in `cli/`, which knows commands and flags.
 * Messages are lower case and name what failed; they never contain a secret.
 */

import { printable, printableBlock } from '../text/printable.ts';
import type { ErrorCode, ErrorKind } from './codes.ts';
import type { Reason } from './reasons.ts';

export type { ErrorCode, ErrorKind } from './codes.ts';

/** The APIs behind the gateway; each has a setting `prefix-NAME`. */
export type ApiName = 'subscriptions' | 'cdn' | 'bda-v1' | 'bda-v2';

/** One HTTP exchange with secrets redacted. */
export interface RequestInfo {
  readonly method: string;
  /** Path and query below the origin, redacted. */
  readonly path: string;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly status?: number;
  readonly attempts?: number;
  readonly elapsedMs?: number;
  /** The API of the request, if known. */
  readonly api?: ApiName;
  /** The response has the API's error envelope: the request reached the API. */
  readonly isApiError?: boolean;
  /** The response is a web page, where a gateway would send JSON. */
  readonly isWebPage?: boolean;
  /** The wait from the Retry-After header. */
  readonly retryAfterMs?: number;
}

/** One problem with a field, reported by the API or detected locally. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
  /** The option that set the field, as typed: `--metric pageviews`. */
  readonly origin?: string;
}

interface ErrorOptions<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  /** The API's own code word, where it sent one. */
  readonly apiCode?: string | undefined;
  readonly cause?: unknown;
  readonly request?: RequestInfo;
  readonly hints?: readonly string[] | undefined;
  readonly reason?: Reason | undefined;
}

/** The options of an error with a default code. */
interface DefaultOptions<Kind extends ErrorKind> extends Omit<ErrorOptions, 'code'> {
  readonly code?: ErrorCode<Kind>;
}

function printableProblem({ field, message, origin }: FieldProblem): FieldProblem {
  const shown = { field: printable(field), message: printable(message) };
  return origin === undefined ? shown : { ...shown, origin: printable(origin) };
}

/**
 * Any error that gatectl expects. `code` is listed in the catalogue (codes.ts). `hints` say what to do instead, where that is known, one
 * a line; the command line adds its own for `reason`. Its texts may quote a server, so they are made safe to print here, for every
 * program that logs them.
 */
export abstract class GatectlError<Code extends ErrorCode = ErrorCode> extends Error {
  /** Written out, because bundlers shorten the names of classes. */
  abstract override readonly name: string;
  abstract readonly kind: ErrorKind;
  readonly code: Code;
  readonly apiCode: string | undefined;
  readonly hints: readonly string[];
  readonly reason: Reason | undefined;
  /** The retry layer adds attempts and elapsed time. */
  request: RequestInfo | undefined;

  constructor(message: string, options: ErrorOptions<Code>) {
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.apiCode = options.apiCode === undefined ? undefined : printable(options.apiCode);
    this.hints = (options.hints ?? []).map(printable);
    this.reason = options.reason;
    this.request = options.request;
  }
}

interface UsageErrorOptions extends Omit<DefaultOptions<'usage'>, 'apiCode' | 'request'> {
  readonly details?: readonly FieldProblem[];
  readonly excerpt?: string | undefined;
}

/** Invalid flags or input, detected before anything was sent. The default code is `invalid_usage`. */
export class UsageError extends GatectlError<ErrorCode<'usage'>> {
  override readonly name: string = 'UsageError';
  readonly kind = 'usage';
  readonly details: readonly FieldProblem[];
  /** Lines of the input, with a mark below the place of the error. */
  readonly excerpt: string | undefined;

  constructor(message: string, options: UsageErrorOptions = {}) {
    super(message, { ...options, code: options.code ?? 'invalid_usage' });
    this.details = (options.details ?? []).map(printableProblem);
    this.excerpt = options.excerpt === undefined ? undefined : printableBlock(options.excerpt);
  }
}

/** No key, a rejected key, or no permission. `places` lists where a key was searched for. */
export class AuthError extends GatectlError<ErrorCode<'auth'>> {
  override readonly name: string = 'AuthError';
  readonly kind = 'auth';
  readonly places: readonly string[];

  constructor(message: string, options: ErrorOptions<ErrorCode<'auth'>> & { places?: readonly string[] }) {
    super(message, options);
    this.places = options.places ?? [];
  }
}

interface ApiErrorOptions extends DefaultOptions<'api'> {
  readonly details?: readonly FieldProblem[];
}

/** The API rejected the request. The default code is `rejected`. */
export class ApiError extends GatectlError<ErrorCode<'api'>> {
  override readonly name: string = 'ApiError';
  readonly kind = 'api';
  readonly details: readonly FieldProblem[];

  constructor(message: string, options: ApiErrorOptions = {}) {
    super(message, { ...options, code: options.code ?? 'rejected' });
    this.details = (options.details ?? []).map(printableProblem);
  }

  /** A copy with different details or hints. */
  with(options: Pick<ApiErrorOptions, 'details' | 'hints'>): ApiError {
    return new ApiError(this.message, {
      code: this.code,
      apiCode: this.apiCode,
      details: options.details ?? this.details,
      hints: options.hints ?? this.hints,
      reason: this.reason,
      cause: this,
      ...(this.request && { request: this.request }),
    });
  }
}

/** No complete response: DNS, connection, TLS, proxy, timeout, or a service that remained unavailable. */
export class NetworkError extends GatectlError<ErrorCode<'network'>> {
  override readonly name: string = 'NetworkError';
  readonly kind = 'network';
}

/** A response that cannot be used: a web page, truncated or invalid JSON, a redirect, missing fields. */
export class InvalidResponseError extends GatectlError<ErrorCode<'invalid_response'>> {
  override readonly name: string = 'InvalidResponseError';
  readonly kind = 'invalid_response';
}

/** Some items succeeded and some failed. The command has already printed the failed ones. */
export class PartialError extends GatectlError<ErrorCode<'partial'>> {
  override readonly name: string = 'PartialError';
  readonly kind = 'partial';
}

/** A rate or concurrency limit was still in force after the retries. */
export class RateLimitError extends GatectlError<ErrorCode<'rate_limit'>> {
  override readonly name: string = 'RateLimitError';
  readonly kind = 'rate_limit';

  constructor(message: string, options: DefaultOptions<'rate_limit'> = {}) {
    super(message, { ...options, code: options.code ?? 'rate_limit_exceeded' });
  }
}

interface FileErrorOptions extends Omit<DefaultOptions<'file'>, 'apiCode' | 'request'> {
  readonly path: string;
}

/** A local file could not be read or written. The default code is `file_error`. */
export class FileError extends GatectlError<ErrorCode<'file'>> {
  override readonly name: string = 'FileError';
  readonly kind = 'file';
  readonly path: string;

  constructor(message: string, options: FileErrorOptions) {
    super(message, { ...options, code: options.code ?? 'file_error' });
    this.path = options.path;
  }
}

const DESTINATION_KINDS = {
  destination_login: 'auth',
  destination_forbidden: 'auth',
  destination_unusable: 'usage',
  destination_unreachable: 'network',
  destination_failed: 'network',
} as const;

type DestinationCode = keyof typeof DESTINATION_KINDS;

type DestinationErrorOptions = Omit<ErrorOptions<DestinationCode>, 'apiCode' | 'request'>;

/**
 * A database or object store cannot be reached, or rejected what was sent. It ends a run. Messages contain no password, key or
 * token.
 */
export class DestinationError extends GatectlError<DestinationCode> {
  override readonly name: string = 'DestinationError';
  readonly kind: 'usage' | 'auth' | 'network';

  constructor(message: string, options: DestinationErrorOptions) {
    super(message, options);
    this.kind = DESTINATION_KINDS[options.code];
  }
}

/** The process that holds a lock. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339; undefined where the lock records no time. */
  readonly since: string | undefined;
}

/**
 * Another process uses the same files, so nothing was sent. `isRunning` is undefined where that is unknown, for example on another
 * machine.
 */
export class LockedError extends GatectlError {
  override readonly name: string = 'LockedError';
  readonly kind = 'usage';
  readonly path: string;
  readonly holder: LockHolder | undefined;
  readonly isRunning: boolean | undefined;

  constructor(path: string, { holder, isRunning }: Pick<LockedError, 'holder' | 'isRunning'>) {
    const since = holder?.since === undefined ? '' : ` since ${holder.since}`;
    const who = holder === undefined ? 'another process' : `pid ${holder.pid} on ${holder.host}${since}`;
    super(`${path} is locked by ${who}`, { code: 'locked' });
    this.path = path;
    this.holder = holder;
    this.isRunning = isRunning;
  }
}

export type Signal = 'SIGINT' | 'SIGTERM';

/** The process received SIGINT or SIGTERM. */
export class InterruptedError extends GatectlError {
  override readonly name: string = 'InterruptedError';
  readonly kind = 'interrupted';
  readonly signal: Signal;

  constructor(signal: Signal, message = signal === 'SIGINT' ? 'interrupted' : 'terminated') {
    super(message, { code: signal === 'SIGINT' ? 'interrupted' : 'terminated' });
    this.signal = signal;
  }
}

/** A signal of the program, or closing its gateway, ended a call of the client library; its reason is the `cause`. */
export class AbortedError extends GatectlError<'aborted'> {
  override readonly name: string = 'AbortedError';
  readonly kind = 'interrupted';

  constructor(message: string, { cause }: { readonly cause: unknown }) {
    super(message, { code: 'aborted', cause });
  }
}

/** The reader of stdout closed the pipe (`| head`): the command ends quietly with success. */
export class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError';
}

/** Thrown instead of a response after a plan of the request was written; the command ends with success. */
export class PlanWritten extends Error {
  override readonly name = 'PlanWritten';
}

/** Thrown instead of a response after --curl printed the request; the command ends with success. */
export class CurlPrinted extends Error {
  override readonly name = 'CurlPrinted';
}
