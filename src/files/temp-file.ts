import { type FileHandle, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from './file-error.ts';
import { syncFolder } from './sync-folder.ts';
import type { WritableFile } from './writable-file.ts';
import { writeAll } from './write-all.ts';

/** A regular file under a name of its own until it is renamed onto its target. */
export class TempFile implements WritableFile {
  readonly path: string;
  readonly canTakeBack = true;
  position: number;
  readonly #target: string;
  readonly #unfinished: string;
  readonly #handle: FileHandle;
  #state: 'open' | 'closed' | 'gone' = 'open';
  /** Whether its name is surely on the disk. */
  #isInFolder = false;

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
    if (this.#isInFolder) return;
    await syncFolder(dirname(this.#unfinished));
    this.#isInFolder = true;
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

  async keep(): Promise<void> {
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
