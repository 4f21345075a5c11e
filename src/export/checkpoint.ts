import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { FileError, UsageError } from '../errors/index.ts';
import { writeAtomic } from '../files/atomic-file.ts';
import { unlink } from '../files/disk.ts';
import { syncFolder } from '../files/disk-io.ts';
import { fileError, systemCode } from '../files/file-error.ts';
import { isMissing } from '../files/if-there.ts';
import { readText } from '../files/text-source.ts';
import { storedObject } from '../json/stored.ts';
import type { Progress } from './export-rows.ts';

const VERSION = 1;

/**
 * What the rows of an unfinished file belong to: only an export of the same subject may resume it. The values are compared and
 * printed.
 */
export type Subject = Readonly<Record<string, string>>;

/** An unfinished export, stored next to its file. */
export interface Checkpoint {
  readonly subject: Subject;
  readonly progress: Progress;
}

/** The checkpoint at a path; undefined if there is none. Throws FileError for an invalid one. */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  let text: string;
  try {
    text = await readText(path);
  } catch (error) {
    if (error instanceof FileError && systemCode(error.cause) === 'ENOENT') return undefined;
    // Bytes that are not UTF-8: damaged, like any other text that gatectl did not write.
    if (!(error instanceof UsageError)) throw error;
    text = '';
  }
  const checkpoint = parsed(text);
  if (checkpoint !== undefined) return checkpoint;
  throw new FileError(
    `${path} is not a checkpoint that this version can resume; to start again, add --no-resume`,
    { code: 'invalid_file', path },
  );
}

/** Call it while holding the lock of the export. Throws FileError. */
export async function writeCheckpoint(path: string, { subject, progress }: Checkpoint): Promise<void> {
  const content = { version: VERSION, hash: hashOf({ subject, progress }), subject, progress };
  // A fixed name, so that the next run replaces the file of a killed run.
  const partial = { path: `${path}.tmp`, from: 0 };
  await writeAtomic(path, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, partial });
}

/** Throws nothing: the next export replaces a checkpoint that could not be removed. */
export async function removeCheckpoint(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/**
 * Removes a checkpoint before its rows are overwritten, so that a power cut does not bring it back: also one that is gone, because the
 * process that removed it may have been killed before that was on the disk. Throws FileError.
 */
export async function rollbackCheckpoint(path: string): Promise<void> {
  await unlink(path).catch(error => {
    if (!isMissing(error)) throw fileError(path, error, 'write');
  });
  await syncFolder(dirname(path));
}

/** The names of the values that differ. */
export function differences(one: Subject, other: Subject): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter(name => one[name] !== other[name]);
}

/** Undefined for text that was edited, or that another program wrote. */
function parsed(text: string): Checkpoint | undefined {
  const { version, hash, ...stored } = storedObject(text);
  const { subject, progress } = stored as unknown as Checkpoint;
  return version === VERSION && hash === hashOf({ subject, progress }) ? { subject, progress } : undefined;
}

function hashOf({ subject, progress }: Checkpoint): string {
  return createHash('sha256')
    .update(JSON.stringify([subject, progress]))
    .digest('hex');
}
