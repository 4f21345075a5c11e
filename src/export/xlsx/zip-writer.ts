import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { ZipFile } from 'yazl';
import type { WritableFile } from '../../files/writable-file.ts';

/** A higher level takes nearly twice the time for a file that is 15 % smaller. */
const COMPRESSION_LEVEL = 1;

/** Writes a ZIP archive to a file, one part after the other, in constant memory. After an error, only `abandon` may be called. */
export class ZipWriter {
  readonly #zip = new ZipFile();
  readonly #options = entryOptions();
  readonly #written: Promise<void>;
  /** Aborted with what prevented the bytes from reaching the file, so that no writer waits forever. */
  readonly #failure = new AbortController();
  #part: PassThrough | undefined;

  constructor(file: Pick<WritableFile, 'write'>) {
    this.#zip.on('error', error => this.#failure.abort(error));
    this.#written = pump(this.#zip.outputStream, file);
    this.#written.catch(error => this.#failure.abort(error));
  }

  /** Starts a part and ends the previous one. */
  begin(name: string): void {
    this.#part?.end();
    this.#part = new PassThrough();
    this.#zip.addReadStream(this.#part, name, this.#options);
  }

  /** Appends to the part; `bytes` must not change any more. Throws FileError. */
  async write(bytes: Uint8Array | string): Promise<void> {
    const { signal } = this.#failure;
    signal.throwIfAborted();
    if (this.#part === undefined || this.#part.write(bytes)) return;
    await once(this.#part, 'drain', { signal }).catch(error => {
      throw signal.aborted ? signal.reason : error;
    });
  }

  /** Resolves when the file has all bytes. Throws FileError. */
  async end(): Promise<void> {
    this.#part?.end();
    this.#zip.end();
    await this.#written;
  }

  /** Stops writing, and resolves once nothing reaches the file any more. */
  async abandon(): Promise<void> {
    this.#part?.destroy();
    (this.#zip.outputStream as PassThrough).destroy();
    await this.#written.catch(() => undefined);
  }
}

async function pump(stream: NodeJS.ReadableStream, file: Pick<WritableFile, 'write'>): Promise<void> {
  for await (const chunk of stream) await file.write(chunk as Uint8Array);
}

/** The same for every entry and file, so that the same content gives the same bytes. The archive has local times. */
function entryOptions() {
  const mtime = new Date(1981, 0, 1);
  return { mtime, mode: 0o100644, forceDosTimestamp: true, compressionLevel: COMPRESSION_LEVEL };
}
