import { type GatectlError, RateLimitError, type RequestInfo } from '../errors/index.ts';
import type { AdaptiveLimiter, Permit, Refusal } from './adaptive-limiter.ts';
import { AttemptTimeout } from './attempt-timeout.ts';
import type { Clock } from './clock.ts';
import { DecodeError } from './content-encoding.ts';
import { HangWatch } from './hang-watch.ts';
import { type FailureKind, networkFailure } from './network-errors.ts';
import type { GatewayRequest, WireRequest } from './request.ts';
import type { Transfer } from './response-body.ts';
import { backoffMs } from './retry.ts';

/** One attempt, for `--verbose`. */
export interface Exchange {
  readonly request: RequestInfo;
  readonly attempt: number;
  readonly elapsedMs: number;
  /** The error, if it failed. */
  readonly error?: GatectlError;
  /** The bytes of its body, if one was received. */
  readonly transfer?: Transfer;
}

/** The outcome of one attempt. */
export type Attempt<T> = SucceededAttempt<T> | FailedAttempt;

interface SucceededAttempt<T> {
  readonly value: T;
  readonly error?: undefined;
  /** For a streamed body: resolves at its end, with the error if it broke. */
  readonly ended?: Promise<GatectlError | undefined>;
  /** For a streamed body: resolves when it was received, broke, or was dropped. */
  readonly received?: Promise<void>;
}

interface FailedAttempt {
  readonly error: GatectlError;
  readonly kind: FailureKind;
  /** Milliseconds that the server asked to wait. */
  readonly retryAfter?: number | undefined;
  /** Whether it was ended because it hung while other requests were answered. */
  readonly isHung?: boolean;
}

/** An attempt in progress. */
export interface OpenAttempt {
  readonly request: GatewayRequest;
  readonly wire: WireRequest;
  readonly info: RequestInfo;
  /** The signals of the user and of the caller. */
  readonly signals: readonly AbortSignal[];
  readonly timeout: AttemptTimeout;
  /** Pauses all requests for as many milliseconds, and lowers their number. */
  readonly backOff: (pauseMs: number) => void;
  /** Set when the head of the response was received. */
  status: number | undefined;
  transfer: Transfer | undefined;
}

/** An attempt that has not started. */
interface PlannedAttempt extends Pick<OpenAttempt, 'request' | 'wire' | 'info' | 'signals'> {
  /** Whether it has its full time even if later requests are answered before it. */
  readonly hasFullTime: boolean;
}

/** Sends a request once. */
export type AttemptOnce<T> = (open: OpenAttempt) => Promise<Attempt<T>>;

/** What attempts need of the options of a gateway. */
export interface AttemptOptions {
  readonly clock: Clock;
  /** Milliseconds for one attempt, from sending the request to the end of the response. */
  readonly timeoutMs: number;
  /** Called at the end of each attempt, including that of a streamed body. */
  readonly trace?: (exchange: Exchange) => void;
  /** Called for each rate limit response, with the pause that follows, in milliseconds. */
  readonly onRateLimited?: (pauseMs: number) => void;
}

/** Runs the attempts of requests to one gateway, each with a time limit, and reports their outcomes to its limiter. */
export class AttemptRunner {
  readonly #options: AttemptOptions;
  readonly #limiter: AdaptiveLimiter;
  readonly #hangs = new HangWatch();

  constructor(options: AttemptOptions, limiter: AdaptiveLimiter) {
    this.#options = options;
    this.#limiter = limiter;
  }

