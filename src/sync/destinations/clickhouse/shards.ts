import { DestinationError } from '../../../errors/index.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { statementFailed, unreachable, unusable } from '../failures.ts';
import type { ClickHouseAddress, Endpoint } from './address.ts';
import { changesBehind, clusterShards, keeperPath, type ShardPlace, shardMacro, shardOf } from './cluster.ts';
import { isVersionSince, Server } from './server.ts';
import { isReplicaDown } from './server-failure.ts';
import { Shard } from './shard.ts';

/** The oldest version that has decimals, REPLACE PARTITION and partition keys in system.tables. */
const OLDEST = [18, 16] as const;
/** How long a process that writes site after site does without a shard that it could not reach, in milliseconds. */
const LOST_MS = 30_000;

/** How long servers of a cluster that are up may take to change a table, and how often they are asked, in milliseconds. */
const CHANGE_MS = 300_000;
const CHANGE_POLL_MS = 250;

/** A shard none of whose replicas can be reached. */
interface LostShard {
  readonly error: DestinationError;
  /** When it was last tried. */
  readonly at: number;
}

/**
 * The shards of a cluster, each through one of its replicas, or the only server, by number: those that can be reached, and the others.
 * Methods throw DestinationError.
 */
export class Shards {
  readonly #address: ClickHouseAddress;
  readonly #machine: LockMachine;
  #places: readonly ShardPlace[] = [];
  #reachable = new Map<number, Shard>();
  #lost = new Map<number, LostShard>();
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
    const first = new Server(this.#address, this.#address, this.#machine);
    await requireVersion(first);
    this.#lost = new Map();
    if (cluster === undefined) {
      this.#reachable = new Map([[1, new Shard(1, first, database, undefined, this.#machine)]]);
      return;
    }
    this.#places = await clusterShards(first, this.#address);
    this.#slots = this.#places.flatMap(({ number, weight }) => Array.from({ length: weight }, () => number));
    await first.close();
    this.#reachable = new Map();
    this.#macros.clear();
    for (const place of this.#places) await this.#openShard(place);
  }

  /** Connects to the replica of a shard that is up to date, or else to the one that lacks the fewest changes. */
  async #openShard({ number, endpoints }: ShardPlace): Promise<void> {
    let best: { readonly shard: Shard; readonly behind: number } | undefined;
    let failure: DestinationError | undefined;
    for (const endpoint of endpoints) {
      const shard = this.#shardAt(number, endpoint);
      try {
        const behind = await this.#changesBehind(shard.server);
        if (best !== undefined && best.behind <= behind) {
          await shard.server.close();
          continue;
        }
        await best?.shard.server.close();
        best = { shard, behind };
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        failure ??= error;
      }
      if (best?.behind === 0) break;
    }
    if (best === undefined) {
      const error = failure ?? unreachable(`shard ${number} has no replicas`);
      this.#reachable.delete(number);
      this.#lost.set(number, { error, at: this.#machine.now() });
      return;
    }
    await this.#requireMacro(number, best.shard.server);
    this.#lost.delete(number);
    this.#reachable.set(number, best.shard);
  }

  async #changesBehind(server: Server): Promise<number> {
    await requireVersion(server);
    const { cluster = '', database } = this.#address;
    return await changesBehind(server, keeperPath(cluster, database));
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

