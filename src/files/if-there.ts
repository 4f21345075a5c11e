import { readdir, stat } from 'node:fs/promises';
import { fileError, systemCode } from './file-error.ts';

/** Whether a call failed because there is nothing with its path. */
export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Whether there is something with this path. Throws FileError if that cannot be known: a folder above it may not be read. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
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
