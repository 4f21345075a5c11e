import { dirname, join, resolve } from 'node:path';
import { FileError, InterruptedError, LockedError, type LockHolder } from '../errors/index.ts';
import { mkdir, readdir, rename, writeFile } from './disk.ts';
import { fileError, systemCode } from './file-error.ts';
import { type LivenessSocket, openLivenessSocket } from './liveness-socket.ts';
import {
  HOLDER_FILE,
  isHolderRunning,
  type LockEntry,
  newLockId,
  readLockEntry,
  removeLockEntry,
  removeLockFolder,
  TEMPORARY_LOCK,
} from './lock-entry.ts';
import type { ProcessTable } from './process-identity.ts';

/** The process and machine as a lock uses them. */
export interface LockMachine extends ProcessTable {
  readonly platform: NodeJS.Platform;
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

interface LockOptions {
  readonly machine: LockMachine;
  /** Milliseconds to wait for another holder; 0 fails immediately. */
  readonly wait: number;
  /** The file as the user named it, for messages. */
  readonly displayPath?: string;
}

/**
 * `free`: no process holds it. `abandoned`: its holder has ended, and the next process takes it over. `held`: its holder runs, or
 * (`isRunning` undefined) may run.
 */
export type LockState =
  | { readonly kind: 'free' }
  | { readonly kind: 'abandoned'; readonly holder: LockHolder | undefined }
  | {
      readonly kind: 'held';
      readonly holder: LockHolder | undefined;
      readonly isRunning: true | undefined;
    };

/*
 * A lock is a folder, PATH.lock, with a file that identifies its holder and a socket on which the holder listens. It is prepared
 * under a temporary name and then renamed, which fails if the lock exists; so a lock always has a holder. The kernel closes the
 * socket when the process ends. Where the socket proves nothing (no sockets, a remote file system), process id, start time, PID
 * namespace and boot id decide.
 *
 * Removing a lock requires a second lock, its claim, named after the id of the first. Without it, a slow process could remove the lock
 * that a faster one has just taken over. `test/models/lock.pml` is a model of this.
 */

const POLL_MS = 20;
/** How long to wait for a process that is taking over the same lock. */
const TAKEOVER_MS = 2_000;
/** A lock without a holder is being prepared; after this time, its process must have ended. */
const PREPARATION_MS = 60_000;
const CLAIM_NAME = /\.claim\.lock$/;
/** Error codes of a rename to a folder that is not empty, or to a file. */
const OCCUPIED: ReadonlySet<string | undefined> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

/** Locks that this process holds or is acquiring, to serialise its own tasks. */
const pathsInUse = new Set<string>();
/** Ids of locks and claims of this process, from their preparation to their removal. */
const ownIds = new Set<string>();

/** The state of the lock of `path`. Throws FileError. */
export async function lockState(path: string, machine: LockMachine): Promise<LockState> {
  const lock = lockOf(path);
  if (pathsInUse.has(lock)) return { kind: 'held', holder: undefined, isRunning: true };
  try {
    return await stateOf(lock, await readLockEntry(lock), machine);
  } catch (error) {
    throw fileError(lock, error, 'read');
  }
}

/**
 * Runs `run` while holding the lock of `path`, a folder named `path.lock`. An abandoned lock is taken over. Throws LockedError when
 * the holder does not release it in time, FileError, and the errors of `run`.
 */
export async function withLock<Value>(
  path: string,
  { machine, wait, displayPath }: LockOptions,
  run: () => Promise<Value>,
): Promise<Value> {
  const lock = lockOf(path);
  // The waits are counted as well, because the clock may be changed meanwhile.
  const deadline = machine.now() + wait;
  let left = wait;
  const pause = async (state: LockState) => {
    if (left <= 0 || machine.now() >= deadline) throw lockedBy(displayPath ?? path, state);
    left -= POLL_MS;
    await machine.sleep(POLL_MS);
  };
  while (pathsInUse.has(lock)) await pause({ kind: 'held', holder: undefined, isRunning: true });
  pathsInUse.add(lock);
  try {
    const held = await take(lock, machine, pause).catch(error => {
      throw lockFailure(error, lock, displayPath);
    });
    try {
      return await run();
    } finally {
      await release(held, machine);
    }
  } finally {
    pathsInUse.delete(lock);
  }
}

/** How long to wait for a holder that runs, in milliseconds. */
const TURN_MS = 24 * 3_600_000;

interface TurnOptions extends Omit<LockOptions, 'wait'> {
  /** Names the lock in the error for a holder that may not run, for `gatectl unlock`. */
  readonly unlockPath?: string;
  /** Called once before it waits, with the error of the lock. */
  readonly onWait: (holder: string) => void;
}

/**
 * Runs `run` while holding the lock of `path`, as `withLock` does; waits up to a day for a holder that runs, and not for one that may
 * not. Throws LockedError, FileError, and the errors of `run`.
 */
export async function withLockInTurn<Value>(
  path: string,
  { unlockPath, onWait, ...options }: TurnOptions,
  run: () => Promise<Value>,
): Promise<Value> {
  let isBegun = false;
  const once = () => {
    isBegun = true;
    return run();
  };
  try {
    return await withLock(path, { ...options, wait: 0 }, once);
  } catch (error) {
    if (isBegun || !(error instanceof LockedError)) throw error;
    if (error.isRunning !== true) throw unlockPath === undefined ? error : new LockedError(unlockPath, error);
    onWait(error.message);
    return await withLock(path, { ...options, wait: TURN_MS }, once);
  }
}

/**
 * Removes the lock of `path` unless its holder is known to run; with `force`, in any case. Returns the state before: without
 * `force`, a lock of a running process remains. Throws FileError.
 */
export async function unlock(path: string, machine: LockMachine, force: boolean): Promise<LockState> {
  const lock = lockOf(path);
  try {
    const entry = await readLockEntry(lock);
    const state = await stateOf(lock, entry, machine);
    if (entry === undefined || (state.kind === 'held' && state.isRunning && !force)) return state;
    await removeClaimed(lock, entry.id, machine);
    return state;
  } catch (error) {
    throw fileError(lock, error, 'write');
  }
}

function lockOf(path: string): string {
  return `${resolve(path)}.lock`;
}

function lockedBy(path: string, state: LockState): LockedError {
  const holder = state.kind === 'free' ? undefined : state.holder;
  return new LockedError(path, {
    holder,
    isRunning: state.kind === 'held' ? state.isRunning : undefined,
  });
}

/** A lock that this process holds. */
interface OwnedLock {
  readonly lock: string;
  readonly id: string;
  readonly socket: LivenessSocket | undefined;
}

async function take(
  lock: string,
  machine: LockMachine,
  pause: (state: LockState) => Promise<void>,
): Promise<OwnedLock> {
  let takingOver = 0;
  for (;;) {
    const entry = await readLockEntry(lock);
    if (entry === undefined) {
      const held = await tryTake(lock, machine);
      if (held === undefined) continue;
      await removeLeftovers(dirname(lock), machine);
      return held;
    }
    const state = await stateOf(lock, entry, machine);
    if (state.kind === 'held') await pause(state);
    else if (!(await removeClaimed(lock, entry.id, machine))) {
      // Another process is taking it over.
      if (takingOver >= TAKEOVER_MS) await pause(state);
      takingOver += POLL_MS;
      await machine.sleep(POLL_MS);
    }
  }
}

/** Undefined if another process took it first. */
async function tryTake(lock: string, machine: LockMachine): Promise<OwnedLock | undefined> {
  const id = newLockId();
  const prepared = join(dirname(lock), `.gatectl-${id}.lock`);
  await mkdir(prepared, { mode: 0o755 });
  ownIds.add(id);
  let socket: LivenessSocket | undefined;
  try {
    const since = new Date(machine.now()).toISOString();
    const content = JSON.stringify({ id, since, ...machine.identify() });
    await writeFile(join(prepared, HOLDER_FILE), content, { mode: 0o644, flag: 'wx' });
    socket = await openLivenessSocket(prepared, id, machine.platform);
    await rename(prepared, lock);
    return { lock, id, socket };
  } catch (error) {
    const now = await readLockEntry(lock).catch(() => undefined);
    // A network file system may report an error for a rename that succeeded.
    if (now?.id === id) return { lock, id, socket };
    await socket?.close();
    await removeLockFolder(prepared).catch(() => undefined);
    ownIds.delete(id);
    const isSwept = systemCode(error) === 'ENOENT';
    if (now !== undefined || isSwept || OCCUPIED.has(systemCode(error))) return undefined;
    throw error;
  }
}

/**
 * Releases a lock under its claim: `unlock` may be removing it at this moment, and the next process may then have its lock at this path.
 * On a disk that is too full for a claim, without one.
 */
async function release(held: OwnedLock, machine: LockMachine): Promise<void> {
  const { lock, id } = held;
  try {
    for (let waited = 0; !(await removeClaimed(lock, id, machine)); waited += POLL_MS) {
      // It is left to the process that has the claim.
      if (waited >= TAKEOVER_MS) break;
      await machine.sleep(POLL_MS);
    }
  } catch {
    await removeIfThere(held);
  } finally {
    await close(held);
  }
}

/** No other process removes the claim of a process that runs. */
async function releaseClaim(claim: OwnedLock): Promise<void> {
  await removeIfThere(claim).finally(() => close(claim));
}

async function removeIfThere({ lock, id }: OwnedLock): Promise<void> {
  try {
    if ((await readLockEntry(lock))?.id === id) await removeLockEntry(lock);
  } catch (error) {
    throw fileError(lock, error, 'write');
  }
}

/** Closes the socket, after the lock was removed: without it, a lock looks abandoned. */
async function close({ id, socket }: OwnedLock): Promise<void> {
  await socket?.close();
  ownIds.delete(id);
}

/** Removes the lock with this id; false if another process is removing it. */
async function removeClaimed(lock: string, id: string, machine: LockMachine): Promise<boolean> {
  const claim = join(dirname(lock), `.gatectl-${id}.claim.lock`);
  const held = await tryClaim(claim, machine);
  if (held === undefined) return false;
  try {
    if ((await readLockEntry(lock))?.id === id) await removeLockEntry(lock);
    return true;
  } finally {
    await releaseClaim(held);
  }
}

/** A claim is a lock too, and can be abandoned like one. */
async function tryClaim(claim: string, machine: LockMachine): Promise<OwnedLock | undefined> {
  const entry = await readLockEntry(claim);
  if (entry === undefined) return await tryTake(claim, machine);
  if ((await stateOf(claim, entry, machine)).kind === 'held') return undefined;
  return (await removeClaimed(claim, entry.id, machine)) ? await tryTake(claim, machine) : undefined;
}

/** Removes leftovers of processes that were killed while taking or releasing a lock in a folder. */
export async function removeLeftovers(folder: string, machine: LockMachine): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!TEMPORARY_LOCK.test(name)) continue;
    const path = join(folder, name);
    try {
      const entry = await readLockEntry(path);
      if (entry === undefined || !(await isLeftover(path, entry, machine))) continue;
      if (CLAIM_NAME.test(name)) await removeClaimed(path, entry.id, machine);
      // Whole, because its process may still be preparing it where the clock of the file system is wrong.
      else await removeLockEntry(path);
    } catch {
      // Leftovers block no process.
    }
  }
}

