import {
  type ApiName,
  GatectlError,
  InvalidResponseError,
  type RequestInfo,
  UsageError,
} from '../errors/index.ts';
import type { Json } from '../json/index.ts';
import { Redactor } from '../text/redactor.ts';
import type { Effect } from '../wire/effect.ts';
import { AdaptiveLimiter } from './adaptive-limiter.ts';
import {
  type Attempt,
  type AttemptOnce,
  type AttemptOptions,
  AttemptRunner,
  type OpenAttempt,
} from './attempt.ts';
import { isStorable } from './cache-control.ts';
import type { Carrier } from './carrier.ts';
import { classify, type ReceivedResponse } from './classify.ts';
import { decodingOf } from './content-encoding.ts';
import { linkSignals } from './linked-signal.ts';
import {
  type GatewayRequest,
  LARGE_RESPONSE,
  type ResponseLimit,
  requestInfo,
  type WireRequest,
  wireRequest,
} from './request.ts';
import {
  RestTimer,
  readDocument,
  readText,
  Transfer,
  withStallTimeout,
  withTypedErrors,
} from './response-body.ts';
import { isRetryable, RetryBudget, retryAfterMs } from './retry.ts';
import type { StreamingResponse } from './streaming-response.ts';

/** A longer error response is truncated. */
const FAILURE_LIMIT_BYTES = 1024 * 1024;

export interface GatewayOptions extends AttemptOptions {
  readonly baseUrl: URL;
  /** Called once, before the first request is sent. */
  readonly apiKey: () => Promise<string>;
  readonly redactor: Redactor;
  /** Aborts on a signal of the user; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Maximum retries per request. */
  readonly retries: number;
  /** Called once for each API, by its first request. */
  readonly openTransport: () => Carrier;
  /** Whether to accept compressed responses. */
  readonly compression: boolean;
  /** Whether requests that change something are refused. */
  readonly readOnly: boolean;
  /** How many requests of an API may be in flight at first, where it is not a few. */
  readonly inFlightAtFirst?: Readonly<Partial<Record<ApiName, number>>>;
  /** Called before a request that changes something is sent, and may refuse it; what it resolves to, when the outcome is known. */
  readonly onWrite?: (write: SentWrite) => Promise<(error: unknown) => Promise<void>>;
}

/** A request that changes something. */
export interface SentWrite {
  readonly effect: Effect;
  /** For messages, with secrets redacted. */
  readonly request: RequestInfo;
  readonly sent: GatewayRequest;
}

export interface JsonResponse {
  readonly body: Json;
  /** The body as it was received. */
  readonly text: string;
  readonly request: RequestInfo;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** False for `Cache-Control: no-store`: no part of the response may be written to a cache. */
  readonly storable: boolean;
}

/** A response of any status, unchanged. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as text. The API key is redacted in case the server repeats it. */
  readonly text: string;
  readonly request: RequestInfo;
  readonly transfer: Transfer;
  /** False if the bytes are not valid UTF-8, and `text` is therefore not what was sent. */
  readonly isUtf8: boolean;
  /** The error that `send` would throw for this response; undefined if it would return it. */
  readonly error: GatectlError | undefined;
}

/** A response whose body is still being received. */
export interface RowStream {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The chunks as they arrive. Iterating throws a typed error if the connection breaks or a limit is reached. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly request: RequestInfo;
  /** Call it for each complete row: a body without a row within the time limit has stalled, even if bytes arrive. */
  readonly onRow?: () => void;
  /** Call it when the document in the body is complete: a body that does not end then has a wrong length. */
  readonly onComplete?: () => void;
  /** Call it for a rate limit error in a body with status 200, with the pause that follows in milliseconds. */
  readonly onRateLimited?: (pauseMs: number) => void;
  /** Undefined for rows that do not come from the network. */
  readonly transfer?: Transfer;
  /** Ends the response without reading the rest, before or after reading has started. */
  readonly drop?: () => void;
}

/** Options of a request that is sent ahead of its turn. */
export interface AheadOptions {
  /** Aborts when the response is no longer needed; its reason is thrown. */
  readonly signal: AbortSignal;
  /**
   * Called when a request in turn needs the permit of this one. Returns true if it dropped the response, false if it still needs it.
   */
  readonly revoke: () => boolean;
}

