import { withAttempts } from '../errors/attempts.ts';
import { lstat, readdir, readFile, stat } from './disk.ts';
import { fileError, systemCode } from './file-error.ts';

/** Whether a call failed because there is nothing with its path. */
export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Whether there is something with this path. Throws FileError if that cannot be known: a folder above it may not be read. */
export async function isThere(path: string): Promise<boolean> {
  return await isFound(path, stat);
}

/** Whether something has this path, also a link to nothing. Throws FileError. */
export async function isNamed(path: string): Promise<boolean> {
  return await isFound(path, lstat);
}

async function isFound(path: string, find: (path: string) => Promise<unknown>): Promise<boolean> {
  try {
    await find(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw fileError(path, error, 'read');
  }
}

/** How often a file is opened that is replaced each time before it is read. */
const ATTEMPTS = 5;

/**
 * The text of a small file, which other processes may replace; undefined if there is none. On a network file system, one that was replaced
 * can no longer be read (ESTALE) even though it is open; it is opened again then. Throws FileError.
 */
export async function textIfThere(path: string): Promise<string | undefined> {
  const again = (error: unknown) => systemCode(error) === 'ESTALE';
  try {
    return await withAttempts({ attempts: ATTEMPTS, again }, () => readFile(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError(path, error, 'read');
  }
}

/** The names in a folder, in order; none if there is no such folder. Throws FileError. */
export async function namesIfThere(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw fileError(folder, error, 'read');
  }
}
