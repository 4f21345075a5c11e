import { appendFile, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '../../files/file-error.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { readLines } from '../../files/text-source.ts';
import { writeNow } from '../../files/write-all.ts';

/** What a purge was about, to find it again. */
export interface JournalHead {
  /** Scheme, host and path of the gateway. */
  readonly baseUrl: string;
  readonly total: number;
  /** RFC 3339. */
  readonly startedAt: string;
}

export interface NumberedUrl {
  readonly index: number;
  readonly url: string;
}

/** Characters of URLs that are written at once. */
const FLUSH_AT = 1 << 18;

/**
 * A purge on disk: the URLs to clear, one a line, and which of them are confirmed. It outlives a crash; a purge that ran to
 * its end removes it.
 */
export class PurgeJournal {
  readonly folder: string;
  #urls: Awaited<ReturnType<typeof open>> | undefined;
  #done: ReturnType<typeof open> | undefined;
  #buffer: string[] = [];
  #charactersHeld = 0;
  total = 0;
  /** True once the list is complete and has a head, so that the purge can be resumed. */
  isSealed = false;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts a journal in a folder of its own, readable by this user alone. Throws FileError. */
  static async create(folder: string): Promise<PurgeJournal> {
    await makePrivateFolder(folder);
    const journal = new PurgeJournal(folder);
    journal.#urls = await guard(folder, () => open(join(folder, 'urls'), 'wx', 0o600));
    return journal;
  }

  /** The unfinished purges of a gateway, oldest first. A folder without a readable head, or without its list, is passed over. */
  static async unfinished(
    parent: string,
    baseUrl: string,
  ): Promise<{ journal: PurgeJournal; head: JournalHead }[]> {
    const names = await readdir(parent).catch(() => []);
    const found: { journal: PurgeJournal; head: JournalHead }[] = [];
    for (const name of names.filter(each => !each.endsWith('.lock')).sort()) {
      const text = await readFile(join(parent, name, 'head'), 'utf8').catch(() => '');
      const head = headOf(text);
      if (head === undefined || head.baseUrl !== baseUrl) continue;
      const list = await stat(join(parent, name, 'urls')).catch(() => undefined);
      // Each URL takes a few bytes: a head that counts more was not written by us.
      if (list === undefined || head.total > list.size) continue;
      const journal = new PurgeJournal(join(parent, name));
      journal.total = head.total;
      journal.isSealed = true;
      found.push({ journal, head });
    }
    return found;
  }

  /** Adds a URL to the list; true when it is time to `flush`. */
  add(url: string): boolean {
    this.total += 1;
    this.#buffer.push(url);
    this.#charactersHeld += url.length;
    return this.#charactersHeld >= FLUSH_AT;
  }

  /** Writes what was added. */
  async flush(): Promise<void> {
    const lines = this.#buffer.splice(0);
    this.#charactersHeld = 0;
    if (lines.length > 0) await guard(this.folder, () => this.#urls?.appendFile(`${lines.join('\n')}\n`));
  }

  /** Ends the list. With a head the purge can be resumed from here on; without one it is never found again. */
  async end(head: JournalHead | undefined): Promise<void> {
    await this.flush();
    await guard(this.folder, async () => {
      await this.#urls?.sync();
      await this.#urls?.close();
      if (head !== undefined)
        await appendFile(join(this.folder, 'head'), JSON.stringify(head), { mode: 0o600 });
    });
    this.#urls = undefined;
    this.isSealed = head !== undefined;
  }

  /** Remembers that so many URLs from an index on are cleared. Resolves when the system has it: a crash loses nothing. */
  async confirm(from: number, count: number): Promise<void> {
    await guard(this.folder, async () => {
      this.#done ??= open(join(this.folder, 'done'), 'a', 0o600);
      // The line break comes first too: half a line, left by a full disk or a crash, must not become the beginning of this one.
      writeNow((await this.#done).fd, `\n${from} ${count}\n`);
    });
  }

  /** The URLs that are not confirmed, in their order, a block of them at a time. */
  async remaining(): Promise<AsyncGenerator<readonly NumberedUrl[]>> {
    return this.#urlsBut(await this.#confirmed());
  }

  /** Every URL, confirmed or not. */
  all(): AsyncGenerator<readonly NumberedUrl[]> {
    return this.#urlsBut(new Uint8Array(0));
  }

  /** How many URLs are confirmed. */
  async confirmedCount(): Promise<number> {
    return (await this.#confirmed()).reduce((sum, each) => sum + each, 0);
  }

  /** Lets go of the files, which stay where they are. */
  async close(): Promise<void> {
    await this.#urls?.close();
    await (await this.#done)?.close();
    this.#urls = undefined;
    this.#done = undefined;
  }

  /** Takes the purge off the disk: there is nothing left to resume. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async *#urlsBut(skipped: Uint8Array): AsyncGenerator<readonly NumberedUrl[]> {
    for await (const block of readLines(join(this.folder, 'urls'))) {
      yield block
        .map(({ line, text }) => ({ index: line - 1, url: text }))
        .filter(({ index }) => skipped[index] !== 1);
    }
  }

  async #confirmed(): Promise<Uint8Array> {
    const confirmed = new Uint8Array(this.total);
    const text = await readFile(join(this.folder, 'done'), 'utf8').catch(() => '');
    for (const [, from, count] of text.matchAll(/^(\d+) (\d+)$/gm)) {
      confirmed.fill(1, Number(from), Number(from) + Number(count));
    }
    return confirmed;
  }
}

async function guard<T>(path: string, write: () => Promise<T> | undefined): Promise<T> {
  try {
    return (await write()) as T;
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

function headOf(text: string): JournalHead | undefined {
  try {
    const { baseUrl, total, startedAt } = JSON.parse(text) as Partial<JournalHead>;
    if (typeof baseUrl !== 'string' || typeof startedAt !== 'string') return undefined;
    if (typeof total !== 'number' || !Number.isSafeInteger(total) || total < 1) return undefined;
    return { baseUrl, total, startedAt };
  } catch {
    return undefined;
  }
}
