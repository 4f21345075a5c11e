import { GatectlError, InvalidResponseError, type RequestInfo } from '../errors/index.ts';
import type { Json } from '../json/index.ts';
import { AdaptiveLimiter } from './adaptive-limiter.ts';
import { AttemptTimeout } from './attempt-timeout.ts';
import { isStorable } from './cache-control.ts';
import { classify, type ReceivedResponse } from './classify.ts';
import type { Clock } from './clock.ts';
import type { Network } from './dispatcher.ts';
import { networkFailure } from './network-errors.ts';
import { Redactor } from './redactor.ts';
import { type GatewayRequest, requestInfo, type WireRequest, wireRequest } from './request.ts';
import { guarded, readDocument, readText } from './response-body.ts';
import { LARGE_RESPONSE, type ResponseLimit } from './response-limit.ts';
import { backoffMs, RETRY_AFTER_CAP_MS, RetryBudget, retryAfterMs } from './retry.ts';
import type { StreamingResponse } from './streaming-response.ts';
import { Transport } from './transport.ts';

/** A failed answer longer than this is cut: nobody reads it. */
const FAILURE_LIMIT_BYTES = 1024 * 1024;

/** One attempt, for `--verbose`. */
export interface Exchange {
  readonly request: RequestInfo;
  readonly attempt: number;
  readonly elapsedMs: number;
  readonly outcome: 'answered' | 'failed';
  /** What went wrong, when it failed without a status. */
  readonly problem?: string;
}

export interface GatewayOptions {
  readonly baseUrl: URL;
  /** Called once, when the first request is about to go out. */
  readonly apiKey: () => Promise<string>;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Aborted when the user interrupts; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Milliseconds for one request, from first byte out to last byte in. */
  readonly timeoutMs: number;
  /** Further attempts that one request may take. */
  readonly retries: number;
  readonly network: Network;
  readonly trace?: (exchange: Exchange) => void;
}

export interface JsonResponse {
  readonly body: Json;
  readonly request: RequestInfo;
  /** False where the response is marked `Cache-Control: no-store`: no part of it may be written to a cache. */
  readonly storable: boolean;
}

/** An answer as it came, whatever it says. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as text; where the server repeats the API key in it, the key is blotted out. */
  readonly text: string;
  readonly request: RequestInfo;
  /** What `send` would have thrown for it; undefined for an answer that it would have returned. */
  readonly error: GatectlError | undefined;
}

/** An answer whose body is still on its way. */
export interface RowStream {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Chunks as they come; iterating throws a typed error when the connection breaks or a limit is reached. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly request: RequestInfo;
  /** To be called when a row is complete: a body that brings none within the time limit has stalled, whatever else it brings. */
  readonly onRow?: () => void;
}

interface Attempt<T> {
  readonly value?: T;
  readonly error?: GatectlError;
  readonly transient: boolean;
  readonly neverSent: boolean;
  readonly rateLimited: boolean;
  readonly retryAfter?: number | undefined;
}

