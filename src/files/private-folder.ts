import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { FileError } from '../errors/index.ts';
import { fileError, systemCode } from './file-error.ts';

/** Creates a folder, and those above it, for this user alone. An existing one keeps its permissions. Throws FileError. */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await make(resolve(path));
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** Creates one folder at a time: Node's recursive mkdir never returns in `/proc`, where a new folder is reported as missing. */
async function make(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path) throw error;
    await make(above);
    await makeOne(path);
  }
}

/** The folder above exists, unless a file system like `/proc` accepts folders and does not have them afterwards. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (systemCode(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

/**
 * Whether a folder is there, within one that others can write too, and is surely this user's own: no link, not another's, and open
 * to nobody else. Without user numbers (`uid` undefined) the place is trusted. Throws FileError for what is there and is not ours.
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
  throw new FileError(`${path} is not a private folder of this user: it is left alone`, {
    path,
    code: 'unsafe_file',
  });
}
