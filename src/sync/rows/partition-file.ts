import { FileDigest } from '../../export/file-sink.ts';
import { ByteBuffer } from '../../export/transcode/byte-buffer.ts';
import { type FileHandle, open } from '../../files/disk.ts';
import { writeAll } from '../../files/disk-io.ts';
import { fileError } from '../../files/file-error.ts';

const FLUSH_AT = 1024 * 1024;

/** Room for rows at first: a unit may have a thousand partitions with a few rows each. */
const FIRST_BYTES = 16 * 1024;
const MOST_SPARE = 2;

const spare: ByteBuffer[] = [];

/** An empty buffer for the rows of a partition. Memory that is used again does not let V8 collect garbage. */
function takeBuffer(): ByteBuffer {
  return spare.pop() ?? new ByteBuffer(FIRST_BYTES);
}

/** Accepts a buffer that is no longer used. */
function giveBuffer(buffer: ByteBuffer): void {
  if (spare.length === MOST_SPARE) return;
  buffer.clear();
  spare.push(buffer);
}

/** A file that grows, and that can be rolled back to its last mark. Methods throw FileError. */
export class PartitionFile {
  readonly path: string;
  readonly #digest: FileDigest | undefined;
  #pending: ByteBuffer | undefined;
  #handle: FileHandle | undefined;
  #exists = false;
  #position = 0;
  #marked = 0;

  constructor(path: string, isHashed: boolean) {
    this.path = path;
    this.#digest = isHashed ? new FileDigest() : undefined;
  }

  /** What waits to be written; valid until the next `end`. */
  get pending(): ByteBuffer {
    this.#pending ??= takeBuffer();
    return this.#pending;
  }

  /** Its bytes, including those that wait. */
  get length(): number {
    return this.#position + this.#waiting;
  }

  /** The SHA-256 of what was written; undefined if it is not hashed. */
  get sha256(): string | undefined {
    return this.#digest?.hex();
  }

  /** Writes what waits, if that is much. */
  async flush(): Promise<void> {
    if (this.#waiting >= FLUSH_AT) await this.#write();
  }

  /** Writes what waits; `rollback` returns to this point. */
  async mark(): Promise<void> {
    if (this.#waiting > 0) await this.#write();
    this.#digest?.mark();
    this.#marked = this.#position;
  }

  async rollback(): Promise<void> {
    this.#pending?.clear();
    if (this.#position === this.#marked) return;
    await this.#attempt(async () => {
      const handle = await this.#open();
      await handle.truncate(this.#marked);
    });
    this.#digest?.rollbackToMark();
    this.#position = this.#marked;
  }

  /** Writes what waits and closes the file; more may follow. */
  async end(): Promise<void> {
    if (this.#waiting > 0 || !this.#exists) await this.#write();
    if (this.#pending !== undefined) giveBuffer(this.#pending);
    this.#pending = undefined;
    await this.close();
  }

  /** Closes the file without writing what waits. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await this.#attempt(async () => await handle?.close());
  }

  get #waiting(): number {
    return this.#pending?.length ?? 0;
  }

  async #write(): Promise<void> {
    const { view, length } = this.pending;
    const bytes = new Uint8Array(view.buffer, view.byteOffset, length);
    this.#digest?.add(bytes);
    await this.#attempt(async () => {
      const handle = await this.#open();
      this.#position += await writeAll(handle, bytes, this.#position);
    });
    this.pending.clear();
  }

  async #open(): Promise<FileHandle> {
    this.#handle ??= await open(this.path, this.#exists ? 'r+' : 'w');
    this.#exists = true;
    return this.#handle;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw fileError(this.path, error, 'write');
    }
  }
}
