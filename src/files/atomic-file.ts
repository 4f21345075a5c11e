import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileError } from '../errors/index.ts';
import { DirectFile } from './direct-file.ts';
import { fileError, systemCode } from './file-error.ts';
import { assertOwnLink, type FollowedPath, followLinks } from './links.ts';
import { TempFile } from './temp-file.ts';
import type { WritableFile } from './writable-file.ts';

export interface AtomicOptions {
  /** Permission bits. Without them those of the file that is replaced, or the user's usual ones. */
  readonly mode?: number;
  /**
   * Keeps the unfinished file under this path, on the same file system, and continues it after its first `from` bytes. With
   * `uid`, only a file of that user.
   */
  readonly partial?: { readonly path: string; readonly from: number; readonly uid?: number | undefined };
}

/**
 * Opens a file for writing beside its final place. A target that can't be renamed onto (a device, a FIFO, `/dev/stdout`) is
 * written directly. Throws FileError for a folder, another user's link and whatever the system refuses.
 */
export async function openAtomic(path: string, options: AtomicOptions = {}): Promise<WritableFile> {
  try {
    if (await isDirect(path))
      return new DirectFile(path, await open(path, constants.O_WRONLY | constants.O_APPEND));
    const followed = await followLinks(path);
    if (followed.existing?.isDirectory())
      throw new FileError(`${path} is a folder, not a file`, {
        path,
        code: 'not_a_file',
      });
    return await openUnfinished(path, followed, options);
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** Writes a small file in one step: after a failure the old file is still whole. Throws FileError. */
export async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  options: Pick<AtomicOptions, 'mode'> = {},
): Promise<void> {
  const file = await openAtomic(path, options);
  try {
    await file.write(content);
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The standard streams' names may lead to a regular file, but then it is the shell's, with text in it already. */
const STREAM_NAMES = /^\/(dev\/(std(out|err)|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Whether a path is a device or pipe, which is written as it is. Throws FileError. */
export async function isDirect(path: string): Promise<boolean> {
  if (STREAM_NAMES.test(path)) return true;
  try {
    const stats = await stat(path);
    return !stats.isFile() && !stats.isDirectory();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw fileError(path, error, 'write');
  }
}

async function openUnfinished(
  path: string,
  followed: FollowedPath,
  options: AtomicOptions,
): Promise<WritableFile> {
  const { target, existing } = followed;
  const mode = options.mode ?? (existing === undefined ? undefined : existing.mode & 0o777);
  const unfinished = options.partial?.path ?? temporaryName(target);
  const handle = await open(unfinished, unfinishedFlags(options.partial !== undefined), mode ?? 0o666);
  const from = options.partial?.from ?? 0;
  // Until it is known to be ours to write, it must not be removed either.
  let isOurs = false;
  const file = new TempFile(path, target, unfinished, handle, from);
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw new FileError(`${unfinished} is not a regular file: it is left alone`, {
        path: unfinished,
        code: 'not_a_file',
      });
    const { uid = stats.uid } = options.partial ?? {};
    if (stats.uid !== uid)
      throw new FileError(`${unfinished} belongs to another user: it is left alone`, {
        path: unfinished,
        code: 'unsafe_file',
      });
    if (stats.size < from)
      throw new FileError(`${unfinished} is shorter than when it was left: ${stats.size} of ${from} bytes`, {
        path: unfinished,
        code: 'invalid_file',
      });
    isOurs = true;
    assertOwnLink(path, followed, stats.uid);
    await handle.truncate(from);
    if (mode !== undefined) await handle.chmod(mode);
    return file;
  } catch (error) {
    await (from > 0 || !isOurs ? handle.close() : file.discard());
    throw error;
  }
}

function unfinishedFlags(continued: boolean): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return O_RDWR | O_CREAT | (continued ? (O_NOFOLLOW ?? 0) : O_EXCL);
}

/** Random, so that a run that was killed never stands in the way of the next. */
function temporaryName(target: string): string {
  return join(dirname(target), `.${temporaryStem(target)}.${randomBytes(6).toString('hex')}.tmp`);
}

/** What the names of a target's temporary files begin with, after a dot. */
export function temporaryStem(target: string): string {
  return basename(target).slice(0, 60);
}
