import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DestinationError } from '../../../errors/index.ts';
import { makePrivateFolder } from '../../../files/folders.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { type ColumnNeeds, NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import type { SyncTable } from '../../config.ts';
import type { Ledger, LedgerEntry } from '../../ledger.ts';
import type {
  Destination,
  DestinationCheck,
  PartitionFile,
  Rebalancing,
  Replaced,
  RunRecord,
  SiteMove,
} from '../destination.ts';
import { statementFailed, unreachable, unusable } from '../failures.ts';
import type { ClickHouseAddress, Endpoint } from './address.ts';
import { clusterShards, type MoveState, type Placement, requireAllKnown, shardOf } from './cluster.ts';
import { differenceToEntry } from './day-sums.ts';
import { diagnoseServer } from './diagnosis.ts';
import { LocalLocks } from './local-locks.ts';
import { finishSwitch, stageSite } from './move-site.ts';
import { type Row, Server } from './server.ts';
import { hasRowsOf, Shard, type StoredEntry, type StoredState } from './shard.ts';
import { partitionName } from './statements.ts';

/** The oldest version that has decimals, REPLACE PARTITION and partition keys in system.tables. */
const OLDEST = [18, 16] as const;
const RUNS_SHOWN = 30;
/** What the type Date contains in all versions. Other days would become the nearest one. */
const DATES = ['1970-01-01', '2105-12-31'] as const;
/** How long a process that writes site after site does without a shard that it could not reach, in milliseconds. */
const LOST_MS = 30_000;

/** What is known of a site of a table. */
interface Site {
  readonly shard: Shard;
  readonly stored: Map<string, StoredEntry>;
  readonly entries: Map<string, LedgerEntry>;
  /** Rows of the partitions of the whole table on its shard, as system.parts names them. */
  readonly rows: Map<string, number>;
}

/** A shard that cannot be reached. */
interface LostShard {
  readonly endpoint: Endpoint;
  readonly error: DestinationError;
  /** When it was last tried. */
  readonly at: number;
}

/**
 * Tables in ClickHouse, on one server or on the shards of a cluster. There are no transactions: a partition is replaced first and recorded
 * then, and until then the ledger says that its rows are unknown.
 */
export class ClickHouse implements Destination {
  readonly name: string;
  readonly encoding = 'tsv';
  readonly calendar = DATES;
  readonly rewritesForTypes = false;
  readonly staging: string;
  readonly #address: ClickHouseAddress;
  readonly #tables: readonly SyncTable[];
  readonly #machine: LockMachine;
  readonly #locks: LocalLocks;
  readonly #stagingRoot: string;
  readonly #sites = new Map<string, Promise<Site>>();
  readonly #loaded = new Map<string, Site>();
  readonly #rows = new Map<string, Promise<Map<string, number>>>();
  readonly #states = new Map<string, StoredState>();
  readonly #schemas = new Map<string, TableSchema>();
  /** The shards that can be reached, by number. */
  #shards = new Map<number, Shard>();
  #lost = new Map<number, LostShard>();
  #connecting: Promise<void> | undefined;
  #isExclusive = false;
  /** Schemas are read, changed and written one at a time. */
  #schemaTurn: Promise<unknown> = Promise.resolve();

