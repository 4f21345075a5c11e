import { type GatectlError, InvalidResponseError, type RequestInfo } from '../errors/index.ts';
import { parseJson } from '../json/index.ts';
import type { AttemptTimeout } from './attempt-timeout.ts';
import type { Decompress } from './carrier.ts';
import { unref } from './clock.ts';
import type { ContentEncoding } from './content-encoding.ts';
import { networkFailure } from './network-errors.ts';
import type { StreamingBody } from './streaming-response.ts';

/** Reads a body as text. Throws InvalidResponseError above `limit` bytes, and the errors of the connection. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  facts: RequestInfo,
): Promise<string> {
  return (await readDocument(body, limit, facts)).text;
}

/**
 * Reads a body as text and checks that it is valid UTF-8; invalid bytes are replaced by U+FFFD. `rest` ends a body that stops after
 * a complete JSON document.
 */
export async function readDocument(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  facts: RequestInfo,
  rest?: { readonly timer: RestTimer; readonly maxValues: number },
): Promise<{ readonly text: string; readonly isUtf8: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit, facts);
    chunks.push(chunk);
    if (mayEndJson(chunk)) rest?.timer.start(() => isJson(decodedText(joined(chunks)), rest.maxValues));
  }
  const bytes = joined(chunks);
  try {
    return { text: decodedText(bytes, true), isUtf8: true };
  } catch {
    return { text: decodedText(bytes), isUtf8: false };
  }
}

/** With `fatal`, throws TypeError for bytes that are not UTF-8. A byte order mark is left to the parser: a second one is not valid. */
function decodedText(bytes: Uint8Array, fatal = false): string {
  return new TextDecoder('utf-8', { ignoreBOM: true, fatal }).decode(bytes);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Whether the last character that is no white space may be the last one of an object or a list. */
function mayEndJson(chunk: Uint8Array): boolean {
  return /[}\]]\s*$/.test(String.fromCharCode(...chunk.subarray(-16)));
}

function isJson(text: string, maxValues: number): boolean {
  try {
    parseJson(text, maxValues);
    return true;
  } catch {
    return false;
  }
}

/** A body whose bytes and waits a detached timeout counts. */
export async function* withStallTimeout(
  body: AsyncIterable<Uint8Array>,
  timeout: AttemptTimeout,
): AsyncGenerator<Uint8Array> {
  timeout.onWait();
  for await (const chunk of body) {
    timeout.onBytes(chunk.length);
    yield chunk;
    timeout.onWait();
  }
}

interface BodyOptions {
  readonly most?: number;
  /** Called at the end of the body, with the error if it broke. */
  readonly onEnd?: (failure: GatectlError | undefined) => void;
}

/**
 * A streamed body that outlives its attempt: throws typed errors, including InvalidResponseError above `most` bytes, and releases
 * its timeout at the end.
 */
export async function* withTypedErrors(
  body: AsyncIterable<Uint8Array>,
  facts: RequestInfo,
  limit: AttemptTimeout,
  { most = Number.POSITIVE_INFINITY, onEnd }: BodyOptions = {},
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let failure: GatectlError | undefined;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > most) throw tooLarge(most, facts);
      yield chunk;
    }
  } catch (error) {
    failure = networkFailure(limit.signal.aborted ? limit.signal.reason : error, facts).error;
    throw failure;
  } finally {
    limit.release();
    onEnd?.(failure);
  }
}

function tooLarge(bytes: number, request: RequestInfo): InvalidResponseError {
  return new InvalidResponseError(`the response is larger than ${bytes / 1024 / 1024} MiB`, {
    request,
    code: 'response_too_large',
  });
}

/** The bytes of one response's body so far. */
export class Transfer {
  /** Its compression; undefined if it is not compressed. */
  readonly encoding: ContentEncoding | undefined;
  /** Bytes as received. */
  wireBytes = 0;
  readonly #decompress: Decompress | undefined;
  #decodedBytes = 0;

  constructor(encoding: ContentEncoding | undefined, decompress: Decompress | undefined) {
    this.encoding = encoding;
    this.#decompress = decompress;
  }

  /** Bytes after decoding. */
  get bytes(): number {
    return this.encoding === undefined ? this.wireBytes : this.#decodedBytes;
  }

  /** Decodes the body and counts its bytes before and after. Iterating throws DecodeError and the errors of the body. */
  decoded(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const wire = counted(body, bytes => {
      this.wireBytes += bytes;
    });
    if (this.encoding === undefined || this.#decompress === undefined) return wire;
    return counted(this.#decompress(wire, this.encoding), bytes => {
      this.#decodedBytes += bytes;
    });
  }
}

/** How long to wait for the rest of a response whose document is complete. */
const REST_MS = 1_000;

/**
 * Ends a response of which nothing more arrives although its document is complete: its Content-Length is too large, usually that of
 * the data before compression. A decoder then verifies that the compressed data is complete, too.
 */
export class RestTimer {
  readonly #body: Pick<StreamingBody, 'ended' | 'endIfIdle'>;
  readonly #transfer: Pick<Transfer, 'wireBytes'>;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(body: Pick<StreamingBody, 'ended' | 'endIfIdle'>, transfer: Pick<Transfer, 'wireBytes'>) {
    this.#body = body;
    this.#transfer = transfer;
    body.ended.then(() => {
      this.#isOver = true;
      clearTimeout(this.#timer);
    });
  }

  /** Call it when the document may be complete; `isComplete` is called if nothing more arrives. */
  start(isComplete: () => boolean = () => true): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const bytes = this.#transfer.wireBytes;
    const end = () => {
      const isIdle = this.#transfer.wireBytes === bytes;
      if (!isIdle) this.start(isComplete);
      else if (isComplete() && !this.#body.endIfIdle()) this.start(isComplete);
    };
    this.#timer = setTimeout(end, REST_MS);
    unref(this.#timer);
  }
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  add: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    add(chunk.length);
    yield chunk;
  }
}
