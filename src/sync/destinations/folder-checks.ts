import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from '../../files/file-error.ts';
import { formatBytes } from '../../terminal/numbers.ts';
import type { DestinationCheck } from './destination.ts';

/** Less free space than this is reported. */
const LITTLE_SPACE = 1e9;

/** Whether a folder, which may not exist yet, can be written to, and how much space it has. */
export async function folderChecks(folder: string): Promise<readonly DestinationCheck[]> {
  const existing = await existingFolder(folder);
  const checks: DestinationCheck[] = [];
  try {
    await access(existing, constants.W_OK | constants.X_OK);
    checks.push({ check: 'rights', found: `${existing} can be written to` });
  } catch (error) {
    const problem = fileError(existing, error, 'write');
    checks.push({ check: 'rights', found: problem.message, error: problem });
  }
  const { bavail, bsize } = await statfs(existing).catch(error => {
    throw fileError(existing, error, 'read');
  });
  const free = bavail * bsize;
  checks.push({
    check: 'space',
    found: `${formatBytes(free)} free`,
    ...(free < LITTLE_SPACE && { advice: `free some space, or name a folder on another disk` }),
  });
  return checks;
}

/** The folder, or the nearest one above it that exists. */
async function existingFolder(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists || path === dirname(path)) return path;
  }
}
