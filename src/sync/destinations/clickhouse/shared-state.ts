import type { LockMachine } from '../../../files/lock.ts';
import type { StoredState } from './own-tables.ts';
import type { Shard } from './shard.ts';
import type { Shards } from './shards.ts';

/** gatectl's own values, which all shards store. Methods throw DestinationError. */
export class SharedState {
  readonly #shards: Shards;
  readonly #machine: Pick<LockMachine, 'now'>;
  readonly #states = new Map<string, StoredState>();
  /** The versions that each shard has, by its number. */
  readonly #stored = new Map<number, Map<string, bigint>>();

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

  /** Reads the values of some kinds from all shards: the latest ones count, because a shard may have been down. */
  async read(kinds: readonly string[]): Promise<void> {
    await this.#shards.onAll(async shard => {
      for (const state of await shard.own.states(kinds)) {
        const key = `${state.kind}/${state.name}`;
        this.#versionsOn(shard.number).set(key, state.version);
        const known = this.#states.get(key);
        if (known === undefined || known.version < state.version) this.#states.set(key, state);
      }
    });
  }

  /** Writes the values that were read to the shards that lack them: a new or an empty one, or one that was down. */
  async spread(): Promise<void> {
    await this.#shards.onAll(async shard => {
      for (const [key, state] of this.#states)
        if ((this.#versionsOn(shard.number).get(key) ?? -1n) < state.version)
          await this.#writeTo(shard, state);
    });
  }

  async write(kind: string, name: string, value: string): Promise<void> {
    const key = `${kind}/${name}`;
    const state = { kind, name, value, version: this.versionAfter(this.#states.get(key)?.version) };
    await this.#shards.onAll(shard => this.#writeTo(shard, state));
    this.#states.set(key, state);
  }

  async #writeTo(shard: Shard, state: StoredState): Promise<void> {
    await shard.own.writeState(state);
    this.#versionsOn(shard.number).set(`${state.kind}/${state.name}`, state.version);
  }

  #versionsOn(number: number): Map<string, bigint> {
    const known = this.#stored.get(number) ?? new Map<string, bigint>();
    this.#stored.set(number, known);
    return known;
  }

  /** A version above an earlier one, and above those that other machines wrote before. */
  versionAfter(earlier: bigint | undefined): bigint {
    const now = BigInt(this.#machine.now()) * 1000n;
    return earlier !== undefined && earlier >= now ? earlier + 1n : now;
  }

  forget(): void {
    this.#states.clear();
    this.#stored.clear();
  }
}