  /** `folder` is a folder of this machine for this destination alone. */
  constructor(
    address: ClickHouseAddress,
    tables: readonly SyncTable[],
    folder: string,
    machine: LockMachine,
  ) {
    this.name = address.name;
    this.#address = address;
    this.#tables = tables;
    this.#machine = machine;
    this.#locks = new LocalLocks(folder, this.name, machine);
    this.#stagingRoot = join(folder, 'staging');
    this.staging = join(this.#stagingRoot, randomUUID());
  }

  async check(): Promise<void> {
    await this.#connect();
    await this.#onAll(async shard => {
      for (const { name, partition } of this.#tables)
        await shard.checkTable(name, this.#states.has(`schema/${name}`), partition);
    });
  }

  async diagnose(): Promise<readonly DestinationCheck[]> {
    await this.#connect();
    const { cluster } = this.#address;
    const checks: DestinationCheck[] = [encryptionOf(this.#address)];
    if (cluster !== undefined) checks.push(...(await this.#diagnoseCluster(cluster)));
    for (const { server } of this.#shards.values())
      for (const { found, ...check } of await diagnoseServer(server, this.#address))
        checks.push({ ...check, found: cluster === undefined ? found : `${server.name}: ${found}` });
    return checks;
  }

  /** Whether all shards can be reached, and know each other. */
  async #diagnoseCluster(cluster: string): Promise<readonly DestinationCheck[]> {
    const count = this.#shards.size + this.#lost.size;
    const checks: DestinationCheck[] = [];
    for (const [number, { error }] of this.#lost)
      checks.push({ check: 'shards', found: `shard ${number} cannot be reached: ${error.message}`, error });
    for (const { server } of this.#shards.values())
      try {
        await requireAllKnown(server, cluster, count);
      } catch (error) {
        if (!(error instanceof DestinationError)) throw error;
        checks.push({ check: 'shards', found: error.message, error });
      }
    if (checks.length > 0) return checks;
    return [{ check: 'shards', found: `${count} of the cluster ${cluster}, each of which knows all` }];
  }

  async exclusively<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    return await this.#locks.run(onWait, async () => {
      await rm(this.#stagingRoot, { recursive: true, force: true });
      await makePrivateFolder(this.staging);
      this.#forget();
      await this.#connect();
      await this.#begin();
      await this.#onAll(shard => shard.dropLeftovers());
      this.#isExclusive = true;
      try {
        return await work();
      } finally {
        this.#isExclusive = false;
        this.#forgetSites();
        await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
      }
    });
  }

  async lockSite<Value>(table: string, domainId: number, work: () => Promise<Value>): Promise<Value> {
    if (this.#isExclusive) return await work();
    return await this.#locks.site(table, domainId, async () => {
      await makePrivateFolder(this.staging);
      await this.#connect();
      await this.#regainShards();
      await this.#begin();
      await this.release(table, domainId);
      try {
        return await work();
      } finally {
        await this.release(table, domainId);
      }
    });
  }

  async ledger(table: string, domainId: number): Promise<Ledger> {
    return (await this.#site(table, domainId)).entries;
  }

  async schema(table: string): Promise<TableSchema> {
    await this.#connect();
    const known = this.#schemas.get(table);
    if (known !== undefined) return known;
    const stored = this.#states.get(`schema/${table}`);
    const schema = stored === undefined ? NO_SCHEMA : (JSON.parse(stored.value) as TableSchema);
    this.#schemas.set(table, schema);
    return schema;
  }

  async updateSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    const update = async () => {
      // Types only become wider: what is wide enough for the known ones is so for those of other processes.
      const known = await this.schema(table);
      if (known.version > 0 && change(known) === undefined) return known;
      return await this.#lockedSchema(table, change);
    };
    const turn = this.#schemaTurn.then(update, update);
    this.#schemaTurn = turn.catch(() => undefined);
    return await turn;
  }

  /** Changes column types while no other machine does: the first shard that can be reached holds the lock. */
  async #lockedSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    const shard = this.#firstShard();
    try {
      return await this.#at(shard, () => shard.locked(table, () => this.#changeSchema(table, change)));
    } catch (error) {
      if (this.#lost.has(shard.number)) return await this.#lockedSchema(table, change);
      throw error;
    }
  }

  async #changeSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    await this.#readStates(['schema']);
    this.#schemas.delete(table);
    const before = await this.schema(table);
    const schema = change(before);
    if (schema === undefined) return before;
    await this.#onAll(shard => shard.resetStagings(table));
    // The tables first: what is recorded exists.
    if (before.version === 0)
      await this.#writeState('schema', table, JSON.stringify({ ...schema, columns: [] }));
    await this.#shape(table, schema);
    await this.#writeState('schema', table, JSON.stringify(schema));
    this.#schemas.set(table, schema);
    return schema;
  }

  async replace(file: PartitionFile, before: LedgerEntry | undefined): Promise<Replaced> {
    const { table, domain, path, columns, entry } = file;
    const site = await this.#site(table.name, domain.id);
    const { shard } = site;
    const isSame =
      before !== undefined &&
      before.sha256 === entry.sha256 &&
      (await this.problemWith(table.name, domain.id, before)) === undefined;
    if (!isSame) {
      if (before !== undefined) await this.#record(table.name, domain.id, entry.partition, undefined);
      const name = partitionName(domain.id, entry.partition);
      if (path === undefined) {
        await this.#at(shard, () => shard.dropPartition(table.name, domain.id, entry.partition));
        site.rows.delete(name);
      } else {
        const known = (await this.schema(table.name)).columns;
        const metrics = summed(entry, known);
        const check = (stored: readonly Row[]) => {
          const difference = differenceToEntry(entry, known, metrics, stored);
          if (difference !== undefined)
            throw statementFailed(
              `ClickHouse at ${shard.name} stored other rows of ${table.name} than it was sent: ${difference}`,
            );
        };
        const rows = { path, columns, metrics };
        await this.#at(shard, () =>
          shard.replacePartition(table.name, domain.id, entry.partition, rows, check),
        );
        site.rows.set(name, entry.rows);
      }
    }
    await this.#record(table.name, domain.id, entry.partition, entry);
    if (isSame) return 'unchanged';
    return before === undefined ? 'added' : before.sha256 === entry.sha256 ? 'unchanged' : 'changed';
  }

  isIntact(table: string, domainId: number, entry: LedgerEntry): boolean {
    const site = this.#loaded.get(`${table}/${domainId}`);
    return site === undefined || hasRowsOf(site.rows, domainId, entry);
  }

  async problemWith(table: string, domainId: number, entry: LedgerEntry): Promise<string | undefined> {
    const { shard } = await this.#site(table, domainId);
    const { columns } = await this.schema(table);
    const metrics = summed(entry, columns);
    const stored = await this.#at(shard, () => shard.daySums(table, domainId, entry.partition, metrics));
    if (stored === undefined) return entry.rows === 0 ? undefined : 'its table is missing';
    return differenceToEntry(entry, columns, metrics, stored);
  }

  async domainIds(table: string): Promise<readonly number[]> {
    await this.#connect();
    const found = new Set<number>();
    await this.#onAll(async shard => {
      for (const id of await shard.domainIds(table)) found.add(id);
    });
    return [...found].sort((one, other) => one - other);
  }

  async release(table: string, domainId: number): Promise<void> {
    this.#sites.delete(`${table}/${domainId}`);
    this.#loaded.delete(`${table}/${domainId}`);
  }

  async addRun(run: RunRecord): Promise<void> {
    await this.#writeState('run', `${run.finishedAt} ${randomUUID()}`, JSON.stringify(run));
  }

  async runs(): Promise<readonly RunRecord[]> {
    await this.#connect();
    const found = new Map<string, RunRecord>();
    await this.#onAll(async shard => {
      for (const { name, value } of await shard.latestStates('run', RUNS_SHOWN))
        found.set(name, JSON.parse(value) as RunRecord);
    });
    return [...found]
      .sort(([one], [other]) => (one < other ? 1 : -1))
      .slice(0, RUNS_SHOWN)
      .map(([, run]) => run);
  }

