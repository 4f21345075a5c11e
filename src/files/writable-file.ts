import { dirname } from 'node:path';
import { BrokenPipeError, FileError } from '../errors/index.ts';
import { type FileHandle, rename, unlink } from './disk.ts';
import { syncFolder, writeAll } from './disk-io.ts';
import { fileError, systemCode } from './file-error.ts';

/** A file that appears at its path only when it is complete. Every method throws FileError; after an error, call `discard` or `keep`. */
export interface WritableFile {
  readonly path: string;
  /** Bytes written so far. */
  readonly position: number;
  /** False for a device or pipe, where bytes cannot be removed again. */
  readonly canTruncate: boolean;
  /** Throws BrokenPipeError when the reader of a pipe closed it. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Removes the bytes after `position`. */
  truncate(position: number): Promise<void>;
  /** Flushes the bytes written so far to the disk, where there is one. Writes may continue meanwhile. */
  sync(): Promise<void>;
  /** Flushes all bytes to the disk, then replaces the file at `path` atomically. */
  commit(): Promise<void>;
  /** Closes the file and removes it. */
  discard(): Promise<void>;
  /** Closes the file and leaves the incomplete one in place, to be resumed with `partial`. */
  closeUnfinished(): Promise<void>;
}

/** A regular file with a temporary name until it is renamed to its target. */
export class TempFile implements WritableFile {
  readonly path: string;
  readonly canTruncate = true;
  position: number;
  readonly #target: string;
  readonly #unfinished: string;
  readonly #handle: FileHandle;
  #state: 'open' | 'closed' | 'gone' = 'open';
  /** Whether the folder entry was flushed to the disk. */
  #isEntrySynced = false;

  constructor(path: string, target: string, unfinished: string, handle: FileHandle, position: number) {
    this.path = path;
    this.#target = target;
    this.#unfinished = unfinished;
    this.#handle = handle;
    this.position = position;
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    this.position += await this.#named(writeAll(this.#handle, chunk, this.position));
  }

  async truncate(position: number): Promise<void> {
    await this.#named(this.#handle.truncate(position));
    this.position = position;
  }

  async sync(): Promise<void> {
    await this.#named(this.#handle.datasync());
    if (this.#isEntrySynced) return;
    await syncFolder(dirname(this.#unfinished));
    this.#isEntrySynced = true;
  }

  async commit(): Promise<void> {
    await this.#named(this.#handle.sync());
    await this.#close();
    await this.#named(rename(this.#unfinished, this.#target));
    this.#state = 'gone';
    await syncFolder(dirname(this.#target));
  }

  async discard(): Promise<void> {
    if (this.#state === 'open') await this.#close().catch(() => undefined);
    if (this.#state === 'gone') return;
    this.#state = 'gone';
    await unlink(this.#unfinished).catch(() => undefined);
  }

  async closeUnfinished(): Promise<void> {
    if (this.#state !== 'open') return;
    await this.#named(this.#handle.sync()).finally(() => this.#close());
  }

  async #close(): Promise<void> {
    this.#state = 'closed';
    await this.#named(this.#handle.close());
  }

  async #named<Value>(step: Promise<Value>): Promise<Value> {
    try {
      return await step;
    } catch (error) {
      throw fileError(this.path, error, 'write', this.position);
    }
  }
}

/** A device or pipe: bytes are written directly, and there is nothing to rename. */
export class DirectFile implements WritableFile {
  readonly path: string;
  readonly canTruncate = false;
  position = 0;
  readonly #handle: FileHandle;
  #open = true;

  constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    try {
      this.position += await writeAll(this.#handle, chunk, null);
    } catch (error) {
      if (systemCode(error) === 'EPIPE') throw new BrokenPipeError();
      throw fileError(this.path, error, 'write', this.position);
    }
  }

  async truncate(position: number): Promise<void> {
    if (position === this.position) return;
    throw new FileError(`cannot truncate ${this.path}: it is a device or pipe`, { path: this.path });
  }

  async sync(): Promise<void> {}

  async commit(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    try {
      await this.#handle.close();
    } catch (error) {
      throw fileError(this.path, error, 'write', this.position);
    }
  }

  async discard(): Promise<void> {
    await this.commit().catch(() => undefined);
  }

  async closeUnfinished(): Promise<void> {
    await this.commit();
  }
}
