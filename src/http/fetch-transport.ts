import type { Carrier } from './carrier.ts';
import { FetchFailed } from './network-errors.ts';
import { headerBytes, type WireRequest } from './request.ts';
import type { StreamingBody, StreamingResponse } from './streaming-response.ts';

/** Sends requests with a `fetch`, which decides about connections and decodes bodies. */
export class FetchTransport implements Carrier {
  readonly #fetch: typeof fetch;
  readonly #defaults: Readonly<Record<string, string>>;

  /** `defaults` are headers of each request that sets no others. */
  constructor(send: typeof fetch, defaults: Readonly<Record<string, string>>) {
    this.#fetch = send;
    this.#defaults = defaults;
  }

  async exchange(
    { url, method, headers, body }: WireRequest,
    signal: AbortSignal,
  ): Promise<StreamingResponse> {
    signal.throwIfAborted();
    const send = this.#fetch;
    const init = {
      method,
      headers: headerBytes({ ...this.#defaults, ...headers }),
      body: body ?? null,
      signal,
    };
    try {
      // A redirect must not take the key elsewhere.
      const response = await send(url.href, { ...init, redirect: 'manual' });
      // The body is decoded, and the header would name a compression that it no longer has.
      const { 'content-encoding': _, ...rest } = Object.fromEntries(response.headers);
      return { status: response.status, headers: rest, body: new FetchedBody(response.body, signal) };
    } catch (error) {
      throw signal.aborted ? signal.reason : failed(error);
    }
  }

  async close(): Promise<void> {}
}

/** A body that is read from a stream. */
class FetchedBody implements StreamingBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #signal: AbortSignal;
  #isWaiting = false;
  #onEnd: () => void = () => {};
  readonly ended = new Promise<void>(resolve => {
    this.#onEnd = resolve;
  });

  constructor(stream: Response['body'], signal: AbortSignal) {
    this.#reader = stream?.getReader();
    this.#signal = signal;
    signal.addEventListener('abort', () => this.drop(), { once: true });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, undefined> {
    try {
      for (;;) {
        const piece = await this.#read();
        if (piece === undefined) return;
        yield piece;
      }
    } finally {
      this.drop();
    }
  }

  endIfIdle(): boolean {
    if (this.#isWaiting) this.drop();
    return this.#isWaiting;
  }

  drop(): void {
    // A pending read then ends as if the body were complete. A stream that broke cannot be cancelled.
    this.#reader?.cancel().catch(() => {});
    this.#onEnd();
  }

  async #read(): Promise<Uint8Array | undefined> {
    this.#isWaiting = true;
    try {
      const piece = await this.#reader?.read();
      this.#signal.throwIfAborted();
      return piece?.value;
    } catch (error) {
      throw this.#signal.aborted ? this.#signal.reason : failed(error);
    } finally {
      this.#isWaiting = false;
    }
  }
}

function failed(cause: unknown): FetchFailed {
  return new FetchFailed(cause instanceof Error ? cause.message : String(cause), { cause });
}
