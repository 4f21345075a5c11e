import { dirname } from 'node:path';
import type { GatectlError } from '../../errors/index.ts';
import { access, constants, statfs } from '../../files/disk.ts';
import { fileError } from '../../files/file-error.ts';
import { formatBytes } from '../../terminal/numbers.ts';

/** One thing that was checked: all is well without an error and without advice. */
export interface DestinationCheck {
  /** What was checked, in a word or two: `rights`. */
  readonly check: string;
  /** What was found. */
  readonly found: string;
  /** How to fix a problem that prevents no run. */
  readonly advice?: string;
  /** The problem that prevents a run, with its hints. */
  readonly error?: GatectlError;
}

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
  const advice = 'free some space, or name a folder on another disk';
  return [...checks, spaceCheck(await freeSpace(existing), '', advice)];
}

/** The bytes that are free for the files of a folder. Throws FileError. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(error => {
    throw fileError(folder, error, 'read');
  });
  return bavail * bsize;
}

/** Less free space than this is reported. */
const LITTLE_SPACE = 1e9;

/** The check of so many bytes that are free; `where` continues the sentence. */
export function spaceCheck(free: number, where: string, advice: string): DestinationCheck {
  const found = `${formatBytes(free)} free${where}`;
  return { check: 'space', found, ...(free < LITTLE_SPACE && { advice }) };
}

/** The check of a connection: `tls` is what encrypts it, and `advice` how to encrypt one to another machine. */
export function encryptionCheck(tls: string | undefined, isLocal: boolean, advice: string): DestinationCheck {
  const check = 'encryption';
  if (tls !== undefined) return { check, found: tls };
  return isLocal ? { check, found: 'none, on this machine' } : { check, found: 'none', advice };
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
