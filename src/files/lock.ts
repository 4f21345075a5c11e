import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FileError, LockedError, type LockHolder } from '../errors/index.ts';
import { fileError, systemCode } from './file-error.ts';
import { isListening, type LivenessSocket, openLivenessSocket } from './liveness-socket.ts';
import { isLocalFilesystem } from './local-filesystem.ts';
import { onSameKernel, type ProcessIdentity, type ProcessTable } from './process-identity.ts';

/** What a lock needs to know about this process and the machine. */
export interface LockMachine extends ProcessTable {
  readonly platform: NodeJS.Platform;
  /** Milliseconds since the epoch. Shown to people only: no decision depends on it. */
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

/**
 * `free`: nobody holds it. `abandoned`: its holder is provably gone, and the next to need the lock takes it over. `held`: its
 * holder runs, or (`isRunning` undefined) that can't be told.
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
 * A lock is a folder, PATH.lock, that holds the holder's identity and a socket on which it listens. The folder is filled under
 * another name and then renamed, which fails where a lock is: there is no moment at which a lock exists without its holder.
 * The kernel closes the socket with the process. Where that says nothing (no sockets, a remote file system), process id, start
 * time, PID namespace and boot id do.
 *
 * An abandoned lock may be removed only by the holder of a second lock, its claim, which is named after the id of the one to
 * remove. Otherwise a slow process could remove the lock that a quick one has just taken in its place.
 */

const HOLDER_FILE = 'holder.json';
const HOLDER_BYTES = 4_096;
const POLL_MS = 20;
/** How long to wait for a process that is taking over the same lock. */
const TAKEOVER_MS = 2_000;
/** A folder without a holder is being filled, or its process died meanwhile: after this long it is the latter. */
const FILLING_MS = 60_000;
const ID = /^[0-9a-f]{12}$/;
const OWN_NAME = /^\.gatectl-[0-9a-f-]+(?:\.claim)?\.lock$/;
const CLAIM_NAME = /\.claim\.lock$/;
/** What a system says of a rename onto a folder that holds something, or onto a file. */
const OCCUPIED: ReadonlySet<string | undefined> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

/** Locks that this process holds or tries to take: among its own tasks, one at a time does. */
const busyHere = new Set<string>();
/** Ids of locks and claims of this process, from before they can be seen until they are gone. */
const idsHere = new Set<string>();

/** Who holds the lock of `path` now, if anybody. Throws FileError. */
export async function lockState(path: string, machine: LockMachine): Promise<LockState> {
  const lock = lockOf(path);
  if (busyHere.has(lock)) return { kind: 'held', holder: undefined, isRunning: true };
  try {
    return await stateOf(lock, await entryAt(lock), machine);
  } catch (error) {
    throw fileError(lock, error, 'read');
  }
}

/**
 * Runs `run` while this process alone holds the lock of `path`, a folder named `path.lock` beside it. The lock of a process
 * that is gone is taken over. Throws LockedError when another holder does not release it in time, FileError, and what `run` throws.
 */
export async function withLock<Value>(
  path: string,
  { machine, wait, wanted }: LockOptions,
  run: () => Promise<Value>,
): Promise<Value> {
  const lock = lockOf(path);
  // Both, as the clock may be set meanwhile.
  const deadline = machine.now() + wait;
  let left = wait;
  const pause = async (state: LockState) => {
    if (left <= 0 || machine.now() >= deadline) throw lockedBy(wanted ?? path, state);
    left -= POLL_MS;
    await machine.sleep(POLL_MS);
  };
  while (busyHere.has(lock)) await pause({ kind: 'held', holder: undefined, isRunning: true });
  busyHere.add(lock);
  try {
    const held = await take(lock, machine, pause).catch(error => {
      throw whyNot(error, lock, wanted);
    });
    try {
      return await run();
    } finally {
      await release(held);
    }
  } finally {
    busyHere.delete(lock);
  }
}

/**
 * Removes the lock of `path` if its holder is gone, or may be gone. With `force`, also that of a running process. Gives back
 * what it was before: a lock that is still held by a running process was left alone. Throws FileError.
 */
export async function unlock(path: string, machine: LockMachine, force: boolean): Promise<LockState> {
  const lock = lockOf(path);
  try {
    const entry = await entryAt(lock);
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
interface Held {
  readonly lock: string;
  readonly id: string;
  readonly socket: LivenessSocket | undefined;
}

async function take(
  lock: string,
  machine: LockMachine,
  pause: (state: LockState) => Promise<void>,
): Promise<Held> {
  let takingOver = 0;
  for (;;) {
    const entry = await entryAt(lock);
    if (entry === undefined) {
      const held = await tryTake(lock, machine);
      if (held === undefined) continue;
      await sweep(dirname(lock), machine);
      return held;
    }
    const state = await stateOf(lock, entry, machine);
    if (state.kind === 'held') await pause(state);
    else if (!(await removeClaimed(lock, entry.id, machine))) {
      // Somebody else is at it.
      if (takingOver >= TAKEOVER_MS) await pause(state);
      takingOver += POLL_MS;
      await machine.sleep(POLL_MS);
    }
  }
}

/** Undefined where another process was quicker. */
async function tryTake(lock: string, machine: LockMachine): Promise<Held | undefined> {
  const id = newId();
  const prepared = join(dirname(lock), `.gatectl-${id}.lock`);
  await mkdir(prepared, { mode: 0o755 });
  idsHere.add(id);
  let socket: LivenessSocket | undefined;
  try {
    const since = new Date(machine.now()).toISOString();
    const content = JSON.stringify({ id, since, ...machine.identify() });
    await writeFile(join(prepared, HOLDER_FILE), content, { mode: 0o644, flag: 'wx' });
    socket = await openLivenessSocket(prepared, id, machine.platform);
    await rename(prepared, lock);
    return { lock, id, socket };
  } catch (error) {
    const now = await entryAt(lock).catch(() => undefined);
    // A server of network files may have done it and lost the answer.
    if (now?.id === id) return { lock, id, socket };
    await socket?.close();
    await removeFolder(prepared).catch(() => undefined);
    idsHere.delete(id);
    const isSwept = systemCode(error) === 'ENOENT';
    if (now !== undefined || isSwept || OCCUPIED.has(systemCode(error))) return undefined;
    throw error;
  }
}

async function release({ lock, id, socket }: Held): Promise<void> {
  try {
    if ((await entryAt(lock))?.id === id) await removeEntry(lock);
  } catch (error) {
    throw fileError(lock, error, 'write');
  } finally {
    // Only now: a lock without its socket looks abandoned.
    await socket?.close();
    idsHere.delete(id);
  }
}

/** Removes the lock with that id, unless another process does. */
async function removeClaimed(lock: string, id: string, machine: LockMachine): Promise<boolean> {
  const claim = join(dirname(lock), `.gatectl-${id}.claim.lock`);
  const held = await tryClaim(claim, machine);
  if (held === undefined) return false;
  try {
    if ((await entryAt(lock))?.id === id) await removeEntry(lock);
    return true;
  } finally {
    await release(held);
  }
}

/** Claims of processes that died with them are abandoned locks themselves. */
async function tryClaim(claim: string, machine: LockMachine): Promise<Held | undefined> {
  const entry = await entryAt(claim);
  if (entry === undefined) return await tryTake(claim, machine);
  if ((await stateOf(claim, entry, machine)).kind === 'held') return undefined;
  return (await removeClaimed(claim, entry.id, machine)) ? await tryTake(claim, machine) : undefined;
}

/** Removes what processes left that were killed while they took or released a lock. */
async function sweep(folder: string, machine: LockMachine): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!OWN_NAME.test(name)) continue;
    const path = join(folder, name);
    try {
      const entry = await entryAt(path);
      if (entry === undefined || !(await isLeftover(path, entry, machine))) continue;
      if (CLAIM_NAME.test(name)) await removeClaimed(path, entry.id, machine);
      else await removeFolder(path);
    } catch {
      // It stands in nobody's way.
    }
  }
}