  async lost(): Promise<readonly DestinationError[]> {
    await this.#connect();
    return [...this.#lost].map(([number, { error }]) => lostSite(number, error));
  }

  async close(): Promise<void> {
    for (const shard of this.#shards.values()) {
      await shard.dropStagings().catch(() => undefined);
      await shard.server.close();
    }
    await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
  }

  /** How the sites are moved when a shard was added; undefined without a cluster. */
  get rebalancing(): Rebalancing | undefined {
    if (this.#address.cluster === undefined) return undefined;
    return {
      moves: () => this.#moves(),
      move: site => this.#move(site),
      finish: () => this.#finishRebalancing(),
    };
  }

  async #moves(): Promise<readonly SiteMove[]> {
    await this.#connect();
    this.#requireAll('sites are moved when all shards can be reached');
    for (const { server } of this.#shards.values())
      await requireAllKnown(server, this.#address.cluster, this.#shards.size);
    const next = [...this.#shards.keys()].sort((one, other) => one - other);
    const moves = new Map<number, { name: string; partitions: number; rows: number }>();
    for (const { name: table } of this.#tables)
      for (const id of await this.domainIds(table)) {
        if (this.#isMoved(id) || this.#shardNumber(id) === shardOf(id, next)) continue;
        const site = await this.#readSite(this.#shardWith(this.#shardNumber(id)), table, id);
        const known = moves.get(id) ?? { name: `site ${id}`, partitions: 0, rows: 0 };
        for (const entry of site.entries.values()) {
          known.name = entry.domain ?? known.name;
          known.partitions += 1;
          known.rows += entry.rows;
        }
        moves.set(id, known);
      }
    return [...moves]
      .sort(([one], [other]) => one - other)
      .map(([id, { name, partitions, rows }]) => ({
        domainId: id,
        domain: name,
        partitions,
        rows,
        from: this.#shardWith(this.#shardNumber(id)).name,
        to: this.#shardWith(shardOf(id, next)).name,
      }));
  }

  async #move({ domainId }: SiteMove): Promise<void> {
    const next = [...this.#shards.keys()].sort((one, other) => one - other);
    const placement = this.#placement();
    if (JSON.stringify(placement.next) !== JSON.stringify(next))
      await this.#writePlacement({ ...placement, next });
    const [from, to] = [
      this.#shardWith(shardOf(domainId, placement.shards)),
      this.#shardWith(shardOf(domainId, next)),
    ];
    const tables = await this.#ledgersOf(from, domainId);
    await stageSite(domainId, from, to, tables);
    await this.#writeMove(domainId, 'switching');
    await this.#switch(domainId);
  }

  /** Finishes a move of which the rows are staged. It may be interrupted and run again at any point. */
  async #switch(domainId: number): Promise<void> {
    const { shards, next = [] } = this.#placement();
    const [from, to] = [this.#shardWith(shardOf(domainId, shards)), this.#shardWith(shardOf(domainId, next))];
    const tables = await this.#ledgersOf(from, domainId);
    await finishSwitch(domainId, from, to, tables, ms => this.#machine.sleep(ms));
    for (const [table, stored] of tables)
      for (const [partition, { entry, version }] of stored)
        if (entry !== undefined)
          await to.writeEntry(table, domainId, partition, { entry, version: version + 1n });
    await this.#writeMove(domainId, 'moved');
    await this.#removeEntries(from, domainId, tables);
    this.#forgetSites();
  }

  async #removeEntries(
    shard: Shard,
    domainId: number,
    tables: ReadonlyMap<string, ReadonlyMap<string, StoredEntry>>,
  ): Promise<void> {
    for (const [table, stored] of tables)
      for (const [partition, { entry, version }] of stored)
        if (entry !== undefined)
          await shard.writeEntry(table, domainId, partition, { entry: undefined, version: version + 1n });
  }

  async #finishRebalancing(): Promise<void> {
    const { id, shards, next } = this.#placement();
    const all = [...this.#shards.keys()].sort((one, other) => one - other);
    if (next === undefined && JSON.stringify(shards) === JSON.stringify(all)) return;
    // A run that was killed between a move and the removal of its old entries.
    for (const { kind, name, value } of [...this.#states.values()]) {
      const [, move, domain] = /^(\d+)\/(\d+)$/.exec(name) ?? [];
      if (kind !== 'move' || value !== 'moved' || Number(move) !== id) continue;
      const from = this.#shardWith(shardOf(Number(domain), shards));
      await this.#removeEntries(from, Number(domain), await this.#ledgersOf(from, Number(domain)));
    }
    await this.#writePlacement({ id: id + 1, shards: next ?? all });
    await this.#onAll(async shard => {
      for (const { name } of this.#tables) await shard.dropMoving(name);
    });
  }

  async #ledgersOf(shard: Shard, domainId: number): Promise<Map<string, ReadonlyMap<string, StoredEntry>>> {
    const tables = new Map<string, ReadonlyMap<string, StoredEntry>>();
    for (const { name } of this.#tables) {
      const stored = await shard.ledger(name, domainId);
      if (stored.size > 0) tables.set(name, stored);
    }
    return tables;
  }

  /** Connects once: to the server, or to the shards of its cluster. */
  #connect(): Promise<void> {
    this.#connecting ??= this.#open();
    return this.#connecting;
  }

  async #open(): Promise<void> {
    const { cluster, database } = this.#address;
    const first = new Server(this.#address, this.#address, this.#machine);
    await this.#checkVersion(first);
    this.#lost = new Map();
    if (cluster === undefined) {
      this.#shards = new Map([[1, new Shard(1, first, database, '', this.#machine)]]);
    } else {
      const endpoints = await clusterShards(first, this.#address);
      await first.close();
      this.#shards = new Map();
      for (const [number, endpoint] of endpoints) await this.#openShard(number, endpoint);
    }
    await this.#readStates(['schema', 'placement', 'move']);
    if (cluster !== undefined) await this.#checkPlacement();
  }

  async #openShard(number: number, endpoint: Endpoint): Promise<void> {
    const server = new Server(this.#address, endpoint, this.#machine);
    const shard = new Shard(number, server, this.#address.database, '_local', this.#machine);
    let own: StoredState | undefined;
    try {
      await this.#checkVersion(server);
      [own] = await shard.states(['shard']);
    } catch (error) {
      if (!(error instanceof DestinationError) || error.code !== 'destination_unreachable') throw error;
      this.#lost.set(number, { endpoint, error, at: this.#machine.now() });
      return;
    }
    if (own !== undefined && own.value !== String(number))
      throw unusable(
        `${server.name} is shard ${number} of the cluster, but was shard ${own.value} when it was filled`,
        {
          hints: ['restore the order of the shards in remote_servers, or in shards='],
        },
      );
    this.#lost.delete(number);
    this.#shards.set(number, shard);
  }

  /** Connects to the shards again that could not be reached some time ago. */
  async #regainShards(): Promise<void> {
    const now = this.#machine.now();
    const due = [...this.#lost].filter(([, { at }]) => now - at >= LOST_MS);
    for (const [number, lost] of due) this.#lost.set(number, { ...lost, at: now });
    for (const [number, { endpoint }] of due) {
      await this.#openShard(number, endpoint);
      if (this.#shards.has(number)) await this.#readStates(['schema', 'placement', 'move']);
    }
  }

  /** Does something for a site on its shard of a cluster. Throws what concerns only the sites of this shard if it cannot be reached. */
  async #at<Value>(shard: Shard, work: () => Promise<Value>): Promise<Value> {
    if (this.#address.cluster === undefined) return await work();
    this.#shardWith(shard.number);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DestinationError) || error.code !== 'destination_unreachable') throw error;
      if (error.isOfSites) throw error;
      if (!this.#lost.has(shard.number) && !(await shard.server.responds())) this.#lose(shard, error);
      throw lostSite(shard.number, error);
    }
  }

  #lose(shard: Shard, error: DestinationError): void {
    this.#shards.delete(shard.number);
    this.#lost.set(shard.number, { endpoint: shard.server.endpoint, error, at: this.#machine.now() });
    void shard.server.close();
  }

  async #checkVersion(server: Server): Promise<void> {
    const version = await server.version();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [oldestMajor, oldestMinor] = OLDEST;
    if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
      throw unusable(`ClickHouse at ${server.name} has version ${version}, which is too old`, {
        hints: [`gatectl requires version ${OLDEST.join('.')}; current versions are better`],
      });
  }

  async #checkPlacement(): Promise<void> {
    const { shards, next = [] } = this.#placement();
    const missing = [...shards, ...next].find(number => !this.#shards.has(number) && !this.#lost.has(number));
    if (missing !== undefined)
      throw unusable(
        `shard ${missing} stores sites, but the cluster ${this.#address.cluster} no longer has it`,
        { hints: ['add it to remote_servers again'] },
      );
  }

  /** Prepares what writing requires: gatectl's own tables, those of the sync on each shard, and unfinished moves. */
  async #begin(): Promise<void> {
    const { cluster } = this.#address;
    if (cluster !== undefined && !this.#states.has('placement/'))
      this.#requireAll('the first run creates the tables on all shards');
    await this.#onAll(shard => shard.createOwnTables());
    if (cluster !== undefined) {
      if (!this.#states.has('placement/')) await this.#writePlacement(this.#placement());
      await this.#onAll(async shard => {
        if ((await shard.states(['shard'])).length === 0)
          await shard.writeState({ kind: 'shard', name: 'number', value: String(shard.number), version: 1n });
      });
    }
    for (const { name } of this.#tables) {
      const schema = await this.schema(name);
      if (schema.columns.length > 0 && cluster !== undefined) await this.#shape(name, schema);
    }
    for (const [domainId, state] of this.#openMoves())
      if (state === 'switching' && this.#lost.size === 0) await this.#switch(domainId);
  }

  /** The moves of the current rebalancing. */
  #openMoves(): ReadonlyMap<number, MoveState> {
    const { id } = this.#placement();
    const moves = new Map<number, MoveState>();
    for (const { kind, name, value } of this.#states.values()) {
      const [, move, domain] = /^(\d+)\/(\d+)$/.exec(name) ?? [];
      if (kind === 'move' && Number(move) === id) moves.set(Number(domain), value as MoveState);
    }
    return moves;
  }

  async #shape(table: string, schema: TableSchema): Promise<void> {
    const size = schema.partition ?? this.#tables.find(({ name }) => name === table)?.partition ?? 'month';
    const { cluster } = this.#address;
    await this.#onAll(shard => shard.shapeRows(table, schema, size));
    if (cluster !== undefined) await this.#onAll(shard => shard.shapeDistributed(table, cluster));
  }

  /** Does something on each shard that can be reached; one that no longer can is left out from then on. */
  async #onAll(work: (shard: Shard) => Promise<void>): Promise<void> {
    for (const shard of [...this.#shards.values()])
      try {
        await work(shard);
      } catch (error) {
        if (this.#shards.size === 1 || !(error instanceof DestinationError)) throw error;
        if (error.code !== 'destination_unreachable') throw error;
        this.#lose(shard, error);
      }
  }

  #firstShard(): Shard {
    const [first] = [...this.#shards.values()];
    if (first !== undefined) return first;
    const [lost] = [...this.#lost.values()];
    throw lost?.error ?? unreachable(`cannot reach ${this.name}`);
  }

  #requireAll(why: string): void {
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

  #placement(): Placement {
    const stored = this.#states.get('placement/');
    if (stored !== undefined) return JSON.parse(stored.value) as Placement;
    const all = [...this.#shards.keys(), ...this.#lost.keys()].sort((one, other) => one - other);
    return { id: 1, shards: all };
  }

  #isMoved(domainId: number): boolean {
    return this.#openMoves().get(domainId) === 'moved';
  }

  /** The shard that stores a site. */
  #shardNumber(domainId: number): number {
    const { shards, next } = this.#placement();
    return shardOf(domainId, next !== undefined && this.#isMoved(domainId) ? next : shards);
  }

  #shardWith(number: number): Shard {
    const shard = this.#shards.get(number);
    if (shard !== undefined) return shard;
    throw lostSite(number, this.#lost.get(number)?.error);
  }

  async #writePlacement(placement: Placement): Promise<void> {
    await this.#writeState('placement', '', JSON.stringify(placement));
  }

  async #writeMove(domainId: number, state: MoveState): Promise<void> {
    this.#requireAll('sites are moved when all shards can be reached');
    await this.#writeState('move', `${this.#placement().id}/${domainId}`, state);
  }

  async #writeState(kind: string, name: string, value: string): Promise<void> {
    const key = `${kind}/${name}`;
    const state = { kind, name, value, version: this.#versionAfter(this.#states.get(key)?.version) };
    await this.#onAll(shard => shard.writeState(state));
    this.#states.set(key, state);
  }

  /** A version above an earlier one, and above those that other machines wrote before. */
  #versionAfter(earlier: bigint | undefined): bigint {
    const now = BigInt(this.#machine.now()) * 1000n;
    return earlier !== undefined && earlier >= now ? earlier + 1n : now;
  }

  /** Reads gatectl's own values from all shards: the latest ones count, because a shard may have been down. */
  async #readStates(kinds: readonly string[]): Promise<void> {
    await this.#onAll(async shard => {
      for (const state of await shard.states(kinds)) {
        const key = `${state.kind}/${state.name}`;
        const known = this.#states.get(key);
        if (known === undefined || known.version < state.version) this.#states.set(key, state);
      }
    });
  }

  #site(table: string, domainId: number): Promise<Site> {
    const key = `${table}/${domainId}`;
    const known = this.#sites.get(key);
    if (known !== undefined) return known;
    const opened = this.#openSite(table, domainId);
    this.#sites.set(key, opened);
    opened.then(
      site => this.#loaded.set(key, site),
      () => this.#sites.delete(key),
    );
    return opened;
  }

