import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { writeAllSync } from '../../files/disk-io.ts';
import { fileError, systemCode } from '../../files/file-error.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { checksum, type ListBlock, type NumberedUrl, readUrlList, UrlListWriter } from './url-list.ts';

/** Whose purge it is: only the same account may resume it. */
export interface PurgeOwner {
  /** Scheme, host and path of the gateway. */
  readonly baseUrl: string;
  readonly profile?: string;
  /** The domain in force when the URLs were checked. */
  readonly domain?: string;
  /** A keyed hash that recognises the API key, and its random salt. */
  readonly key: { readonly salt: string; readonly hash: string };
}

/** The header of a journal. */
export interface JournalHead {
  readonly version: 1;
  readonly owner: PurgeOwner;
  readonly total: number;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Of all URLs, in their order. */
  readonly listChecksum: string;
  readonly blocks: readonly ListBlock[];
}

/** A purge that did not end: one that can be resumed, or one whose head can't be trusted, and why. */
export type UnfinishedPurge =
  | { readonly journal: PurgeJournal; readonly head: JournalHead }
  | { readonly folder: string; readonly problem: string };

const VERSION = 1;

/**
 * A purge on disk: `urls` to clear, one a line; `head`, once that list is complete; and `done`, the ranges of it that are
 * confirmed. Each is checked when it is read: a list by its blocks, the others by the checksum at their ends.
 */
export class PurgeJournal {
  readonly folder: string;
  #list: UrlListWriter | undefined;
  #blocks: readonly ListBlock[] = [];
  #listChecksum = '';
  /** Ties ranges to their journal: the checksum of the head. */
  #seal = '';
  #done: ReturnType<typeof open> | undefined;
  #total = 0;
  /** True once the purge can be resumed. */
  isSealed = false;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts a journal in a folder of its own, readable by this user alone. Throws FileError. */
  static async create(folder: string): Promise<PurgeJournal> {
    await makePrivateFolder(folder);
    const journal = new PurgeJournal(folder);
    journal.#list = await UrlListWriter.create(join(folder, 'urls'));
    return journal;
  }

  /** The unfinished purges below a folder, oldest first. One without a head sent nothing, unless something is confirmed. */
  static async unfinished(parent: string): Promise<UnfinishedPurge[]> {
    const names = await readdir(parent).catch((): string[] => []);
    const journals = names.filter(name => !name.startsWith('.') && !name.endsWith('.lock'));
    const found = journals.sort().map(async (name): Promise<UnfinishedPurge | undefined> => {
      const folder = join(parent, name);
      return await PurgeJournal.#open(folder).catch(error => ({ folder, problem: error.message }));
    });
    return (await Promise.all(found)).filter(each => each !== undefined);
  }

  /** Whether a process stopped before it completed the list of a journal: it sent nothing, and nothing can be resumed. */
  static async isUnsealed(folder: string): Promise<boolean> {
    const parts = await Promise.all(['head', 'done'].map(name => textOf(join(folder, name))));
    return parts.every(text => text === undefined);
  }

