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

  /** `acceptEncoding`: how responses may be compressed, unless a request says so itself. */
  constructor(network: Network, acceptEncoding: string) {
    this.#network = network;
    this.#acceptEncoding = acceptEncoding;
  }

  /** Sends a request once and resolves when the answer's head is there. Throws whatever undici throws, and the signal's reason. */
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

  /** Ends all connections at once. */
  async close(): Promise<void> {
    // One that could not be opened has nothing to end.
    const dispatcher = await this.#dispatcher?.catch(() => undefined);
    await dispatcher?.destroy();
  }

  #encodingHeader({ headers }: WireRequest): Record<string, string> {
    const isGiven = Object.keys(headers).some(name => name.toLowerCase() === 'accept-encoding');
    return isGiven ? {} : { 'Accept-Encoding': this.#acceptEncoding };
  }

  /** Loaded by the first request: undici is the dearest thing that gatectl loads. */
  async #open(url: URL, timeoutMs: number): Promise<Connections> {
    const { openDispatcher } = await import('./dispatcher.ts');
    return await openDispatcher({
      connectTimeoutMs: Math.min(timeoutMs, 10_000),
      secure: url.protocol === 'https:',
      ...this.#network,
    });
  }

  /** A proxy that hangs up on a tunnel is asked again without end by undici: only a new dispatcher stops that. */
  #dropProxy(): void {
    if (this.#network.proxy === undefined) return;
    this.#dispatcher?.then(dispatcher => dispatcher.destroy()).catch(() => {});
    this.#dispatcher = undefined;
  }
}
