import type { Dispatcher } from 'undici';
import type { Connections } from './direct-connections.ts';
import type { Network } from './dispatcher.ts';
import type { WireRequest } from './request.ts';
import { headerBytes } from './response-body.ts';
import { type StreamingResponse, streamingResponse } from './streaming-response.ts';

/** The connections to one host, opened by the first request. */
export class Transport {
  readonly #network: Network;
  readonly #acceptEncoding: string;
  #dispatcher: Promise<Connections> | undefined;

  /** `acceptEncoding` is the Accept-Encoding header, unless a request sets one. */
  constructor(network: Network, acceptEncoding: string) {
    this.#network = network;
    this.#acceptEncoding = acceptEncoding;
  }

  /**
   * Sends a request once and resolves when the head of its response was received. Throws the errors of undici, and the signal's
   * reason.
   */
  async exchange(wire: WireRequest, signal: AbortSignal, timeoutMs: number): Promise<StreamingResponse> {
    this.#dispatcher ??= this.#open(wire.url, timeoutMs);
    const request = {
      origin: wire.url.origin,
      path: `${wire.url.pathname}${wire.url.search}`,
      method: wire.method as Dispatcher.HttpMethod,
      headers: headerBytes({ ...this.#encodingHeader(wire), ...wire.headers }),
      body: wire.body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    };
    try {
      return await streamingResponse(await this.#dispatcher, request, signal);
    } catch (error) {
      if (signal.aborted) this.#dropProxy();
      throw error;
    }
  }

  /** Closes all connections immediately. */
  async close(): Promise<void> {
    // Connections that failed to open need no closing.
    const dispatcher = await this.#dispatcher?.catch(() => undefined);
    await dispatcher?.destroy();
  }

  #encodingHeader({ headers }: WireRequest): Record<string, string> {
    const isGiven = Object.keys(headers).some(name => name.toLowerCase() === 'accept-encoding');
    return isGiven ? {} : { 'Accept-Encoding': this.#acceptEncoding };
  }

  /** Loaded by the first request, because undici takes longest to load. */
  async #open(url: URL, timeoutMs: number): Promise<Connections> {
    const { openDispatcher } = await import('./dispatcher.ts');
    return await openDispatcher({
      connectTimeoutMs: Math.min(timeoutMs, 10_000),
      secure: url.protocol === 'https:',
      ...this.#network,
    });
  }

  /** undici repeats a tunnel request forever when the proxy closes the connection; a new dispatcher prevents that. */
  #dropProxy(): void {
    if (this.#network.proxy === undefined) return;
    this.#dispatcher?.then(dispatcher => dispatcher.destroy()).catch(() => {});
    this.#dispatcher = undefined;
  }
}
