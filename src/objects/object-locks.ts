import { randomInt } from 'node:crypto';
import { DestinationError, LockedError, type LockHolder } from '../errors/index.ts';
import type { LockMachine } from '../files/lock.ts';
import { newLockId } from '../files/lock-entry.ts';
import { onSameKernel, type ProcessIdentity } from '../files/process-identity.ts';
import { storedObject } from '../json/stored.ts';
import type { Bucket } from './bucket.ts';

/*
 * A lock is what lies below NAME.lock/: one object for each process that holds it or is about to. A process writes its object, then
 * lists all of them; it holds the lock if no other is there, and otherwise removes its own and tries again later. Of two processes
 * that do so at once, the one that lists last sees the object of the other. This takes a store whose listings contain every object
 * that was written before, as those of S3, Ceph, MinIO and R2 do, and no conditional requests, which not all of them have.
 *
 * The holder writes its object again and again. One that was not written for EXPIRY_MS by the clock of the store belongs to a process
 * that has ended or lost its connection, and no longer counts.
 */

export interface LockTiming {
  readonly heartbeatMs: number;
  readonly expiryMs: number;
  readonly pollMs: number;
}

const TIMING: LockTiming = { heartbeatMs: 15_000, expiryMs: 60_000, pollMs: 1_000 };
/** How long to wait for another process, in milliseconds. */
const WAIT_MS = 24 * 3_600_000;
/** The longest pause after two processes tried at once, in milliseconds. */
const BACK_OFF_MS = 400;

interface Entry {
  readonly id: string;
  readonly key: string;
}

interface Held {
  readonly name: string;
  readonly entry: Entry;
  /** When its object was last written, by the clock of this machine. */
  writtenAt: number;
  isLost: boolean;
}

/** Ids of the locks of this process. */
const ownIds = new Set<string>();

/** The locks in a bucket. */
export class ObjectLocks {
  readonly #bucket: Bucket;
  readonly #machine: LockMachine;
  readonly #timing: LockTiming;
  readonly #held = new Set<Held>();
  /** Who wrote an object, by id. */
  readonly #holders = new Map<string, { identity: ProcessIdentity; shown: LockHolder } | undefined>();

  constructor(bucket: Bucket, machine: LockMachine, timing: LockTiming = TIMING) {
    this.#bucket = bucket;
    this.#machine = machine;
    this.#timing = timing;
  }

