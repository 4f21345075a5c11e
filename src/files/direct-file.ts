import type { FileHandle } from 'node:fs/promises';
import { BrokenPipeError, FileError } from '../errors/index.ts';
import { fileError, systemCode } from './file-error.ts';
import type { WritableFile } from './writable-file.ts';
import { writeAll } from './write-all.ts';

/** A device or pipe: bytes go out as they come, and there is nothing to rename. */
export class DirectFile implements WritableFile {
  readonly path: string;
  readonly canTakeBack = false;
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
    throw new FileError(`what was written to ${this.path} can't be taken back`, { path: this.path });
  }

  /** What went to a device or a pipe is out. */
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

  async keep(): Promise<void> {
    await this.commit();
  }
}
