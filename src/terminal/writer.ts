import { BrokenPipeError, FileError } from '../errors/index.ts';
import type { Io, Output } from './io.ts';

const CLOSED = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EBADF: 'it is not open for writing',
};

/** Bytes that are written without a stream: an empty pipe accepts as many without blocking. */
const SYNC_BYTES = 16 * 1024;

/**
 * All output to stdout passes through here. Every write waits until stdout accepted it. A full disk throws FileError, a closed
 * pipe BrokenPipeError. Short output is written synchronously, because creating the stream takes Node 2 ms.
 */
export class DataWriter {
  readonly #io: Pick<Io, 'stdout' | 'writeSync'>;
  #syncBytesLeft = SYNC_BYTES;
  #stream: Output | undefined;
  #failure: Error | undefined;

  constructor(io: Pick<Io, 'stdout' | 'writeSync'>) {
    this.#io = io;
  }

  /** Throws BrokenPipeError or FileError. */
  async write(chunk: string | Uint8Array): Promise<void> {
    const rest = this.#stream === undefined ? this.#writeSync(chunk) : chunk;
    if (rest.length === 0) return;
    if (this.#failure) throw this.#failure;
    this.#stream ??= this.#open();
    const stream = this.#stream;
    await new Promise<void>((resolve, reject) => {
      stream.write(rest, error => {
        if (error) reject(outputError(error));
        else resolve();
      });
    });
  }

  #writeSync(chunk: string | Uint8Array): string | Uint8Array {
    this.#syncBytesLeft -= chunk.length;
    return this.#syncBytesLeft < 0 ? chunk : this.#io.writeSync(chunk);
  }

  #open(): Output {
    return this.#io.stdout.on('error', error => {
      this.#failure ??= outputError(error);
    });
  }
}

function outputError(error: Error): Error {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (CLOSED.has(code)) return new BrokenPipeError();
  const what = REASONS[code] ?? error.message;
  return new FileError(`cannot write to stdout: ${what}`, { path: 'stdout', cause: error });
}
