import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { unrepresentable } from '../../../export/parquet/found-types.ts';
import type { LockMachine } from '../../../files/lock.ts';
import type { TableSchema } from '../../column-types.ts';
import type { PartitionSize } from '../../config.ts';
import type { LedgerEntry } from '../../ledger.ts';
import { unusable } from '../failures.ts';
import { daySumsQuery, partitionCondition } from './day-sums.ts';
import type { Row, Server } from './server.ts';
import { isConnectionLost, isOtherStructure, isTableMissing, isTableThere } from './server-failure.ts';
import {
  alterations,
  createTable,
  isSameType,
  lossyAsDouble,
  partitionExpression,
  partitionName,
  partitionValue,
  quoteName,
  quoteText,
} from './statements.ts';

const LEDGER = '_gatectl_ledger';
const STATE = '_gatectl_state';
const STAGING = '_gatectl_staging_';
const LOCK = '_gatectl_lock_';
const MOVING = '_gatectl_moving_';
/** A lock of a table that changes is older only if its holder was killed. In seconds. */
const LOCK_S = 600;
const LOCK_POLL_MS = 250;
/** How often the rows of a partition are sent at most, and the wait after a lost connection, in milliseconds. */
const ATTEMPTS = 3;
const REPEAT_AFTER_MS = 500;
/** What another machine left behind. In seconds. */
const LEFTOVER_S = 86_400;

/** An entry of the ledger with its version; `entry` is undefined while the rows of its partition change, and once it is removed. */
export interface StoredEntry {
  readonly entry: LedgerEntry | undefined;
  readonly version: bigint;
}

/** A value of gatectl's own, with its version: the highest counts. */
export interface StoredState {
  readonly kind: string;
  readonly name: string;
  readonly value: string;
  readonly version: bigint;
}

/** A machine and a process, for the names of tables that the process alone uses. */
type Machine = Pick<LockMachine, 'identify' | 'find' | 'sleep'>;

/**
 * What one server stores: the rows of its sites, their ledger, and gatectl's own state. Methods throw DestinationError.
 */
export class Shard {
  /** Its number in the cluster; 1 without one. */
  readonly number: number;
  readonly server: Server;
  readonly #database: string;
  /** What the names of tables with rows end with, because in a cluster the plain name is that of the distributed table. */
  readonly #suffix: string;
  readonly #machine: Machine;
  readonly #idleStagings = new Map<string, string[]>();
  readonly #stagings = new Set<string>();
  #hasOwnTables = false;

  constructor(number: number, server: Server, database: string, suffix: '' | '_local', machine: Machine) {
    this.number = number;
    this.server = server;
    this.#database = database;
    this.#suffix = suffix;
    this.#machine = machine;
  }

  get name(): string {
    return this.server.name;
  }

  /** The name of the table with the rows on this server, quoted. */
  rowsTable(table: string): string {
    return this.#quoted(table + this.#suffix);
  }

