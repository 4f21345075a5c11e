import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { FileError } from '../errors/index.ts';
import { constants, type FileHandle, open, stat } from './disk.ts';
import { fileError, systemCode } from './file-error.ts';
import { assertOwnLink, type FollowedPath, followLinks } from './links.ts';
import { DirectFile, TempFile, type WritableFile } from './writable-file.ts';

interface AtomicOptions {
  /** Permission bits. The default is those of the replaced file, or else the user's umask. */
  readonly mode?: number;
  /**
   * The path of the incomplete file, on the same file system as the target. Writing continues after its first `from` bytes. With
   * `uid`, the file must belong to that user.
   */
  readonly partial?: { readonly path: string; readonly from: number; readonly uid?: number | undefined };
}

/**
 * Opens a temporary file next to `path`, to be renamed to it. A device, a FIFO and `/dev/stdout` are written directly. Throws
 * FileError for a folder, for another user's link and for any error of the system.
 */
export async function openAtomic(path: string, options: AtomicOptions = {}): Promise<WritableFile> {
  try {
    if (await isDirect(path)) return new DirectFile(path, await openDirect(path));
    const followed = await followLinks(path);
    if (followed.existing?.isDirectory())
      throw new FileError(`${path} is a folder, not a file`, { path, code: 'not_a_file' });
    return await openUnfinished(path, followed, options);
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** Checks that a file can be written, before the work whose result it gets. Throws FileError. */
export async function assertWritable(path: string): Promise<void> {
  if (await isDirect(path)) return;
  const file = await openAtomic(path);
  await file.discard();
}

/** Replaces a small file atomically: after a failure the old file is intact. Throws FileError. */
export async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  options: AtomicOptions = {},
): Promise<void> {
  await atomically(path, file => file.write(content), options);
}

/** Opens a file as `openAtomic`, which appears once `work` has written it, and is removed if that fails. Throws the errors of `work`, too. */
export async function atomically<Value>(
  path: string,
  work: (file: WritableFile) => Promise<Value>,
  options: AtomicOptions = {},
): Promise<Value> {
  const file = await openAtomic(path, options);
  try {
    const value = await work(file);
    await file.commit();
    return value;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

const DIRECT = constants.O_WRONLY | constants.O_APPEND;
/** How long the reader of a FIFO may take to start. */
const READER_WAIT_MS = 2000;
const READER_POLL_MS = 20;

/**
 * Opens a device, FIFO or stream. The system's open of a FIFO waits for a reader for ever, where neither a signal nor a time limit
 * ends it: this waits for a moment only, for a reader that is started at the same time.
 */
async function openDirect(path: string): Promise<FileHandle> {
  if (!(await stat(path)).isFIFO()) return await open(path, DIRECT);
  const probe = await openWithReader(path, READER_WAIT_MS);
  try {
    // Without O_NONBLOCK, so that writes wait for the reader. The probe stays open: without a writer the reader would see the end.
    return await open(path, DIRECT);
  } finally {
    await probe.close();
  }
}

/** Opens a FIFO that a process reads, without waiting in the system. Throws FileError where none does. */
async function openWithReader(path: string, wait: number): Promise<FileHandle> {
  for (let left = wait; ; left -= READER_POLL_MS) {
    try {
      return await open(path, DIRECT | constants.O_NONBLOCK);
    } catch (error) {
      if (systemCode(error) !== 'ENXIO') throw error;
      if (left <= 0)
        throw new FileError(`cannot write ${path}: no process reads this pipe`, {
          path,
          code: 'no_reader',
          cause: error,
        });
      await new Promise(resolve => setTimeout(resolve, READER_POLL_MS));
    }
  }
}

/** Paths of the standard streams. They are written directly even if they are regular files: the shell opened those. */
const STREAM_NAMES = /^\/(dev\/(std(out|err)|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Whether a path is a device, pipe or standard stream, which is written directly. Throws FileError. */
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
  // A file that is not ours must not be removed after an error.
  let isOurs = false;
  const file = new TempFile(path, target, unfinished, handle, from);
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw new FileError(`refusing to overwrite ${unfinished}: it is not a regular file`, {
        path: unfinished,
        code: 'not_a_file',
      });
    const { uid = stats.uid } = options.partial ?? {};
    if (stats.uid !== uid)
      throw new FileError(`refusing to overwrite ${unfinished}: it belongs to another user`, {
        path: unfinished,
        code: 'unsafe_file',
      });
    if (stats.size < from)
      throw new FileError(`cannot resume ${unfinished}: it is truncated to ${stats.size} of ${from} bytes`, {
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

function unfinishedFlags(isResumed: boolean): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return O_RDWR | O_CREAT | (isResumed ? (O_NOFOLLOW ?? 0) : O_EXCL);
}

/** Random, so that the leftover of a killed process never blocks the next one. */
function temporaryName(target: string): string {
  return join(dirname(target), `.${temporaryStem(target)}.${randomBytes(6).toString('hex')}.tmp`);
}

/** The beginning of the names of a target's temporary files, after a dot. */
export function temporaryStem(target: string): string {
  return basename(target).slice(0, 60);
}
