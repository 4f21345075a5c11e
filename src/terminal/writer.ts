import { FileError, OutputClosed } from '../errors/index.ts';
import type { Output } from './io.ts';

const CLOSED = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/**
 * The one way to stdout. Every write waits until the stream took it; a full disk is a FileError, a reader that went away
 * is OutputClosed.
 */
export class DataWriter {
  readonly #stream: Output;
  #failure: Error | undefined;

  constructor(stream: Output) {
    this.#stream = stream;
    stream.on('error', error => {
      this.#failure ??= asOurs(error);
    });
  }

  /** Throws OutputClosed or FileError. */
  async write(chunk: string | Uint8Array): Promise<void> {
    if (chunk.length === 0) return;
    if (this.#failure) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(chunk, error => {
        if (error) reject(asOurs(error));
        else resolve();
      });
    });
  }
}

function asOurs(error: Error): Error {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (CLOSED.has(code)) return new OutputClosed();
  const what = code === 'ENOSPC' ? 'the disk is full' : error.message;
  return new FileError(`could not write the answer to stdout: ${what}`, { path: 'stdout', cause: error });
}