async function isLeftover(path: string, entry: LockEntry, machine: LockMachine): Promise<boolean> {
  if (entry.holder === undefined) return Math.abs(machine.now() - entry.mtimeMs) > PREPARATION_MS;
  return (await stateOf(path, entry, machine)).kind === 'abandoned';
}

async function stateOf(lock: string, entry: LockEntry | undefined, machine: LockMachine): Promise<LockState> {
  if (entry === undefined) return { kind: 'free' };
  const { holder } = entry;
  if (holder === undefined) return { kind: 'abandoned', holder };
  const isRunning = ownIds.has(entry.id) || (await isHolderRunning(lock, entry.id, holder.identity, machine));
  return isRunning === false
    ? { kind: 'abandoned', holder: holder.shown }
    : { kind: 'held', holder: holder.shown, isRunning };
}

function lockFailure(error: unknown, lock: string, displayPath: string | undefined): Error {
  if (error instanceof LockedError || error instanceof InterruptedError) return error;
  // Folders such as /proc exist, but report new files in them as missing.
  if (displayPath !== undefined && systemCode(error) === 'ENOENT')
    return new FileError(`cannot write ${displayPath}: its folder does not accept files`, {
      path: displayPath,
      cause: error,
    });
  return fileError(displayPath ?? lock, error, 'write');
}
