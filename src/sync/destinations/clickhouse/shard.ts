import { withAttempts } from '../../../errors/attempts.ts';
import { unrepresentable } from '../../../export/parquet/found-types.ts';
import { createReadStream } from '../../../files/disk.ts';
import type { LockMachine } from '../../../files/lock.ts';
import type { TableSchema } from '../../column-types.ts';
import type { PartitionSize } from '../../config.ts';
import type { LedgerEntry } from '../../ledger.ts';
import type { StoredDay } from '../day-totals.ts';
import { unusable } from '../failures.ts';
import { keeperPath } from './cluster.ts';
import { partitionCondition, readDays } from './day-sums.ts';
import { OwnTables } from './own-tables.ts';
import type { Server } from './server.ts';
import { isConnectionLost, isOtherStructure, isTableMissing } from './server-failure.ts';
import { StagingTables } from './staging-tables.ts';
import {
  alterations,
  createTable,
  isSameType,
  lossyAsDouble,
  partitionExpression,
  partitionName,
  partitionValue,
  quoteName,
  quoteTable,
  quoteText,
  SHARDING_KEY,
  wrongAsText,
} from './statements.ts';

/** What the name of a table with rows ends with in a cluster, where the plain name is that of the distributed table. */
export const ROWS_SUFFIX = '_local';
/** How often the rows of a partition are sent at most, and the wait after a lost connection, in milliseconds. */
const ATTEMPTS = 3;
const REPEAT_AFTER_MS = 500;
/**
 * One server, or a replica of a shard of a cluster: the rows of its sites, and gatectl's own tables. Methods throw DestinationError.
 */
export class Shard {
  /** Its number in the cluster; 1 without one. */
  readonly number: number;
  readonly server: Server;
  readonly #database: string;
  /** What the names of tables with rows end with, because in a cluster the plain name is that of the distributed table. */
  readonly #suffix: string;
  readonly #cluster: string | undefined;
  readonly #machine: Pick<LockMachine, 'sleep'>;
  readonly own: OwnTables;
  /** Where the rows of a partition are written before they replace it. */
  readonly stagings: StagingTables;

  constructor(
    number: number,
    server: Server,
    database: string,
    cluster: string | undefined,
    machine: LockMachine,
  ) {
    this.number = number;
    this.server = server;
    this.#database = database;
    this.#suffix = cluster === undefined ? '' : ROWS_SUFFIX;
    this.#cluster = cluster;
    this.#machine = machine;
    this.own = new OwnTables(server, database, cluster, machine);
    this.stagings = new StagingTables(server, database, machine);
  }

  get name(): string {
    return this.server.name;
  }

  /** The name of the table with the rows on this server, quoted. */
  rowsTable(table: string): string {
    return this.#quoted(table + this.#suffix);
  }

