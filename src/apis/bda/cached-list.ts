import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { readText } from '../../files/text-source.ts';

// What was listed last is kept for completion and suggestions. An answer is never taken from here.

const VERSION = 1;

/** Whose list it is: what one key may see is not for another. */
export interface CacheOwner {
  /** The gateway's root. */
  readonly baseUrl: string;
  readonly profile: string | undefined;
}

/** The file for one owner's list of a kind in a cache folder. */
export function cachePath(folder: string, kind: string, { baseUrl, profile }: CacheOwner): string {
  const owner = createHash('sha256').update(JSON.stringify([baseUrl, profile ?? null]));
  return join(folder, `${kind}-${owner.digest('hex').slice(0, 16)}.json`);
}

/** What was kept under `member`, however long ago; undefined where nothing was, or it can't be read. */
export async function readCached(path: string, member: string): Promise<readonly unknown[] | undefined> {
  try {
    const content = JSON.parse(await readText(path));
    const items = content?.version === VERSION ? content[member] : undefined;
    return Array.isArray(items) ? items : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FileError) return undefined;
    throw error;
  }
}

/** Keeps a list for this user alone. `now` is milliseconds since the epoch. Throws FileError. */
export async function writeCached(
  path: string,
  member: string,
  items: readonly unknown[],
  now: number,
): Promise<void> {
  await makePrivateFolder(dirname(path));
  const content = { version: VERSION, listed_at: new Date(now).toISOString(), [member]: items };
  await writeAtomic(path, `${JSON.stringify(content)}\n`, { mode: 0o600 });
}