  /** Connects to the shards again that could not be reached some time ago. `onRegained` is called for each that can be. */
  async regain(onRegained: () => Promise<void>): Promise<void> {
    const now = this.#machine.now();
    const due = [...this.#lost].filter(([, { at }]) => now - at >= LOST_MS);
    for (const [number, lost] of due) this.#lost.set(number, { ...lost, at: now });
    for (const [number] of due) {
      await this.#openShard(this.#placeOf(number));
      if (this.#reachable.has(number)) await onRegained();
    }
  }

  #placeOf(number: number): ShardPlace {
    return this.#places.find(place => place.number === number) as ShardPlace;
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

  /** What decides where the rows of a site are: the macro of each shard with its weight, in order. */
  get identity(): readonly (readonly [macro: string | undefined, weight: number])[] {
    return this.#places.map(({ number, weight }) => [this.#macros.get(number), weight]);
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

  /** Does something on the first shard that can be reached. */
  async onAny<Value>(work: (shard: Shard) => Promise<Value>): Promise<Value> {
    for (;;) {
      const [first] = this.#reachable.values();
      if (first === undefined)
        throw [...this.#lost.values()][0]?.error ?? unreachable(`cannot reach ${this.#address.name}`);
      try {
        return await this.at(first.number, work);
      } catch (error) {
        if (!isUnreachable(error) || !this.#lost.has(first.number)) throw error;
      }
    }
  }

  /** Whether something holds for each server that can be reached. */
  async isEachReplica(check: (replica: Shard) => Promise<boolean>): Promise<boolean> {
    let holds = true;
    await this.onReplicas(async replica => {
      holds &&= await check(replica);
    });
    return holds;
  }

  /** Runs statements that change the tables of all servers. Those of a cluster that are down do so later. */
  async change(statements: (shard: Shard) => readonly string[]): Promise<void> {
    await this.onAny(async shard => {
      for (const statement of statements(shard))
        if (this.#address.cluster === undefined) await shard.server.run(statement);
        else await shard.server.runOnReplicas(statement);
    });
  }

  /** Waits until the servers of a cluster have made a change, on each shard that can be reached. */
  async until(isMade: (shard: Shard) => Promise<boolean>): Promise<void> {
    const { cluster } = this.#address;
    if (cluster === undefined) return;
    let isPending = true;
    for (let waited = 0; isPending; waited += CHANGE_POLL_MS) {
      isPending = false;
      await this.onAll(async shard => {
        isPending ||= !(await isMade(shard));
      });
      if (isPending && waited >= CHANGE_MS)
        throw statementFailed(`servers of the cluster ${cluster} did not change their tables in time`, {
          hints: ['the log of each server says why'],
        });
      if (isPending) await this.#machine.sleep(CHANGE_POLL_MS);
    }
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
    for (const { number } of this.reachable)
      try {
        await this.at(number, work);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        // Work for another site has found that it is down.
        if (!this.#reachable.has(number) && this.#reachable.size > 0) continue;
        if (this.#reachable.size < 2) throw error.isOfSites ? error.cause : error;
        this.#lose(number, error);
      }
  }

  /**
   * Does something on a shard, with another replica again if the one in use is down. Throws what concerns only the sites of this shard if
   * none can be reached.
   */
  async at<Value>(number: number, work: (shard: Shard) => Promise<Value>): Promise<Value> {
    const shard = this.withNumber(number);
    if (this.#address.cluster === undefined) return await work(shard);
    for (let left = this.#placeOf(number).endpoints.length, used = shard; ; left--)
      try {
        return await work(used);
      } catch (error) {
        if (!isReplicaDown(error) || error.isOfSites) throw error;
        const isDown = !isUnreachable(error) || !(await used.server.responds());
        if (isDown && this.#reachable.get(number) === used) await this.#reopen(number);
        const next = this.#reachable.get(number);
        if (left <= 1 || next === undefined || next === used) throw lostShard(number, error);
        used = next;
      }
  }

  /** Connects to a shard again, once for all work that found its replica down. */
  async #reopen(number: number): Promise<void> {
    const opening = this.#opening.get(number) ?? this.#openShard(this.#placeOf(number));
    this.#opening.set(number, opening);
    await opening.finally(() => this.#opening.delete(number));
  }

  #lose(number: number, error: DestinationError): void {
    const shard = this.#reachable.get(number);
    this.#reachable.delete(number);
    this.#lost.set(number, { error, at: this.#machine.now() });
    void shard?.server.close();
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