  #quoted(table: string): string {
    return quoteTable(this.#database, table);
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
      const rowsEngine = this.#cluster === undefined ? 'MergeTree' : 'ReplicatedMergeTree';
      const expected = isRows ? rowsEngine : 'Distributed';
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

  /** The columns of the table with the rows. */
  async rowColumns(table: string): Promise<ReadonlyMap<string, string>> {
    return await this.columns(table + this.#suffix);
  }

  /** Whether the tables of a name exist. */
  async exists(table: string): Promise<boolean> {
    if ((await this.rowColumns(table)).size === 0) return false;
    return this.#cluster === undefined || (await this.columns(table)).size > 0;
  }

  /** Whether the tables of this server have the columns of a schema. */
  async isShaped(table: string, { columns }: TableSchema): Promise<boolean> {
    const rows = await this.rowColumns(table);
    if (rows.size === 0 || alterations(rows, columns).steps.length > 0) return false;
    return this.#cluster === undefined || isSameColumns(rows, await this.columns(table));
  }

  /** Whether the table with the rows lacks a column of a schema, or is missing. */
  async lacksColumns(table: string, { columns }: TableSchema): Promise<boolean> {
    const current = await this.rowColumns(table);
    return columns.some(({ name }) => !current.has(name));
  }

  /** The statements that create the tables of a schema, unless they exist: on this server, or on all servers of its cluster. */
  creation(table: string, { columns }: TableSchema, size: PartitionSize): readonly string[] {
    const rows = this.rowsTable(table);
    if (this.#cluster === undefined) return [createTable(rows, columns, size)];
    const onCluster = `ON CLUSTER ${quoteName(this.#cluster)}`;
    const path = `${keeperPath(this.#cluster, this.#database)}/${table}/{shard}`;
    const place = [this.#cluster, this.#database, table + this.#suffix].map(quoteText).join(', ');
    return [
      createTable(
        `${rows} ${onCluster}`,
        columns,
        size,
        `ReplicatedMergeTree(${quoteText(path)}, '{replica}')`,
      ),
      `CREATE TABLE IF NOT EXISTS ${this.#quoted(table)} ${onCluster} AS ${rows} ENGINE = Distributed(${place}, ${SHARDING_KEY})`,
    ];
  }

  /**
   * Gives the distributed table of a server of a cluster the columns of the table with the rows. It has no rows of its own, so it is changed
   * in place and never missing. Old versions reject the change ON CLUSTER.
   */
  async shapeDistributed(table: string, rows: ReadonlyMap<string, string>): Promise<void> {
    if (this.#cluster === undefined) return;
    const current = await this.columns(table);
    const changes = [...rows]
      .filter(([column, type]) => current.get(column) !== type)
      .map(
        ([column, type]) => `${current.has(column) ? 'MODIFY' : 'ADD'} COLUMN ${quoteName(column)} ${type}`,
      );
    if (current.size > 0 && changes.length > 0)
      await this.server.run(`ALTER TABLE ${this.#quoted(table)} ${changes.join(', ')}`);
  }

  /** Gives the table with the rows, if it exists, the columns of a schema. Throws UnrepresentableValueError for digits that would be lost. */
  async shapeRows(table: string, schema: TableSchema): Promise<void> {
    await this.#alter(table + this.#suffix, schema);
  }

  /** Gives a table, if it exists, the columns of a schema. Throws UnrepresentableValueError for digits that would be lost. */
  async #alter(table: string, { columns }: TableSchema): Promise<void> {
    const name = this.#quoted(table);
    const current = await this.columns(table);
    if (current.size === 0) return;
    const { steps, toDouble, toText } = alterations(current, columns);
    const has = async (condition: (column: string, type: string) => string, column: string) => {
      const [row] = await this.server.rows(
        `SELECT count() AS n FROM ${name} WHERE ${condition(column, current.get(column) ?? '')}`,
      );
      return Number(row?.n ?? 0) > 0;
    };
    for (const column of toDouble)
      if (await has(lossyAsDouble, column.name))
        throw unrepresentable(
          `the table ${table} in ${this.#database}`,
          column.name,
          'its numbers have more than 38 digits together',
          { isFile: false },
        );
    if (toText.length > 0 && !(await this.server.printsDecimals()))
      for (const column of toText)
        if (await has(wrongAsText, column.name))
          throw unusable(
            `ClickHouse ${await this.server.version()} at ${this.name} cannot make the numbers of ${table}.${column.name} text: it loses digits`,
            { hints: ['upgrade the server, or give the table of the sync file another name'] },
          );
    for (const changes of steps) await this.runOnReplicas(`ALTER TABLE ${name} ${changes.join(', ')}`);
  }

  /** Runs a statement that other servers of a cluster run as well, and that may be run twice. */
  async runOnReplicas(statement: string): Promise<void> {
    if (this.#cluster === undefined) await this.server.run(statement);
    else await this.server.runOnReplicas(statement);
  }

  /** The number of rows of each partition, as system.parts names it: without reading them. */
  async partitionRows(table: string): Promise<Map<string, number>> {
    const rows = await this.server.rows(
      `SELECT partition, sum(rows) AS n FROM system.parts WHERE active AND database = ${quoteText(this.#database)} AND table = ${quoteText(table + this.#suffix)} GROUP BY partition`,
    );
    return new Map(rows.map(({ partition, n }) => [String(partition).replaceAll(' ', ''), Number(n)]));
  }

  /** The rows and the sums of some metrics on each day of a partition; undefined if there is no such table, and the name of a missing column. */
  async daySums(
    table: string,
    domainId: number,
    partition: string,
    metrics: readonly string[],
  ): Promise<ReadonlyMap<string, StoredDay> | string | undefined> {
    try {
      const condition = partitionCondition(domainId, partition);
      return await readDays(this.server, this.rowsTable(table), metrics, condition);
    } catch (error) {
      if (isTableMissing(error)) return undefined;
      const columns = await this.rowColumns(table);
      const missing = metrics.find(metric => !columns.has(metric));
      if (missing === undefined) throw error;
      return missing;
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
    check: (stored: ReadonlyMap<string, StoredDay>) => void,
  ): Promise<void> {
    const value = partitionValue(domainId, partition);
    const again = async (error: unknown) => {
      // Another process has added a column meanwhile.
      if (isOtherStructure(error)) this.stagings.forget(table);
      else if (isConnectionLost(error)) await this.#machine.sleep(REPEAT_AFTER_MS);
      else return false;
      return true;
    };
    const staging = await withAttempts({ attempts: ATTEMPTS, again }, async () => {
      const taken = await this.#takeStaging(table);
      try {
        await this.server.insert(
          `INSERT INTO ${taken} (${file.columns.map(quoteName).join(', ')}) FORMAT TabSeparated`,
          createReadStream(file.path, { highWaterMark: 1 << 20 }),
        );
        check(await readDays(this.server, taken, file.metrics, '1'));
        await this.server.run(
          `ALTER TABLE ${this.rowsTable(table)} REPLACE PARTITION ${value} FROM ${taken}`,
        );
        return taken;
      } catch (error) {
        await this.stagings.drop(taken).catch(() => undefined);
        throw error;
      }
    });
    await this.#removeReplaced(table);
    await this.stagings.giveBack(table, staging);
  }

  /** A staging table as the table with the rows, without replicas: what it contains is for this server alone. */
  async #takeStaging(table: string): Promise<string> {
    return await this.stagings.take(table, async () => {
      const like = `AS ${this.rowsTable(table)}`;
      if (this.#cluster === undefined) return like;
      const [row] = await this.server.rows(
        `SELECT engine_full FROM system.tables WHERE database = ${quoteText(this.#database)} AND name = ${quoteText(table + this.#suffix)}`,
      );
      const engine = String(row?.engine_full ?? '').replace(/^Replicated(\w+)\('[^']*', '[^']*'\)/, '$1');
      return engine === '' ? like : `${like} ENGINE = ${engine}`;
    });
  }

  /** Removes the rows of a partition in one step. */
  async dropPartition(table: string, domainId: number, partition: string): Promise<void> {
    const change = `ALTER TABLE ${this.rowsTable(table)}`;
    const value = partitionValue(domainId, partition);
    try {
      if (this.#cluster === undefined) return await this.server.run(`${change} DROP PARTITION ${value}`);
      // Replicas of old versions leave a DROP to one of them, which may be down.
      const empty = await this.#takeStaging(table);
      await this.server.run(`${change} REPLACE PARTITION ${value} FROM ${empty}`);
      await this.stagings.giveBack(table, empty);
    } catch (error) {
      if (!isTableMissing(error)) throw error;
    }
  }

  /**
   * Deletes the files of what was replaced. Servers of some versions otherwise keep them for seconds and, killed meanwhile, start with
   * the old rows and the new ones. Dropping any partition deletes them, even one that does not exist. Keeper tells replicas what counts.
   */
  async #removeReplaced(table: string): Promise<void> {
    if (this.#cluster !== undefined) return;
    await this.server.run(`ALTER TABLE ${this.rowsTable(table)} DROP PARTITION (-1, 0)`);
  }
}

function isSameColumns(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, type]) => other.get(name) === type);
}

/** Whether system.parts has as many rows for a partition as an entry. */
export function hasRowsOf(
  rows: ReadonlyMap<string, number> | undefined,
  domainId: number,
  { partition, rows: recorded }: LedgerEntry,
): boolean {
  return (rows?.get(partitionName(domainId, partition)) ?? 0) === recorded;
}
