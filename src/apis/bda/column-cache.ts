import { type CacheOwner, cachePath, readCached, writeCached } from './cached-list.ts';

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

/** The columns as they were last listed, however long ago; undefined where they were not, or can't be read. */
export async function readColumns(path: string): Promise<readonly KnownColumn[] | undefined> {
  return (await readCached(path, 'columns'))?.filter(isColumn);
}

/** Keeps columns for this user alone. `now` is milliseconds since the epoch. Throws FileError. */
export async function writeColumns(
  path: string,
  columns: readonly KnownColumn[],
  now: number,
): Promise<void> {
  await writeCached(path, 'columns', columns, now);
}

function isColumn(value: unknown): value is KnownColumn {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
