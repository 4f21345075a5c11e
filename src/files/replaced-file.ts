import { readFile } from 'node:fs/promises';
import { systemCode } from './file-error.ts';

/** How often a file is opened that is replaced each time before it is read. */
const ATTEMPTS = 5;

/**
 * Reads a small file that other processes replace. On a network file system, one that was replaced can no longer be read (ESTALE) even
 * though it is open; it is opened again then. Throws the system's errors.
 */
export async function readReplacedFile(path: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (systemCode(error) !== 'ESTALE' || attempt === ATTEMPTS) throw error;
    }
  }
}
