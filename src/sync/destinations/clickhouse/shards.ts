import { DestinationError } from '../../../errors/index.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { unreachable, unusable } from '../failures.ts';
import type { ClickHouseAddress, Endpoint } from './address.ts';
import { clusterShards, shardOf } from './cluster.ts';
import { isVersionSince, Server } from './server.ts';
import { ROWS_SUFFIX, Shard } from './shard.ts';

/** The oldest version that has decimals, REPLACE PARTITION and partition keys in system.tables. */
const OLDEST = [18, 16] as const;
/** How long a process that writes site after site does without a shard that it could not reach, in milliseconds. */
const LOST_MS = 30_000;

/** A shard that cannot be reached. */
interface LostShard {
  readonly endpoint: Endpoint;
  readonly error: DestinationError;
  /** When it was last tried. */
  readonly at: number;
}

/** The shards of a cluster, or the only server, by number: those that can be reached, and the others. Methods throw DestinationError. */
export class Shards {
  readonly #address: ClickHouseAddress;
  readonly #machine: LockMachine;
  #reachable = new Map<number, Shard>();
  #lost = new Map<number, LostShard>();
  #slots: readonly number[] = [1];

  constructor(address: ClickHouseAddress, machine: LockMachine) {
    this.#address = address;
    this.#machine = machine;
  }

  /** Connects to the server, or to the shards of its cluster. */
  async open(): Promise<void> {
    const { cluster, database } = this.#address;
    const first = new Server(this.#address, this.#address, this.#machine);
    await requireVersion(first);
    this.#lost = new Map();
    if (cluster === undefined) {
      this.#reachable = new Map([[1, new Shard(1, first, database, '', this.#machine)]]);
      return;
    }
    const places = await clusterShards(first, this.#address);
    this.#slots = places.flatMap(({ number, weight }) => Array.from({ length: weight }, () => number));
    await first.close();
    this.#reachable = new Map();
    for (const { number, endpoint } of places) await this.#openShard(number, endpoint);
  }

  async #openShard(number: number, endpoint: Endpoint): Promise<void> {
    const server = new Server(this.#address, endpoint, this.#machine);
    const shard = new Shard(number, server, this.#address.database, ROWS_SUFFIX, this.#machine);
    let recorded: string | undefined;
    try {
      await requireVersion(server);
      [recorded] = (await shard.own.states(['shard'])).map(({ value }) => value);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      this.#lost.set(number, { endpoint, error, at: this.#machine.now() });
      return;
    }
    if (recorded !== undefined && recorded !== String(number))
      throw unusable(
        `${server.name} is shard ${number} of the cluster, but was shard ${recorded} when it was filled`,
        {
          hints: ['restore the order of the shards in remote_servers, or in shards='],
        },
      );
    this.#lost.delete(number);
    this.#reachable.set(number, shard);
  }

  /** Connects to the shards again that could not be reached some time ago. `onRegained` is called for each that can be. */
  async regain(onRegained: () => Promise<void>): Promise<void> {
    const now = this.#machine.now();
    const due = [...this.#lost].filter(([, { at }]) => now - at >= LOST_MS);
    for (const [number, lost] of due) this.#lost.set(number, { ...lost, at: now });
    for (const [number, { endpoint }] of due) {
      await this.#openShard(number, endpoint);
      if (this.#reachable.has(number)) await onRegained();
    }
  }

  /** The shards that can be reached. */
  get reachable(): readonly Shard[] {
    return [...this.#reachable.values()];
  }

  /** The errors of those that cannot be reached, by number. */
  get lost(): ReadonlyMap<number, DestinationError> {
    return new Map([...this.#lost].map(([number, { error }]) => [number, error]));
  }

  /** How many shards there are. */
  get count(): number {
    return this.#reachable.size + this.#lost.size;
  }

  /** The numbers of all shards, each as often as its weight says: what decides which of them stores a site. */
  get slots(): readonly number[] {
    return this.#slots;
  }

  /** The number of the shard that stores a site. */
  numberOf(domainId: number): number {
    return shardOf(domainId, this.#slots);
  }

  /** The shard of a number. Throws what concerns only the sites of this shard if it cannot be reached. */
  withNumber(number: number): Shard {
    const shard = this.#reachable.get(number);
    if (shard !== undefined) return shard;
    throw lostShard(number, this.#lost.get(number)?.error);
  }

  /** The first shard that can be reached. */
  first(): Shard {
    const [first] = this.reachable;
    if (first !== undefined) return first;
    const [lost] = [...this.#lost.values()];
    throw lost?.error ?? unreachable(`cannot reach ${this.#address.name}`);
  }

  /** Throws unless all can be reached; `why` says what for. */
  requireAll(why: string): void {
    const [lost] = [...this.#lost];
    if (lost === undefined) return;
    const [number, { error }] = lost;
    throw unreachable(
      `shard ${number} of the cluster ${this.#address.cluster} is missing: ${error.message}`,
      {
        cause: error,
        hints: [why],
      },
    );
  }

  /** Does something on each shard that can be reached; one that no longer can is left out from then on. */
  async onAll(work: (shard: Shard) => Promise<void>): Promise<void> {
    for (const shard of this.reachable)
      try {
        await work(shard);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        // Work for another site has found that it is down.
        if (!this.#reachable.has(shard.number)) continue;
        if (this.#reachable.size === 1) throw error;
        this.#lose(shard, error);
      }
  }

  /** Does something for a site on its shard of a cluster. Throws what concerns only the sites of this shard if it cannot be reached. */
  async at<Value>(shard: Shard, work: () => Promise<Value>): Promise<Value> {
    if (this.#address.cluster === undefined) return await work();
    this.withNumber(shard.number);
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error) || error.isOfSites) throw error;
      if (!this.#lost.has(shard.number) && !(await shard.server.responds())) this.#lose(shard, error);
      throw lostShard(shard.number, error);
    }
  }

  #lose(shard: Shard, error: DestinationError): void {
    this.#reachable.delete(shard.number);
    this.#lost.set(shard.number, { endpoint: shard.server.endpoint, error, at: this.#machine.now() });
    void shard.server.close();
  }
}

/** The error of a site whose shard cannot be reached. */
export function lostShard(number: number, error: DestinationError | undefined): DestinationError {
  const why = error === undefined ? '' : `: ${error.message}`;
  return unreachable(`shard ${number} cannot be reached${why}`, { cause: error, isOfSites: true });
}

function isUnreachable(error: unknown): error is DestinationError {
  return error instanceof DestinationError && error.code === 'destination_unreachable';
}

async function requireVersion(server: Server): Promise<void> {
  const version = await server.version();
  if (!isVersionSince(version, OLDEST))
    throw unusable(`ClickHouse at ${server.name} has version ${version}, which is too old`, {
      hints: [`gatectl requires version ${OLDEST.join('.')}; current versions are better`],
    });
}
