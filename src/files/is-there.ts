import { stat } from 'node:fs/promises';
import { fileError, systemCode } from './file-error.ts';

/** Whether there is something with this path. Throws FileError if that cannot be known: a folder above it may not be read. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw fileError(path, error, 'read');
  }
}
