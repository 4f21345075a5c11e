import type { Dispatcher } from 'undici';
import type { Carrier } from './carrier.ts';
import type { Connect } from './connector.ts';
import type { ContentEncoding } from './content-encoding.ts';
import type { Connections } from './direct-connections.ts';
import type { Network } from './dispatcher.ts';
import { headerBytes, type WireRequest } from './request.ts';
import { type StreamingResponse, streamingResponse } from './streaming-response.ts';

/** Connections and the requests that use them. */
interface Opened {
  readonly connections: Promise<Connections>;
  /** Requests whose response is not complete. */
  inFlight: number;
  /** Whether no more requests may use it, so that it is closed after the last one. */
  isRetired: boolean;
}

/** The connections to one host, opened by the first request. */
export class Transport implements Carrier {
  readonly #network: Pick<Network, 'userAgent' | 'proxy'>;
  readonly #acceptEncoding: string;
  readonly #connect: Connect;
  /** Those that requests use, and those that are retired. */
  readonly #all = new Set<Opened>();
  #current: Opened | undefined;

  /** `acceptEncoding` is the Accept-Encoding header, unless a request sets one. */
  constructor(network: Pick<Network, 'userAgent' | 'proxy'>, acceptEncoding: string, connect: Connect) {
    this.#network = network;
    this.#acceptEncoding = acceptEncoding;
    this.#connect = connect;
  }

  /**
   * Sends a request once and resolves when the head of its response was received. Throws the errors of undici, and the signal's
   * reason.
   */
  async exchange(wire: WireRequest, signal: AbortSignal, timeoutMs: number): Promise<StreamingResponse> {
    this.#current ??= this.#open(wire.url, timeoutMs);
    const opened = this.#current;
    const request = {
      origin: wire.url.origin,
      path: `${wire.url.pathname}${wire.url.search}`,
      method: wire.method as Dispatcher.HttpMethod,
      headers: headerBytes(this.#withDefaults(wire.headers)),
      body: wire.body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    };
    let hasConnection = false;
    opened.inFlight += 1;
    try {
      const response = await streamingResponse(await opened.connections, request, signal, () => {
        hasConnection = true;
      });
      response.body.ended.then(() => this.#leave(opened));
      return response;
    } catch (error) {
      if (signal.aborted && !hasConnection) this.#retire(opened);
      this.#leave(opened);
      throw error;
    }
  }

  /** The decoder is loaded by the first compressed response, because short commands rarely need it. */
  async *decompress(body: AsyncIterable<Uint8Array>, encoding: ContentEncoding): AsyncGenerator<Uint8Array> {
    const { decompressed } = await import('./decompress.ts');
    yield* decompressed(body, encoding);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(opened => this.#destroy(opened)));
  }

  /** Adds the headers that each request has unless it sets them itself, in whatever case. */
  #withDefaults(headers: WireRequest['headers']): Record<string, string> {
    const defaults = { 'Accept-Encoding': this.#acceptEncoding, 'User-Agent': this.#network.userAgent };
    const given = new Set(Object.keys(headers).map(name => name.toLowerCase()));
    const missing = Object.entries(defaults).filter(([name]) => !given.has(name.toLowerCase()));
    return { ...Object.fromEntries(missing), ...headers };
  }

  #open(url: URL, timeoutMs: number): Opened {
    const opened = { connections: this.#connect(url, timeoutMs), inFlight: 0, isRetired: false };
    this.#all.add(opened);
    return opened;
  }

  /**
   * undici repeats a tunnel request forever when the proxy closes the connection; the next requests use a new dispatcher, which
   * prevents that, and those in flight finish.
   */
  #retire(opened: Opened): void {
    if (this.#network.proxy === undefined) return;
    opened.isRetired = true;
    if (this.#current === opened) this.#current = undefined;
  }

  #leave(opened: Opened): void {
    opened.inFlight -= 1;
    if (opened.isRetired && opened.inFlight === 0) this.#destroy(opened);
  }

  async #destroy(opened: Opened): Promise<void> {
    this.#all.delete(opened);
    // Connections that failed to open need no closing.
    const connections = await opened.connections.catch(() => undefined);
    await connections?.destroy();
  }
}
