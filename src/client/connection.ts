import { setMaxListeners } from 'node:events';
import { gatewayNetwork } from '../config/network.ts';
import type { GatectlError } from '../errors/index.ts';
import type { Exchange } from '../http/attempt.ts';
import { Gateway as HttpGateway } from '../http/gateway.ts';
import type { Sender } from '../http/sender.ts';
import { printable } from '../text/printable.ts';
import { Redactor } from '../text/redactor.ts';
import { brandNames } from '../wire/brand.ts';
import type { Attempt, CallOptions } from './options.ts';
import { redactError } from './redact-error.ts';
import { CLOCK, platform, warnOfHook } from './runtime.ts';
import type { ClientSettings } from './settings.ts';

/** Connections, limits and retries to one gateway, shared by the calls of each API. */
export class Connection {
  readonly settings: ClientSettings;
  readonly #gateway: HttpGateway;
  readonly #redactor = new Redactor();
  readonly #closing = new AbortController();

  constructor(settings: ClientSettings) {
    this.settings = settings;
    const { baseUrl, proxy, insecureHttp, ca, userAgent, signal } = settings;
    if (signal !== undefined) follow(this.#closing, signal);
    setMaxListeners(0, this.#closing.signal);
    const redactor = this.#redactor;
    const env = proxy ? platform().env : undefined;
    this.#gateway = new HttpGateway({
      ...settings,
      clock: CLOCK,
      redactor,
      signal: this.#closing.signal,
      network: gatewayNetwork(baseUrl, { env, ca, userAgent, insecureHttp, redactor }),
      trace: exchange => this.#report(exchange),
    });
  }

  get clock() {
    return CLOCK;
  }

  /** Aborts when the gateway is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  get brand() {
    return brandNames(this.settings.brand);
  }

  /** Sends requests that the signal of a call aborts. */
  sender({ signal }: CallOptions): Sender {
    const gateway = this.#gateway;
    if (signal === undefined) return gateway;
    // One signal may abort many calls.
    setMaxListeners(0, signal);
    return {
      send: request => gateway.send({ ...request, signal }),
      stream: (request, ahead) => gateway.stream({ ...request, signal }, ahead),
      capacity: api => gateway.capacity(api),
    };
  }

  /**
   * Runs a call whose errors contain no secret. A reader's identity is known for as long as the call runs: a server has many readers.
   */
  async run<Result>(call: () => Promise<Result>, reader?: string): Promise<Result> {
    if (reader !== undefined) this.#redactor.add(reader);
    try {
      return await call();
    } catch (error) {
      throw this.redactError(error);
    } finally {
      if (reader !== undefined) this.#redactor.remove(reader);
    }
  }

  /** Removes secrets from an error, in place. */
  redactError<Thrown>(error: Thrown): Thrown {
    return redactError(error, this.#redactor);
  }

  warn(text: string): void {
    guarded('onWarning', () => this.settings.onWarning?.(printable(this.#redactor.redact(text))));
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
    guarded('onAttempt', () => onAttempt(report));
  }
}

function follow(controller: AbortController, signal: AbortSignal): void {
  if (signal.aborted) controller.abort(signal.reason);
  else
    signal.addEventListener('abort', () => controller.abort(signal.reason), {
      once: true,
      signal: controller.signal,
    });
}

/** Runs a hook of the caller. */
function guarded(name: string, hook: () => void): void {
  try {
    hook();
  } catch (error) {
    warnOfHook(name, error);
  }
}
