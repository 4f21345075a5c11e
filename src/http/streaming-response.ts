import type { Dispatcher } from 'undici';

/** A response whose head was received. */
export interface StreamingResponse {
  readonly status: number;
  /** Lower-case names; a repeated header is joined as HTTP allows. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: StreamingBody;
}

/** Chunks as they arrive, to be iterated once; iterating throws the errors of the connection, and the signal's reason. */
export interface StreamingBody extends AsyncIterable<Uint8Array> {
  /** Resolves when the body was received, broke or was dropped, read or not. */
  readonly ended: Promise<void>;
  /** Ends the response, as if complete, if its reader has read everything that arrived and waits for more. Returns whether it did. */
  endIfIdle(): boolean;
  /** Ends the response without reading the rest; leaving a loop over it does the same. */
  drop(): void;
}

/** Maximum bytes that wait to be read; with more, the connection is paused. */
const MOST_WAITING = 256 * 1024;

/**
 * Sends a request once and resolves when the head of its response was received. Rejects with the errors of undici, and with the
 * signal's reason when it aborts; so does the body. `onConnection` is called when the request has a connection.
 */
export async function streamingResponse(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  onConnection: () => void = () => {},
): Promise<StreamingResponse> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new ResponseHandler(signal, resolve, reject, onConnection));
  });
}

type Piece = IteratorResult<Uint8Array, undefined>;

/** Receives undici's callbacks for one request and turns them into a body. */
class ResponseHandler
  implements Dispatcher.DispatchHandler, StreamingBody, AsyncIterator<Uint8Array, undefined>
{
  readonly #signal: AbortSignal;
  readonly #onHead: (response: StreamingResponse) => void;
  readonly #onFailure: (reason: unknown) => void;
  readonly #onConnection: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  /** Received pieces; those before `#next` were read. */
  #pieces: Uint8Array[] = [];
  #next = 0;
  #bytesWaiting = 0;
  /** Bytes that must still arrive; 0 if the response does not state its length. */
  #bytesExpected = 0;
  /** A reader that waits for the next piece. */
  #reader: ((piece: Piece | Promise<Piece>) => void) | undefined;
  /** The result of reading after the last piece, once known. */
  #end: (() => Promise<Piece>) | undefined;
  #onEnd: () => void = () => {};
  readonly ended = new Promise<void>(resolve => {
    this.#onEnd = resolve;
  });

  constructor(
    signal: AbortSignal,
    onHead: (response: StreamingResponse) => void,
    onFailure: (reason: unknown) => void,
    onConnection: () => void,
  ) {
    this.#onConnection = onConnection;
    this.#signal = signal;
    this.#onHead = onHead;
    this.#onFailure = onFailure;
    signal.addEventListener('abort', this.#onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#onConnection();
    // From here on, the request has a connection and can be aborted.
    if (this.#signal.aborted) controller.abort(this.#signal.reason);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    const isInterim = status < 200;
    if (isInterim) return;
    this.#bytesExpected = expectedBytes(headers);
    this.#onHead({ status, headers: singleHeaders(headers), body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    this.#bytesExpected -= piece.length;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader({ done: false, value: piece });
      return;
    }
    this.#pieces.push(piece);
    this.#bytesWaiting += piece.length;
    // While paused, undici must not notice the end of the connection: it would report a truncated response, or fail an assertion.
    if (this.#bytesWaiting >= MOST_WAITING && this.#bytesExpected > 0) controller.pause();
  }

  onResponseEnd(): void {
    this.#finish(() => Promise.resolve({ done: true, value: undefined }));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return this;
  }

  next(): Promise<Piece> {
    // Pending bytes then arrive immediately, within this call.
    if (this.#next === this.#pieces.length) this.#controller?.resume();
    const value = this.#pieces[this.#next];
    if (value !== undefined) {
      this.#next += 1;
      this.#bytesWaiting -= value.length;
      if (this.#next === this.#pieces.length) this.#forget();
      return Promise.resolve({ done: false, value });
    }
    if (this.#end !== undefined) return this.#end();
    return new Promise(resolve => {
      this.#reader = resolve;
    });
  }

  return(): Promise<Piece> {
    this.drop();
    return Promise.resolve({ done: true, value: undefined });
  }

  endIfIdle(): boolean {
    if (this.#reader === undefined) return false;
    this.drop();
    return true;
  }

  drop(): void {
    this.#forget();
    this.onResponseEnd();
    // A response that was received completely is not aborted, so that its connection can be reused.
    this.#controller?.abort(new Error('the rest of the response is not needed'));
  }

  readonly #onAbort = () => {
    this.#forget();
    this.#fail(this.#signal.reason);
    this.#controller?.abort(this.#signal.reason);
  };

  #fail(reason: unknown): void {
    this.#onFailure(reason);
    this.#finish(() => Promise.reject(reason));
  }

  #finish(end: () => Promise<Piece>): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#onEnd();
    this.#takeReader()?.(end());
  }

  #takeReader(): ((piece: Piece | Promise<Piece>) => void) | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }

  #forget(): void {
    this.#pieces = [];
    this.#next = 0;
    this.#bytesWaiting = 0;
  }
}

/** The length of the body; infinite for chunked encoding, whose last chunk marks the end. */
function expectedBytes(headers: Readonly<Record<string, string | string[] | undefined>>): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}

function singleHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