  /**
   * Runs `work` while no other process holds the lock of a name. `onWait` is called once before it waits. Throws LockedError after a
   * day, DestinationError, and the errors of `work`.
   */
  async hold<Value>(
    name: string,
    onWait: (holder: string) => void,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const held = await this.#acquire(name, onWait);
    this.#held.add(held);
    let writing: Promise<void> = Promise.resolve();
    const timer = setInterval(() => {
      writing = writing.then(() => this.#renew(held)).catch(() => undefined);
    }, this.#timing.heartbeatMs);
    timer.unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.#held.delete(held);
      await writing;
      await this.#bucket.remove(held.entry.key, { always: true }).finally(() => ownIds.delete(held.entry.id));
    }
  }

  /** Throws DestinationError if another process may have taken over a lock of this one, which was stopped for too long. */
  async assertHeld(): Promise<void> {
    for (const held of this.#held) {
      if (this.#isFresh(held)) continue;
      await this.#renew(held);
      if (held.isLost) throw lost(this.#bucket.name);
    }
  }

  async isLocked(name: string): Promise<boolean> {
    return (await this.#entries(name)).live.length > 0;
  }

  /** The names below a prefix with locks that may be held. */
  async names(prefix: string): Promise<readonly string[]> {
    const names = await this.#bucket.names(`${prefix}/`);
    return names.filter(name => name.endsWith('.lock/')).map(name => name.slice(0, -'.lock/'.length));
  }

  #isFresh({ isLost, writtenAt }: Held): boolean {
    return !isLost && this.#machine.now() - writtenAt < this.#timing.expiryMs / 2;
  }

  /** Writes the object of a lock again, unless another process may hold the lock by now. */
  async #renew(held: Held): Promise<void> {
    if (held.isLost) return;
    if (!this.#isFresh(held)) {
      const { live, all } = await this.#entries(held.name);
      const isThere = all.some(({ id }) => id === held.entry.id);
      held.isLost = !isThere || live.some(({ id }) => id !== held.entry.id);
      if (held.isLost) return;
    }
    await this.#write(held.entry);
    held.writtenAt = this.#machine.now();
  }

  async #acquire(name: string, onWait: (holder: string) => void): Promise<Held> {
    const id = newLockId();
    const entry = { id, key: `${name}.lock/${id}.json` };
    const deadline = this.#machine.now() + WAIT_MS;
    let isWaiting = false;
    ownIds.add(id);
    try {
      for (;;) {
        const [other] = (await this.#entries(name)).live;
        if (other !== undefined) {
          const error = new LockedError(this.#bucket.name, {
            holder: this.#holders.get(other.id)?.shown,
            isRunning: true,
          });
          if (this.#machine.now() >= deadline) throw error;
          if (!isWaiting) onWait(error.message);
          isWaiting = true;
          await this.#machine.sleep(this.#timing.pollMs);
          continue;
        }
        const writtenAt = this.#machine.now();
        await this.#write(entry);
        const { live, dead, all } = await this.#entries(name);
        if (!all.some(each => each.id === id)) throw inconsistent(this.#bucket.name);
        if (live.every(each => each.id === id)) {
          for (const { key } of dead) if (key !== entry.key) await this.#bucket.remove(key);
          return { name, entry, writtenAt, isLost: false };
        }
        await this.#bucket.remove(entry.key);
        await this.#machine.sleep(randomInt(BACK_OFF_MS));
      }
    } catch (error) {
      await this.#bucket.remove(entry.key, { always: true }).catch(() => undefined);
      ownIds.delete(id);
      throw error;
    }
  }

  async #write({ id, key }: Entry): Promise<void> {
    const since = new Date(this.#machine.now()).toISOString();
    await this.#bucket.write(key, `${JSON.stringify({ id, since, ...this.#machine.identify() })}\n`);
  }

  async #entries(
    name: string,
  ): Promise<{ all: readonly Entry[]; live: readonly Entry[]; dead: readonly Entry[] }> {
    const prefix = `${name}.lock/`;
    const [live, dead]: [Entry[], Entry[]] = [[], []];
    for await (const { objects, now } of this.#bucket.list(prefix))
      for (const { key, modified } of objects) {
        const id = key.slice(prefix.length).replace(/\.json$/, '');
        const age = (now?.getTime() ?? this.#machine.now()) - modified.getTime();
        const isLive = age <= this.#timing.expiryMs && (await this.#mayRun(id, key));
        (isLive ? live : dead).push({ id, key });
      }
    return { all: [...live, ...dead], live, dead };
  }

  /** Whether the process that wrote an object may run: on this machine, that is known. */
  async #mayRun(id: string, key: string): Promise<boolean> {
    if (!this.#holders.has(id)) this.#holders.set(id, holderIn(await this.#bucket.read(key)));
    const them = this.#holders.get(id)?.identity;
    if (them === undefined) return true;
    const us = this.#machine.identify();
    if (!onSameKernel(us, them) || us.pidNamespace !== them.pidNamespace) return true;
    if (them.pid === us.pid) return ownIds.has(id);
    const process = this.#machine.find(them.pid);
    if (process === undefined) return false;
    return process.startTime === undefined || process.startTime === them.startTime;
  }
}

function holderIn(text: string | undefined): { identity: ProcessIdentity; shown: LockHolder } | undefined {
  const { pid, host, since, ...identity } = storedObject(text ?? '') as Partial<ProcessIdentity & LockHolder>;
  if (typeof pid !== 'number' || typeof host !== 'string') return undefined;
  const { boot, pidNamespace, startTime } = identity;
  return { identity: { pid, host, boot, pidNamespace, startTime }, shown: { pid, host, since } };
}

function lost(name: string): DestinationError {
  return new DestinationError(
    `the lock of ${name} was lost: this process was stopped, or could not reach the store`,
    { code: 'destination_failed', reason: 'object_lock_lost' },
  );
}

function inconsistent(name: string): DestinationError {
  return new DestinationError(`${name}: a listing lacks an object that was just written`, {
    code: 'destination_unusable',
    reason: 'inconsistent_store',
  });
}
