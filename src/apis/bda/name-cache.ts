import { type CacheOwner, cachePath, readCached, writeCached } from './cached-list.ts';

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

/** The names as they were last listed, however long ago; undefined where they were not, or can't be read. */
export async function readNames(path: string): Promise<readonly KnownName[] | undefined> {
  return (await readCached(path, 'names'))?.filter(isNamed);
}

/** Keeps names for this user alone. `now` is milliseconds since the epoch. Throws FileError. */
export async function writeNames(path: string, names: readonly KnownName[], now: number): Promise<void> {
  await writeCached(path, 'names', names, now);
}

function isNamed(value: unknown): value is KnownName {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
