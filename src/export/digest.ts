import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { fileError } from '../files/file-error.ts';

/** The SHA-256 of a file while it is written; it can return to its last mark, as the file can. */
export class FileDigest {
  #hash: Hash = createHash('sha256');
  #marked: Hash = this.#hash.copy();

  /** The digest of a file's first bytes. Throws FileError. */
  static async ofFile(path: string, bytes: number): Promise<FileDigest> {
    const digest = new FileDigest();
    if (bytes === 0) return digest;
    try {
      for await (const chunk of createReadStream(path, { end: bytes - 1, highWaterMark: 1 << 20 }))
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

  backToMark(): void {
    this.#hash = this.#marked.copy();
  }

  hex(): string {
    return this.#hash.copy().digest('hex');
  }
}