  static async #open(folder: string): Promise<UnfinishedPurge | undefined> {
    const text = await textOf(join(folder, 'head'));
    if (text === undefined) {
      const done = await textOf(join(folder, 'done'));
      return done === undefined ? undefined : { folder, problem: 'its head is missing' };
    }
    const [json = '', seal = ''] = text.split('\n');
    if (checksum(json) !== seal) return { folder, problem: 'its head is damaged' };
    const head = JSON.parse(json) as JournalHead | null;
    if (head?.version !== VERSION) return { folder, problem: 'another version of gatectl wrote it' };
    const journal = new PurgeJournal(folder);
    journal.#blocks = head.blocks;
    journal.#seal = seal;
    journal.#total = head.total;
    journal.isSealed = true;
    return { journal, head };
  }

  /** URLs in the list. */
  get total(): number {
    return this.#list?.total ?? this.#total;
  }

  /** Adds a URL to the list. False for one that is in it already. */
  add(url: string): boolean {
    return this.#list?.add(url) ?? false;
  }

  /** Writes what was added, when there is enough of it. Throws FileError. */
  async flushIfFull(): Promise<void> {
    if (this.#list?.isFull) await this.#list.flush();
  }

  /** Completes the list; with `durable`, once it is on the disk. Throws FileError. */
  async endList(durable: boolean): Promise<void> {
    if (this.#list === undefined) return;
    this.#total = this.total;
    const { blocks, listChecksum } = await this.#list.end(durable);
    this.#blocks = blocks;
    this.#listChecksum = listChecksum;
    this.#list = undefined;
  }

  /** Whether another purge has the same URLs in the same order. Call it after `endList`. */
  hasListOf(head: JournalHead): boolean {
    return head.total === this.#total && head.listChecksum === this.#listChecksum;
  }

  /** Makes the purge resumable. Call it after `endList`. Throws FileError. */
  async seal(owner: PurgeOwner, startedAt: string): Promise<void> {
    const head: JournalHead = {
      version: VERSION,
      owner,
      total: this.#total,
      startedAt,
      listChecksum: this.#listChecksum,
      blocks: this.#blocks,
    };
    const json = JSON.stringify(head);
    this.#seal = checksum(json);
    // In one step: a head that is there but not whole is damaged, and never one that was being written.
    await writeAtomic(join(this.folder, 'head'), `${json}\n${this.#seal}\n`, { mode: 0o600 });
    this.isSealed = true;
  }

  /**
   * Records that so many URLs from an index on are cleared, where the purge can be resumed. Resolves when the system has it: a
   * crash loses nothing. Throws FileError.
   */
  async confirm(from: number, count: number): Promise<void> {
    if (!this.isSealed) return;
    const path = join(this.folder, 'done');
    try {
      this.#done ??= open(path, 'a', 0o600);
      // The line break comes first too: half a line, left by a full disk or a crash, must not become the start of this one.
      writeAllSync((await this.#done).fd, `\n${from} ${count} ${this.#rangeSum(from, count)}\n`);
    } catch (error) {
      throw fileError(path, error, 'write');
    }
  }

  /** The URLs that are not confirmed, in their order, a block at a time. Throws FileError at a damaged block, or calls `onDamage`. */
  async *remaining(onDamage?: (block: ListBlock) => void): AsyncGenerator<readonly NumberedUrl[]> {
    const confirmed = await this.#confirmed();
    for await (const block of this.all(onDamage)) yield block.filter(({ index }) => confirmed[index] !== 1);
  }

  /** Every URL, confirmed or not, as `remaining` gives them. */
  all(onDamage: (block: ListBlock) => void = () => this.#refuse()): AsyncGenerator<readonly NumberedUrl[]> {
    return readUrlList(join(this.folder, 'urls'), this.#blocks, onDamage);
  }

  /** How many URLs are confirmed. */
  async confirmedCount(): Promise<number> {
    return (await this.#confirmed()).reduce((sum, each) => sum + each, 0);
  }

  /** Releases the files, which stay where they are. */
  async close(): Promise<void> {
    await this.#list?.abandon();
    await (await this.#done?.catch(() => undefined))?.close();
    this.#list = undefined;
    this.#done = undefined;
  }

  /** Deletes the purge: there is nothing left to resume. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  #refuse(): never {
    throw new FileError(`the journal ${this.folder} is damaged`, { path: this.folder, code: 'invalid_file' });
  }

  /** A range whose line is damaged is not confirmed: to clear it again does no harm. */
  async #confirmed(): Promise<Uint8Array> {
    const confirmed = new Uint8Array(this.total);
    const text = (await textOf(join(this.folder, 'done'))) ?? '';
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

/** Undefined for a file that is not there. Throws FileError. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // A stray file in the place of a journal has nothing below it either.
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw fileError(path, error, 'read');
  }
}
