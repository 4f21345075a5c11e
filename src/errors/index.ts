/**
 * What can go wrong, as facts. No advice here: only `cli/` knows commands and flags, so it alone says what to do next.
 * Messages are lower-case and name what is wrong; they never hold a secret.
 */

export type ErrorKind =
  | 'usage'
  | 'auth'
  | 'refused'
  | 'network'
  | 'unusable'
  | 'partial'
  | 'limited'
  | 'file'
  | 'interrupted';

/** The APIs behind the gateway. A setting `prefix-…` ends in each. */
export type ApiName = 'subscriptions' | 'cdn' | 'bda-v1' | 'bda-v2';

/** One HTTP exchange as it may be shown: secrets are already replaced. */
export interface RequestInfo {
  readonly method: string;
  /** Path and query below the origin, redacted. */
  readonly path: string;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly status?: number;
  readonly attempts?: number;
  readonly elapsedMs?: number;
  /** The API that was asked, where it is one. */
  readonly api?: ApiName;
  /** The API's own error envelope came: the request reached the API. */
  readonly isApiError?: boolean;
  /** A web page came, where a gateway would have sent JSON. */
  readonly isWebPage?: boolean;
  /** The pause that the server asked for. */
  readonly retryAfterMs?: number;
}

/** One field-level problem, as the API reports it or as it was found here. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
  /** What the user wrote that set the field, as typed: `--metric pageviews`. */
  readonly origin?: string;
}

interface ErrorOptions {
  readonly cause?: unknown;
  readonly request?: RequestInfo;
  /** A machine-readable word for the error: the API's own where it sent one. */
  readonly code?: string;
}

export abstract class GatectlError extends Error {
  abstract readonly kind: ErrorKind;
  /** Grows on the way up: whoever retried adds how often and how long. */
  request: RequestInfo | undefined;
  readonly code: string | undefined;

  constructor(message: string, facts: ErrorOptions = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.request = facts.request;
    this.code = facts.code;
  }
}

interface UsageErrorOptions {
  readonly hints?: readonly string[];
  readonly details?: readonly FieldProblem[];
  readonly cause?: unknown;
}

/** Bad flags or bad input, found before anything was sent. `hints` say what to type instead, one a line. */
export class UsageError extends GatectlError {
  readonly kind = 'usage';
  readonly hints: readonly string[];
  readonly details: readonly FieldProblem[];

  constructor(message: string, facts: UsageErrorOptions = {}) {
    super(message, { cause: facts.cause, code: 'usage' });
    this.hints = facts.hints ?? [];
    this.details = facts.details ?? [];
  }
}

/** Why the gateway let nobody in. */
export type AuthReason = 'no-key' | 'key-not-seen' | 'unauthorized' | 'forbidden' | 'key-unreadable';

/** No key, a key refused, or not entitled. `places` lists where a key was looked for. */
export class AuthError extends GatectlError {
  readonly kind = 'auth';
  readonly reason: AuthReason;
  readonly places: readonly string[];

  constructor(message: string, facts: ErrorOptions & { reason: AuthReason; places?: readonly string[] }) {
    super(message, facts);
    this.reason = facts.reason;
    this.places = facts.places ?? [];
  }
}

interface ApiErrorOptions extends ErrorOptions {
  readonly details?: readonly FieldProblem[];
  readonly hints?: readonly string[];
}

/** The API understood the request and refused it. `hints` say what to type instead, where that is known, one a line. */
export class ApiError extends GatectlError {
  readonly kind = 'refused';
  readonly details: readonly FieldProblem[];
  readonly hints: readonly string[];

  constructor(message: string, facts: ApiErrorOptions = {}) {
    super(message, facts);
    this.details = facts.details ?? [];
    this.hints = facts.hints ?? [];
  }

  /** The same refusal, better explained. */
  with(facts: Pick<ApiErrorOptions, 'details' | 'hints'>): ApiError {
    return new ApiError(this.message, {
      details: facts.details ?? this.details,
      hints: facts.hints ?? this.hints,
      cause: this,
      ...(this.request && { request: this.request }),
      ...(this.code !== undefined && { code: this.code }),
    });
  }
}

export type NetworkReason =
  | 'dns'
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'tls'
  | 'proxy'
  | 'unavailable'
  /** Not on the way, but in this process: no address space, no descriptors. */
  | 'address-space'
  | 'open-files'
  | 'other';

/** The answer never came: name look-up, connection, TLS, proxy, timeout, or a service that stayed unavailable. */
export class NetworkError extends GatectlError {
  readonly kind = 'network';
  readonly reason: NetworkReason;

  constructor(message: string, facts: ErrorOptions & { reason: NetworkReason }) {
    super(message, facts);
    this.reason = facts.reason;
  }
}

/** An answer that can't be used: HTML, cut or broken JSON, a redirect, no decision. */
export class InvalidResponseError extends GatectlError {
  readonly kind = 'unusable';
}

/** Some items are done, some failed. What failed was already listed by the command. */
export class PartialError extends GatectlError {
  readonly kind = 'partial';
}

/** A rate or concurrency limit was still in force after the retries. */
export class RateLimitError extends GatectlError {
  readonly kind = 'limited';
}

/** A local file could not be read or written. */
export class FileError extends GatectlError {
  readonly kind = 'file';
  readonly path: string;

  constructor(message: string, facts: { path: string; cause?: unknown }) {
    super(message, { cause: facts.cause, code: 'file' });
    this.path = facts.path;
  }
}

/** Who holds a lock. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339; undefined where the lock doesn't say. */
  readonly since: string | undefined;
}

/**
 * Another process works on the same files, so nothing was sent. `isRunning` is undefined where that can't be told, as for a
 * process on another machine.
 */
export class LockedError extends GatectlError {
  readonly kind = 'usage';
  readonly path: string;
  readonly holder: LockHolder | undefined;
  readonly isRunning: boolean | undefined;

  constructor(path: string, facts: Pick<LockedError, 'holder' | 'isRunning'>) {
    const { holder } = facts;
    const since = holder?.since === undefined ? '' : ` since ${holder.since}`;
    const who = holder === undefined ? 'another process' : `pid ${holder.pid} on ${holder.host}${since}`;
    super(`${path} is held by ${who}`, { code: 'locked' });
    this.path = path;
    this.holder = holder;
    this.isRunning = facts.isRunning;
  }
}

export type Signal = 'SIGINT' | 'SIGTERM';

/** The user or the system asked to stop. `resume` says how partial work can be continued, where it can. */
export class InterruptedError extends GatectlError {
  readonly kind = 'interrupted';
  readonly signal: Signal;

  constructor(signal: Signal, message = signal === 'SIGINT' ? 'interrupted' : 'terminated') {
    super(message, { code: 'interrupted' });
    this.signal = signal;
  }
}

/** The reader of stdout went away (`| head`): the command ends quietly, with success. */
export class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError';
}

/** Thrown in place of an answer where nothing was sent; the command line ends with success. */
export class CurlPrinted extends Error {
  override readonly name = 'CurlPrinted';
}
