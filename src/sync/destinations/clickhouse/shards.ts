import { DestinationError } from '../../../errors/index.ts';
import type { LockMachine } from '../../../files/lock.ts';
import type { Endpoint } from '../endpoint.ts';
import { statementFailed, unreachable, unusable } from '../failures.ts';
import type { ClickHouseAddress } from './address.ts';
import { changesBehind, clusterShards, keeperPath, type ShardPlace, shardMacro, shardOf } from './cluster.ts';
import { isVersionSince, Server } from './server.ts';
import { isReplicaDown } from './server-failure.ts';
import { Shard } from './shard.ts';

/** The oldest version that has decimals, REPLACE PARTITION and partition keys in system.tables. */
const OLDEST = [18, 16] as const;
/** How long servers of a cluster that are up may take to change a table, and how often they are asked, in milliseconds. */
const CHANGE_MS = 300_000;
const CHANGE_POLL_MS = 250;

/**
 * The shards of a cluster, each through one of its replicas, or the only server, by number. Methods throw DestinationError.
 */
export class Shards {
  readonly #address: ClickHouseAddress;
  readonly #machine: LockMachine;
  #places: readonly ShardPlace[] = [];
  #shards = new Map<number, Shard>();
  readonly #opening = new Map<number, Promise<void>>();
  /** The macros of the shards that were reached, by number. */
  readonly #macros = new Map<number, string>();
  #slots: readonly number[] = [1];

  constructor(address: ClickHouseAddress, machine: LockMachine) {
    this.#address = address;
    this.#machine = machine;
  }

