import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from './file-error.ts';
import type { WritableFile } from './writable-file.ts';
import { writeAll } from './write-all.ts';

/** A regular file under a name of its own until it is renamed onto its target. */
export class UnfinishedFile implements WritableFile {
  readonly path: string;
  readonly canTakeBack = true;
  position: number;
  readonly #target: string;
  readonly #unfinished: string;
  readonly #handle: FileHandle;
  #state: 'open' | 'closed' | 'gone' = 'open';

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
    await this.#named(this.#handle.sync());
    await this.#close();
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

/** A rename survives a power cut only once its folder is on the disk; systems that can't do that say so, harmlessly. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {}
}
