import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DestinationError, UsageError } from '../../../errors/index.ts';
import { rm } from '../../../files/disk.ts';
import { makeFolder } from '../../../files/folders.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { ColumnNeeds, TableSchema } from '../../column-types.ts';
import type { SyncTable } from '../../config.ts';
import type { Quarantine } from '../../contracts/quarantine.ts';
import type { Ledger, LedgerEntry } from '../../ledger.ts';
import type { DestinationCheck } from '../checks.ts';
import { encryptionCheck } from '../checks.ts';
import type { StoredDay } from '../day-totals.ts';
import {
  type Destination,
  outcomeOf,
  type PartitionFile,
  type Replaced,
  RUNS_SHOWN,
  type RunRecord,
  type Stray,
} from '../destination.ts';
import { isThisMachine } from '../endpoint.ts';
import { statementFailed, unusable } from '../failures.ts';
import { FolderLocks, RunLocks } from '../run-locks.ts';
import type { ClickHouseAddress } from './address.ts';
import { requireAllKnown } from './cluster.ts';
import { differenceToEntry } from './day-sums.ts';
import { diagnoseServer } from './diagnosis.ts';
import { Schemas } from './schemas.ts';
import { hasRowsOf, ROWS_SUFFIX, type Shard } from './shard.ts';
import { Shards } from './shards.ts';
import { SharedState } from './shared-state.ts';
import { type Site, Sites } from './sites.ts';
import { partitionName } from './statements.ts';
import { strayRows } from './strays.ts';

