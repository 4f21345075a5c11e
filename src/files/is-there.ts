import { lstat, stat } from 'node:fs/promises';
import { fileError, systemCode } from './file-error.ts';

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
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw fileError(path, error, 'read');
  }
}