  #quoted(table: string): string {
    return `${quoteName(this.#database)}.${quoteName(table)}`;
  }

  /** Creates gatectl's own tables, unless they exist. */
  async createOwnTables(): Promise<void> {
    if (this.#hasOwnTables) return;
    await this.server.run(
      `CREATE TABLE IF NOT EXISTS ${this.#quoted(LEDGER)} (table_name String, domain_id Int64, partition String, version UInt64, state String, rows UInt64, fetched_at String, entry String) ENGINE = ReplacingMergeTree(version) PARTITION BY (table_name, domain_id % 16) ORDER BY (table_name, domain_id, partition)`,
    );
    await this.server.run(
      `CREATE TABLE IF NOT EXISTS ${this.#quoted(STATE)} (kind String, name String, version UInt64, value String) ENGINE = ReplacingMergeTree(version) ORDER BY (kind, name)`,
    );
    this.#hasOwnTables = true;
  }

  /** The engines and partition keys of some tables, by name. */
  async tables(
    names: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly engine: string; readonly partitionKey: string }>> {
    const list = names.map(quoteText).join(', ');
    const rows = await this.server.rows(
      `SELECT name, engine, partition_key FROM system.tables WHERE database = ${quoteText(this.#database)} AND name IN (${list})`,
    );
    return new Map(
      rows.map(({ name, engine, partition_key }) => [
        String(name),
        { engine: String(engine), partitionKey: String(partition_key) },
      ]),
    );
  }

  /** Throws DestinationError for a table of the same name that no sync wrote, or that was created in another form. */
  async checkTable(table: string, isKnown: boolean, size: PartitionSize): Promise<void> {
    const names = this.#suffix === '' ? [table] : [table, table + this.#suffix];
    const found = await this.tables(names);
    for (const [name, { engine, partitionKey }] of found) {
      const isRows = name === table + this.#suffix;
      const expected = isRows ? 'MergeTree' : 'Distributed';
      if (!isKnown || engine !== expected)
        throw unusable(`${this.#database} on ${this.name} has a table ${name}, which no sync wrote`, {
          hints: ['give the table of the sync file another name, or name another database'],
        });
      if (isRows && !isSameType(partitionKey, partitionExpression(size)))
        throw unusable(
          `the table ${name} on ${this.name} has the partition key ${partitionKey} instead of ${partitionExpression(size)}`,
          { hints: ['rename it, and run it again'] },
        );
    }
  }

  /** The columns of a table with their types; empty if there is none. */
  async columns(table: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.server.rows(
      `SELECT name, type FROM system.columns WHERE database = ${quoteText(this.#database)} AND table = ${quoteText(table)}`,
    );
    return new Map(rows.map(({ name, type }) => [String(name), String(type)]));
  }

  /** Gives the table with the rows the columns of a schema, and creates it if necessary. Throws UnrepresentableValueError for digits that would be lost. */
  async shapeRows(table: string, { columns }: TableSchema, size: PartitionSize): Promise<void> {
    const name = this.rowsTable(table);
    const current = await this.columns(table + this.#suffix);
    if (current.size === 0) return await this.server.run(createTable(name, columns, size));
    const { changes, toDouble } = alterations(current, columns);
    for (const column of toDouble) {
      const condition = lossyAsDouble(column.name, current.get(column.name) ?? '');
      const [row] = await this.server.rows(`SELECT count() AS n FROM ${name} WHERE ${condition}`);
      if (Number(row?.n ?? 0) > 0)
        throw unrepresentable(
          `the table ${table} in ${this.#database}`,
          column.name,
          'its numbers have more than 38 digits together',
        );
    }
    if (changes.length > 0) await this.server.run(`ALTER TABLE ${name} ${changes.join(', ')}`);
  }

  /** Creates the table that reads the rows of all shards, or replaces it when the columns are others. */
  async shapeDistributed(table: string, cluster: string): Promise<void> {
    const rows = await this.columns(table + this.#suffix);
    const current = await this.columns(table);
    const isSame =
      current.size === rows.size && [...rows].every(([name, type]) => current.get(name) === type);
    if (isSame) return;
    const name = this.#quoted(table);
    if (current.size > 0) {
      // A distributed table has no rows of its own. It is changed in place, so that it is never missing.
      const changes = [...rows].flatMap(([column, type]) => {
        const before = current.get(column);
        if (before === type) return [];
        return [`${before === undefined ? 'ADD' : 'MODIFY'} COLUMN ${quoteName(column)} ${type}`];
      });
      return await this.server.run(`ALTER TABLE ${name} ${changes.join(', ')}`);
    }
    await this.server.run(
      `CREATE TABLE IF NOT EXISTS ${name} AS ${this.rowsTable(table)} ENGINE = Distributed(${[cluster, this.#database, table + this.#suffix].map(quoteText).join(', ')})`,
    );
  }

  /** The ledger of a site in a table; empty where there is none yet. */
  async ledger(table: string, domainId: number): Promise<ReadonlyMap<string, StoredEntry>> {
    const rows = await this.#existing(
      `SELECT partition, argMax(entry, version) AS latest, toString(max(version)) AS latest_version FROM ${this.#quoted(LEDGER)} WHERE table_name = ${quoteText(table)} AND domain_id = ${domainId} GROUP BY partition ORDER BY partition`,
    );
    return new Map(
      rows.map(row => {
        const text = String(row.latest);
        const entry = text === '' ? undefined : (JSON.parse(text) as LedgerEntry);
        return [String(row.partition), { entry, version: BigInt(String(row.latest_version)) }];
      }),
    );
  }

  /** The sites that this server has a ledger of. */
  async domainIds(table: string): Promise<readonly number[]> {
    const rows = await this.#existing(
      `SELECT DISTINCT domain_id FROM (SELECT domain_id, partition, argMax(entry, version) AS latest FROM ${this.#quoted(LEDGER)} WHERE table_name = ${quoteText(table)} GROUP BY domain_id, partition) WHERE latest != '' ORDER BY domain_id`,
    );
    return rows.map(({ domain_id }) => Number(domain_id));
  }

  /** Writes an entry of the ledger; `entry` is undefined while the rows of its partition change, and to remove it. */
  async writeEntry(
    table: string,
    domainId: number,
    partition: string,
    { entry, version }: StoredEntry,
  ): Promise<void> {
    const values = [
      quoteText(table),
      domainId,
      quoteText(partition),
      version,
      quoteText(entry?.state ?? ''),
      entry?.rows ?? 0,
      quoteText(entry?.fetchedAt ?? ''),
      quoteText(entry === undefined ? '' : JSON.stringify(entry)),
    ];
    await this.server.run(
      `INSERT INTO ${this.#quoted(LEDGER)} (table_name, domain_id, partition, version, state, rows, fetched_at, entry) VALUES (${values.join(', ')})`,
    );
  }

  /** gatectl's own values of some kinds. */
  async states(kinds: readonly string[]): Promise<readonly StoredState[]> {
    const rows = await this.#existing(
      `SELECT kind, name, argMax(value, version) AS latest, toString(max(version)) AS latest_version FROM ${this.#quoted(STATE)} WHERE kind IN (${kinds.map(quoteText).join(', ')}) GROUP BY kind, name`,
    );
    return rows.map(({ kind, name, latest, latest_version }) => ({
      kind: String(kind),
      name: String(name),
      value: String(latest),
      version: BigInt(String(latest_version)),
    }));
  }

  /** The latest values of a kind, the last one first. */
  async latestStates(
    kind: string,
    most: number,
  ): Promise<readonly { readonly name: string; readonly value: string }[]> {
    const rows = await this.#existing(
      `SELECT name, argMax(value, version) AS latest FROM ${this.#quoted(STATE)} WHERE kind = ${quoteText(kind)} GROUP BY name ORDER BY name DESC LIMIT ${most}`,
    );
    return rows.map(({ name, latest }) => ({ name: String(name), value: String(latest) }));
  }

  async writeState({ kind, name, value, version }: StoredState): Promise<void> {
    await this.server.run(
      `INSERT INTO ${this.#quoted(STATE)} (kind, name, version, value) VALUES (${quoteText(kind)}, ${quoteText(name)}, ${version}, ${quoteText(value)})`,
    );
  }

  /** The number of rows of each partition, as system.parts names it: without reading them. */
  async partitionRows(table: string): Promise<Map<string, number>> {
    return await this.#partRows(table + this.#suffix);
  }

  async #partRows(table: string): Promise<Map<string, number>> {
    const rows = await this.server.rows(
      `SELECT partition, sum(rows) AS n FROM system.parts WHERE active AND database = ${quoteText(this.#database)} AND table = ${quoteText(table)} GROUP BY partition`,
    );
    return new Map(rows.map(({ partition, n }) => [String(partition).replaceAll(' ', ''), Number(n)]));
  }

  /** The rows and the sums of some metrics on each day of a partition; undefined if there is no such table. */
  async daySums(
    table: string,
    domainId: number,
    partition: string,
    metrics: readonly string[],
  ): Promise<readonly Row[] | undefined> {
    try {
      return await this.server.rows(
        daySumsQuery(this.rowsTable(table), metrics, partitionCondition(domainId, partition)),
      );
    } catch (error) {
      if (isTableMissing(error)) return undefined;
      throw error;
    }
  }

  /**
   * Replaces the rows of a partition by those of a file in one step. `check` gets the rows and sums of each day as they were read from the
   * file, and throws to leave the partition as it is.
   */
  async replacePartition(
    table: string,
    domainId: number,
    partition: string,
    file: { readonly path: string; readonly columns: readonly string[]; readonly metrics: readonly string[] },
    check: (stored: readonly Row[]) => void,
  ): Promise<void> {
    const value = partitionValue(domainId, partition);
    for (let attempt = 0; ; attempt++) {
      const staging = await this.#takeStaging(table);
      try {
        await this.server.insert(
          `INSERT INTO ${staging} (${file.columns.map(quoteName).join(', ')}) FORMAT TabSeparated`,
          createReadStream(file.path, { highWaterMark: 1 << 20 }),
        );
        check(await this.server.rows(daySumsQuery(staging, file.metrics, '1')));
        await this.server.run(
          `ALTER TABLE ${this.rowsTable(table)} REPLACE PARTITION ${value} FROM ${staging}`,
        );
      } catch (error) {
        await this.#dropStaging(staging).catch(() => undefined);
        if (attempt === ATTEMPTS - 1) throw error;
        // Another process has added a column meanwhile.
        if (isOtherStructure(error)) this.#idleStagings.delete(table);
        else if (isConnectionLost(error)) await this.#machine.sleep(REPEAT_AFTER_MS);
        else throw error;
        continue;
      }
      await this.#removeReplaced(table);
      await this.server.run(`TRUNCATE TABLE ${staging}`);
      this.#idleStagings.set(table, [...(this.#idleStagings.get(table) ?? []), staging]);
      return;
    }
  }

  /** Removes the rows of a partition in one step. */
  async dropPartition(table: string, domainId: number, partition: string): Promise<void> {
    await this.server
      .run(`ALTER TABLE ${this.rowsTable(table)} DROP PARTITION ${partitionValue(domainId, partition)}`)
      .catch(error => {
        if (!isTableMissing(error)) throw error;
      });
  }

  /**
   * Deletes the files of what was replaced. Servers of some versions otherwise keep them for seconds and, killed meanwhile, start with
   * the old rows and the new ones. Dropping any partition deletes them, even one that does not exist.
   */
  async #removeReplaced(table: string): Promise<void> {
    await this.server.run(`ALTER TABLE ${this.rowsTable(table)} DROP PARTITION (-1, 0)`);
  }

  /** Runs `work` while no other process, on this or another machine, does so for the same name. */
  async locked<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    const lock = this.#quoted(LOCK + name);
    for (;;)
      try {
        // Creating a table either succeeds or fails because it exists: the one operation of a server that excludes others.
        await this.server.run(`CREATE TABLE ${lock} (held UInt8) ENGINE = TinyLog`);
        break;
      } catch (error) {
        if (!isTableThere(error)) throw error;
        const [row] = await this.server.rows(
          `SELECT toUInt64(now()) - toUInt64(metadata_modification_time) AS age FROM system.tables WHERE database = ${quoteText(this.#database)} AND name = ${quoteText(LOCK + name)}`,
        );
        if (row !== undefined && Number(row.age) > LOCK_S)
          await this.server.run(`DROP TABLE IF EXISTS ${lock}`);
        else await this.#machine.sleep(LOCK_POLL_MS);
      }
    try {
      return await work();
    } finally {
      await this.server.run(`DROP TABLE IF EXISTS ${lock}`);
    }
  }

  /** Creates the table with the rows that are being moved to this server, unless it exists. */
  async createMoving(table: string): Promise<void> {
    await this.server.run(
      `CREATE TABLE IF NOT EXISTS ${this.#quoted(MOVING + table)} AS ${this.rowsTable(table)}`,
    );
  }

  /** Copies the rows of a partition from another server to where readers do not see them. */
  async stageMoving(table: string, domainId: number, partition: string, from: Shard): Promise<void> {
    const moving = this.#quoted(MOVING + table);
    await this.server.run(`ALTER TABLE ${moving} DROP PARTITION ${partitionValue(domainId, partition)}`);
    const names = [...(await from.columns(table + from.#suffix)).keys()].map(quoteName).join(', ');
    const rows = await from.server.read(
      `SELECT ${names} FROM ${from.rowsTable(table)} WHERE ${partitionCondition(domainId, partition)} FORMAT TabSeparated`,
    );
    await this.server.insert(`INSERT INTO ${moving} (${names}) FORMAT TabSeparated`, rows);
  }

  /** The number of rows of a partition and a hash of all of its cells; with `isMoving`, of those that are being moved here. */
  async fingerprint(table: string, domainId: number, partition: string, isMoving = false): Promise<string> {
    const name = isMoving ? this.#quoted(MOVING + table) : this.rowsTable(table);
    const columns = [...(await this.columns(table + this.#suffix)).keys()].sort();
    const cells = columns.map(column => `ifNull(toString(${quoteName(column)}), '\\N')`).join(', ');
    const [row] = await this.server.rows(
      `SELECT toString(count()) AS n, toString(sum(cityHash64(${cells}))) AS hash FROM ${name} WHERE ${partitionCondition(domainId, partition)}`,
    );
    return `${row?.n} ${row?.hash}`;
  }

  /** The rows that are being moved here, by partition. */
  async movingRows(table: string): Promise<ReadonlyMap<string, number>> {
    return await this.#partRows(MOVING + table);
  }

  /** Shows a partition that was moved here to readers. */
  async showMoving(table: string, domainId: number, partition: string): Promise<void> {
    const [moving, value] = [this.#quoted(MOVING + table), partitionValue(domainId, partition)];
    await this.server.run(`ALTER TABLE ${this.rowsTable(table)} REPLACE PARTITION ${value} FROM ${moving}`);
    await this.#removeReplaced(table);
    await this.server.run(`ALTER TABLE ${moving} DROP PARTITION ${value}`);
  }

  async dropMoving(table: string): Promise<void> {
    await this.server.run(`DROP TABLE IF EXISTS ${this.#quoted(MOVING + table)}`);
  }

  /** Forgets the staging tables of a table, whose columns are about to change. */
  async resetStagings(table: string): Promise<void> {
    for (const staging of this.#idleStagings.get(table)?.splice(0) ?? []) await this.#dropStaging(staging);
  }

  /** Drops the staging tables of this process. */
  async dropStagings(): Promise<void> {
    this.#idleStagings.clear();
    for (const staging of this.#stagings) await this.#dropStaging(staging);
  }

  /** Drops staging tables that ended processes of this machine left, and those of other machines that are a day old. */
  async dropLeftovers(): Promise<void> {
    const rows = await this.server.rows(
      `SELECT name, toUInt64(now()) - toUInt64(metadata_modification_time) AS age FROM system.tables WHERE database = ${quoteText(this.#database)} AND name LIKE ${quoteText(`${STAGING.replaceAll('_', '\\_')}%`)}`,
    );
    for (const { name, age } of rows) {
      const [, machine, pid = ''] = /_([0-9a-f]{8})_(\d+)_[0-9a-z]+$/.exec(String(name)) ?? [];
      const isOwn = machine === machineHash(this.#machine);
      const isEnded = isOwn && this.#machine.find(Number(pid)) === undefined;
      if (isEnded || Number(age) > LEFTOVER_S) await this.#dropStaging(this.#quoted(String(name)));
    }
  }

  async #takeStaging(table: string): Promise<string> {
    const idle = this.#idleStagings.get(table)?.pop();
    if (idle !== undefined) return idle;
    const { pid } = this.#machine.identify();
    const staging = this.#quoted(
      `${STAGING}${table}_${machineHash(this.#machine)}_${pid}_${stagingNumber().toString(36)}`,
    );
    await this.server.run(`CREATE TABLE IF NOT EXISTS ${staging} AS ${this.rowsTable(table)}`);
    this.#stagings.add(staging);
    return staging;
  }

  async #dropStaging(staging: string): Promise<void> {
    await this.server.run(`DROP TABLE IF EXISTS ${staging}`);
    this.#stagings.delete(staging);
  }

  /** The rows of a query of gatectl's own tables; none where these do not exist yet. */
  async #existing(query: string): Promise<readonly Row[]> {
    try {
      return await this.server.rows(query);
    } catch (error) {
      if (isTableMissing(error)) return [];
      throw error;
    }
  }
}

let stagings = 0;

/** Different for each staging table of this process. */
function stagingNumber(): number {
  stagings += 1;
  return stagings;
}

/** Identifies a machine until it starts again. */
function machineHash({ identify }: Pick<Machine, 'identify'>): string {
  const { boot, host, pidNamespace } = identify();
  return createHash('sha256')
    .update(JSON.stringify([boot ?? host, pidNamespace]))
    .digest('hex')
    .slice(0, 8);
}

/** Whether system.parts has as many rows for a partition as an entry. */
export function hasRowsOf(
  rows: ReadonlyMap<string, number> | undefined,
  domainId: number,
  { partition, rows: recorded }: LedgerEntry,
): boolean {
  return (rows?.get(partitionName(domainId, partition)) ?? 0) === recorded;
}
