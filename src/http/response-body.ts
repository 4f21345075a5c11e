import { isUtf8 } from 'node:buffer';
import { type GatectlError, InvalidResponseError, type RequestInfo } from '../errors/index.ts';
import type { AttemptTimeout } from './attempt-timeout.ts';
import { networkFailure } from './network-errors.ts';

/** Header values go out as UTF-8 bytes, which undici takes as Latin-1 characters. */
export function headerBytes(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]),
  );
}

/** A whole body as text. Throws InvalidResponseError above `limit` bytes, and what the connection throws. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  facts: RequestInfo,
): Promise<string> {
  return (await readDocument(body, limit, facts)).text;
}

/** The same, and whether it is valid UTF-8; in `text` U+FFFD stands for what is not. */
export async function readDocument(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  facts: RequestInfo,
): Promise<{ readonly text: string; readonly isUtf8: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit, facts);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return { text: new TextDecoder().decode(bytes), isUtf8: isUtf8(bytes) };
}

/** A body as it comes over the network: a detached timeout counts what is waited for and what comes. */
export async function* watched(
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

interface GuardOptions {
  readonly most?: number;
  /** Called at the end of the body, with what broke it. */
  readonly onEnd?: (failure: GatectlError | undefined) => void;
}

/**
 * A body that streams on beyond its attempt: it throws typed errors, above `most` bytes InvalidResponseError, and releases its timeout
 * at its end.
 */
export async function* guarded(
  body: AsyncIterable<Uint8Array>,
  facts: RequestInfo,
  limit: AttemptTimeout,
  { most = Number.POSITIVE_INFINITY, onEnd }: GuardOptions = {},
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