async function isLeftover(path: string, entry: Entry, machine: LockMachine): Promise<boolean> {
  if (entry.holder === undefined) return Math.abs(machine.now() - entry.mtimeMs) > FILLING_MS;
  return (await stateOf(path, entry, machine)).kind === 'abandoned';
}

async function stateOf(lock: string, entry: Entry | undefined, machine: LockMachine): Promise<LockState> {
  if (entry === undefined) return { kind: 'free' };
  const { holder } = entry;
  if (holder === undefined) return { kind: 'abandoned', holder };
  const isRunning = await isHolderRunning(lock, entry.id, holder.identity, machine);
  return isRunning === false
    ? { kind: 'abandoned', holder: holder.shown }
    : { kind: 'held', holder: holder.shown, isRunning };
}

/** Undefined where nothing proves it one way or the other. */
async function isHolderRunning(
  lock: string,
  id: string,
  them: ProcessIdentity,
  machine: LockMachine,
): Promise<boolean | undefined> {
  if (idsHere.has(id)) return true;
  const socket = await isListening(lock, id, machine.platform);
  if (socket) return true;
  const us = machine.identify();
  const isLocal = () => isLocalFilesystem(dirname(lock), machine.platform);
  if (!onSameKernel(us, them)) {
    // The kernel that had this file system before has stopped, or has let go of it.
    const known = us.boot !== undefined && them.boot !== undefined;
    return known && (await isLocal()) ? false : undefined;
  }
  if (us.pidNamespace === them.pidNamespace) {
    const process = machine.find(them.pid);
    // What this process holds itself was answered above.
    if (process === undefined || them.pid === us.pid) return false;
    if (process.startTime !== undefined && them.startTime !== undefined)
      return process.startTime === them.startTime;
  }
  // Of a remote file system this kernel may hold several views, each with sockets of its own.
  const pipesSay = machine.platform === 'win32';
  return socket === false && (pipesSay || (await isLocal())) ? false : undefined;
}

