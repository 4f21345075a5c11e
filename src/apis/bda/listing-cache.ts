import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { readText } from '../../files/text-source.ts';

// Caches the latest listings for completion, suggestions, filter values and names. Listing commands never print cached data.

const VERSION = 1;

/** Owner of a cached listing: keys differ in the domains that they can access. */
export interface CacheOwner {
  /** The gateway's root. */
  readonly baseUrl: string;
  readonly profile: string | undefined;
}

/** The cache file of a kind of listing for one owner. */
function cachePath(folder: string, kind: string, { baseUrl, profile }: CacheOwner): string {
  const owner = createHash('sha256').update(JSON.stringify([baseUrl, profile ?? null]));
  return join(folder, `${kind}-${owner.digest('hex').slice(0, 16)}.json`);
}

/** The cached list of any age; undefined if it is missing or unreadable. */
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

/** A cached column. */
export interface KnownColumn {
  readonly name: string;
  readonly type?: string;
  readonly unit?: string;
  readonly dataSets?: readonly string[];
  readonly description?: string;
}

/** The cache file of columns for one owner. */
export function columnsPath(folder: string, owner: CacheOwner): string {
  return cachePath(folder, 'columns', owner);
}

/** The cached columns of any age; undefined if they are missing or unreadable. */
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

/** Listings whose names are cached. */
export type NamedKind = 'domain' | 'data-set' | 'report' | 'custom-report' | 'segment';

/** A cached name. */
export interface KnownName {
  readonly name: string;
  readonly id?: string | undefined;
  /** Short description for completion. */
  readonly about?: string | undefined;
}

/** The cache file of names for one owner. */
export function namesPath(folder: string, kind: NamedKind, owner: CacheOwner): string {
  return cachePath(folder, `${kind}s`, owner);
}

/** The cached names of any age; undefined if they are missing or unreadable. */
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
