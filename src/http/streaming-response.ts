import type { Dispatcher } from 'undici';

/** An answer whose head is there. */
export interface StreamingResponse {
  readonly status: number;
  /** Lower-case names; a repeated header is joined as HTTP allows. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: StreamingBody;
}

/** Chunks as they come, to be iterated once; iterating throws what the connection throws, and the signal's reason. */
export interface StreamingBody extends AsyncIterable<Uint8Array> {
  /** Resolves when the connection is done with it, read or not: it came, broke or was dropped. */
  readonly ended: Promise<void>;
  /** Ends the answer, however long it is: nobody wants the rest. Leaving a loop over it does the same. */
  drop(): void;
}

/** Bytes that may wait for their reader; with more, the connection waits too. */
const MOST_WAITING = 256 * 1024;

/**
 * Sends a request once and resolves when the head of its answer is there. Rejects with whatever undici throws, and with the signal's
 * reason as soon as it aborts, which holds for the body too.
 */
export async function streamingResponse(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<StreamingResponse> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new AnswerHandler(signal, resolve, reject));
  });
}

type Piece = IteratorResult<Uint8Array, undefined>;

/** What undici tells of one request, and the body that it makes of that. */
class AnswerHandler
  implements Dispatcher.DispatchHandler, StreamingBody, AsyncIterator<Uint8Array, undefined>
{
  readonly #signal: AbortSignal;
  readonly #onHead: (answer: StreamingResponse) => void;
  readonly #onFailure: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  /** What came; all before `#next` was read. */
  #pieces: Uint8Array[] = [];
  #next = 0;
  #bytesWaiting = 0;
  /** Bytes that are sure to come; where the answer says nothing of its end, any piece may be the last. */
  #bytesToCome = 0;
  /** Somebody who has read everything and waits. */
  #reader: ((piece: Piece | Promise<Piece>) => void) | undefined;
  /** What reading comes to after the last piece, once that is known. */
  #end: (() => Promise<Piece>) | undefined;
  #onEnd: () => void = () => {};
  readonly ended = new Promise<void>(resolve => {
    this.#onEnd = resolve;
  });

  constructor(
    signal: AbortSignal,
    onHead: (answer: StreamingResponse) => void,
    onFailure: (reason: unknown) => void,
  ) {
    this.#signal = signal;
    this.#onHead = onHead;
    this.#onFailure = onFailure;
    signal.addEventListener('abort', this.#onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // A request can be ended only from here on, when it has its connection.
    if (this.#signal.aborted) controller.abort(this.#signal.reason);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    const isInterim = status < 200;
    if (isInterim) return;
    this.#bytesToCome = bytesSureToCome(headers);
    this.#onHead({ status, headers: singleHeaders(headers), body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    this.#bytesToCome -= piece.length;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader({ done: false, value: piece });
      return;
    }
    this.#pieces.push(piece);
    this.#bytesWaiting += piece.length;
    // undici must not hear while it is paused that the connection ended: it takes the answer for cut, or fails an assertion.
    if (this.#bytesWaiting >= MOST_WAITING && this.#bytesToCome > 0) controller.pause();
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
    // What is on its way then comes at once, within this call.
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

  drop(): void {
    this.#forget();
    this.onResponseEnd();
    // An answer that is there as a whole is not ended: its connection may serve the next request.
    this.#controller?.abort(new Error('the rest of the answer is not wanted'));
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

/** Of the body; without end where it comes in chunks, whose end is told by the last of them. */
function bytesSureToCome(headers: Readonly<Record<string, string | string[] | undefined>>): number {
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
