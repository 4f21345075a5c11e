import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { temporaryStem } from './atomic-file.ts';
import { systemCode } from './file-error.ts';

/** The random end of names that are given to files until they are complete: ours, and that of the library that writes settings. */
const RANDOM_END = /^(?:\.[0-9a-f]{12}\.tmp|\.tmp-[0-9a-f]{16})$/;

/**
 * Temporary files of `path` in its folder, which a process leaves behind that is killed while it writes. Without a path's own lock
 * they may also belong to a process that writes now.
 */
export async function temporaryFilesOf(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const name = basename(path);
  // A name that is cut may be that of another file.
  const starts = temporaryStem(path) === name ? [name, `.${name}`] : [name];
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter(each => starts.some(start => each.startsWith(start) && RANDOM_END.test(each.slice(start.length))))
    .map(each => join(folder, each));
}

/** Temporary files in a folder, by the beginning of the name of the file that each was to become. */
export async function temporaryFilesIn(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const [, stem] = /^\.(.+)\.[0-9a-f]{12}\.tmp$/.exec(name) ?? [];
    if (stem !== undefined) found.set(stem, [...(found.get(stem) ?? []), join(folder, name)]);
  }
  return found;
}

/** Removes what killed processes left of `path`. Call it while its lock is held. Throws what the system throws. */
export async function removeTemporaryFilesOf(path: string): Promise<void> {
  for (const file of await temporaryFilesOf(path)) {
    await unlink(file).catch(error => {
      if (systemCode(error) !== 'ENOENT') throw error;
    });
  }
}
