import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../../../files/folders.ts';
import { type LockMachine, lockState, withLockInTurn } from '../../../files/lock.ts';

/** The turns of the processes of one machine that write to one destination: a run, or sites. */
export class LocalLocks {
  readonly #folder: string;
  readonly #name: string;
  readonly #machine: LockMachine;

  /** `name` is the destination as messages name it. */
  constructor(folder: string, name: string, machine: LockMachine) {
    this.#folder = folder;
    this.#name = name;
    this.#machine = machine;
  }

  /** Runs `work` while no other process of this machine writes. `onWait` is called once before it waits. */
  async run<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    await makePrivateFolder(join(this.#folder, 'sites'));
    let isWaiting = false;
    const wait = (holder: string) => {
      if (!isWaiting) onWait(holder);
      isWaiting = true;
    };
    return await this.#locked('run', wait, async () => {
      for (const name of await readdir(join(this.#folder, 'sites')))
        if (/^[a-z0-9_]+-\d+\.lock$/.test(name))
          await this.#locked(join('sites', name.replace(/\.lock$/, '')), wait, async () => {});
      return await work();
    });
  }

  /** Runs `work` while no other process of this machine writes to a site of a table. */
  async site<Value>(table: string, domainId: number, work: () => Promise<Value>): Promise<Value> {
    await makePrivateFolder(join(this.#folder, 'sites'));
    for (;;) {
      const done = await this.#locked(
        join('sites', `${table}-${domainId}`),
        () => {},
        // A run waits for the sites that are locked, and a site is left to a run that has begun.
        async () => {
          const { kind } = await lockState(join(this.#folder, 'run'), this.#machine);
          return kind === 'held' ? undefined : { value: await work() };
        },
      );
      if (done !== undefined) return done.value;
      await this.#locked(
        'run',
        () => {},
        async () => {},
      );
    }
  }

  async #locked<Value>(
    name: string,
    onWait: (holder: string) => void,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const path = join(this.#folder, name);
    const options = { machine: this.#machine, displayPath: this.#name, onWait };
    return await withLockInTurn(path, options, work);
  }
}
