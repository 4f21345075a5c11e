import type { LockMachine } from '../../../files/lock.ts';
import type { LedgerEntry } from '../../ledger.ts';
import { keeperPath } from './cluster.ts';
import { isEnded, type Machine, ownerName } from './owners.ts';
import type { Row, Server } from './server.ts';
import { isTableMissing, isTableThere } from './server-failure.ts';
import { quoteName, quoteTable, quoteText } from './statements.ts';

const LEDGER = '_gatectl_ledger';
const STATE = '_gatectl_state';
const LOCK = '_gatectl_lock_';
/** The column of a lock that names its holder. */
const HOLDER = 'held_';
/** A lock of another machine is older only if its holder was killed. In seconds. */
const LOCK_S = 600;
const LOCK_POLL_MS = 250;

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

/** gatectl's own tables on one server: the ledger of its sites, values that all servers share, and locks. Methods throw DestinationError. */
export class OwnTables {
  readonly #server: Server;
  readonly #database: string;
  readonly #cluster: string | undefined;
  readonly #machine: Pick<LockMachine, 'sleep'> & Machine;

  constructor(
    server: Server,
    database: string,
    cluster: string | undefined,
    machine: Pick<LockMachine, 'sleep'> & Machine,
  ) {
    this.#server = server;
    this.#database = database;
    this.#cluster = cluster;
    this.#machine = machine;
  }

  /**
   * The statements that create them, unless they exist: on this server, or on all servers of its cluster. There, a ledger is that of the
   * sites of a shard, and all shards share the values.
   */
  get creation(): readonly string[] {
    const ledger = `(table_name String, domain_id Int64, partition String, version UInt64, state String, rows UInt64, fetched_at String, entry String) ENGINE = ${this.#engine(`${LEDGER}/{shard}`, '{replica}')} PARTITION BY (table_name, domain_id % 16) ORDER BY (table_name, domain_id, partition)`;
    const state = `(kind String, name String, version UInt64, value String) ENGINE = ${this.#engine(`${STATE}/all`, '{shard}_{replica}')} ORDER BY (kind, name)`;
    const place = this.#cluster === undefined ? '' : ` ON CLUSTER ${quoteName(this.#cluster)}`;
    const create = (name: string, definition: string) =>
      `CREATE TABLE IF NOT EXISTS ${quoteTable(this.#database, name)}${place} ${definition}`;
    return [create(LEDGER, ledger), create(STATE, state)];
  }

  #engine(path: string, replica: string): string {
    if (this.#cluster === undefined) return 'ReplacingMergeTree(version)';
    const place = quoteText(`${keeperPath(this.#cluster, this.#database)}/${path}`);
    return `ReplicatedReplacingMergeTree(${place}, ${quoteText(replica)}, version)`;
  }

