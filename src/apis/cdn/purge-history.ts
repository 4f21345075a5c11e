import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { openAtomic, writeAtomic } from '../../files/atomic-file.ts';
import { fileError, systemCode } from '../../files/file-error.ts';
import { makePrivateFolder } from '../../files/folders.ts';

/** What is stored about one purge. */
export interface PurgeRecord {
  /** Day and number, such as `20260314-2`. */
  readonly id: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The gateway, as its base URL. */
  readonly gateway: string;
  readonly profile?: string;
  readonly domain?: string;
  /** The command line. */
  readonly command: string;
  readonly what: 'URL' | 'key' | 'target' | 'everything';
  readonly requested: number;
  readonly cleared: number;
  readonly failed: number;
  /** Whether every target was cleared, and no page was found stale. */
  readonly confirmed: boolean;
  readonly deploy?: number;
  readonly commit?: string;
}

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
}

/** Purges stored, and the bytes of their targets: the oldest are removed first. */
const MAX_RECORDS = 200;
const MAX_BYTES = 100_000_000;
const BLOCK_BYTES = 1024 * 1024;

/** The purges of the past, in a folder: `ID.json` describes one and `ID.urls` and `ID.keys` hold its targets. */
export class PurgeHistory {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Stores a purge, with what `redact` makes of its targets, under a new id, which it returns; removes the oldest. Throws FileError. */
  async add(
    record: Omit<PurgeRecord, 'id'>,
    targets: RecordedTargets,
    redact: (text: string) => string,
  ): Promise<string> {
    await makePrivateFolder(this.#folder);
    const id = await this.#reserve(record.startedAt.slice(0, 10).replaceAll('-', ''));
    const path = (kind: string) => join(this.#folder, `${id}.${kind}`);
    try {
      if (targets.urlList !== undefined) await copyList(targets.urlList, path('urls'), redact);
      if (targets.keys !== undefined && targets.keys.length > 0)
        await writeAtomic(path('keys'), redact(targets.keys.map(key => `${key}\n`).join('')), {
          mode: 0o600,
        });
      await writeAtomic(path('json'), `${JSON.stringify({ id, ...record })}\n`, { mode: 0o600 });
    } catch (error) {
      await this.#remove(id);
      throw fileError(path('json'), error, 'write');
    }
    await this.#prune();
    return id;
  }

  /** The stored purges, the latest first. Throws FileError. */
  async list(): Promise<PurgeRecord[]> {
    const names = (await this.#names()).filter(name => name.endsWith('.json'));
    const records = await Promise.all(names.map(name => this.#read(join(this.#folder, name))));
    return records
      .filter(record => record !== undefined)
      .sort(byId)
      .reverse();
  }

  /** The targets of a stored purge. Throws FileError. */
  async *targets({ id, what, domain }: PurgeRecord): AsyncGenerator<readonly PurgedTarget[]> {
    if (what === 'everything') yield [{ kind: 'domain', target: domain ?? '' }];
    for (const [kind, extension] of [['URL', 'urls'] as const, ['key', 'keys'] as const]) {
      const text = await this.#text(`${id}.${extension}`);
      if (text !== '')
        yield text
          .split('\n')
          .slice(0, -1)
          .map(target => ({ kind, target }));
    }
  }

  async #text(name: string): Promise<string> {
    const path = join(this.#folder, name);
    return await readFile(path, 'utf8').catch(error => {
      if (systemCode(error) === 'ENOENT') return '';
      throw fileError(path, error, 'read');
    });
  }

  /** The first number of the day that is free, taken with an empty description. */
  async #reserve(day: string): Promise<string> {
    const taken = (await this.#names())
      .filter(name => name.startsWith(`${day}-`))
      .map(name => Number(/-(\d+)\./.exec(name)?.[1] ?? 0));
    for (let number = Math.max(0, ...taken) + 1; ; number += 1) {
      const path = join(this.#folder, `${day}-${number}.json`);
      try {
        await (await open(path, 'wx', 0o600)).close();
        return `${day}-${number}`;
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw fileError(path, error, 'write');
      }
    }
  }

  /** Undefined for one that another process is writing. */
  async #read(path: string): Promise<PurgeRecord | undefined> {
    try {
      const text = await readFile(path, 'utf8');
      return text === '' ? undefined : (JSON.parse(text) as PurgeRecord);
    } catch (error) {
      if (error instanceof SyntaxError)
        throw new FileError(`${path} is damaged`, { path, code: 'invalid_file', cause: error });
      throw fileError(path, error, 'read');
    }
  }

  async #prune(): Promise<void> {
    const sizes = new Map<string, number>();
    for (const name of await this.#names()) {
      const { size } = await stat(join(this.#folder, name)).catch(() => ({ size: 0 }));
      const [id = ''] = name.split('.');
      sizes.set(id, (sizes.get(id) ?? 0) + size);
    }
    let bytes = 0;
    const ids = [...sizes.keys()].sort((a, b) => byId({ id: b }, { id: a }));
    for (const [index, id] of ids.entries()) {
      bytes += sizes.get(id) ?? 0;
      if (index > 0 && (index >= MAX_RECORDS || bytes > MAX_BYTES)) await this.#remove(id);
    }
  }

  async #remove(id: string): Promise<void> {
    for (const kind of ['json', 'urls', 'keys'])
      await rm(join(this.#folder, `${id}.${kind}`), { force: true });
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error): string[] => {
      if (systemCode(error) === 'ENOENT') return [];
      throw fileError(this.#folder, error, 'read');
    });
    return names.filter(name => /^\d{8}-\d+\.(?:json|urls|keys)$/.test(name));
  }
}

function byId(one: Pick<PurgeRecord, 'id'>, other: Pick<PurgeRecord, 'id'>): number {
  const [day = '', number = ''] = one.id.split('-');
  const [otherDay = '', otherNumber = ''] = other.id.split('-');
  return day === otherDay ? Number(number) - Number(otherNumber) : day < otherDay ? -1 : 1;
}

/** Copies a list of lines, block after block. */
async function copyList(from: string, to: string, redact: (text: string) => string): Promise<void> {
  const file = await openAtomic(to, { mode: 0o600 });
  try {
    for await (const lines of lineBlocks(from)) await file.write(redact(lines));
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
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
