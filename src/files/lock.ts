import { type FileHandle, open, readFile, stat, unlink } from 'node:fs/promises';
import { FileError } from '../errors/index.ts';
import { fileError, systemCode } from './file-error.ts';

/** What a lock needs to know about this process and the machine. */
export interface LockMachine {
  readonly pid: number;
  readonly host: string;
  /** True while a process with this id runs on this host, whoever owns it. */
  isRunning(pid: number): boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface LockOptions {
  readonly machine: LockMachine;
  /** Milliseconds to wait for another holder; 0 fails at once. */
  readonly wait: number;
  /** What the user called the file, whose folder is there: messages name it instead of the lock. */
  readonly wanted?: string;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

const POLL_MS = 20;
/** A lock file without a holder in it is being written, or its writer died in between: after this long it is the latter. */
const NAMELESS_MS = 5_000;

/** Locks that this process holds or tries to take: among its own tasks, one at a time does. */
const busyHere = new Set<string>();

/** Whether another process, or another task of this one, holds the lock of `path` now. Throws FileError. */
export async function isLocked(path: string, machine: LockMachine): Promise<boolean> {
  const lock = `${path}.lock`;
  if (busyHere.has(lock)) return true;
  try {
    await stat(lock);
    return !(await isStale(lock, machine));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw fileError(lock, error, 'read');
  }
}

/**
 * Runs `run` while this process alone holds the lock of `path`, a file named `path.lock` beside it. The lock of a process
 * that is gone is taken over. Throws FileError when another holder does not let go in time, and what `run` throws.
 */
export async function withLock<Value>(
  path: string,
  { machine, wait, wanted }: LockOptions,
  run: () => Promise<Value>,
): Promise<Value> {
  const lock = `${path}.lock`;
  const deadline = machine.now() + wait;
  const pause = async () => {
    if (machine.now() >= deadline) throw await heldByAnother(path, lock);
    await machine.sleep(POLL_MS);
  };
  while (busyHere.has(lock)) await pause();
  busyHere.add(lock);
  try {
    await take(lock, machine, pause).catch(error => {
      throw whyNot(error, lock, wanted);
    });
    return await run().finally(() => unlinkIfThere(lock));
  } finally {
    busyHere.delete(lock);
  }
}

async function take(lock: string, machine: LockMachine, pause: () => Promise<void>): Promise<void> {
  while (!(await taken(lock, machine))) {
    if (!(await removeStale(lock, machine))) await pause();
  }
}

function whyNot(error: unknown, lock: string, wanted: string | undefined): FileError {
  // Some folders of the system's own, such as /proc, take no files and say that they are not there.
  if (wanted !== undefined && systemCode(error) === 'ENOENT')
    return new FileError(`cannot write ${wanted}: its folder takes no files`, { path: wanted, cause: error });
  return fileError(wanted ?? lock, error, 'write');
}

async function taken(lock: string, { pid, host }: LockMachine): Promise<boolean> {
  const handle = await created(lock);
  if (handle === undefined) return false;
  try {
    await handle.writeFile(JSON.stringify({ pid, host }));
    return true;
  } catch (error) {
    await unlinkIfThere(lock);
    throw error;
  } finally {
    await handle.close();
  }
}

async function created(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/**
 * Looking and removing are two steps, and a lock taken in between must not be removed: a second file makes sure that only one
 * process at a time does both.
 */
async function removeStale(lock: string, machine: LockMachine): Promise<boolean> {
  if (!(await isStale(lock, machine))) return false;
  const guard = `${lock}.stale`;
  const handle = await created(guard);
  if (handle === undefined) {
    if (await isOlder(guard, NAMELESS_MS, machine)) await unlinkIfThere(guard);
    return false;
  }
  try {
    if (await isStale(lock, machine)) await unlinkIfThere(lock);
    return true;
  } finally {
    await handle.close();
    await unlinkIfThere(guard);
  }
}

async function isStale(lock: string, machine: LockMachine): Promise<boolean> {
  const holder = await holderOf(lock);
  if (holder === undefined) return isOlder(lock, NAMELESS_MS, machine);
  if (holder.host !== machine.host) return false;
  // Our own process id was left by an earlier process, as restarted containers reuse ids: we are only trying.
  return holder.pid === machine.pid || !machine.isRunning(holder.pid);
}

async function holderOf(lock: string): Promise<Holder | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(lock, 'utf8'));
    if (typeof holder !== 'object' || holder === null || !('pid' in holder) || !('host' in holder))
      return undefined;
    const { pid, host } = holder;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isOlder(path: string, ms: number, machine: LockMachine): Promise<boolean> {
  try {
    return machine.now() - (await stat(path)).mtimeMs > ms;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileError(path, error, 'write');
  }
}

async function heldByAnother(path: string, lock: string): Promise<FileError> {
  const holder = await holderOf(lock);
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new FileError(`${path} is in use by ${who}; if nothing runs there any more, remove ${lock}`, {
    path,
  });
}
