import { FULL_ADDRESS } from '../apis/subscriptions/mask-addresses.ts';
import { AbortedError, type GatectlError, NetworkError, type RequestInfo } from '../errors/index.ts';
import { MOST_IN_FLIGHT } from '../http/adaptive-limiter.ts';
import type { Exchange } from '../http/attempt.ts';
import { type Clock, sleepFor } from '../http/clock.ts';
import { Gateway as HttpGateway } from '../http/gateway.ts';
import { linkSignals } from '../http/linked-signal.ts';
import type { Sender } from '../http/sender.ts';
import { printable } from '../text/printable.ts';
import { Redactor } from '../text/redactor.ts';
import { brandNames } from '../wire/brand.ts';
import type { Host } from './host.ts';
import type { Attempt, CallOptions, ResponseInfo } from './options.ts';
import { redactError } from './redact-error.ts';
import { type ClientSettings, checkLimits } from './settings.ts';

const CLOCK: Clock = { now: Date.now, random: Math.random, sleep: sleepFor };

/** What a call may do, and for how long. */
interface Limits {
  readonly sender: Sender;
  readonly signal: AbortSignal;
  /** An abort as an error with a code; other errors unchanged. */
  typed(error: unknown): unknown;
  throwIfAborted(): void;
  release(): void;
}

/** Connections, limits and retries to one gateway, shared by the calls of each API. */
export class Connection {
  readonly settings: ClientSettings;
  readonly host: Host;
  readonly #gateway: HttpGateway;
  readonly #redactor = new Redactor();
  readonly #closing = new AbortController();

  constructor(settings: ClientSettings, host: Host) {
    this.settings = settings;
    this.host = host;
    if (settings.signal !== undefined) follow(this.#closing, settings.signal);
    host.shareSignal(this.#closing.signal);
    const redactor = this.#redactor;
    redactor.redactMatches(FULL_ADDRESS);
    const onWrite = host.onWriteOf(settings, redactor);
    this.#gateway = new HttpGateway({
      ...settings,
      // Like all that restricts, the variable is obeyed whatever the options say.
      readOnly: settings.readOnly || host.isReadOnly(),
      clock: CLOCK,
      redactor,
      signal: this.#closing.signal,
      openTransport: host.carrierOf(settings, redactor),
      trace: exchange => this.#report(exchange),
      // Readers of a site come all at once, and none of them waits for a limit that grows.
      inFlightAtFirst: { subscriptions: MOST_IN_FLIGHT },
      ...(onWrite !== undefined && { onWrite }),
    });
  }

  get clock() {
    return CLOCK;
  }

  get brand() {
    return brandNames(this.settings.brand);
  }

  /**
   * Runs a call within its limits. Its errors are typed and contain no secret. A reader's identity is known for as long as the call runs:
   * a server has many readers.
   */
  async run<Result>(
    options: CallOptions,
    call: (sender: Sender) => Promise<Result>,
    reader?: string,
  ): Promise<Result> {
    const limits = this.limits(options);
    if (reader !== undefined) this.#redactor.add(reader);
    try {
      return await call(limits.sender);
    } catch (error) {
      throw this.redactError(limits.typed(error));
    } finally {
      limits.release();
      if (reader !== undefined) this.#redactor.remove(reader);
    }
  }

  /** What ends a call, until `release`: closing the gateway, its time limit, its signal, and that nobody reads its rows. Throws UsageError. */
  limits({ signal, timeoutMs, retries, onResponse }: CallOptions, left?: AbortSignal): Limits {
    checkLimits({ timeoutMs, retries });
    const deadline = new AbortController();
    const end = () =>
      deadline.abort(new NetworkError(`no result within ${Number(timeoutMs) / 1000} s`, { code: 'timeout' }));
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
    if (signal !== undefined) this.host.shareSignal(signal);
    const given = [signal, left].filter(each => each !== undefined);
    const linked = linkSignals([this.#closing.signal, deadline.signal, ...given]);
    // A purge has many requests in flight.
    this.host.shareSignal(linked.signal);
    const typed = (error: unknown) =>
      linked.signal.aborted && error === linked.signal.reason ? abortOf(error) : error;
    const gateway = this.#gateway;
    const limit = { signal: linked.signal, ...(retries !== undefined && { retries }) };
    const report = (request: RequestInfo, headers: ResponseInfo['headers'], text?: string) => {
      if (onResponse === undefined) return;
      const requestId = headers['x-request-id'];
      const body = text === undefined ? undefined : this.#redactor.redact(text);
      const redacted = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value && this.#redactor.redact(value)]),
      );
      const response = { status: request.status ?? 200, headers: redacted, requestId, body, request };
      this.#guarded('onResponse', () => onResponse(response));
    };
    const sender: Sender = {
      send: async request => {
        const hasDeadline = timeoutMs !== undefined && request.effect === 'read';
        const sending = gateway.send({ ...request, ...limit, hasDeadline });
        const response = await unlessAborted(sending, linked.signal);
        report(response.request, response.headers, response.text);
        return response;
      },
      stream: async (request, ahead) => {
        const response = await unlessAborted(gateway.stream({ ...request, ...limit }, ahead), linked.signal);
        report(response.request, response.headers);
        return response;
      },
      capacity: api => gateway.capacity(api),
    };
    return {
      sender,
      signal: linked.signal,
      typed,
      throwIfAborted: () => {
        if (linked.signal.aborted) throw typed(linked.signal.reason);
      },
      release: () => {
        clearTimeout(timer);
        linked.release();
      },
    };
  }

  /** Removes secrets from an error, in place. */
  redactError<Thrown>(error: Thrown): Thrown {
    return redactError(error, this.#redactor);
  }

  warn(text: string): void {
    this.#guarded('onWarning', () => this.settings.onWarning?.(printable(this.#redactor.redact(text))));
  }

  /** Ends the pauses of all APIs. */
  reset(): void {
    this.#gateway.reset();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the gateway was closed'));
    await this.#gateway.close();
  }

  #report({ request, attempt, elapsedMs, error, transfer }: Exchange): void {
    const { onAttempt } = this.settings;
    if (onAttempt === undefined) return;
    const receivedBytes = transfer?.wireBytes ?? 0;
    const report: Attempt = {
      request,
      attempt,
      elapsedMs,
      receivedBytes,
      ...(error !== undefined && { error: error satisfies GatectlError }),
    };
    this.#guarded('onAttempt', () => onAttempt(report));
  }

  /** Runs a hook of the caller, which may be an asynchronous function. */
  #guarded(name: string, hook: () => unknown): void {
    const warn = (error: unknown) => this.host.warnOfHook(name, error);
    try {
      const ran = hook();
      if (ran instanceof Promise) ran.catch(warn);
    } catch (error) {
      warn(error);
    }
  }
}

/** What the promise resolves to, which may wait for a key that somebody else provides. Throws the signal's reason if it aborts first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
  });
  return await Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop));
}

/** An error with a code for the reason of an abort. */
function abortOf(reason: unknown): GatectlError {
  if (reason instanceof NetworkError) return reason;
  if (reason instanceof DOMException && reason.name === 'TimeoutError')
    return new NetworkError('no result before the signal timed out', { code: 'timeout', cause: reason });
  const why = reason instanceof Error && reason.name !== 'AbortError' ? `: ${reason.message}` : '';
  return new AbortedError(`the call was aborted${why}`, { cause: reason });
}

function follow(controller: AbortController, signal: AbortSignal): void {
  if (signal.aborted) controller.abort(signal.reason);
  else
    signal.addEventListener('abort', () => controller.abort(signal.reason), {
      once: true,
      signal: controller.signal,
    });
}
