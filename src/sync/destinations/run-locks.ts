import { dirname, join } from 'node:path';
import { makeFolder } from '../../files/folders.ts';
import { namesIfThere } from '../../files/if-there.ts';
import { type LockMachine, lockState, removeLeftovers, withLockInTurn } from '../../files/lock.ts';

/** Locks with names such as `FOLDER/NAME`, each of which one process holds at a time. */
export interface NamedLocks {
  /** Runs `work` while no other process holds the lock of this name. `onWait` is called once before it waits. */
  hold<Value>(name: string, onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value>;
  isLocked(name: string): Promise<boolean>;
  /** The names of the locks in a folder that may be held. */
  names(folder: string): Promise<readonly string[]>;
}

interface FolderLocksOptions {
  readonly machine: LockMachine;
  /** The destination, as messages name it. */
  readonly name: string;
  /** The folder for `gatectl unlock`; undefined where the user does not know it. */
  readonly unlockFolder?: string;
  /** The mode of folders that are created. */
  readonly mode?: number;
}

/** Locks in a folder of this machine. */
export class FolderLocks implements NamedLocks {
  readonly #folder: string;
  readonly #options: FolderLocksOptions;

  constructor(folder: string, options: FolderLocksOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  async hold<Value>(
    name: string,
    onWait: (holder: string) => void,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const { machine, name: displayPath, unlockFolder, mode } = this.#options;
    const path = join(this.#folder, name);
    await makeFolder(dirname(path), mode);
    const unlockPath = unlockFolder === undefined ? {} : { unlockPath: join(unlockFolder, name) };
    return await withLockInTurn(path, { machine, displayPath, onWait, ...unlockPath }, work);
  }

  async isLocked(name: string): Promise<boolean> {
    return (await lockState(join(this.#folder, name), this.#options.machine)).kind === 'held';
  }

  async names(folder: string): Promise<readonly string[]> {
    const path = join(this.#folder, folder);
    await removeLeftovers(path, this.#options.machine);
    return (await namesIfThere(path))
      .filter(name => name.endsWith('.lock') && !name.startsWith('.'))
      .map(name => name.slice(0, -'.lock'.length));
  }
}

/** The turns of the processes that write to one destination: a run, or one process for each site. */
export class RunLocks {
  readonly #locks: NamedLocks;
  readonly #run: string;
  readonly #sites: string;
  readonly #others: readonly string[];

  /** The locks are `run` in a folder and those of its folder `sites`; a run also waits for those of the folders `others`. */
  constructor(locks: NamedLocks, folder: string, others: readonly string[] = []) {
    this.#locks = locks;
    this.#run = `${folder}/run`;
    this.#sites = `${folder}/sites`;
    this.#others = others;
  }

  /** Runs `work` while no other process writes. `onWait` is called once before it waits. */
  async run<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    let isWaiting = false;
    const wait = (holder: string) => {
      if (!isWaiting) onWait(holder);
      isWaiting = true;
    };
    return await this.#locks.hold(this.#run, wait, async () => {
      for (const folder of [this.#sites, ...this.#others])
        for (const name of await this.#locks.names(folder))
          await this.#locks.hold(`${folder}/${name}`, wait, async () => {});
      return await work();
    });
  }

  /** Runs `work` while no other process writes to a site of a table. */
  async site<Value>(table: string, domainId: number, work: () => Promise<Value>): Promise<Value> {
    const ignore = () => {};
    for (;;) {
      // A run waits for the sites that are locked, and a site is left to a run that has begun.
      const done = await this.#locks.hold(`${this.#sites}/${table}-${domainId}`, ignore, async () =>
        (await this.#locks.isLocked(this.#run)) ? undefined : { value: await work() },
      );
      if (done !== undefined) return done.value;
      await this.#locks.hold(this.#run, ignore, async () => {});
    }
  }
}