  /** Runs one attempt, which holds its permit until the response is complete. The reason of a signal is thrown unchanged. */
  async run<T>(
    { signals, hasFullTime, ...given }: PlannedAttempt,
    attempt: number,
    permit: Permit,
    attemptOnce: AttemptOnce<T>,
  ): Promise<Attempt<T>> {
    const { clock, timeoutMs } = this.#options;
    const began = clock.now();
    let received: Promise<void> | undefined;
    try {
      const timeout = new AttemptTimeout(signals, given.request.timeoutMs ?? timeoutMs);
      const backOff = (pauseMs: number, refusal?: Refusal) => {
        this.#limiter.backOff(permit, pauseMs, refusal);
        this.#options.onRateLimited?.(pauseMs);
      };
      const open: OpenAttempt = {
        ...given,
        signals,
        timeout,
        backOff,
        status: undefined,
        transfer: undefined,
      };
      const outcome = await this.#unlessHung(open, hasFullTime, began, attemptOnce);
      if (outcome.error === undefined) {
        received = outcome.received;
        this.#limiter.succeeded(permit, clock.now() - began);
      } else if (outcome.isHung) this.#limiter.hung(permit);
      else if (outcome.kind === 'rate_limited') backOff(this.waitMs(outcome, attempt), refusalAfter(outcome));
      else if (outcome.kind !== 'final') this.#limiter.failed(permit);
      this.#trace(open, attempt, began, outcome);
      return outcome;
    } finally {
      if (received === undefined) this.#limiter.release(permit);
      else received.then(() => this.#limiter.release(permit));
    }
  }

  /** Ends the attempt if later requests are answered and this one is not, unless it waits for its full time limit. */
  async #unlessHung<T>(
    open: OpenAttempt,
    hasFullTime: boolean,
    began: number,
    attemptOnce: AttemptOnce<T>,
  ): Promise<Attempt<T>> {
    let isHung = false;
    const onHang = (waitedMs: number) => {
      isHung = open.status === undefined;
      if (isHung)
        open.timeout.expire(`no response within ${waitedMs / 1000} s, while later requests got a response`);
    };
    const waiting = this.#hangs.begin(hasFullTime ? undefined : onHang);
    let latencyMs: number | undefined;
    try {
      const outcome = await this.#settled(open, attemptOnce);
      if (open.status !== undefined) latencyMs = this.#options.clock.now() - began;
      return outcome.error === undefined ? outcome : { ...outcome, isHung };
    } finally {
      this.#hangs.end(waiting, latencyMs);
    }
  }

  /** Milliseconds from a failed attempt, counted from 0, to the next. */
  waitMs({ kind, retryAfter }: FailedAttempt, attempt: number): number {
    const own = backoffMs(attempt, kind === 'rate_limited', this.#options.clock.random);
    return Math.max(retryAfter ?? 0, own);
  }

  /** Runs one attempt with its timeout. The reason of a signal is thrown unchanged. */
  async #settled<T>(open: OpenAttempt, attemptOnce: AttemptOnce<T>): Promise<Attempt<T>> {
    try {
      return await attemptOnce(open);
    } catch (error) {
      for (const { aborted, reason } of open.signals) if (aborted) throw reason;
      return networkFailure(error, infoAt(error, open));
    } finally {
      open.timeout.finish();
    }
  }

  /** Traces an attempt; with a streamed body, after its end. */
  #trace(open: OpenAttempt, attempt: number, began: number, outcome: Attempt<unknown>): void {
    const { error } = outcome;
    const { clock, trace } = this.#options;
    if (trace === undefined) return;
    const report = (problem: GatectlError | undefined) =>
      trace({
        request: error?.request ?? { ...open.info, status: 200 },
        attempt: attempt + 1,
        elapsedMs: clock.now() - began,
        ...(problem && { error: problem }),
        ...(open.transfer && { transfer: open.transfer }),
      });
    if (error !== undefined || outcome.ended === undefined) report(error);
    else outcome.ended.then(report);
  }
}

/** The error of requests that are not sent after a rate limit response: that of the response, with what is left of its wait. */
function refusalAfter({ error }: FailedAttempt): Refusal | undefined {
  if (!(error instanceof RateLimitError)) return undefined;
  const { message, code, apiCode } = error;
  return retryAfterMs =>
    new RateLimitError(message, {
      ...{ code, apiCode, cause: error },
      ...(error.request && { request: { ...error.request, retryAfterMs } }),
    });
}

/** Adds the status for a body that cannot be decoded. */
function infoAt(error: unknown, { info, status }: OpenAttempt): RequestInfo {
  return error instanceof DecodeError && status !== undefined ? { ...info, status } : info;
}
