import { dirname, resolve } from 'node:path';
import { FileError } from '../errors/index.ts';
import { lstat, mkdir, readlink, rm, stat } from './disk.ts';
import { syncFolder } from './disk-io.ts';
import { fileError, systemCode } from './file-error.ts';

/**
 * Creates a folder and those above it, unless they exist, with `mode` where they are created. Every folder of src/ is created here or
 * by a single `mkdir`: in file systems such as `/proc`, where a new folder is reported as missing, Node's recursive one never returns.
 * `onParent` is called with the folder above each, before that is created. Resolves to those that it created. Throws FileError.
 */
export async function makeFolder(
  path: string,
  mode?: number,
  onParent: (parent: string) => Promise<void> = async () => {},
): Promise<readonly string[]> {
  return await makeWithParents(resolve(path), mode, onParent).catch(async error => {
    throw await folderError(path, error);
  });
}

/**
 * Creates a folder and its parents with mode 0700, each once the name of the one above it is on the disk: a flushed file is lost in a
 * power cut with a folder whose name was not. Flushes also the name of a folder that exists, because the process that made it may have
 * been killed before it did so, and leaves its mode. Throws FileError.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path, 0o700, syncName);
  await syncName(path);
}

/** Flushes the name of a file or folder. Throws FileError. */
export async function syncName(path: string): Promise<void> {
  await syncFolder(dirname(path));
}

/** Removes a folder, if it exists, and what it contains. Throws FileError. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

async function makeWithParents(
  path: string,
  mode: number | undefined,
  onParent: (parent: string) => Promise<void>,
): Promise<readonly string[]> {
  if (await isFolder(path)) return [];
  const parent = dirname(path);
  const made = parent === path ? [] : await makeWithParents(parent, mode, onParent);
  await onParent(parent);
  return [...made, ...(await makeOne(path, mode))];
}

/** Creates a folder in one that exists; resolves to it, unless it existed. Systems report one that exists by different codes. */
async function makeOne(path: string, mode: number | undefined): Promise<readonly string[]> {
  try {
    await mkdir(path, mode);
    return [path];
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || !(await isFolder(path))) throw error;
    return [];
  }
}

/** Links to nothing, or in a circle. */
const LEADS_NOWHERE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Whether a path, or what it links to, is a folder. Throws the system's errors. */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (LEADS_NOWHERE.has(systemCode(error))) return false;
    throw error;
  }
}

/** The error for a folder that cannot be created, although those above it exist. */
async function folderError(path: string, error: unknown): Promise<FileError> {
  const { path: at = path } = error as NodeJS.ErrnoException;
  const shown = at === resolve(path) ? path : at;
  const facts = { path, cause: error };
  switch (systemCode(error)) {
    case 'EEXIST': {
      const target = await readlink(at).catch(() => undefined);
      return target === undefined
        ? new FileError(`${shown} is a file, not a folder`, { ...facts, code: 'file_exists' })
        : new FileError(`${shown} is a link to ${target}, which is not a folder`, {
            ...facts,
            code: 'file_exists',
          });
    }
    case 'ENOENT':
      return new FileError(`cannot create ${shown}: no folder can be created in ${dirname(at)}`, {
        ...facts,
        code: 'permission_denied',
      });
    default:
      return fileError(path, error, 'write');
  }
}

/**
 * Whether a folder exists in a folder that other users can write to, such as `/tmp`. Throws FileError if it is a link, belongs to
 * another user or is open to others. On systems without user ids (`uid` undefined) it is trusted.
 */
export async function isOwnFolder(path: string, uid: number | undefined): Promise<boolean> {
  try {
    const stats = await lstat(path);
    if (uid === undefined || (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0))
      return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw fileError(path, error, 'read');
  }
  throw new FileError(`refusing to use ${path}: it is not a private folder of this user`, {
    path,
    code: 'unsafe_file',
  });
}
