import { basename, dirname, join } from 'node:path';
import { temporaryStem } from './atomic-file.ts';
import { readdir, unlink } from './disk.ts';
import { fileError, systemCode } from './file-error.ts';

/** The random suffix of temporary files: ours, and those of the library that writes the profiles file. */
const RANDOM_END = /^(?:\.[0-9a-f]{12}\.tmp|\.tmp-[0-9a-f]{16})$/;

/**
 * Temporary files of `path`, left by processes that were killed while writing. Unless the caller holds the lock of `path`, they
 * may also belong to a running process.
 */
export async function temporaryFilesOf(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const name = basename(path);
  // A truncated name may be that of another file.
  const starts = temporaryStem(path) === name ? [name, `.${name}`] : [name];
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter(each => starts.some(start => each.startsWith(start) && RANDOM_END.test(each.slice(start.length))))
    .map(each => join(folder, each));
}

/** The temporary files in a folder, by the stem of their target's name. */
export async function temporaryFilesIn(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const [, stem] = /^\.(.+)\.[0-9a-f]{12}\.tmp$/.exec(name) ?? [];
    if (stem !== undefined) found.set(stem, [...(found.get(stem) ?? []), join(folder, name)]);
  }
  return found;
}

/** Removes the temporary files of `path`. Requires its lock. Throws FileError. */
export async function removeTemporaryFilesOf(path: string): Promise<void> {
  for (const file of await temporaryFilesOf(path)) {
    await unlink(file).catch(error => {
      if (systemCode(error) !== 'ENOENT') throw fileError(file, error, 'write');
    });
  }
}
