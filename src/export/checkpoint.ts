import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileError, UsageError } from '../errors/index.ts';
import { openAtomic } from '../files/atomic-file.ts';
import { syncFolder } from '../files/disk-io.ts';
import { systemCode } from '../files/file-error.ts';
import { readText } from '../files/text-source.ts';
import type { Progress } from './export-rows.ts';

const VERSION = 1;

/** What an unfinished file holds rows of: only the same can be gone on with. Texts, for comparing and for people. */
export type Subject = Readonly<Record<string, string>>;

/** An unfinished export as it is kept beside its file. */
export interface Checkpoint {
  readonly subject: Subject;
  readonly progress: Progress;
}

/** The checkpoint at a path; undefined where there is none. Throws FileError for one that can't be used. */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  let text: string;
  try {
    text = await readText(path);
  } catch (error) {
    if (error instanceof FileError && systemCode(error.cause) === 'ENOENT') return undefined;
    // Bytes that are not UTF-8: damaged like any other text that gatectl has not written.
    if (!(error instanceof UsageError)) throw error;
    text = '';
  }
  const checkpoint = parsed(text);
  if (checkpoint !== undefined) return checkpoint;
  throw new FileError(
    `${path} is not a checkpoint that this version can resume; to start again, add --no-resume`,
    {
      code: 'invalid_file',
      path,
    },
  );
}

/** Call it under the lock of the export. Throws FileError. */
export async function writeCheckpoint(path: string, { subject, progress }: Checkpoint): Promise<void> {
  const content = { version: VERSION, hash: hashOf({ subject, progress }), subject, progress };
  // Always the same name: a run that was killed in between leaves nothing that the next does not replace.
  const file = await openAtomic(path, { mode: 0o600, partial: { path: `${path}.tmp`, from: 0 } });
  try {
    await file.write(`${JSON.stringify(content, undefined, 2)}\n`);
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Throws nothing: a checkpoint that stays behind is replaced by the next. */
export async function removeCheckpoint(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** Before other rows take the place of those that it tells of: from here on no power cut brings it back. Throws nothing. */
export async function rollbackCheckpoint(path: string): Promise<void> {
  const isRemoved = await unlink(path).then(
    () => true,
    () => false,
  );
  if (isRemoved) await syncFolder(dirname(path));
}

/** The names of what differs. */
export function differences(one: Subject, other: Subject): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter(name => one[name] !== other[name]);
}

/** Text that was changed by hand, or by another program, is no checkpoint. */
function parsed(text: string): Checkpoint | undefined {
  try {
    const { version, hash, subject, progress } = JSON.parse(text);
    return version === VERSION && hash === hashOf({ subject, progress }) ? { subject, progress } : undefined;
  } catch {
    return undefined;
  }
}

function hashOf({ subject, progress }: Checkpoint): string {
  return createHash('sha256')
    .update(JSON.stringify([subject, progress]))
    .digest('hex');
}
