import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { readText } from '../../files/text-source.ts';

// The latest listings, for completion, suggestions, filter values and names. What a listing command prints never comes from here.

const VERSION = 1;

/** The owner of a list: one key may see other domains than the next. */
export interface CacheOwner {
  /** The gateway's root. */
  readonly baseUrl: string;
  readonly profile: string | undefined;
}

/** The file for one owner's list of a kind in a cache folder. */
function cachePath(folder: string, kind: string, { baseUrl, profile }: CacheOwner): string {
  const owner = createHash('sha256').update(JSON.stringify([baseUrl, profile ?? null]));
  return join(folder, `${kind}-${owner.digest('hex').slice(0, 16)}.json`);
}

/** The list cached under `member`, however old; undefined where there is none, or it cannot be read. */
async function readCached(path: string, member: string): Promise<readonly unknown[] | undefined> {
  try {
    const content = JSON.parse(await readText(path));
    const items = content?.version === VERSION ? content[member] : undefined;
    return Array.isArray(items) ? items : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FileError) return undefined;
    throw error;
  }
}

/** Caches a list, readable by this user only. `now` is milliseconds since the epoch. Throws FileError. */
async function writeCached(
  path: string,
  member: string,
  items: readonly unknown[],
  now: number,
): Promise<void> {
  await makePrivateFolder(dirname(path));
  const content = { version: VERSION, listed_at: new Date(now).toISOString(), [member]: items };
  await writeAtomic(path, `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

/** A column as far as completion, suggestions and filter values need it. */
export interface KnownColumn {
  readonly name: string;
  readonly type?: string;
  readonly unit?: string;
  readonly dataSets?: readonly string[];
  readonly description?: string;
}

/** The file for one owner's columns in a cache folder. */
export function columnsPath(folder: string, owner: CacheOwner): string {
  return cachePath(folder, 'columns', owner);
}

/** The columns of the latest listing, however old; undefined where there is none, or it cannot be read. */
export async function readColumns(path: string): Promise<readonly KnownColumn[] | undefined> {
  return (await readCached(path, 'columns'))?.filter(isNamed<KnownColumn>);
}

/** Caches columns, readable by this user only. `now` is milliseconds since the epoch. Throws FileError. */
export async function writeColumns(
  path: string,
  columns: readonly KnownColumn[],
  now: number,
): Promise<void> {
  await writeCached(path, 'columns', columns, now);
}

/** Listings whose names are kept for completion. */
export type NamedKind = 'domain' | 'data-set' | 'report' | 'custom-report' | 'segment';

/** One line of a listing, as far as completion needs it. */
export interface KnownName {
  readonly name: string;
  readonly id?: string | undefined;
  /** A few words about it. */
  readonly about?: string | undefined;
}

/** The file for one owner's names in a cache folder. */
export function namesPath(folder: string, kind: NamedKind, owner: CacheOwner): string {
  return cachePath(folder, `${kind}s`, owner);
}

/** The names of the latest listing, however old; undefined where there is none, or it cannot be read. */
export async function readNames(path: string): Promise<readonly KnownName[] | undefined> {
  return (await readCached(path, 'names'))?.filter(isNamed<KnownName>);
}

/** Caches names, readable by this user only. `now` is milliseconds since the epoch. Throws FileError. */
export async function writeNames(path: string, names: readonly KnownName[], now: number): Promise<void> {
  await writeCached(path, 'names', names, now);
}

function isNamed<Item extends { readonly name: string }>(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