  async #openSite(table: string, domainId: number): Promise<Site> {
    await this.#connect();
    const moving = this.#openMoves().get(domainId);
    if (moving === 'switching')
      throw unusable(`the site ${domainId} is being moved to another shard`, {
        hints: ['run gatectl bda sync rebalance'],
        isOfSites: true,
      });
    return await this.#readSite(this.#shardWith(this.#shardNumber(domainId)), table, domainId);
  }

  async #readSite(shard: Shard, table: string, domainId: number): Promise<Site> {
    const stored = new Map(await this.#at(shard, () => shard.ledger(table, domainId)));
    const entries = new Map<string, LedgerEntry>();
    for (const [partition, { entry }] of stored) if (entry !== undefined) entries.set(partition, entry);
    const key = `${shard.number}/${table}`;
    let rows = this.#rows.get(key);
    if (rows === undefined) {
      rows = this.#at(shard, () => shard.partitionRows(table));
      this.#rows.set(key, rows);
      rows.catch(() => this.#rows.delete(key));
    }
    return { shard, stored, entries, rows: await rows };
  }

  /** Records a partition, or that its rows are about to change. */
  async #record(
    table: string,
    domainId: number,
    partition: string,
    entry: LedgerEntry | undefined,
  ): Promise<void> {
    const { shard, stored, entries } = await this.#site(table, domainId);
    const next = { entry, version: this.#versionAfter(stored.get(partition)?.version) };
    await this.#at(shard, () => shard.writeEntry(table, domainId, partition, next));
    stored.set(partition, next);
    // While the rows change, this process still knows what they were.
    if (entry !== undefined) entries.set(partition, entry);
  }

  #forget(): void {
    const closed = [...this.#shards.values()];
    this.#connecting = undefined;
    this.#states.clear();
    this.#schemas.clear();
    this.#forgetSites();
    for (const shard of closed) void shard.server.close();
  }

  #forgetSites(): void {
    this.#sites.clear();
    this.#loaded.clear();
    this.#rows.clear();
  }
}

function encryptionOf({ isSecure, host, name }: ClickHouseAddress): DestinationCheck {
  if (isSecure) return { check: 'encryption', found: 'TLS' };
  if (host === 'localhost' || host === '::1' || host.startsWith('127.'))
    return { check: 'encryption', found: 'none, on this machine' };
  const secure = name.replace('clickhouse:', 'clickhouses:').replace(':8123', ':8443');
  return { check: 'encryption', found: 'none', advice: `with TLS: ${secure}` };
}

/** The error of a site whose shard cannot be reached. */
function lostSite(number: number, error: DestinationError | undefined): DestinationError {
  const why = error === undefined ? '' : `: ${error.message}`;
  return unreachable(`shard ${number} cannot be reached${why}`, { cause: error, isOfSites: true });
}

/** The metrics of an entry that the table has as numbers. */
function summed({ metrics }: LedgerEntry, columns: readonly ColumnNeeds[]): readonly string[] {
  return metrics.filter(metric => columns.some(({ name, kind }) => name === metric && kind === 'number'));
}