/** What is at a lock's path. */
interface Entry {
  /** Unlike that of any other lock. */
  readonly id: string;
  readonly mtimeMs: number;
  /** Undefined where the file is empty or broken, which no running process leaves behind. */
  readonly holder: { readonly identity: ProcessIdentity; readonly shown: LockHolder } | undefined;
}

async function entryAt(lock: string): Promise<Entry | undefined> {
  const stats = await lstat(lock).catch(ignoring('ENOENT'));
  if (stats === undefined) return undefined;
  const isFolder = stats.isDirectory();
  const text = await readSmall(isFolder ? join(lock, HOLDER_FILE) : lock).catch(ignoring('ENOENT'));
  // It went in between, or it is a folder that nobody filled.
  if (isFolder && text === undefined) return await entryWithoutHolder(lock, stats);
  return entryFrom(text ?? '', stats);
}

async function entryWithoutHolder(lock: string, stats: Stats): Promise<Entry | undefined> {
  const names = await readdir(lock).catch(ignoring('ENOENT'));
  if (names === undefined) return undefined;
  if (names.includes(HOLDER_FILE)) return await entryAt(lock);
  if (names.length > 0 && !OWN_NAME.test(lock.slice(dirname(lock).length + 1)))
    throw new FileError(`${lock} is not a lock of gatectl: it is left alone`, { path: lock });
  return entryFrom('', stats);
}

function entryFrom(text: string, stats: Stats): Entry {
  const { mtimeMs } = stats;
  const fallbackId = `${stats.ino.toString(16)}-${Math.trunc(mtimeMs).toString(16)}`;
  const fields = fieldsOf(text);
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

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A FIFO or device that somebody laid there is not waited for. */
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

/** Under another name first: at its own, a lock is there with its holder or not at all. */
async function removeEntry(lock: string): Promise<void> {
  const removed = join(dirname(lock), `.gatectl-${newId()}.lock`);
  await rename(lock, removed);
  await removeFolder(removed);
}

/** Removes only what a lock consists of. */
async function removeFolder(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoring('ENOENT'));
  if (stats === undefined) return;
  if (!stats.isDirectory()) return await unlink(path);
  for (const name of [HOLDER_FILE, 'alive']) await unlink(join(path, name)).catch(ignoring('ENOENT'));
  await rmdir(path).catch(ignoring('ENOENT'));
}

function ignoring(code: string): (error: unknown) => undefined {
  return error => {
    if (systemCode(error) !== code) throw error;
    return undefined;
  };
}

function newId(): string {
  return randomBytes(6).toString('hex');
}

function whyNot(error: unknown, lock: string, wanted: string | undefined): Error {
  if (error instanceof LockedError) return error;
  // Some folders of the system's own, such as /proc, take no files and say that they are not there.
  if (wanted !== undefined && systemCode(error) === 'ENOENT')
    return new FileError(`cannot write ${wanted}: its folder takes no files`, { path: wanted, cause: error });
  return fileError(wanted ?? lock, error, 'write');
}