  /** Whether they exist. */
  async exist(): Promise<boolean> {
    const [row] = await this.#server.rows(
      `SELECT count() AS n FROM system.tables WHERE database = ${quoteText(this.#database)} AND name IN (${[LEDGER, STATE].map(quoteText).join(', ')})`,
    );
    return Number(row?.n) === 2;
  }

  /** The ledger of a site in a table; empty where there is none yet. */
  async ledger(table: string, domainId: number): Promise<ReadonlyMap<string, StoredEntry>> {
    const rows = await this.#existing(
      `SELECT partition, argMax(entry, version) AS latest, toString(max(version)) AS latest_version FROM ${quoteTable(this.#database, LEDGER)} WHERE table_name = ${quoteText(table)} AND domain_id = ${domainId} GROUP BY partition ORDER BY partition`,
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
      `SELECT DISTINCT domain_id FROM (SELECT domain_id, partition, argMax(entry, version) AS latest FROM ${quoteTable(this.#database, LEDGER)} WHERE table_name = ${quoteText(table)} GROUP BY domain_id, partition) WHERE latest != '' ORDER BY domain_id`,
    );
    return rows.map(({ domain_id }) => Number(domain_id));
  }

  /** The partitions of all sites of a table that this server has an entry of. */
  async partitions(
    table: string,
  ): Promise<readonly { readonly domainId: number; readonly partition: string }[]> {
    const rows = await this.#existing(
      `SELECT domain_id, partition FROM (SELECT domain_id, partition, argMax(entry, version) AS latest FROM ${quoteTable(this.#database, LEDGER)} WHERE table_name = ${quoteText(table)} GROUP BY domain_id, partition) WHERE latest != ''`,
    );
    return rows.map(row => ({ domainId: Number(row.domain_id), partition: String(row.partition) }));
  }

  /** Has all partitions of a table with rows requested again. */
  async invalidate(table: string): Promise<void> {
    const ledger = quoteTable(this.#database, LEDGER);
    // Its values are those of JSON: no text in it contains a quote that is not escaped.
    const entry = `replaceRegexpOne(replaceRegexpOne(latest, '"query":"[^"]*"', '"query":""'), '"sha256":"[^"]*"', '"sha256":""')`;
    await this.#server.run(
      `INSERT INTO ${ledger} (table_name, domain_id, partition, version, state, rows, fetched_at, entry) SELECT table_name, domain_id, partition, latest_version + 1, latest_state, latest_rows, latest_fetched_at, ${entry} FROM (SELECT table_name, domain_id, partition, max(version) AS latest_version, argMax(state, version) AS latest_state, argMax(rows, version) AS latest_rows, argMax(fetched_at, version) AS latest_fetched_at, argMax(entry, version) AS latest FROM ${ledger} WHERE table_name = ${quoteText(table)} GROUP BY table_name, domain_id, partition) WHERE latest != '' AND latest_rows > 0`,
    );
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
    await this.#server.insertValues(
      `INSERT INTO ${quoteTable(this.#database, LEDGER)} (table_name, domain_id, partition, version, state, rows, fetched_at, entry) VALUES (${values.join(', ')})`,
    );
  }

  /** gatectl's own values of some kinds. */
  async states(kinds: readonly string[]): Promise<readonly StoredState[]> {
    const rows = await this.#existing(
      `SELECT kind, name, argMax(value, version) AS latest, toString(max(version)) AS latest_version FROM ${quoteTable(this.#database, STATE)} WHERE kind IN (${kinds.map(quoteText).join(', ')}) GROUP BY kind, name`,
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
      `SELECT name, argMax(value, version) AS latest FROM ${quoteTable(this.#database, STATE)} WHERE kind = ${quoteText(kind)} GROUP BY name ORDER BY name DESC LIMIT ${most}`,
    );
    return rows.map(({ name, latest }) => ({ name: String(name), value: String(latest) }));
  }

  async writeState({ kind, name, value, version }: StoredState): Promise<void> {
    await this.#server.insertValues(
      `INSERT INTO ${quoteTable(this.#database, STATE)} (kind, name, version, value) VALUES (${quoteText(kind)}, ${quoteText(name)}, ${version}, ${quoteText(value)})`,
    );
  }

  /** Runs `work` while no other process, on this or another machine, does so for the same name. */
  async locked<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    const lock = quoteTable(this.#database, LOCK + name);
    const holder = quoteName(HOLDER + ownerName(this.#machine));
    for (;;)
      try {
        // Creating a table either succeeds or fails because it exists: the one operation of a server that excludes others.
        await this.#server.run(`CREATE TABLE ${lock} (${holder} UInt8) ENGINE = TinyLog`);
        break;
      } catch (error) {
        if (!isTableThere(error)) throw error;
        if (await this.#isAbandoned(LOCK + name)) await this.#server.run(`DROP TABLE IF EXISTS ${lock}`);
        else await this.#machine.sleep(LOCK_POLL_MS);
      }
    try {
      return await work();
    } finally {
      await this.#server.run(`DROP TABLE IF EXISTS ${lock}`);
    }
  }

  /** Whether the holder of a lock has ended: at once if it ran on this machine, else after the time that a change takes at most. */
  async #isAbandoned(lock: string): Promise<boolean> {
    const [table] = await this.#server.rows(
      `SELECT toUInt64(now()) - toUInt64(metadata_modification_time) AS age FROM system.tables WHERE database = ${quoteText(this.#database)} AND name = ${quoteText(lock)}`,
    );
    if (table === undefined) return false;
    if (Number(table.age) > LOCK_S) return true;
    const [column] = await this.#server.rows(
      `SELECT name FROM system.columns WHERE database = ${quoteText(this.#database)} AND table = ${quoteText(lock)}`,
    );
    return column !== undefined && isEnded(String(column.name).slice(HOLDER.length), this.#machine);
  }

  /** The rows of a query of gatectl's own tables; none where these do not exist yet. */
  async #existing(query: string): Promise<readonly Row[]> {
    try {
      return await this.#server.rows(query);
    } catch (error) {
      if (isTableMissing(error)) return [];
      throw error;
    }
  }
}
