/**
 * The errors that gatectl throws, as facts. Hints about other commands are added in `cli/`, which knows commands and flags.
 * Messages are lower case and name what failed; they never contain a secret.
 */

import { printable, printableBlock } from '../text/printable.ts';
import type { ErrorCode, ErrorKind } from './codes.ts';

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
  /** The API that the request addressed, where known. */
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

interface ErrorOptions<Code extends ErrorCode> {
  readonly code: Code;
  /** The API's own code word, where it sent one. */
  readonly apiCode?: string | undefined;
  readonly cause?: unknown;
  readonly request?: RequestInfo;
}

function printableProblem({ field, message, origin }: FieldProblem): FieldProblem {
  const shown = { field: printable(field), message: printable(message) };
  return origin === undefined ? shown : { ...shown, origin: printable(origin) };
}

/**
 * Any error that gatectl expects. `code` is listed in the catalogue (codes.ts). Its texts may quote a server, so they are made safe to
 * print here, for every program that logs them.
 */
export abstract class GatectlError extends Error {
  abstract readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly apiCode: string | undefined;
  /** The retry layer adds attempts and elapsed time. */
  request: RequestInfo | undefined;

  constructor(message: string, options: ErrorOptions<ErrorCode>) {
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.apiCode = options.apiCode === undefined ? undefined : printable(options.apiCode);
    this.request = options.request;
  }
}

interface UsageErrorOptions {
  /** The default is `invalid_usage`. */
  readonly code?: ErrorCode<'usage'>;
  readonly hints?: readonly string[];
  readonly details?: readonly FieldProblem[];
  readonly excerpt?: string | undefined;
  readonly cause?: unknown;
}

/** Invalid flags or input, detected before anything was sent. `hints` say what to type instead, one a line. */
export class UsageError extends GatectlError {
  readonly kind = 'usage';
  readonly hints: readonly string[];
  readonly details: readonly FieldProblem[];
  /** Lines of the input, with a mark below the place of the error. */
  readonly excerpt: string | undefined;

  constructor(message: string, options: UsageErrorOptions = {}) {
    super(message, { cause: options.cause, code: options.code ?? 'invalid_usage' });
    this.hints = (options.hints ?? []).map(printable);
    this.details = (options.details ?? []).map(printableProblem);
    this.excerpt = options.excerpt === undefined ? undefined : printableBlock(options.excerpt);
  }
}

/** No key, a rejected key, or no permission. `places` lists where a key was searched for. */
export class AuthError extends GatectlError {
  readonly kind = 'auth';
  declare readonly code: ErrorCode<'auth'>;
  readonly places: readonly string[];

  constructor(message: string, options: ErrorOptions<ErrorCode<'auth'>> & { places?: readonly string[] }) {
    super(message, options);
    this.places = options.places ?? [];
  }
}

interface ApiErrorOptions extends Omit<ErrorOptions<ErrorCode<'api'>>, 'code'> {
  /** The default is `rejected`. */
  readonly code?: ErrorCode<'api'>;
  readonly details?: readonly FieldProblem[];
  readonly hints?: readonly string[];
}

/** The API rejected the request. `hints` say what to type instead, where that is known, one a line. */
export class ApiError extends GatectlError {
  readonly kind = 'api';
  declare readonly code: ErrorCode<'api'>;
  readonly details: readonly FieldProblem[];
  readonly hints: readonly string[];

  constructor(message: string, options: ApiErrorOptions = {}) {
    super(message, { ...options, code: options.code ?? 'rejected' });
    this.details = (options.details ?? []).map(printableProblem);
    this.hints = (options.hints ?? []).map(printable);
  }

  /** A copy with different details or hints. */
  with(options: Pick<ApiErrorOptions, 'details' | 'hints'>): ApiError {
    return new ApiError(this.message, {
      code: this.code,
      apiCode: this.apiCode,
      details: options.details ?? this.details,
      hints: options.hints ?? this.hints,
      cause: this,
      ...(this.request && { request: this.request }),
    });
  }
}