/** What the type Date contains in all versions. Other days would become the nearest one. */
const DATES = ['1970-01-01', '2105-12-31'] as const;
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
  readonly quarantine: Quarantine;
  readonly #address: ClickHouseAddress;
  readonly #tables: readonly SyncTable[];
  readonly #locks: RunLocks;
  readonly #stagingRoot: string;
  readonly #shards: Shards;
  readonly #state: SharedState;
  readonly #schemas: Schemas;
  readonly #sites: Sites;
  #connecting: Promise<void> | undefined;
  #isExclusive = false;
  /** Whether all tables exist and have their columns. */
  #isPrepared = false;

  /** `folder` is a folder of this machine for this destination alone. */
  constructor(
    address: ClickHouseAddress,
    tables: readonly SyncTable[],
    folder: string,
    machine: LockMachine,
    quarantine: Quarantine,
  ) {
    this.quarantine = quarantine;
    this.name = address.name;
    this.#address = address;
    this.#tables = tables;
    this.#locks = new RunLocks(new FolderLocks(folder, { machine, name: this.name, mode: 0o700 }), '.');
    this.#stagingRoot = join(folder, 'staging');
    this.staging = join(this.#stagingRoot, randomUUID());
    const shards = new Shards(address, machine);
    const state = new SharedState(shards, machine);
    const sites = new Sites(shards, state);
    this.#shards = shards;
    this.#state = state;
    this.#sites = sites;
    this.#schemas = new Schemas(state, shards, tables);
  }

  async check(): Promise<void> {
    await this.#connect();
    if (this.#address.cluster !== undefined) this.#requireNames();
    await this.#shards.onAll(async shard => {
      for (const { name, partition } of this.#tables)
        await shard.checkTable(name, this.#schemas.isRecorded(name), partition);
    });
  }

  /** Throws UsageError for a table whose name is that of the table with the rows of another one. */
  #requireNames(): void {
    const own = this.#tables.map(({ name }) => name);
    const all = new Set([...own, ...this.#schemas.recorded]);
    const rowsOf = [...all].find(
      name => all.has(name + ROWS_SUFFIX) && (own.includes(name) || own.includes(name + ROWS_SUFFIX)),
    );
    if (rowsOf === undefined) return;
    throw new UsageError(
      `in a cluster, the rows of ${rowsOf} are in ${rowsOf}${ROWS_SUFFIX}, which is the name of another table`,
      { code: 'invalid_input', hints: ['give one of them another name in the sync file'] },
    );
  }

  async diagnose(): Promise<readonly DestinationCheck[]> {
    await this.#connect();
    const { cluster } = this.#address;
    const checks: DestinationCheck[] = [encryptionOf(this.#address)];
    if (cluster !== undefined) checks.push(...(await this.#diagnoseCluster(cluster)));
    for (const { server } of this.#shards.all)
      for (const { found, ...check } of await diagnoseServer(server, this.#address))
        checks.push({ ...check, found: cluster === undefined ? found : `${server.name}: ${found}` });
    return checks;
  }

  /** Whether all servers can be reached, and know each other. */
  async #diagnoseCluster(cluster: string): Promise<readonly DestinationCheck[]> {
    const count = this.#shards.all.length;
    const checks: DestinationCheck[] = [];
    let replicas = 0;
    const missing = await this.#shards.onReplicas(async ({ server }) => {
      replicas += 1;
      try {
        await requireAllKnown(server, cluster, count);
      } catch (error) {
        if (!(error instanceof DestinationError)) throw error;
        checks.push({ check: 'shards', found: error.message, error });
      }
    });
    for (const { number, error } of missing)
      checks.push({
        check: 'replicas',
        found: `a replica of shard ${number} is down: ${error.message}`,
        advice: 'start it: until then, the others alone store the rows of this shard',
      });
    if (checks.length > 0) return checks;
    const found = `${count} of the cluster ${cluster} on ${pluralize(replicas, 'server')}, each of which knows all`;
    return [{ check: 'shards', found }];
  }

  async exclusively<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    return await this.#locks.run(onWait, async () => {
      await rm(this.#stagingRoot, { recursive: true, force: true });
      await makeFolder(this.staging, 0o700);
      this.#forget();
      await this.#connect();
      await this.#begin();
      await this.#shards.onReplicas(replica => replica.stagings.dropLeftovers());
      this.#isExclusive = true;
      try {
        return await work();
      } finally {
        this.#isExclusive = false;
        this.#sites.forget();
        await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
      }
    });
  }

  async lockSite<Value>(table: string, domainId: number, work: () => Promise<Value>): Promise<Value> {
    if (this.#isExclusive) return await work();
    return await this.#locks.site(table, domainId, async () => {
      await makeFolder(this.staging, 0o700);
      await this.#connect();
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
    return this.#schemas.of(table);
  }

  async updateSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    await this.#connect();
    return await this.#schemas.update(table, change);
  }

  async replace(file: PartitionFile, before: LedgerEntry | undefined): Promise<Replaced> {
    const { table, domain, path, columns, entry } = file;
    const site = await this.#site(table.name, domain.id);
    const { shard } = site;
    // A replica may lack what another one stored: only what is written now is what counts in the end.
    const isSame =
      this.#address.cluster === undefined &&
      before !== undefined &&
      before.sha256 === entry.sha256 &&
      (await this.problemWith(table.name, domain.id, before)) === undefined;
    if (!isSame) {
      if (before !== undefined) await this.#sites.record(table.name, domain.id, entry.partition, undefined);
      const name = partitionName(domain.id, entry.partition);
      if (path === undefined) {
        await this.#shards.at(shard, server => server.dropPartition(table.name, domain.id, entry.partition));
        site.rows.delete(name);
      } else {
        const known = (await this.schema(table.name)).columns;
        const metrics = summed(entry, known);
        const rows = { path, columns, metrics };
        await this.#shards.at(shard, server => {
          const check = (stored: ReadonlyMap<string, StoredDay>) => {
            const difference = differenceToEntry(entry, known, metrics, stored);
            if (difference !== undefined)
              throw statementFailed(
                `ClickHouse at ${server.name} stored other rows of ${table.name} than it was sent: ${difference}`,
              );
          };
          return server.replacePartition(table.name, domain.id, entry.partition, rows, check);
        });
        site.rows.set(name, entry.rows);
      }
    }
    await this.#sites.record(table.name, domain.id, entry.partition, entry);
    return outcomeOf(before, entry);
  }

  isIntact(table: string, domainId: number, entry: LedgerEntry): boolean {
    const site = this.#sites.loaded(table, domainId);
    return site === undefined || hasRowsOf(site.rows, domainId, entry);
  }

  async problemWith(table: string, domainId: number, entry: LedgerEntry): Promise<string | undefined> {
    const { shard } = await this.#site(table, domainId);
    this.#shards.requireCurrent(shard);
    const { columns } = await this.schema(table);
    const metrics = summed(entry, columns);
    const stored = await this.#shards.at(shard, server =>
      server.daySums(table, domainId, entry.partition, metrics),
    );
    if (stored === undefined) return entry.rows === 0 ? undefined : 'its table is missing';
    if (typeof stored === 'string') return entry.rows === 0 ? undefined : `the column ${stored} is missing`;
    return differenceToEntry(entry, columns, metrics, stored);
  }

  async strays({ name }: SyncTable): Promise<readonly Stray[]> {
    await this.#connect();
    const isCluster = this.#address.cluster !== undefined;
    const found: Stray[] = [];
    await this.#shards.onAll(async shard => {
      this.#shards.requireCurrent(shard.number);
      const isOfShard = (id: number) => this.#shards.numberOf(id) === shard.number;
      found.push(...(await strayRows(shard, name, isOfShard, isCluster ? shard.name : undefined)));
    });
    return found;
  }

  async domainIds(table: string): Promise<readonly number[]> {
    await this.#connect();
    const found = new Set<number>();
    await this.#shards.onAll(async shard => {
      for (const id of await shard.own.domainIds(table)) found.add(id);
    });
    return [...found].sort((one, other) => one - other);
  }

  async release(table: string, domainId: number): Promise<void> {
    this.#sites.release(table, domainId);
  }

  async addRun(run: RunRecord): Promise<void> {
    await this.#state.write('run', `${run.finishedAt} ${randomUUID()}`, JSON.stringify(run));
  }

  async runs(): Promise<readonly RunRecord[]> {
    await this.#connect();
    const found = await this.#shards.onFirst(shard => shard.own.latestStates('run', RUNS_SHOWN));
    return found.map(({ value }) => JSON.parse(value) as RunRecord);
  }

  async close(): Promise<void> {
    for (const shard of this.#shards.all) {
      await shard.stagings.dropAll().catch(() => undefined);
      await shard.server.close();
    }
    await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
  }

  /** Connects once: to the server, or to the shards of its cluster. */
  #connect(): Promise<void> {
    this.#connecting ??= this.#open();
    return this.#connecting;
  }

  async #open(): Promise<void> {
    const { cluster } = this.#address;
    await this.#shards.open();
    await this.#state.read(['schema', 'cluster']);
    if (cluster !== undefined) this.#requireSameShards(cluster);
  }

  /** Throws DestinationError if the cluster stores sites elsewhere than when it was filled: they would be missing, or there twice. */
  #requireSameShards(cluster: string): void {
    const recorded = this.#state.get('cluster', 'shards');
    if (recorded === undefined) return;
    const before = JSON.parse(recorded) as Shards['identity'];
    const now = this.#shards.identity;
    if (recorded === JSON.stringify(now)) return;
    throw unusable(
      before.length === now.length
        ? `the order or the weights of the shards of the cluster ${cluster} have changed since it was filled`
        : `the cluster ${cluster} has ${pluralize(now.length, 'shard')}, but was filled with ${before.length}`,
      { reason: 'shards_changed' },
    );
  }

  /** Prepares what writing requires, once: gatectl's own tables, and those of the sync on each shard. */
  async #begin(): Promise<void> {
    if (this.#isPrepared) return;
    const isRecorded = this.#state.get('cluster', 'shards') !== undefined;
    const exist = (shard: Shard) => shard.own.exist();
    if (!(await this.#shards.isEachReplica(exist)))
      await this.#shards.change(shard => shard.own.creation, exist);
    if (this.#address.cluster !== undefined && !isRecorded)
      await this.#state.write('cluster', 'shards', JSON.stringify(this.#shards.identity));
    for (const name of this.#schemas.recorded) await this.#schemas.repair(name);
    this.#isPrepared = true;
  }

  async #site(table: string, domainId: number): Promise<Site> {
    await this.#connect();
    return await this.#sites.site(table, domainId);
  }

  #forget(): void {
    const closed = this.#shards.all;
    this.#connecting = undefined;
    this.#isPrepared = false;
    this.#state.forget();
    this.#schemas.forget();
    this.#sites.forget();
    for (const shard of closed) void shard.server.close();
  }
}

function encryptionOf({ isSecure, host, name }: ClickHouseAddress): DestinationCheck {
  const secure = name.replace('clickhouse:', 'clickhouses:').replace(':8123', ':8443');
  return encryptionCheck(isSecure ? 'TLS' : undefined, isThisMachine(host), `with TLS: ${secure}`);
}

/** The metrics of an entry that the table has as numbers. */
function summed({ metrics }: LedgerEntry, columns: readonly ColumnNeeds[]): readonly string[] {
  return metrics.filter(metric => columns.some(({ name, kind }) => name === metric && kind === 'number'));
}
