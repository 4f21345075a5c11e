import { join } from 'node:path';
import { openAtomic, writeAtomic } from '../../files/atomic-file.ts';
import { createReadStream, mkdir, readdir, stat } from '../../files/disk.ts';
import { fileError, systemCode } from '../../files/file-error.ts';
import { makePrivateFolder, removeFolder } from '../../files/folders.ts';
import { textIfThere } from '../../files/if-there.ts';

/** One target of a purge. */
interface PurgedTarget {
  readonly kind: 'URL' | 'key' | 'domain';
  readonly target: string;
}

/** Where the targets of a purge are: in a list of URLs, one per line, and in memory. */
export interface RecordedTargets {
  readonly urlList?: string;
  readonly keys?: readonly string[];
  readonly domain?: string;
  /** Those that were not cleared. */
  readonly uncleared?: AsyncIterable<readonly string[]>;
}

/** Purges whose targets are stored, and the bytes of these: the oldest are removed first. */
const MAX_PURGES = 200;
const MAX_BYTES = 100_000_000;
const BLOCK_BYTES = 1024 * 1024;
const FILES = { URL: 'urls', key: 'keys', domain: 'domain', uncleared: 'uncleared' } as const;

/** The targets of the last purges, in a folder for each, named by its day and number, such as `20260314-2`. */
export class PurgedTargets {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Stores what `redact` makes of the targets of a purge, and returns its id; removes the oldest. Throws FileError. */
  async add(
    startedAt: string,
    { urlList, keys = [], domain, uncleared }: RecordedTargets,
    redact: (text: string) => string,
  ): Promise<string> {
    await makePrivateFolder(this.#folder);
    const id = await this.#reserve(startedAt.slice(0, 10).replaceAll('-', ''));
    const path = (kind: keyof typeof FILES) => join(this.#folder, id, FILES[kind]);
    const write = async (kind: 'key' | 'domain', targets: readonly string[]) => {
      if (targets.length > 0)
        await writeAtomic(path(kind), redact(targets.map(target => `${target}\n`).join('')), { mode: 0o600 });
    };
    try {
      if (urlList !== undefined) await writeLines(lineBlocks(urlList), path('URL'), redact);
      if (uncleared !== undefined) await writeLines(joined(uncleared), path('uncleared'), redact);
      await write('key', keys);
      await write('domain', domain === undefined ? [] : [domain]);
    } catch (error) {
      await removeFolder(join(this.#folder, id));
      throw fileError(path('URL'), error, 'write');
    }
    await this.#prune();
    return id;
  }

  /** The targets of a purge; none of one that was removed. Throws FileError. */
  async *of(id: string): AsyncGenerator<readonly PurgedTarget[]> {
    for (const kind of ['domain', 'URL', 'key'] as const) {
      const path = join(this.#folder, id, FILES[kind]);
      const text = (await textIfThere(path)) ?? '';
      const targets = text.split('\n').slice(0, -1);
      if (targets.length > 0) yield targets.map(target => ({ kind, target }));
    }
  }

  /** The targets of a purge that it did not clear. Throws FileError. */
  async uncleared(id: string): Promise<ReadonlySet<string>> {
    const text = (await textIfThere(join(this.#folder, id, FILES.uncleared))) ?? '';
    return new Set(text.split('\n').slice(0, -1));
  }

  /** The first number of the day that is free. */
  async #reserve(day: string): Promise<string> {
    const taken = (await this.#ids()).filter(id => id.startsWith(`${day}-`)).map(numberOf);
    for (let number = Math.max(0, ...taken) + 1; ; number += 1) {
      const path = join(this.#folder, `${day}-${number}`);
      try {
        await mkdir(path, 0o700);
        return `${day}-${number}`;
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw fileError(path, error, 'write');
      }
    }
  }

  async #prune(): Promise<void> {
    let bytes = 0;
    for (const [index, id] of (await this.#ids()).entries()) {
      for (const name of Object.values(FILES))
        bytes += (await stat(join(this.#folder, id, name)).catch(() => ({ size: 0 }))).size;
      if (index > 0 && (index >= MAX_PURGES || bytes > MAX_BYTES)) await removeFolder(join(this.#folder, id));
    }
  }

  /** The latest first. */
  async #ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(error => {
      throw fileError(this.#folder, error, 'read');
    });
    return names.filter(name => /^\d{8}-\d+$/.test(name)).sort(later);
  }
}

/** Orders ids, the later first. */
function later(one: string, other: string): number {
  const [day, otherDay] = [one.slice(0, 8), other.slice(0, 8)];
  return day === otherDay ? numberOf(other) - numberOf(one) : day < otherDay ? 1 : -1;
}

function numberOf(id: string): number {
  return Number(id.slice(9));
}

/** Writes blocks of lines. */
async function writeLines(
  blocks: AsyncIterable<string>,
  to: string,
  redact: (text: string) => string,
): Promise<void> {
  const file = await openAtomic(to, { mode: 0o600 });
  try {
    for await (const lines of blocks) await file.write(redact(lines));
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function* joined(blocks: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of blocks) yield lines.map(line => `${line}\n`).join('');
}

async function* lineBlocks(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: BLOCK_BYTES })) {
    const text = rest + chunk;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end > 0) yield text.slice(0, end);
  }
  if (rest !== '') yield rest;
}
