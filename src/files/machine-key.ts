import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { FileError } from '../errors/index.ts';
import { link, readFile, unlink, writeFile } from './disk.ts';
import { fileError, systemCode } from './file-error.ts';
import { makePrivateFolder } from './folders.ts';

const BYTES = 32;

/**
 * The secret key of this machine in a file, created if there is none, and never replaced: what was hashed with it could no longer
 * be recognised. Throws FileError.
 */
export async function machineKey(path: string): Promise<Buffer> {
  try {
    return (await readMachineKey(path)) ?? (await createKey(path));
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** The key; undefined without the file. Throws FileError, `damaged_key` for another length. */
export async function readMachineKey(path: string): Promise<Buffer | undefined> {
  try {
    const key = await readFile(path);
    if (key.length === BYTES) return key;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(path, error, 'read');
  }
  throw new FileError(`${path} is damaged: it must have ${BYTES} bytes`, { path, code: 'damaged_key' });
}

async function createKey(path: string): Promise<Buffer> {
  await writeOnce(path, randomBytes(BYTES));
  return (await readMachineKey(path)) ?? Promise.reject(new FileError(`cannot create ${path}`, { path }));
}

/** Writes a private file unless there is one: a link never replaces a file, so of several processes one writes it. Throws FileError. */
export async function writeOnce(path: string, content: string | Uint8Array): Promise<void> {
  await makePrivateFolder(dirname(path));
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx', flush: true });
    await link(temporary, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fileError(path, error, 'write');
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}
