import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { FileError, type LockHolder } from '../errors/index.ts';
import { storedObject } from '../json/stored.ts';
import { constants, lstat, open, readdir, rename, rmdir, type Stats, unlink } from './disk.ts';
import { systemCode } from './file-error.ts';
import { isListening, SOCKET_NAME } from './liveness-socket.ts';
import { isLocalFilesystem } from './local-filesystem.ts';
import { onSameKernel, type ProcessIdentity, type ProcessTable } from './process-identity.ts';

/** The file in a lock's folder that describes its holder. */
export const HOLDER_FILE = 'holder.json';

/** Names of locks that are being taken or removed, and of claims. */
export const TEMPORARY_LOCK = /^\.gatectl-[0-9a-f-]+(?:\.claim)?\.lock$/;

const HOLDER_BYTES = 4_096;
const ID = /^[0-9a-f]{12}$/;

/** What is at a lock's path. */
export interface LockEntry {
  /** Unique to this lock. */
  readonly id: string;
  readonly mtimeMs: number;
  /** Undefined if the holder file is missing, empty or invalid. */
  readonly holder: { readonly identity: ProcessIdentity; readonly shown: LockHolder } | undefined;
}

/** Reads the lock at a path; undefined where there is none. Throws FileError for a folder that is not a lock, and errors of the system. */
export async function readLockEntry(lock: string): Promise<LockEntry | undefined> {
  const stats = await lstat(lock).catch(ifGone);
  if (stats === undefined) return undefined;
  const isFolder = stats.isDirectory();
  const text = await readSmall(isFolder ? join(lock, HOLDER_FILE) : lock).catch(ifGone);
  // It was removed meanwhile, or it is a folder without a holder.
  if (isFolder && text === undefined) return await entryWithoutHolder(lock, stats);
  return entryFrom(text ?? '', stats);
}

async function entryWithoutHolder(lock: string, stats: Stats): Promise<LockEntry | undefined> {
  const names = await readdir(lock).catch(ifGone);
  if (names === undefined) return undefined;
  if (names.includes(HOLDER_FILE)) return await readLockEntry(lock);
  // A power cut may leave the socket of a lock alone.
  const isForeign = names.some(name => name !== SOCKET_NAME);
  if (isForeign && !TEMPORARY_LOCK.test(lock.slice(dirname(lock).length + 1)))
    throw new FileError(`${lock} exists, but is not a lock of gatectl`, { path: lock });
  return entryFrom('', stats);
}

function entryFrom(text: string, stats: Stats): LockEntry {
  const { mtimeMs } = stats;
  const fallbackId = `${stats.ino.toString(16)}-${Math.trunc(mtimeMs).toString(16)}`;
  const fields = storedObject(text);
  const { pid, host } = fields;
  if (typeof pid !== 'number' || typeof host !== 'string')
    return { id: fallbackId, mtimeMs, holder: undefined };
  const since = optionalText(fields.since);
  const identity = {
    pid,
    host,
    boot: optionalText(fields.boot),
    pidNamespace: optionalText(fields.pidNamespace),
    startTime: optionalText(fields.startTime),
  };
  const id = optionalText(fields.id) ?? '';
  return {
    id: ID.test(id) ? id : fallbackId,
    mtimeMs,
    holder: { identity, shown: { pid, host, since: since ?? stats.mtime.toISOString() } },
  };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Does not block on a FIFO or device in place of the file. */
async function readSmall(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await handle.stat()).isFile()) return '';
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HOLDER_BYTES), 0, HOLDER_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Removes a lock. It is renamed first, so that it is never visible without its holder. */
export async function removeLockEntry(lock: string): Promise<void> {
  const removed = join(dirname(lock), `.gatectl-${newLockId()}.lock`);
  await rename(lock, removed);
  // What remains locks nothing, and the next process removes it. On NFS, a file that another process reads keeps its folder.
  await removeLockFolder(removed).catch(() => undefined);
}

/** Removes a lock's folder with the files that a lock consists of, and nothing else. */
export async function removeLockFolder(path: string): Promise<void> {
  const stats = await lstat(path).catch(ifGone);
  if (stats === undefined) return;
  if (!stats.isDirectory()) return await unlink(path);
  // The holder last: without it, a folder that a killed process leaves must first become old.
  for (const name of [SOCKET_NAME, HOLDER_FILE]) await unlink(join(path, name)).catch(ifGone);
  await rmdir(path).catch(ifGone);
}

/** Network file systems report a file that another machine has removed as stale. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ESTALE']);

function ifGone(error: unknown): undefined {
  if (!GONE.has(systemCode(error))) throw error;
  return undefined;
}

/** A random id for a lock. */
export function newLockId(): string {
  return randomBytes(6).toString('hex');
}

/**
 * Whether the process that holds a lock still runs; undefined if unknown. Not for locks of this process: it treats its id as that
 * of an earlier one.
 */
export async function isHolderRunning(
  lock: string,
  id: string,
  them: ProcessIdentity,
  machine: ProcessTable & { readonly platform: NodeJS.Platform },
): Promise<boolean | undefined> {
  const socket = await isListening(lock, id, machine.platform);
  if (socket) return true;
  const us = machine.identify();
  const isLocal = () => isLocalFilesystem(dirname(lock), machine.platform);
  if (!onSameKernel(us, them)) {
    // A local file system is mounted by one kernel at a time, so the other kernel has stopped.
    const known = us.boot !== undefined && them.boot !== undefined;
    return known && (await isLocal()) ? false : undefined;
  }
  if (us.pidNamespace === them.pidNamespace) {
    const process = machine.find(them.pid);
    // Locks of this process were ruled out, so its id is reused.
    if (process === undefined || them.pid === us.pid) return false;
    if (process.startTime !== undefined && them.startTime !== undefined)
      return process.startTime === them.startTime;
  }
  // A remote file system may be mounted several times, each mount with its own sockets.
  const isPipe = machine.platform === 'win32';
  return socket === false && (isPipe || (await isLocal())) ? false : undefined;
}