/** No complete response: DNS, connection, TLS, proxy, timeout, or a service that remained unavailable. */
export class NetworkError extends GatectlError {
  readonly kind = 'network';
  declare readonly code: ErrorCode<'network'>;

  constructor(message: string, options: ErrorOptions<ErrorCode<'network'>>) {
    super(message, options);
  }
}

/** A response that cannot be used: a web page, truncated or invalid JSON, a redirect, missing fields. */
export class InvalidResponseError extends GatectlError {
  readonly kind = 'invalid_response';
  declare readonly code: ErrorCode<'invalid_response'>;

  constructor(message: string, options: ErrorOptions<ErrorCode<'invalid_response'>>) {
    super(message, options);
  }
}

/** Some items succeeded and some failed. The command has already printed the failed ones. */
export class PartialError extends GatectlError {
  readonly kind = 'partial';
  declare readonly code: ErrorCode<'partial'>;
  readonly hints: readonly string[];

  constructor(
    message: string,
    options: ErrorOptions<ErrorCode<'partial'>> & { readonly hints?: readonly string[] },
  ) {
    super(message, options);
    this.hints = (options.hints ?? []).map(printable);
  }
}

/** A rate or concurrency limit was still in force after the retries. */
export class RateLimitError extends GatectlError {
  readonly kind = 'rate_limit';
  declare readonly code: ErrorCode<'rate_limit'>;

  constructor(
    message: string,
    options: Omit<ErrorOptions<ErrorCode<'rate_limit'>>, 'code'> & { code?: ErrorCode<'rate_limit'> } = {},
  ) {
    super(message, { ...options, code: options.code ?? 'rate_limit_exceeded' });
  }
}

interface FileErrorOptions {
  readonly path: string;
  /** The default is `file_error`. */
  readonly code?: ErrorCode<'file'>;
  readonly hints?: readonly string[];
  readonly cause?: unknown;
}

/** A local file could not be read or written. */
export class FileError extends GatectlError {
  readonly kind = 'file';
  declare readonly code: ErrorCode<'file'>;
  readonly path: string;
  readonly hints: readonly string[];

  constructor(message: string, options: FileErrorOptions) {
    super(message, { cause: options.cause, code: options.code ?? 'file_error' });
    this.path = options.path;
    this.hints = options.hints ?? [];
  }
}

interface DestinationErrorOptions {
  readonly kind: DestinationError['kind'];
  readonly code: ErrorCode<DestinationError['kind']>;
  readonly hints?: readonly string[];
  readonly cause?: unknown;
  /** Whether only some sites are affected, such as those of one server of a cluster. */
  readonly isOfSites?: boolean;
}

/**
 * A database or object store cannot be reached, or rejected what was sent. `hints` say what to type. It ends a run, unless it concerns some
 * sites only. Messages contain no password, key or token.
 */
export class DestinationError extends GatectlError {
  readonly kind: 'usage' | 'auth' | 'network';
  readonly hints: readonly string[];
  readonly isOfSites: boolean;

  constructor(
    message: string,
    { kind, code, hints = [], cause, isOfSites = false }: DestinationErrorOptions,
  ) {
    super(message, { code, cause });
    this.kind = kind;
    this.hints = hints.map(printable);
    this.isOfSites = isOfSites;
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
  readonly kind = 'interrupted';
  readonly signal: Signal;

  constructor(signal: Signal, message = signal === 'SIGINT' ? 'interrupted' : 'terminated') {
    super(message, { code: signal === 'SIGINT' ? 'interrupted' : 'terminated' });
    this.signal = signal;
  }
}

/** The reader of stdout closed the pipe (`| head`): the command ends quietly with success. */
export class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError';
}

/** Thrown instead of a response after --curl printed the request; the command ends with success. */
export class CurlPrinted extends Error {
  override readonly name = 'CurlPrinted';
}