  /** Connects to the server, or to the shards of its cluster. */
  async open(): Promise<void> {
    const { cluster, database } = this.#address;
    if (cluster === undefined) {
      const first = new Server(this.#address, this.#address, this.#machine);
      await requireVersion(first);
      this.#shards = new Map([[1, new Shard(1, first, database, undefined, this.#machine)]]);
      return;
    }
    this.#places = await this.#placesOfCluster();
    this.#slots = this.#places.flatMap(({ number, weight }) => Array.from({ length: weight }, () => number));
    this.#shards = new Map();
    this.#macros.clear();
    for (const place of this.#places) await this.#openShard(place);
  }

  /** What the server of the URL knows of the cluster, or if it is down, another one that the URL names. */
  async #placesOfCluster(): Promise<readonly ShardPlace[]> {
    let failure: DestinationError | undefined;
    for (const endpoint of [this.#address, ...this.#address.shards.flat()]) {
      const server = new Server(this.#address, endpoint, this.#machine);
      try {
        await requireVersion(server);
        return await clusterShards(server, this.#address);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        failure ??= error;
      } finally {
        await server.close();
      }
    }
    throw failure;
  }

  /** Connects to the replica of a shard that is up to date, or else to the one that lacks the fewest changes. */
  async #openShard({ number, endpoints }: ShardPlace): Promise<void> {
    const { cluster = '', database } = this.#address;
    const found: { readonly shard: Shard; readonly behind: number }[] = [];
    let failure: DestinationError | undefined;
    for (const endpoint of endpoints)
      try {
        const shard = this.#shardAt(number, endpoint);
        await requireVersion(shard.server);
        await this.#requireMacro(number, shard.server);
        found.push({ shard, behind: await changesBehind(shard.server, keeperPath(cluster, database)) });
        if (found.at(-1)?.behind === 0) break;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        failure ??= error;
      }
    const [best, ...others] = found.sort((one, other) => one.behind - other.behind);
    for (const { shard } of others) void shard.server.close();
    if (best === undefined)
      throw unreachable(`shard ${number} of the cluster ${cluster} is down: ${failure?.message}`, {
        cause: failure,
      });
    this.#shards.set(number, best.shard);
  }

  #shardAt(number: number, endpoint: Endpoint): Shard {
    const server = new Server(this.#address, endpoint, this.#machine);
    return new Shard(number, server, this.#address.database, this.#address.cluster, this.#machine);
  }

  /** Throws if the macro of a server is that of another shard: its tables would share their rows. */
  async #requireMacro(number: number, server: Server): Promise<void> {
    const macro = await shardMacro(server);
    for (const [other, known] of this.#macros)
      if ((other === number) !== (known === macro))
        throw unusable(
          `the macro shard of ${server.name}, a replica of shard ${number}, is ${macro}, but that of shard ${other} is ${known}`,
          { hints: ['give the replicas of a shard the same macro, and those of each shard another one'] },
        );
    this.#macros.set(number, macro);
  }

  /**
   * Does something on each server that can be reached, whether or not it is the replica in use. Resolves to the errors of the others, each
   * with the number of its shard.
   */
  async onReplicas(
    work: (replica: Shard) => Promise<void>,
  ): Promise<readonly { readonly number: number; readonly error: DestinationError }[]> {
    const missing: { readonly number: number; readonly error: DestinationError }[] = [];
    if (this.#address.cluster === undefined) await this.onAll(work);
    for (const { number, endpoints } of this.#places)
      for (const endpoint of endpoints) {
        const replica = this.#shardAt(number, endpoint);
        try {
          await requireVersion(replica.server);
          await work(replica);
        } catch (error) {
          if (!isUnreachable(error)) throw error;
          missing.push({ number, error });
        } finally {
          await replica.server.close();
        }
      }
    return missing;
  }

  /** All shards. */
  get all(): readonly Shard[] {
    return [...this.#shards.values()];
  }

  /** What decides where the rows of a site are: the macro of each shard with its weight, in order. */
  get identity(): readonly (readonly [macro: string, weight: number])[] {
    return this.#places.map(({ number, weight }) => [this.#macros.get(number) ?? '', weight]);
  }

  /** The number of the shard that stores a site. */
  numberOf(domainId: number): number {
    return shardOf(domainId, this.#slots);
  }

  /** Does something on one shard, always the same. */
  async onFirst<Value>(work: (shard: Shard) => Promise<Value>): Promise<Value> {
    return await this.at(this.#places[0]?.number ?? 1, work);
  }

  /** Whether something holds for each server that can be reached. */
  async isEachReplica(check: (replica: Shard) => Promise<boolean>): Promise<boolean> {
    let holds = true;
    await this.onReplicas(async replica => {
      holds &&= await check(replica);
    });
    return holds;
  }

  /**
   * Runs statements that change the tables of all servers, and waits until each shard of a cluster has made the change. Servers that are down
   * make it later.
   */
  async change(
    statements: (shard: Shard) => readonly string[],
    isMade: (shard: Shard) => Promise<boolean>,
  ): Promise<void> {
    const { cluster } = this.#address;
    await this.onFirst(async shard => {
      for (const statement of statements(shard)) await shard.runOnReplicas(statement);
    });
    for (let waited = 0, isPending = cluster !== undefined; isPending; waited += CHANGE_POLL_MS) {
      isPending = false;
      await this.onAll(async shard => {
        isPending ||= !(await isMade(shard));
      });
      if (isPending && waited >= CHANGE_MS)
        throw statementFailed(`servers of the cluster ${cluster} took too long to change their tables`, {
          hints: ['see the log of each server'],
        });
      if (isPending) await this.#machine.sleep(CHANGE_POLL_MS);
    }
  }

  /** Does something on each shard. */
  async onAll(work: (shard: Shard) => Promise<void>): Promise<void> {
    for (const number of this.#shards.keys()) await this.at(number, work);
  }

  /** Does something on a shard, with another replica again if the one in use is down. */
  async at<Value>(number: number, work: (shard: Shard) => Promise<Value>): Promise<Value> {
    const place = this.#places.find(each => each.number === number);
    for (let left = place?.endpoints.length ?? 0; ; left--) {
      const used = this.#shards.get(number) as Shard;
      try {
        return await work(used);
      } catch (error) {
        if (place === undefined || left <= 1 || !isReplicaDown(error)) throw error;
        const isDown = !isUnreachable(error) || !(await used.server.responds());
        if (isDown && this.#shards.get(number) === used) await this.#reopen(place);
        if (this.#shards.get(number) === used) throw error;
      }
    }
  }

  /** Connects to a shard again, once for all work that found its replica down. */
  async #reopen(place: ShardPlace): Promise<void> {
    const opening = this.#opening.get(place.number) ?? this.#openShard(place);
    this.#opening.set(place.number, opening);
    await opening.finally(() => this.#opening.delete(place.number));
  }
}

function isUnreachable(error: unknown): error is DestinationError {
  return error instanceof DestinationError && error.code === 'destination_unreachable';
}

async function requireVersion(server: Server): Promise<void> {
  const version = await server.version();
  if (!isVersionSince(version, OLDEST))
    throw unusable(`ClickHouse at ${server.name} has version ${version}, which is too old`, {
      hints: [`gatectl requires version ${OLDEST.join('.')}; a current version is recommended`],
    });
}
