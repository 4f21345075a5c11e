import { mkdir } from 'node:fs/promises';
import { FileError } from '../errors/index.ts';
import { fileError, systemCode } from './file-error.ts';

/** Creates a folder and those above it, unless they exist. Throws FileError. */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fileError(path, error, 'write');
    throw new FileError(`${path} is a file, not a folder`, { path, cause: error, code: 'file_exists' });
  }
}
