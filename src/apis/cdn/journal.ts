import { basename, dirname, join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { invariant } from '../../errors/invariant.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { open, readdir, rename } from '../../files/disk.ts';
import { syncFolder, writeAllSync } from '../../files/disk-io.ts';
import { fileError } from '../../files/file-error.ts';
import { makePrivateFolder, removeFolder } from '../../files/folders.ts';
import { isMissing, namesIfThere, textIfThere } from '../../files/if-there.ts';
import { checksum, type ListBlock, type NumberedUrl, readUrlList, UrlListWriter } from './url-list.ts';

/** The account of a purge: only the same account may resume it. */
export interface PurgeOwner {
  /** Scheme, host and path of the gateway. */
  readonly baseUrl: string;
  readonly profile?: string;
  /** The domain that the URLs were checked against. */
  readonly domain?: string;
  /** A keyed hash that identifies the API key, and its random salt. */
  readonly key: { readonly salt: string; readonly hash: string };
}

/** The header of a journal. */
export interface JournalHead {
  readonly version: 1;
  readonly owner: PurgeOwner;
  /** What its lines are; URLs, where it is missing. */
  readonly what?: 'key';
  readonly total: number;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Checksum of all URLs, in order. */
  readonly listChecksum: string;
  readonly blocks: readonly ListBlock[];
}

/** An interrupted purge: one that can be resumed, or one with a damaged head, and the problem. */
type UnfinishedPurge =
  | { readonly journal: PurgeJournal; readonly head: JournalHead }
  | { readonly folder: string; readonly problem: string };

const VERSION = 1;
/** The first letters of the name of a journal that is being deleted. */
const REMOVED = '.removed-';

/**
 * A purge on disk: `urls`, the list to clear, one per line; `head`, written once the list is complete; and `done`, the confirmed
 * ranges of the list. All are verified by checksums when they are read. `test/models/journal.pml` is a model of this.
 */
export class PurgeJournal {
  readonly folder: string;
  #list: UrlListWriter | undefined;
  #blocks: readonly ListBlock[] = [];
  #listChecksum = '';
  /** Checksum of the head, which binds ranges to their journal. */
  #seal = '';
  #done: ReturnType<typeof open> | undefined;
  #total = 0;
  /** Whether the purge can be resumed. */
  isSealed = false;
  /** Whether it may have a head, also where that could not be flushed. */
  #mayHaveHead = false;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates a journal in a new folder, readable by this user only. Throws FileError. */
  static async create(folder: string): Promise<PurgeJournal> {
    await makePrivateFolder(folder);
    const journal = new PurgeJournal(folder);
    journal.#list = await UrlListWriter.create(join(folder, 'urls'));
    return journal;
  }

  /** The interrupted purges in a folder, oldest first. One without a head and without confirmed ranges sent nothing. Throws FileError. */
  static async unfinished(parent: string): Promise<UnfinishedPurge[]> {
    const names = await namesIfThere(parent);
    const journals = names.filter(name => !name.startsWith('.') && !name.endsWith('.lock'));
    const found = journals.map(async (name): Promise<UnfinishedPurge | undefined> => {
      const folder = join(parent, name);
      return await PurgeJournal.#open(folder).catch(error => ({ folder, problem: error.message }));
    });
    return (await Promise.all(found)).filter(each => each !== undefined);
  }

  /** Whether a process stopped before it completed the list of a journal: it sent nothing, and nothing can be resumed. */
  static async isUnsealed(folder: string): Promise<boolean> {
    const parts = await Promise.all(['head', 'done'].map(name => textIfThere(join(folder, name))));
    return parts.every(text => text === undefined);
  }

  static async #open(folder: string): Promise<UnfinishedPurge | undefined> {
    const text = await textIfThere(join(folder, 'head'));
    if (text === undefined) {
      const done = await textIfThere(join(folder, 'done'));
      return done === undefined ? undefined : { folder, problem: 'its head is missing' };
    }
    const [json = '', seal = ''] = text.split('\n');
    if (checksum(json) !== seal) return { folder, problem: 'its head is damaged' };
    const head = JSON.parse(json) as JournalHead | null;
    if (head?.version !== VERSION) return { folder, problem: 'it was written by another version of gatectl' };
    const journal = new PurgeJournal(folder);
    journal.#blocks = head.blocks;
    journal.#seal = seal;
    journal.#total = head.total;
    journal.isSealed = true;
    journal.#mayHaveHead = true;
    return { journal, head };
  }

  /** The file with the URLs, one per line, once the list is complete. */
  get listPath(): string {
    return join(this.folder, 'urls');
  }

  /** Number of URLs in the list. */
  get total(): number {
    return this.#list?.total ?? this.#total;
  }

  /** Adds a URL to the list. Returns false for a duplicate. */
  add(url: string): boolean {
    return this.#list?.add(url) ?? false;
  }

  /** Writes the added URLs if the buffer is full. Throws FileError. */
  async flushIfFull(): Promise<void> {
    if (this.#list?.isFull) await this.#list.flush();
  }

  /** Completes the list, with `durable` synced to disk. Throws FileError. */
  async endList(durable: boolean): Promise<void> {
    if (this.#list === undefined) return;
    this.#total = this.total;
    const { blocks, listChecksum } = await this.#list.end(durable);
    // Otherwise a power cut may leave a head without its list.
    if (durable) await syncFolder(this.folder);
    this.#blocks = blocks;
    this.#listChecksum = listChecksum;
    this.#list = undefined;
  }

  /** Whether another purge has the same targets in the same order. Call it after `endList`. */
  hasListOf(head: JournalHead, what: 'URL' | 'key'): boolean {
    const isOfKind = (head.what ?? 'URL') === what;
    return isOfKind && head.total === this.#total && head.listChecksum === this.#listChecksum;
  }

  /** Makes the purge resumable. Call it after `endList`. Throws FileError. */
  async seal(owner: PurgeOwner, startedAt: string, what: 'URL' | 'key' = 'URL'): Promise<void> {
    invariant(this.#list === undefined, 'a journal is sealed before its list is complete');
    const head: JournalHead = {
      version: VERSION,
      owner,
      ...(what === 'key' && { what }),
      total: this.#total,
      startedAt,
      listChecksum: this.#listChecksum,
      blocks: this.#blocks,
    };
    const json = JSON.stringify(head);
    this.#seal = checksum(json);
    this.#mayHaveHead = true;
    // Atomic: an incomplete head is damaged, never half-written.
    await writeAtomic(join(this.folder, 'head'), `${json}\n${this.#seal}\n`, { mode: 0o600 });
    await syncFolder(dirname(this.folder));
    this.isSealed = true;
  }

  /**
   * Records `count` URLs from an index as cleared, if the purge can be resumed. Resolves once the operating system has the data,
   * so that a crash of gatectl loses nothing. Throws FileError.
   */
  async confirm(from: number, count: number): Promise<void> {
    if (!this.isSealed) return;
    invariant(
      from >= 0 && count > 0 && from + count <= this.#total,
      `${count} targets from ${from} are confirmed of a purge of ${this.#total}`,
    );
    const path = join(this.folder, 'done');
    try {
      this.#done ??= open(path, 'a', 0o600);
      // The leading line break separates this line from a partial one, left by a full disk or a crash.
      writeAllSync((await this.#done).fd, `\n${from} ${count} ${this.#rangeSum(from, count)}\n`);
    } catch (error) {
      throw fileError(path, error, 'write');
    }
  }

  /** The unconfirmed URLs in order, in blocks. Throws FileError for a damaged block, unless there is `onDamage`. */
  async *remaining(onDamage?: (block: ListBlock) => void): AsyncGenerator<readonly NumberedUrl[]> {
    const confirmed = await this.#confirmed();
    for await (const block of this.all(onDamage)) yield block.filter(({ index }) => confirmed[index] !== 1);
  }

  /** All URLs, in the format of `remaining`. */
  all(
    onDamage: (block: ListBlock) => void = () => this.#failDamaged(),
  ): AsyncGenerator<readonly NumberedUrl[]> {
    return readUrlList(join(this.folder, 'urls'), this.#blocks, onDamage);
  }

  /** Number of confirmed URLs. */
  async confirmedCount(): Promise<number> {
    return (await this.#confirmed()).reduce((sum, each) => sum + each, 0);
  }

  /** Closes the files without deleting them. Throws FileError. */
  async close(): Promise<void> {
    await this.#list?.abandon();
    const done = await this.#done?.catch(() => undefined);
    await done?.close().catch(error => {
      throw fileError(join(this.folder, 'done'), error, 'write');
    });
    this.#list = undefined;
    this.#done = undefined;
  }

  /** Whether it can still be resumed: another process may have purged what was left since it was found. */
  async isThere(): Promise<boolean> {
    return (await textIfThere(join(this.folder, 'head'))) !== undefined;
  }

  /**
   * Deletes the journal. Requires its lock where it is sealed. One with a head has another name first: of one without its confirmed ranges,
   * all would be purged again, and one without its list would be damaged. Throws FileError.
   */
  async remove(): Promise<void> {
    await this.close();
    const removed = this.#mayHaveHead
      ? join(dirname(this.folder), `${REMOVED}${basename(this.folder)}`)
      : this.folder;
    if (this.#mayHaveHead) {
      await rename(this.folder, removed).catch(error => {
        if (!isMissing(error)) throw fileError(this.folder, error, 'write');
      });
      await syncFolder(dirname(this.folder));
    }
    await removeFolder(removed);
  }

  /** Deletes what killed processes left of journals that they were deleting. Throws FileError. */
  static async removeLeftovers(parent: string): Promise<void> {
    const names = await readdir(parent).catch((): string[] => []);
    for (const name of names) if (name.startsWith(REMOVED)) await removeFolder(join(parent, name));
  }

  #failDamaged(): never {
    throw new FileError(`the journal ${this.folder} is damaged`, { path: this.folder, code: 'invalid_file' });
  }

  /** Ignores damaged lines: clearing their URLs again is harmless. */
  async #confirmed(): Promise<Uint8Array> {
    const confirmed = new Uint8Array(this.total);
    const text = (await textIfThere(join(this.folder, 'done'))) ?? '';
    for (const [, from, count, sum] of text.matchAll(/^(\d+) (\d+) ([0-9a-f]{8})$/gm)) {
      if (sum === this.#rangeSum(Number(from), Number(count)))
        confirmed.fill(1, Number(from), Number(from) + Number(count));
    }
    return confirmed;
  }

  #rangeSum(from: number, count: number): string {
    return checksum(`${this.#seal} ${from} ${count}`).slice(0, 8);
  }
}
