import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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

/** Creates a folder and its parents with mode 0700. The mode of an existing folder does not change. Throws FileError. */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await makeWithParents(resolve(path));
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** Node's recursive mkdir never returns in `/proc`, where a created folder is reported as missing, so each is created by itself. */
async function makeWithParents(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path) throw error;
    await makeWithParents(parent);
    await makeOne(path);
  }
}

/** Creates a folder whose parent exists, except in a file system such as `/proc`, where it fails. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (systemCode(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
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