/** A request ahead of its turn was not sent, because the limit of requests in flight is reached. */
export class NoCapacityError extends Error {
  override readonly name = 'NoCapacityError';
}

/** A response whose head was received. */
interface ResponseHead extends StreamingResponse {
  readonly transfer: Transfer;
  /** Why its body cannot be decoded; it is then passed on unchanged. */
  readonly undecodable?: string;
}

/** What the requests of one API share, so that slow or limited analytics delay neither an access check nor a purge. */
interface Lane {
  readonly limiter: AdaptiveLimiter;
  readonly attempts: AttemptRunner;
  readonly budget: RetryBudget;
  readonly transport: Carrier;
}

/**
 * Sends requests to one gateway and returns responses or throws typed errors. It handles time limits, retries and secrets; paths and
 * envelopes are the concern of the APIs. Each API has limits, pauses, retries and connections of its own.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #lanes = new Map<ApiName | undefined, Lane>();
  #key: Promise<string> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  capacity(api: ApiName): number {
    return this.#lane(api).limiter.limit;
  }

  /** Ends the pauses of all APIs, those that requests wait for and those during which they fail, and grants all retries anew. */
  reset(): void {
    for (const { limiter, budget } of this.#lanes.values()) {
      limiter.endPause();
      budget.refill();
    }
  }

  /**
   * Sends a request and reads one JSON document. Throws AuthError, ApiError, RateLimitError, NetworkError or InvalidResponseError,
   * after the retries that the request allows.
   */
  send(request: GatewayRequest): Promise<JsonResponse> {
    return this.#withRetries(request, async open => {
      const { isUtf8, ...response } = await this.#document(open);
      const responded = { ...open.info, status: response.status };
      return this.#classified(response, open, body => {
        checkUtf8(isUtf8, responded);
        const { headers } = response;
        return { body, text: response.text, request: responded, headers, storable: isStorable(headers) };
      });
    });
  }

  /**
   * Sends a request and returns the last response, whatever its status, after the same retries as `send`. Throws NetworkError or
   * InvalidResponseError if no complete response was received, and AuthError if there is no key.
   */
  async sendRaw(request: GatewayRequest): Promise<RawResponse> {
    let last: (ReceivedResponse & Pick<RawResponse, 'transfer' | 'isUtf8'>) | undefined;
    try {
      return await this.#withRetries<RawResponse>(request, async open => {
        last = undefined;
        const response = await this.#document(open);
        last = { ...response, text: await this.#withoutKey(response.text, request) };
        const responded = { ...last, request: { ...open.info, status: response.status }, error: undefined };
        return this.#classified(last, open, () => {
          checkUtf8(response.isUtf8, responded.request);
          return responded;
        });
      });
    } catch (error) {
      const isAborted = this.#signalsOf(request).some(({ aborted }) => aborted);
      if (last === undefined || isAborted || !(error instanceof GatectlError)) throw error;
      return { ...last, request: error.request ?? this.describe(request), error };
    }
  }

  /**
   * Sends a request and streams the body of a successful response. Failures are classified and retried as in `send`; if the body
   * breaks later, the caller sends the request again. A request `ahead` of its turn is sent once, and only below the limit of
   * requests in flight; otherwise it throws NoCapacityError.
   */
  stream(request: GatewayRequest, ahead?: AheadOptions): Promise<RowStream> {
    const attemptOnce = async (open: OpenAttempt): Promise<Attempt<RowStream>> => {
      const { info, timeout } = open;
      const { body, ...head } = await this.#exchange(open);
      const { status, headers, transfer, undecodable } = head;
      const html = /html/i.test(headers['content-type'] ?? '');
      if (status !== 200 || undecodable !== undefined || html) {
        const text = await readText(transfer.decoded(body), FAILURE_LIMIT_BYTES, { ...info, status });
        return this.#classified({ ...head, text }, open, () => {
          throw new InvalidResponseError(`the server responded with ${status} instead of rows`, {
            request: info,
            code: 'unexpected_status',
          });
        });
      }
      timeout.detach({ byRows: true });
      const responded = { ...info, status: 200 };
      const ending = new BodyEnd();
      const decoded = transfer.decoded(withStallTimeout(body, timeout));
      const rest = new RestTimer(body, transfer);
      const value = {
        headers,
        body: withTypedErrors(decoded, responded, timeout, { onEnd: ending.resolve }),
        request: responded,
        onRow: () => timeout.onRow(),
        onComplete: () => rest.start(),
        onRateLimited: open.backOff,
        transfer,
        drop: () => {
          timeout.release();
          body.drop();
          ending.resolve(undefined);
        },
      };
      return { value, ended: ending.promise, received: body.ended };
    };
    return ahead === undefined
      ? this.#withRetries(request, attemptOnce)
      : this.#sendAhead(request, attemptOnce, ahead);
  }

  /** The request for messages, with secrets redacted. */
  describe(request: GatewayRequest): RequestInfo {
    return requestInfo(request, this.#options.baseUrl, this.#options.redactor);
  }

  /** Closes all connections immediately. */
  async close(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ transport }) => transport.close()));
  }

  #lane(api: ApiName | undefined): Lane {
    const known = this.#lanes.get(api);
    if (known !== undefined) return known;
    const options = this.#options;
    const start = api && options.inFlightAtFirst?.[api];
    const limiter = new AdaptiveLimiter(options.clock, start === undefined ? {} : { start });
    const attempts = new AttemptRunner(options, limiter);
    const lane = { limiter, attempts, budget: new RetryBudget(), transport: options.openTransport() };
    this.#lanes.set(api, lane);
    return lane;
  }

  async #withRetries<T>(request: GatewayRequest, attemptOnce: AttemptOnce<T>): Promise<T> {
    this.#assertAllowed(request);
    const { effect } = request;
    const { onWrite } = this.#options;
    if (effect === 'read' || onWrite === undefined) return await this.#attempts(request, attemptOnce);
    // Without a key nothing is sent.
    await this.#wire(request);
    const end = await onWrite({ effect, request: this.describe(request), sent: request });
    try {
      const value = await this.#attempts(request, attemptOnce);
      await end(undefined);
      return value;
    } catch (error) {
      await end(error);
      throw error;
    }
  }

  async #attempts<T>(request: GatewayRequest, attemptOnce: AttemptOnce<T>): Promise<T> {
    const { clock } = this.#options;
    const { retries = this.#options.retries } = request;
    const { limiter, attempts, budget } = this.#lane(request.api);
    const signals = this.#signalsOf(request);
    const { signal, release } = linkSignals(signals);
    const started = clock.now();

    try {
      const wire = await this.#wire(request);
      const info = this.describe(request);
      let wasHung = false;
      for (let attempt = 0; ; attempt += 1) {
        // Without a wait, so that requests are sent in the order in which they are made, before those ahead of their turn.
        const permit = limiter.tryAcquire(signal) ?? (await limiter.acquire(signal, request.hasDeadline));
        // A request that seems to hang twice is slow, and has its full time.
        const hasFullTime: boolean = wasHung || !request.idempotent || attempt >= retries;
        const given = { request, wire, info, signals, hasFullTime };
        const outcome: Attempt<T> = await attempts.run(given, attempt, permit, attemptOnce);
        if (outcome.error === undefined) {
          budget.succeeded();
          return outcome.value;
        }
        if (outcome.isHung) wasHung = true;
        if (!isRetryable(request, outcome) || attempt >= retries || !budget.take()) {
          throw withAttemptInfo(outcome.error, attempt + 1, clock.now() - started, outcome.retryAfter);
        }
        if (outcome.kind !== 'rate_limited') await clock.sleep(attempts.waitMs(outcome, attempt), signal);
      }
    } finally {
      release();
    }
  }

  /** Sends a request once, if a permit is free. */
  async #sendAhead<T>(
    request: GatewayRequest,
    attemptOnce: AttemptOnce<T>,
    { signal, revoke }: AheadOptions,
  ): Promise<T> {
    this.#assertAllowed(request);
    const wire = await this.#wire(request);
    const signals = [...this.#signalsOf(request), signal];
    for (const { aborted, reason } of signals) if (aborted) throw reason;
    const { limiter, attempts } = this.#lane(request.api);
    const permit = limiter.acquireAhead(revoke);
    if (permit === undefined) throw new NoCapacityError();
    const given = { request, wire, info: this.describe(request), signals, hasFullTime: false };
    const outcome = await attempts.run(given, 0, permit, attemptOnce);
    if (outcome.error !== undefined) throw outcome.error;
    return outcome.value;
  }

  /** The signals of the user and of the caller. */
  #signalsOf({ signal }: GatewayRequest): [AbortSignal, ...AbortSignal[]] {
    return signal === undefined ? [this.#options.signal] : [this.#options.signal, signal];
  }

  /** Throws UsageError for a write where only reads are sent. */
  #assertAllowed(request: GatewayRequest): void {
    if (!this.#options.readOnly || request.effect === 'read') return;
    const { method, path } = this.describe(request);
    throw new UsageError(`${method} ${path} was not sent: only reads are allowed here`, {
      code: 'read_only',
    });
  }

  async #wire(request: GatewayRequest): Promise<WireRequest> {
    const key = request.key.in === 'nowhere' ? '' : await this.#apiKey();
    return wireRequest(request, this.#options.baseUrl, key);
  }

  #apiKey(): Promise<string> {
    this.#key ??= this.#options.apiKey().then(
      key => {
        this.#options.redactor.add(key);
        return key;
      },
      error => {
        // The next request tries again.
        this.#key = undefined;
        throw error;
      },
    );
    return this.#key;
  }

  async #withoutKey(text: string, { key }: GatewayRequest): Promise<string> {
    if (key.in === 'nowhere') return text;
    const keyAlone = new Redactor();
    keyAlone.add(await this.#apiKey());
    return keyAlone.redact(text);
  }

  /** Sends the request; resolves when the head of the response was received. */
  async #exchange(open: OpenAttempt): Promise<ResponseHead> {
    const { wire, request, timeout } = open;
    const timeoutMs = request.timeoutMs ?? this.#options.timeoutMs;
    const { transport } = this.#lane(request.api);
    const response = await transport.exchange(wire, timeout.signal, timeoutMs);
    const decoding = decodingOf(response.headers['content-encoding'], this.#options.compression);
    const encoding = decoding.kind === 'supported' ? decoding.encoding : undefined;
    const transfer = new Transfer(encoding, transport.decompress);
    open.transfer = transfer;
    open.status = response.status;
    return {
      ...response,
      transfer,
      ...(decoding.kind === 'unsupported' && { undecodable: decoding.reason }),
    };
  }

  /** Sends the request and reads the complete response. */
  async #document(
    open: OpenAttempt,
  ): Promise<ReceivedResponse & { readonly transfer: Transfer; readonly isUtf8: boolean }> {
    const { body, ...head } = await this.#exchange(open);
    const info = { ...open.info, status: head.status };
    const { bytes, values: maxValues } = limitOf(open.request);
    const rest = { timer: new RestTimer(body, head.transfer), maxValues };
    const document = await readDocument(head.transfer.decoded(body), bytes, info, rest);
    open.timeout.release();
    return { ...head, ...document };
  }

  #classified<T>(
    raw: ReceivedResponse,
    { request, info }: OpenAttempt,
    accept: (body: Json) => T,
  ): Attempt<T> {
    const { clock, redactor } = this.#options;
    const { values } = limitOf(request);
    const verdict = classify(raw, info, request.readError, text => redactor.redact(text), values);
    if (verdict.kind === 'success') return { value: accept(verdict.body) };
    return { ...verdict, retryAfter: retryAfterMs(raw.headers['retry-after'], clock.now()) };
  }
}

/** A promise of the end of a body, with the error if it broke. */
class BodyEnd {
  resolve: (error: GatectlError | undefined) => void = () => {};
  readonly promise = new Promise<GatectlError | undefined>(resolve => {
    this.resolve = resolve;
  });
}

/** Throws InvalidResponseError: text with other bytes in place of what was sent would be printed as if it had been sent. */
function checkUtf8(isUtf8: boolean, request: RequestInfo): void {
  if (!isUtf8)
    throw new InvalidResponseError('the response is not valid UTF-8', { request, code: 'invalid_utf8' });
}

function limitOf({ responseLimit }: GatewayRequest): ResponseLimit {
  return responseLimit ?? LARGE_RESPONSE;
}

/** Adds attempts and elapsed time to the error, for its message. */
function withAttemptInfo(
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
