import { DestinationError } from '../../../errors/index.ts';
import type { LockMachine } from '../../../files/lock.ts';
import type { Endpoint } from '../endpoint.ts';
import { statementFailed, unreachable, unusable } from '../failures.ts';
import type { ClickHouseAddress } from './address.ts';
import {
  CANNOT_WRITE,
  changesBehind,
  clusterShards,
  keeperPath,
  NO_TABLES,
  type ShardPlace,
  shardMacro,
  shardOf,
} from './cluster.ts';
import { isVersionSince, Server } from './server.ts';
import { isReplicaDown } from './server-failure.ts';
import { Shard } from './shard.ts';

/** The oldest version that has decimals, REPLACE PARTITION and partition keys in system.tables. */
const OLDEST = [18, 16] as const;
/** How long servers of a cluster that are up may take to change a table, and how often they are asked, in milliseconds. */
const CHANGE_MS = 300_000;
const CHANGE_POLL_MS = 250;
/** How long the replicas of a cluster may take to make each other's changes before one is used that lacks some, in milliseconds. */
const CATCH_UP_MS = 10_000;

/** A replica of a shard, and how many changes it has not made yet that the others have. */
interface Replica {
  readonly shard: Shard;
  readonly behind: number;
}

/**
 * The shards of a cluster, each through one of its replicas, or the only server, by number. Methods throw DestinationError.
 */
export class Shards {
  readonly #address: ClickHouseAddress;
  readonly #machine: LockMachine;
  #places: readonly ShardPlace[] = [];
  #shards = new Map<number, Shard>();
  /** How many changes the replicas in use lacked when they were opened. */
  readonly #behind = new Map<number, number>();
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
    const reachable: (readonly Replica[])[] = [];
    for (const place of this.#places) reachable.push(await this.#reachable(place));
    const current = await Promise.all(reachable.map(replicas => this.#catchUp(replicas)));
    for (const [index, { number }] of this.#places.entries()) this.#use(number, current[index] ?? []);
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

  /** The replicas of a shard that can be reached: until the first one that is up to date. */
  async #reachable({ number, endpoints }: ShardPlace): Promise<readonly Replica[]> {
    const found: Replica[] = [];
    let failure: DestinationError | undefined;
    for (const endpoint of endpoints)
      try {
        const shard = this.#shardAt(number, endpoint);
        await requireVersion(shard.server);
        await this.#requireMacro(number, shard.server);
        found.push({ shard, behind: await this.#changesBehind(shard) });
        if (found.at(-1)?.behind === 0) break;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        failure ??= error;
      }
    if (found.length === 0)
      throw unreachable(
        `shard ${number} of the cluster ${this.#address.cluster} is down: ${failure?.message}`,
        {
          cause: failure,
        },
      );
    const isNew = failure === undefined && found.every(({ behind }) => behind === NO_TABLES);
    return isNew ? found.map(({ shard }) => ({ shard, behind: 0 })) : found;
  }

  async #changesBehind({ server }: Shard): Promise<number> {
    const { cluster = '', database } = this.#address;
    return await changesBehind(server, keeperPath(cluster, database));
  }

  /** Waits, for a while, until one of some replicas has made the changes that it lacks. */
  async #catchUp(replicas: readonly Replica[]): Promise<readonly Replica[]> {
    let current = replicas;
    for (let waited = 0; waited < CATCH_UP_MS && canCatchUp(current); waited += CHANGE_POLL_MS) {
      await this.#machine.sleep(CHANGE_POLL_MS);
      current = await Promise.all(
        current.map(async ({ shard }) => {
          const behind = await this.#changesBehind(shard).catch(error => {
            if (!isUnreachable(error)) throw error;
            return NO_TABLES;
          });
          return { shard, behind };
        }),
      );
    }
    return current;
  }

  /** Uses the replica of a shard that lacks the fewest changes. */
  #use(number: number, replicas: readonly Replica[]): void {
    const [best, ...others] = replicas.toSorted((one, other) => one.behind - other.behind) as [Replica];
    for (const { shard } of others as readonly Replica[]) void shard.server.close();
    this.#shards.set(number, best.shard);
    this.#behind.set(number, best.behind);
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

  /** Throws DestinationError if the replica in use of a shard was not up to date, so that nothing can be said of what is stored. */
  requireCurrent(number: number): void {
    if ((this.#behind.get(number) ?? 0) === 0) return;
    const { name } = this.#shards.get(number) as Shard;
    throw statementFailed(`ClickHouse at ${name} may lack changes of the other replicas of its shard`, {
      hints: ['start those that are down, and run it again when system.replicas has no queue'],
    });
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
    const open = async () => this.#use(place.number, await this.#reachable(place));
    const opening = this.#opening.get(place.number) ?? open();
    this.#opening.set(place.number, opening);
    await opening.finally(() => this.#opening.delete(place.number));
  }
}

/** Whether no replica is up to date, but one is about to be: it has tables, and its keeper. */
function canCatchUp(replicas: readonly Replica[]): boolean {
  return replicas.every(({ behind }) => behind > 0) && replicas.some(({ behind }) => behind < CANNOT_WRITE);
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
