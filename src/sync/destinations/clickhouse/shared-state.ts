import type { LockMachine } from '../../../files/lock.ts';
import type { StoredState } from './own-tables.ts';
import type { Shards } from './shards.ts';

/** gatectl's own values, which all servers of a cluster share. Methods throw DestinationError. */
export class SharedState {
  readonly #shards: Shards;
  readonly #machine: Pick<LockMachine, 'now'>;
  readonly #states = new Map<string, StoredState>();

  constructor(shards: Shards, machine: Pick<LockMachine, 'now'>) {
    this.#shards = shards;
    this.#machine = machine;
  }

  /** A value that was read; undefined if there is none. */
  get(kind: string, name: string): string | undefined {
    return this.#states.get(`${kind}/${name}`)?.value;
  }

  /** The values of a kind that were read. */
  ofKind(kind: string): readonly StoredState[] {
    return [...this.#states.values()].filter(state => state.kind === kind);
  }

  /** Reads the values of some kinds from all shards: a server that was replaced has none yet. */
  async read(kinds: readonly string[]): Promise<void> {
    await this.#shards.onAll(async shard => {
      for (const state of await shard.own.states(kinds)) {
        const key = `${state.kind}/${state.name}`;
        const known = this.#states.get(key);
        if (known === undefined || known.version < state.version) this.#states.set(key, state);
      }
    });
  }

  async write(kind: string, name: string, value: string): Promise<void> {
    const key = `${kind}/${name}`;
    const state = { kind, name, value, version: this.versionAfter(this.#states.get(key)?.version) };
    await this.#shards.onFirst(shard => shard.own.writeState(state));
    this.#states.set(key, state);
  }

  /** A version above an earlier one, and above those that other machines wrote before. */
  versionAfter(earlier: bigint | undefined): bigint {
    const now = BigInt(this.#machine.now()) * 1000n;
    return earlier !== undefined && earlier >= now ? earlier + 1n : now;
  }

  forget(): void {
    this.#states.clear();
  }
}
