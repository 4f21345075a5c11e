import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileError, LockedError } from '../../../errors/index.ts';
import { makeFolder } from '../../../files/folders.ts';
import { type LockMachine, withLock } from '../../../files/lock.ts';
import { NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import type { PartitionSize, SyncTable } from '../../config.ts';
import { dayView, dayViewName } from '../../day-view.ts';
import type { Ledger, LedgerEntry } from '../../ledger.ts';
import { quoteName, quoteText } from '../../sql-text.ts';
import type { Destination, DestinationCheck, PartitionFile, Replaced, RunRecord } from '../destination.ts';
import { unusable } from '../failures.ts';
import { folderChecks } from '../folder-checks.ts';
import { checksumOf, differenceInRows, partitionOf, rowsOf } from './partition-rows.ts';
import { DuckDbSession, loadDuckDb } from './session.ts';
import { shapeTable, tableName } from './table-shape.ts';

/** The schema of gatectl's own tables. */
const OWN = '_gatectl';
const FORMAT = 1;
/** How long to wait for another run, in milliseconds. */
const WAIT_MS = 24 * 3_600_000;
const RUNS_SHOWN = 30;

/**
 * Memory and threads of DuckDB: a partition is small, and Node itself requires memory. A second thread took more processor time, and
 * saved none that could be measured.
 */
const CONFIG = { memory_limit: '96MiB', threads: '1', preserve_insertion_order: 'false' };

const OWN_TABLES = `
CREATE SCHEMA IF NOT EXISTS ${OWN};
CREATE TABLE IF NOT EXISTS ${OWN}.format (version INTEGER);
INSERT INTO ${OWN}.format SELECT ${FORMAT} WHERE NOT EXISTS (FROM ${OWN}.format);
CREATE TABLE IF NOT EXISTS ${OWN}.tables (table_name VARCHAR, version BIGINT, types VARCHAR);
CREATE TABLE IF NOT EXISTS ${OWN}.ledger (table_name VARCHAR, domain_id BIGINT, partition VARCHAR, rows BIGINT,
  state VARCHAR, fetched_at VARCHAR, checksum VARCHAR, entry VARCHAR);
CREATE TABLE IF NOT EXISTS ${OWN}.runs (started_at VARCHAR, run VARCHAR);
CREATE TABLE IF NOT EXISTS ${OWN}.views (view_name VARCHAR);
`;

/** What is known of a site of a table, by partition. */
interface Site {
  readonly entries: Map<string, LedgerEntry>;
  readonly checksums: Map<string, string>;
  readonly rows: Map<string, number>;
}

/**
 * Tables in a DuckDB file. The rows of a partition and its ledger entry change in one transaction. While a run writes, no other
 * process can open the file; between runs, any number can read it.
 */
export class DuckDb implements Destination {
  readonly name: string;
  readonly encoding = 'parquet';
  readonly rewritesForTypes = false;
  readonly staging: string;
  readonly #path: string;
  readonly #machine: LockMachine;
  readonly #tables: ReadonlyMap<string, SyncTable>;
  readonly #sites = new Map<string, Promise<Site>>();
  readonly #loaded = new Map<string, Site>();
  readonly #schemas = new Map<string, TableSchema>();
  #session: DuckDbSession | undefined;
  #isOurs = false;
  #isExclusive = false;
  /** There is one connection: what runs in a transaction excludes everything else. */
  #turn: Promise<unknown> = Promise.resolve();

  /** `name` is the file as the user named it. */
  constructor(name: string, path: string, tables: readonly SyncTable[], machine: LockMachine) {
    this.name = name;
    this.#path = path;
    this.#machine = machine;
    this.staging = `${path}.staging`;
    this.#tables = new Map(tables.map(table => [table.name, table]));
  }

  async diagnose(): Promise<readonly DestinationCheck[]> {
    return await folderChecks(dirname(this.#path));
  }

  async check(): Promise<void> {
    await this.#read(undefined, async session => {
      const relations = await session.rows<{ schema: string; name: string }>(
        `SELECT schema_name AS schema, table_name AS name FROM duckdb_tables() WHERE database_name = current_database()
         UNION ALL
         SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = current_database() AND NOT internal`,
      );
      if (!this.#isOurs && relations.some(({ schema }) => schema === OWN))
        throw unusable(`${this.name} has a schema ${OWN}, which no sync wrote`, {
          hints: ['name another file, which is created'],
        });
      for (const name of this.#tables.keys()) {
        const exists = relations.some(each => each.schema === 'main' && each.name.toLowerCase() === name);
        if (exists && (await this.#readSchema(name, session)).version === 0)
          throw unusable(`${this.name} has a table ${name}, which no sync wrote`, {
            hints: ['give the table of the sync file another name, or name another file'],
          });
      }
    });
  }

  async exclusively<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    await makeFolder(dirname(this.#path));
    const options = { machine: this.#machine, displayPath: this.name };
    let isBegun = false;
    const once = () => {
      isBegun = true;
      return this.#writing(work);
    };
    try {
      return await withLock(this.#path, { ...options, wait: 0 }, once);
    } catch (error) {
      if (isBegun || !(error instanceof LockedError) || error.isRunning !== true) throw error;
      onWait(error.message);
      return await withLock(this.#path, { ...options, wait: WAIT_MS }, once);
    }
  }

  async #writing<Value>(work: () => Promise<Value>): Promise<Value> {
    await this.close();
    const session = await this.#open({ readOnly: false });
    try {
      this.#isExclusive = true;
      await rm(this.staging, { recursive: true, force: true });
      await makeFolder(this.staging);
      await session.transaction(async () => {
        await session.run(OWN_TABLES);
        for (const name of this.#tables.keys()) {
          const schema = await this.#readSchema(name, session);
          // Of a table that was dropped or altered by hand, all partitions are requested again.
          if (schema.version > 0 && (await shapeTable(session, name, schema)))
            await session.run(`DELETE FROM ${OWN}.ledger WHERE table_name = $1`, [name]);
          await this.#createView(name, schema, session);
        }
      });
      this.#isOurs = true;
      return await work();
    } finally {
      await this.#turn.catch(() => undefined);
      this.#isExclusive = false;
      await this.close();
      await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async lockSite<Value>(_table: string, _domainId: number, work: () => Promise<Value>): Promise<Value> {
    return this.#isExclusive ? await work() : await this.exclusively(() => {}, work);
  }

  async ledger(table: string, domainId: number): Promise<Ledger> {
    return (await this.#site(table, domainId)).entries;
  }

  async schema(table: string): Promise<TableSchema> {
    return await this.#read(NO_SCHEMA, session => this.#readSchema(table, session));
  }

  async updateSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    return await this.#transaction(async session => {
      const before = await this.#readSchema(table, session);
      const after = change(before);
      if (after === undefined) return before;
      if ((await shapeTable(session, table, after)) && before.version > 0)
        await session.run(
          `UPDATE ${OWN}.ledger SET checksum = found.checksum FROM
             (SELECT domain_id, ${partitionOf(this.#sizeOf(table))} AS partition, ${checksumOf(after)} AS checksum
              FROM ${tableName(table)} GROUP BY ALL) AS found
           WHERE table_name = $1 AND ledger.domain_id = found.domain_id AND ledger.partition = found.partition`,
          [table],
        );
      await session.run(`DELETE FROM ${OWN}.tables WHERE table_name = $1`, [table]);
      await session.run(`INSERT INTO ${OWN}.tables VALUES ($1, $2, $3)`, [
        table,
        after.version,
        JSON.stringify(after),
      ]);
      await this.#createView(table, after, session);
      return after;
    }).then(schema => {
      // The checksums in memory are those of the types before.
      if (this.#schemas.get(table)?.version !== schema.version)
        for (const key of this.#sites.keys()) if (key.startsWith(`${table}/`)) this.#forget(key);
      this.#schemas.set(table, schema);
      return schema;
    });
  }

  /** Creates the view with the totals of each day of a table, unless something of that name exists that is not gatectl's. */
  async #createView(name: string, { columns }: TableSchema, session: DuckDbSession): Promise<void> {
    const table = this.#tables.get(name);
    const metrics = table?.metrics.filter(metric => columns.some(column => column.name === metric)) ?? [];
    const view = dayViewName(name);
    if (table === undefined || metrics.length === 0 || this.#tables.has(view)) return;
    const [other] = await session.rows(
      `SELECT 1 FROM (SELECT table_name AS name FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main'
         UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = current_database() AND schema_name = 'main')
       WHERE lower(name) = $1 AND NOT EXISTS (FROM ${OWN}.views WHERE view_name = $1)`,
      [view],
    );
    if (other !== undefined) return;
    const { select, omitted } = dayView({ ...table, metrics }, tableName(name), {
      quote: quoteName,
      double: 'DOUBLE',
    });
    const comment = ['totals of each day and site', ...omitted.map(text => `without ${text}`)].join('; ');
    await session.run(`CREATE OR REPLACE VIEW ${tableName(view)} AS ${select}`);
    await session.run(`COMMENT ON VIEW ${tableName(view)} IS ${quoteText(comment)}`);
    await session.run(`DELETE FROM ${OWN}.views WHERE view_name = $1`, [view]);
    await session.run(`INSERT INTO ${OWN}.views VALUES ($1)`, [view]);
  }

  async replace(
    { table: { name: table }, domain, path, columns, entry }: PartitionFile,
    before: LedgerEntry | undefined,
  ): Promise<Replaced> {
    const { partition } = entry;
    const key = { table, domainId: domain.id, partition };
    const site = await this.#site(table, domain.id);
    const isSame =
      before !== undefined &&
      before.sha256 === entry.sha256 &&
      (await this.problemWith(table, domain.id, before)) === undefined;
    const checksum = await this.#transaction(async session => {
      const schema = await this.#readSchema(table, session);
      const own = [table, domain.id, partition];
      if (isSame || schema.version === 0) {
        const [stored] = await session.rows<{ checksum: string | null }>(
          `SELECT checksum FROM ${OWN}.ledger WHERE table_name = $1 AND domain_id = $2 AND partition = $3`,
          own,
        );
        await this.#store(session, own, stored?.checksum ?? null, entry);
        return stored?.checksum ?? undefined;
      }
      await session.run(`DELETE FROM ${rowsOf(key)}`);
      if (path !== undefined) {
        const names = columns.map(quoteName).join(', ');
        await session.run(
          `INSERT INTO ${tableName(table)} (${names}) SELECT ${names} FROM read_parquet(${quoteText(path)})`,
        );
      }
      const [found] = await session.rows<{ checksum: string }>(
        `SELECT ${checksumOf(schema)} AS checksum FROM ${rowsOf(key)}`,
      );
      await this.#store(session, own, found?.checksum ?? null, entry);
      return found?.checksum;
    });
    site.entries.set(partition, entry);
    site.rows.set(partition, entry.rows);
    if (checksum !== undefined) site.checksums.set(partition, checksum);
    if (before === undefined) return 'added';
    return before.sha256 === entry.sha256 ? 'unchanged' : 'changed';
  }

  async #store(
    session: DuckDbSession,
    own: (string | number)[],
    checksum: string | null,
    entry: LedgerEntry,
  ): Promise<void> {
    await session.run(
      `DELETE FROM ${OWN}.ledger WHERE table_name = $1 AND domain_id = $2 AND partition = $3`,
      own,
    );
    await session.run(`INSERT INTO ${OWN}.ledger VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, [
      ...own,
      entry.rows,
      entry.state,
      entry.fetchedAt,
      checksum,
      JSON.stringify(entry),
    ]);
  }

  isIntact(table: string, domainId: number, { partition, rows }: LedgerEntry): boolean {
    return (this.#loaded.get(`${table}/${domainId}`)?.rows.get(partition) ?? 0) === rows;
  }

  async problemWith(table: string, domainId: number, entry: LedgerEntry): Promise<string | undefined> {
    const { checksums } = await this.#site(table, domainId);
    const checksum = checksums.get(entry.partition);
    return await this.#read('the file is missing', async session => {
      const schema = await this.#readSchema(table, session);
      if (schema.version === 0) return entry.rows === 0 ? undefined : 'its table is missing';
      if (!(await this.#exists(table, session))) return 'its table is missing';
      const key = { table, domainId, partition: entry.partition };
      return await differenceInRows(session, key, schema, { entry, checksum });
    });
  }

  async domainIds(table: string): Promise<readonly number[]> {
    const rows = await this.#readOwn<{ id: string }>(
      `SELECT DISTINCT domain_id AS id FROM ${OWN}.ledger WHERE table_name = $1 ORDER BY domain_id`,
      [table],
    );
    return rows.map(({ id }) => Number(id));
  }

  async release(table: string, domainId: number): Promise<void> {
    this.#forget(`${table}/${domainId}`);
  }

  async addRun(run: RunRecord): Promise<void> {
    await this.#transaction(session =>
      session.run(`INSERT INTO ${OWN}.runs VALUES ($1, $2)`, [run.startedAt, JSON.stringify(run)]),
    );
  }

  async runs(): Promise<readonly RunRecord[]> {
    const rows = await this.#readOwn<{ run: string }>(
      `SELECT run FROM ${OWN}.runs ORDER BY started_at DESC, rowid DESC LIMIT ${RUNS_SHOWN}`,
    );
    return rows.map(({ run }) => JSON.parse(run) as RunRecord);
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#isOurs = false;
    this.#sites.clear();
    this.#loaded.clear();
    this.#schemas.clear();
    session?.close();
  }

  #sizeOf(table: string): PartitionSize {
    return this.#tables.get(table)?.partition ?? 'month';
  }

  #forget(key: string): void {
    this.#sites.delete(key);
    this.#loaded.delete(key);
  }

  #site(table: string, domainId: number): Promise<Site> {
    const key = `${table}/${domainId}`;
    const known = this.#sites.get(key);
    if (known !== undefined) return known;
    const loading = this.#load(table, domainId).then(site => {
      if (this.#sites.get(key) === loading) this.#loaded.set(key, site);
      return site;
    });
    this.#sites.set(key, loading);
    loading.catch(() => this.#forget(key));
    return loading;
  }

  async #load(table: string, domainId: number): Promise<Site> {
    const site: Site = { entries: new Map(), checksums: new Map(), rows: new Map() };
    const stored = await this.#readOwn<{ checksum: string | null; entry: string }>(
      `SELECT checksum, entry FROM ${OWN}.ledger WHERE table_name = $1 AND domain_id = $2 ORDER BY partition`,
      [table, domainId],
    );
    for (const { checksum, entry: text } of stored) {
      const entry = JSON.parse(text) as LedgerEntry;
      site.entries.set(entry.partition, entry);
      if (checksum !== null) site.checksums.set(entry.partition, checksum);
    }
    await this.#read(undefined, async session => {
      if (site.entries.size === 0 || !(await this.#exists(table, session))) return;
      const counts = await session.rows<{ partition: string; rows: string }>(
        `SELECT ${partitionOf(this.#sizeOf(table))} AS partition, count(*)::VARCHAR AS rows
         FROM ${tableName(table)} WHERE domain_id = ${domainId} GROUP BY 1`,
      );
      for (const { partition, rows } of counts) site.rows.set(partition, Number(rows));
    });
    return site;
  }

  async #exists(table: string, session: DuckDbSession): Promise<boolean> {
    const found = await session.rows(
      `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main' AND table_name = $1`,
      [table],
    );
    return found.length > 0;
  }

  async #readSchema(table: string, session: DuckDbSession): Promise<TableSchema> {
    if (!this.#isOurs && !this.#isExclusive) return NO_SCHEMA;
    const known = this.#schemas.get(table);
    if (known !== undefined) return known;
    const [stored] = await session.rows<{ types: string }>(
      `SELECT types FROM ${OWN}.tables WHERE table_name = $1`,
      [table],
    );
    const schema = stored === undefined ? NO_SCHEMA : (JSON.parse(stored.types) as TableSchema);
    this.#schemas.set(table, schema);
    return schema;
  }

  /** Reads gatectl's own tables; no rows where there are none yet. */
  async #readOwn<Row>(sql: string, values: (string | number)[] = []): Promise<readonly Row[]> {
    return await this.#read([], async session => (this.#isOurs ? await session.rows<Row>(sql, values) : []));
  }

  /** Runs `work` with the open database, or with one opened to read; resolves to `absent` if there is no file. */
  async #read<Value>(absent: Value, work: (session: DuckDbSession) => Promise<Value>): Promise<Value> {
    return await this.#inTurn(async () => {
      if (this.#session === undefined && !existsSync(this.#path)) {
        // A missing package is reported before anything is requested.
        await loadDuckDb();
        return absent;
      }
      return await work(this.#session ?? (await this.#open({ readOnly: true })));
    });
  }

  async #transaction<Value>(work: (session: DuckDbSession) => Promise<Value>): Promise<Value> {
    const session = this.#session;
    if (session === undefined || !this.#isExclusive)
      throw new TypeError('only a run writes to a DuckDB file');
    return await this.#inTurn(() => session.transaction(() => work(session)));
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return await turn;
  }

  /** Opens the file. Throws UsageError and FileError, for a file of a newer version too. */
  async #open({ readOnly }: { readonly readOnly: boolean }): Promise<DuckDbSession> {
    const config = { ...CONFIG, temp_directory: this.staging };
    const session = await DuckDbSession.open(this.#path, this.name, { readOnly, config });
    try {
      const [own] = await session.rows(
        `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = '${OWN}' AND table_name = 'format'`,
      );
      this.#isOurs = own !== undefined;
      const [format] = this.#isOurs ? await session.rows<{ version: number }>(`FROM ${OWN}.format`) : [];
      if (format !== undefined && format.version > FORMAT)
        throw new FileError(`${this.name} was written by a newer version of gatectl`, {
          path: this.name,
          code: 'invalid_file',
        });
    } catch (error) {
      session.close();
      throw error;
    }
    this.#session = session;
    return session;
  }
}
