import type { WritableFile } from '../files/writable-file.ts';
import { type Compression, MemberWriter } from './compression.ts';
import type { FileDigest } from './digest.ts';
import type { RowSink } from './sink.ts';

/** A file, optionally compressed, with one member per page. */
export class FileSink implements RowSink {
  readonly canTruncate: boolean;
  readonly keepsNothing = true;
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

  async takeBack(position: number): Promise<void> {
    this.#members?.abandon();
    await this.#file.truncate(position);
    this.#digest?.backToMark();
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