/**
 * Carries requests to one gateway and brings answers or typed errors back. It knows time, retries and secrets; it knows
 * no path and no envelope.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #pace: AdaptiveLimiter;
  readonly #budget = new RetryBudget();
  readonly #transport: Transport;
  #key: Promise<string> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#pace = new AdaptiveLimiter(options.clock);
    this.#transport = new Transport(options.network);
  }

  /**
   * Sends a request and reads one whole JSON document. Throws AuthError, ApiError, RateLimitError, NetworkError or
   * InvalidResponseError, after the retries that the request allows.
   */
  send(request: GatewayRequest): Promise<JsonResponse> {
    return this.#withRetries(request, async (facts, wire, limit) => {
      const { status, headers, body } = await this.#exchange(wire, limit, request);
      const answered = { ...facts, status };
      const { text, isUtf8 } = await readDocument(body, limitOf(request).bytes, answered);
      limit.release();
      return this.#judge({ status, headers, text }, request, facts, body => {
        if (isUtf8) return { body, request: answered, storable: isStorable(headers) };
        throw new InvalidResponseError('the response is not valid UTF-8', {
          request: answered,
          code: 'invalid_utf8',
        });
      });
    });
  }

  /**
   * Sends a request and hands over whatever came in the end, after the same retries as `send`. Throws NetworkError or
   * InvalidResponseError where nothing whole came, and AuthError where there is no key to send.
   */
  async ask(request: GatewayRequest): Promise<RawResponse> {
    let last: ReceivedResponse | undefined;
    try {
      return await this.#withRetries<RawResponse>(request, async (facts, wire, limit) => {
        last = undefined;
        const { status, headers, body } = await this.#exchange(wire, limit, request);
        const text = await readText(body, limitOf(request).bytes, { ...facts, status });
        limit.release();
        last = { status, headers, text: await this.#withoutKey(text, request) };
        const answered: RawResponse = {
          ...last,
          request: { ...facts, status },
          error: undefined,
        };
        return this.#judge(last, request, facts, () => answered);
      });
    } catch (error) {
      const { signal } = this.#options;
      if (last === undefined || signal.aborted || !(error instanceof GatectlError)) throw error;
      return { ...last, request: error.request ?? this.describe(request), error };
    }
  }

  /**
   * Sends a request and hands the body over while it arrives, once the status says that it is an answer. Failures are
   * read, classified and retried as in `send`; a body that breaks later is the caller's to ask for again.
   */
  stream(request: GatewayRequest): Promise<RowStream> {
    return this.#withRetries(request, async (facts, wire, limit) => {
      const { status, headers, body } = await this.#exchange(wire, limit, request);
      const encoded = headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity';
      const html = /html/i.test(headers['content-type'] ?? '');
      if (status !== 200 || encoded || html) {
        const text = await readText(body, FAILURE_LIMIT_BYTES, { ...facts, status });
        return this.#judge({ status, headers, text }, request, facts, () => {
          throw new InvalidResponseError(`the server answered ${status} instead of rows`, {
            request: facts,
            code: 'unexpected_status',
          });
        });
      }
      limit.detach({ byRows: true });
      const answered = { ...facts, status: 200 };
      const value = {
        headers,
        body: guarded(body, answered, limit),
        request: answered,
        onRow: () => limit.rowCame(),
      };
      return { value, ...settled };
    });
  }

  /** How the request may be shown: secrets replaced. */
  describe(request: GatewayRequest): RequestInfo {
    return requestInfo(request, this.#options.baseUrl, this.#options.redactor);
  }

  /** Ends all connections at once. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #withRetries<T>(
    request: GatewayRequest,
    attemptOnce: (facts: RequestInfo, wire: WireRequest, limit: AttemptTimeout) => Promise<Attempt<T>>,
  ): Promise<T> {
    const { clock, signal, retries, trace } = this.#options;
    const key = request.key.in === 'nowhere' ? '' : await this.#apiKey();
    const wire = wireRequest(request, this.#options.baseUrl, key);
    const facts = this.describe(request);
    const started = clock.now();

    for (let attempt = 0; ; attempt += 1) {
      await this.#pace.enter(signal);
      const began = clock.now();
      let outcome: Attempt<T>;
      try {
        outcome = await this.#timed(request, facts, limit => attemptOnce(facts, wire, limit));
        if (outcome.rateLimited) this.#pace.backOff(this.#wait(outcome, attempt));
      } finally {
        this.#pace.leave();
      }
      trace?.({
        request: outcome.error?.request ?? { ...facts, status: 200 },
        attempt: attempt + 1,
        elapsedMs: clock.now() - began,
        outcome:
          outcome.error?.request?.status !== undefined || outcome.error === undefined ? 'answered' : 'failed',
        ...(outcome.error && { problem: outcome.error.message }),
      });
      if (outcome.error === undefined) {
        this.#pace.succeeded();
        this.#budget.succeeded();
        return outcome.value as T;
      }
      const may = (request.idempotent && outcome.transient) || (outcome.neverSent && outcome.transient);
      const tooLong = (outcome.retryAfter ?? 0) > RETRY_AFTER_CAP_MS;
      if (!may || tooLong || attempt >= retries || !this.#budget.take()) {
        throw withEffort(outcome.error, attempt + 1, clock.now() - started, outcome.retryAfter);
      }
      if (!outcome.rateLimited) await clock.sleep(this.#wait(outcome, attempt), signal);
    }
  }

  #apiKey(): Promise<string> {
    this.#key ??= this.#options.apiKey().then(key => {
      this.#options.redactor.add(key);
      return key;
    });
    return this.#key;
  }

  async #withoutKey(text: string, { key }: GatewayRequest): Promise<string> {
    if (key.in === 'nowhere') return text;
    const keyAlone = new Redactor();
    keyAlone.add(await this.#apiKey());
    return keyAlone.redact(text);
  }

  #wait(outcome: Attempt<unknown>, attempt: number): number {
    const own = backoffMs(attempt, outcome.rateLimited, this.#options.clock.random);
    return Math.max(
      outcome.retryAfter === undefined ? 0 : Math.min(outcome.retryAfter, RETRY_AFTER_CAP_MS),
      own,
    );
  }

  /** Runs one attempt under its time limit; the user's interrupt passes through as it is. */
  async #timed<T>(
    request: GatewayRequest,
    facts: RequestInfo,
    run: (limit: AttemptTimeout) => Promise<Attempt<T>>,
  ): Promise<Attempt<T>> {
    const { signal, timeoutMs } = this.#options;
    const limit = new AttemptTimeout(signal, request.timeoutMs ?? timeoutMs);
    try {
      return await run(limit);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { error: typed, transient, neverSent } = networkFailure(error, facts);
      return { error: typed, transient, neverSent, rateLimited: false };
    } finally {
      limit.finish();
    }
  }

  #exchange(
    wire: WireRequest,
    { signal }: AttemptTimeout,
    { timeoutMs }: GatewayRequest,
  ): Promise<StreamingResponse> {
    return this.#transport.exchange(wire, signal, timeoutMs ?? this.#options.timeoutMs);
  }

  #judge<T>(
    raw: ReceivedResponse,
    request: GatewayRequest,
    facts: RequestInfo,
    accept: (body: Json) => T,
  ): Attempt<T> {
    const { clock, redactor } = this.#options;
    const { values } = limitOf(request);
    const verdict = classify(raw, facts, request.readError, text => redactor.redact(text), values);
    if (verdict.kind === 'answer') return { value: accept(verdict.body), ...settled };
    const retryAfter = retryAfterMs(raw.headers['retry-after'], clock.now());
    return {
      error: verdict.error,
      transient: verdict.transient,
      neverSent: false,
      rateLimited: verdict.limited,
      retryAfter,
    };
  }
}

function limitOf({ responseLimit }: GatewayRequest): ResponseLimit {
  return responseLimit ?? LARGE_RESPONSE;
}

const settled = { transient: false, neverSent: false, rateLimited: false } as const;

/** Adds how hard it was tried, so that the message can say so. */
function withEffort(
  error: GatectlError,
  attempts: number,
  elapsedMs: number,
  retryAfter?: number,
): GatectlError {
  if (error.request !== undefined) {
    error.request = {
      ...error.request,
      attempts,
      elapsedMs,
      ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    };
  }
  return error;
}
