import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { fileError, systemCode } from '../../files/file-error.ts';
import { TextSet } from '../../files/text-set.ts';

export interface NumberedUrl {
  readonly index: number;
  readonly url: string;
}

/** A part of a list on disk that is checked by itself. */
export interface ListBlock {
  /** URLs in it, one a line. */
  readonly urls: number;
  readonly bytes: number;
  /** Of its bytes, as `checksum` writes it. */
  readonly checksum: string;
}

/** Characters of URLs that are written at once, and those of a block: the smaller it is, the less is lost with it. */
const FLUSH_AT = 1 << 18;
const BLOCK_LENGTH = 1 << 15;
/** Repeated URLs whose comparison is remembered: a log repeats few URLs often, and each look into the file takes some µs. */
const REMEMBERED = 1 << 12;

/** The first 32 hexadecimal digits of a SHA-256. */
export function checksum(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

/** Writes URLs into a new file, each once and one a line, in blocks that can be checked. */
export class UrlListWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #known = new TextSet((position, url) => this.#isAt(position, url));
  readonly #blocks: ListBlock[] = [];
  #waiting: string[] = [];
  /** Where each waiting URL will start in the file, in bytes. */
  #starts: number[] = [];
  #waitingLength = 0;
  #bytesWritten = 0;
  #end = 0;
  readonly #listHash = createHash('sha256');
  #compared: { readonly position: number; readonly url: string }[] = [];
  /** URLs in the list. */
  total = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Creates the file for this user alone. Throws FileError, also where it is there already. */
  static async create(path: string): Promise<UrlListWriter> {
    return new UrlListWriter(path, await written(path, () => open(path, 'wx+', 0o600)));
  }

  /** Adds a URL. False for one that is in the list already. */
  add(url: string): boolean {
    if (!this.#known.add(url, this.#end)) return false;
    this.#waiting.push(url);
    this.#starts.push(this.#end);
    this.#waitingLength += url.length;
    this.#end += Buffer.byteLength(url) + 1;
    this.total += 1;
    return true;
  }

  /** True when it is time to `flush`. */
  get isFull(): boolean {
    return this.#waitingLength >= FLUSH_AT;
  }

  /** Writes what was added, in blocks. Throws FileError. */
  async flush(): Promise<void> {
    const blocks = inBlocks(this.#waiting).map(urls => ({
      urls: urls.length,
      bytes: Buffer.from(`${urls.join('\n')}\n`),
    }));
    this.#waiting = [];
    this.#starts = [];
    this.#waitingLength = 0;
    this.#bytesWritten = this.#end;
    for (const { urls, bytes } of blocks)
      this.#blocks.push({ urls, bytes: bytes.length, checksum: checksum(bytes) });
    const bytes = Buffer.concat(blocks.map(block => block.bytes));
    this.#listHash.update(bytes);
    await written(this.#path, () => this.#file.appendFile(bytes));
  }

  /** Writes the rest and closes the file; with `durable`, once it is on the disk. Throws FileError. */
  async end(
    durable: boolean,
  ): Promise<{ readonly blocks: readonly ListBlock[]; readonly listChecksum: string }> {
    await this.flush();
    await written(this.#path, async () => {
      if (durable) await this.#file.sync();
      await this.#file.close();
    });
    return { blocks: this.#blocks, listChecksum: this.#listHash.digest('hex').slice(0, 32) };
  }

  /** Closes the file as it is. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  #isAt(position: number, url: string): boolean {
    if (position >= this.#bytesWritten) return this.#waiting[indexOf(this.#starts, position)] === url;
    const place = position % REMEMBERED;
    const compared = this.#compared[place];
    if (compared?.position === position) return compared.url === url;
    const bytes = Buffer.from(`${url}\n`);
    const there = Buffer.alloc(bytes.length);
    if (readSync(this.#file.fd, there, 0, there.length, position) < there.length || !there.equals(bytes))
      return false;
    this.#compared[place] = { position, url };
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

/** The index of a number in a rising list that holds it. */
function indexOf(rising: readonly number[], wanted: number): number {
  let [low, high] = [0, rising.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Reads a list block by block. A block whose bytes are not what was written is skipped, and `onDamage` gets its block, or
 * throws. Throws FileError for what can't be read.
 */
export async function* readUrlList(
  path: string,
  blocks: readonly ListBlock[],
  onDamage: (block: ListBlock) => void,
): AsyncGenerator<readonly NumberedUrl[]> {
  const file = await opened(path);
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
    await file?.close();
  }
}

/** Undefined for a file that is gone: all its blocks are. */
async function opened(path: string): Promise<FileHandle | undefined> {
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
      // A bad sector is damage like any other.
      if (systemCode(error) === 'EIO') return { bytesRead: 0 };
      throw fileError(path, error, 'read');
    });
    if (bytesRead === 0) return undefined;
    done += bytesRead;
  }
  return bytes;
}

async function written<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}
