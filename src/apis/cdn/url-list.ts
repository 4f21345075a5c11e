import { createHash } from 'node:crypto';
import { type FileHandle, open, readSync } from '../../files/disk.ts';
import { fileError, systemCode } from '../../files/file-error.ts';
import { TextSet } from '../../files/text-set.ts';

export interface NumberedUrl {
  readonly index: number;
  readonly url: string;
}

/** A part of a list on disk with its own checksum. */
export interface ListBlock {
  /** Number of URLs, one per line. */
  readonly urls: number;
  readonly bytes: number;
  /** Of its bytes, as `checksum` writes it. */
  readonly checksum: string;
}

/** Characters of URLs per write, and per block: a damaged block is lost completely. */
const FLUSH_AT = 1 << 18;
const BLOCK_LENGTH = 1 << 15;
/** Size of the cache of compared URLs: lists repeat few URLs often, and each read from the file takes some µs. */
const CACHE_SIZE = 1 << 12;

/** The first 32 hexadecimal digits of a SHA-256. */
export function checksum(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

/** Writes unique URLs to a new file, one per line, in blocks with checksums. */
export class UrlListWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #known = new TextSet((position, url) => this.#isAt(position, url));
  readonly #blocks: ListBlock[] = [];
  #pending: string[] = [];
  /** Byte offset of each pending URL in the file. */
  #starts: number[] = [];
  #pendingLength = 0;
  #bytesWritten = 0;
  #end = 0;
  readonly #listHash = createHash('sha256');
  #compared: { readonly position: number; readonly url: string }[] = [];
  /** Number of URLs in the list. */
  total = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Creates the file, readable by this user only. Throws FileError, also if it exists. */
  static async create(path: string): Promise<UrlListWriter> {
    return new UrlListWriter(path, await wrapWriteErrors(path, () => open(path, 'wx+', 0o600)));
  }

  /** Adds a URL. Returns false for a duplicate. */
  add(url: string): boolean {
    if (!this.#known.add(url, this.#end)) return false;
    this.#pending.push(url);
    this.#starts.push(this.#end);
    this.#pendingLength += url.length;
    this.#end += Buffer.byteLength(url) + 1;
    this.total += 1;
    return true;
  }

  /** Whether to call `flush`. */
  get isFull(): boolean {
    return this.#pendingLength >= FLUSH_AT;
  }

  /** Writes the added URLs, in blocks. Throws FileError. */
  async flush(): Promise<void> {
    const blocks = inBlocks(this.#pending).map(urls => ({
      urls: urls.length,
      bytes: Buffer.from(`${urls.join('\n')}\n`),
    }));
    this.#pending = [];
    this.#starts = [];
    this.#pendingLength = 0;
    this.#bytesWritten = this.#end;
    for (const { urls, bytes } of blocks)
      this.#blocks.push({ urls, bytes: bytes.length, checksum: checksum(bytes) });
    const bytes = Buffer.concat(blocks.map(block => block.bytes));
    this.#listHash.update(bytes);
    await wrapWriteErrors(this.#path, () => this.#file.appendFile(bytes));
  }

  /** Writes the rest, with `durable` syncs it to disk, and closes the file. Throws FileError. */
  async end(
    durable: boolean,
  ): Promise<{ readonly blocks: readonly ListBlock[]; readonly listChecksum: string }> {
    await this.flush();
    await wrapWriteErrors(this.#path, async () => {
      if (durable) await this.#file.sync();
      await this.#file.close();
    });
    return { blocks: this.#blocks, listChecksum: this.#listHash.digest('hex').slice(0, 32) };
  }

  /** Closes the file without writing the rest. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  #isAt(position: number, url: string): boolean {
    if (position >= this.#bytesWritten) return this.#pending[indexOf(this.#starts, position)] === url;
    const slot = position % CACHE_SIZE;
    const compared = this.#compared[slot];
    if (compared?.position === position) return compared.url === url;
    const bytes = Buffer.from(`${url}\n`);
    const existing = Buffer.alloc(bytes.length);
    if (
      readSync(this.#file.fd, existing, 0, existing.length, position) < existing.length ||
      !existing.equals(bytes)
    )
      return false;
    this.#compared[slot] = { position, url };
    return true;
  }
}

function inBlocks(urls: readonly string[]): string[][] {
  const blocks: string[][] = [];
  let room = 0;
  for (const url of urls) {
    if (room <= 0) {
      blocks.push([]);
      room = BLOCK_LENGTH;
    }
    blocks.at(-1)?.push(url);
    room -= url.length;
  }
  return blocks;
}

/** Binary search for a number in an ascending list that contains it. */
function indexOf(ascending: readonly number[], target: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Reads a list block by block. Skips damaged blocks and passes them to `onDamage`, which may throw. Throws FileError if the file is
 * unreadable.
 */
export async function* readUrlList(
  path: string,
  blocks: readonly ListBlock[],
  onDamage: (block: ListBlock) => void,
): AsyncGenerator<readonly NumberedUrl[]> {
  const file = await openIfPresent(path);
  try {
    let [position, index] = [0, 0];
    for (const block of blocks) {
      const bytes = await bytesAt(path, file, position, block.bytes);
      if (bytes !== undefined && checksum(bytes) === block.checksum) {
        const first = index;
        const urls = bytes.toString('utf8', 0, bytes.length - 1).split('\n');
        yield urls.map((url, at) => ({ index: first + at, url }));
      } else onDamage(block);
      position += block.bytes;
      index += block.urls;
    }
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** Undefined for a missing file, which counts as damage to all blocks. */
async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(path, error, 'read');
  }
}

async function bytesAt(
  path: string,
  file: FileHandle | undefined,
  position: number,
  length: number,
): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done).catch(error => {
      // A bad sector counts as damage.
      if (systemCode(error) === 'EIO') return { bytesRead: 0 };
      throw fileError(path, error, 'read');
    });
    if (bytesRead === 0) return undefined;
    done += bytesRead;
  }
  return bytes;
}

async function wrapWriteErrors<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}
