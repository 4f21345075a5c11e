import { BrokenPipeError, FileError } from '../errors/index.ts';
import type { Io, Output } from './io.ts';

const CLOSED = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EBADF: 'it is not open for writing',
};

/** Bytes that go out without a stream: an empty pipe takes so many without making gatectl wait. */
const AT_ONCE = 16 * 1024;

/**
 * The one way to stdout. Every write waits until stdout took it; a full disk is a FileError, a reader that went away is
 * BrokenPipeError. A short answer goes out at once; the stream, which takes Node 2 ms to make, is for what comes after.
 */
export class DataWriter {
  readonly #io: Pick<Io, 'stdout' | 'writeSync'>;
  #roomAtOnce = AT_ONCE;
  #stream: Output | undefined;
  #failure: Error | undefined;

  constructor(io: Pick<Io, 'stdout' | 'writeSync'>) {
    this.#io = io;
  }

  /** Throws BrokenPipeError or FileError. */
  async write(chunk: string | Uint8Array): Promise<void> {
    const rest = this.#stream === undefined ? this.#printed(chunk) : chunk;
    if (rest.length === 0) return;
    if (this.#failure) throw this.#failure;
    this.#stream ??= this.#open();
    const stream = this.#stream;
    await new Promise<void>((resolve, reject) => {
      stream.write(rest, error => {
        if (error) reject(asOurs(error));
        else resolve();
      });
    });
  }

  #printed(chunk: string | Uint8Array): string | Uint8Array {
    this.#roomAtOnce -= chunk.length;
    return this.#roomAtOnce < 0 ? chunk : this.#io.writeSync(chunk);
  }

  #open(): Output {
    return this.#io.stdout.on('error', error => {
      this.#failure ??= asOurs(error);
    });
  }
}

function asOurs(error: Error): Error {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (CLOSED.has(code)) return new BrokenPipeError();
  const what = REASONS[code] ?? error.message;
  return new FileError(`could not write the answer to stdout: ${what}`, { path: 'stdout', cause: error });
}
