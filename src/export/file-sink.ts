import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';
import type { WritableFile } from '../files/writable-file.ts';
import { type Compression, MemberWriter } from './compression.ts';
import type { RowSink } from './sink.ts';

/** A hash of large pieces takes less time; a buffer larger than its file is garbage. */
const MOST_READ_BYTES = 1 << 20;

/** A file, optionally compressed, with one member per page. */
export class FileSink implements RowSink {
  readonly canTruncate: boolean;
  readonly releasesChunks = true;
  readonly #file: WritableFile;
  readonly #digest: FileDigest | undefined;
  readonly #members: MemberWriter | undefined;

  constructor(file: WritableFile, compression: Compression | undefined, digest: FileDigest | undefined) {
    this.#file = file;
    this.#digest = digest;
    this.canTruncate = file.canTruncate;
    if (compression !== undefined) this.#members = new MemberWriter(compression, chunk => this.#put(chunk));
  }

  async write(chunk: Uint8Array): Promise<void> {
    await (this.#members?.write(chunk) ?? this.#put(chunk));
  }

  async endPage(): Promise<number> {
    await this.#members?.endMember();
    this.#digest?.mark();
    return this.#file.position;
  }

  async rollback(position: number): Promise<void> {
    this.#members?.abandon();
    await this.#file.truncate(position);
    this.#digest?.rollbackToMark();
  }

  /** Writes what makes an empty file valid in its format. */
  async complete(): Promise<void> {
    if (this.#file.position === 0) await this.#members?.emptyMember();
  }

  async #put(chunk: Uint8Array): Promise<void> {
    await this.#file.write(chunk);
    this.#digest?.add(chunk);
  }
}

/** The SHA-256 of a file while it is written; it can return to its last mark, as the file can. */
export class FileDigest {
  #hash: Hash = createHash('sha256');
  #marked: Hash = this.#hash.copy();

  /** The digest of a file's first bytes. Throws FileError. */
  static async ofFile(path: string, bytes: number): Promise<FileDigest> {
    const digest = new FileDigest();
    if (bytes === 0) return digest;
    try {
      for await (const chunk of createReadStream(path, {
        end: bytes - 1,
        highWaterMark: Math.min(bytes, MOST_READ_BYTES),
      }))
        digest.add(chunk as Uint8Array);
    } catch (error) {
      throw fileError(path, error, 'read');
    }
    digest.mark();
    return digest;
  }

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  mark(): void {
    this.#marked = this.#hash.copy();
  }

  rollbackToMark(): void {
    this.#hash = this.#marked.copy();
  }

  hex(): string {
    return this.#hash.copy().digest('hex');
  }
}
