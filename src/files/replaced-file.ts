import { readFile } from 'node:fs/promises';
import { withAttempts } from '../errors/attempts.ts';
import { systemCode } from './file-error.ts';

/** How often a file is opened that is replaced each time before it is read. */
const ATTEMPTS = 5;

/**
 * Reads a small file that other processes replace. On a network file system, one that was replaced can no longer be read (ESTALE) even
 * though it is open; it is opened again then. Throws the system's errors.
 */
export function readReplacedFile(path: string): Promise<string> {
  const again = (error: unknown) => systemCode(error) === 'ESTALE';
  return withAttempts({ attempts: ATTEMPTS, again }, () => readFile(path, 'utf8'));
}
