import { unusable } from '../failures.ts';
import { shardOf } from './cluster.ts';
import type { Shards } from './shards.ts';
import type { SharedState } from './shared-state.ts';

/** Which shards store the sites, as recorded on all of them. */
interface PlacementRecord {
  /** Counts the changes. */
  readonly id: number;
  readonly shards: readonly number[];
  /** The shards after the current rebalancing; undefined if there is none. */
  readonly next?: readonly number[];
}

/** How far the move of a site is: `switching` while its rows change places. */
type MoveState = 'switching' | 'moved';

/** Which shard stores a site, while sites are moved, too. Methods throw DestinationError. */
export class Placement {
  readonly #state: SharedState;
  readonly #shards: Shards;

  constructor(state: SharedState, shards: Shards) {
    this.#state = state;
    this.#shards = shards;
  }

  get isRecorded(): boolean {
    return this.#state.get('placement', '') !== undefined;
  }

  /** What is recorded; before the first run, all shards. */
  get current(): PlacementRecord {
    const stored = this.#state.get('placement', '');
    return stored === undefined
      ? { id: 1, shards: this.#shards.numbers }
      : (JSON.parse(stored) as PlacementRecord);
  }

  async write(placement: PlacementRecord): Promise<void> {
    await this.#state.write('placement', '', JSON.stringify(placement));
  }

  /** Throws for a shard that stores sites, and that the cluster `name` no longer has. */
  requireShards(name: string): void {
    const { shards, next = [] } = this.current;
    const known = this.#shards.numbers;
    const missing = [...shards, ...next].find(number => !known.includes(number));
    if (missing !== undefined)
      throw unusable(`shard ${missing} stores sites, but the cluster ${name} no longer has it`, {
        hints: ['add it to remote_servers again'],
      });
  }

  /** The number of the shard that stores a site. */
  shardNumberOf(domainId: number): number {
    const { shards, next } = this.current;
    return shardOf(domainId, next !== undefined && this.moves.get(domainId) === 'moved' ? next : shards);
  }

  /** The moves of the current rebalancing, by site. */
  get moves(): ReadonlyMap<number, MoveState> {
    const { id } = this.current;
    const moves = new Map<number, MoveState>();
    for (const { name, value } of this.#state.ofKind('move')) {
      const [, move, domain] = /^(\d+)\/(\d+)$/.exec(name) ?? [];
      if (Number(move) === id) moves.set(Number(domain), value as MoveState);
    }
    return moves;
  }

  async writeMove(domainId: number, state: MoveState): Promise<void> {
    this.#shards.requireAll('sites are moved when all shards can be reached');
    await this.#state.write('move', `${this.current.id}/${domainId}`, state);
  }
}
