import { basename, dirname } from 'node:path';
import { FileError } from '../../../errors/index.ts';
import { rm } from '../../../files/disk.ts';
import { makeFolder } from '../../../files/folders.ts';
import { isThere } from '../../../files/if-there.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { quoteName } from '../../../text/sql.ts';
import { NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import { columnsOfRows, DAY_COLUMN, type PartitionSize, type SyncTable } from '../../config.ts';
import { Quarantine } from '../../contracts/quarantine.ts';
import { dayViewName } from '../../day-view.ts';
import type { Ledger, LedgerEntry } from '../../ledger.ts';
import { partitionKey } from '../../partitions.ts';
import type { DestinationCheck } from '../checks.ts';
import { folderChecks } from '../checks.ts';
import {
  type Destination,
  outcomeOf,
  type PartitionFile,
  type Replaced,
  type RunRecord,
  type Stray,
} from '../destination.ts';
import { unusable } from '../failures.ts';
import { FolderStore } from '../lake/folder-store.ts';
import { Turns } from '../turns.ts';
import { createDayView } from './day-views.ts';
import { FileLock } from './file-lock.ts';
import { GroupCommit, MOST_IN_GROUP } from './group-commit.ts';
import {
  clearLedger,
  createOwnTables,
  FORMAT,
  formatOf,
  OWN,
  readLedger,
  readRuns,
  readSchema,
  sitesInLedger,
  writeRun,
  writeSchema,
} from './own-tables.ts';
import { checksumOf, differenceInRows, partitionOf } from './partition-rows.ts';
import { DuckDbSession, loadDuckDb } from './session.ts';
import { type Replacement, storePartitions } from './store-partitions.ts';
import { strayRows } from './strays.ts';
import { shapeTable, tableName } from './table-shape.ts';

/**
 * Memory and threads of DuckDB: a partition is small, and Node itself requires memory. Without a threshold, DuckDB's allocator holds what
 * each INSERT freed until long after a run. A second thread took more processor time, and saved none that could be measured.
 */
const CONFIG = {
  allocator_bulk_deallocation_flush_threshold: '1MB',
  threads: '1',
  preserve_insertion_order: 'false',
};

/** In MiB, for each so many columns of the table that has most: DuckDB holds a buffer for each column, of each file that it reads. */
const [MEMORY_MIB, COLUMNS_OF_MEMORY] = [96, 400];

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
  readonly encoding = 'csv';
  readonly addsSite = true;
  readonly partitionsAtOnce = MOST_IN_GROUP;
  readonly rewritesForTypes = false;
  readonly staging: string;
  readonly quarantine: Quarantine;
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #tables: ReadonlyMap<string, SyncTable>;
  readonly #sites = new Map<string, Promise<Site>>();
  readonly #loaded = new Map<string, Site>();
  readonly #schemas = new Map<string, TableSchema>();
  #session: DuckDbSession | undefined;
  #isOurs = false;
  #isReserved = false;
  #isExclusive = false;
  /** Partitions that are replaced while another transaction runs are the next one together. */
  readonly #replacements = new GroupCommit(
    (work: (session: DuckDbSession) => Promise<void>) => this.#transaction(work),
    (session, items: readonly Omit<Replacement, 'schema'>[]) => this.#store(session, items),
  );
  /** There is one connection: what runs in a transaction excludes everything else. */
  readonly #turns = new Turns();

  /** `name` is the file as the user named it. */
  constructor(name: string, path: string, tables: readonly SyncTable[], machine: LockMachine) {
    this.name = name;
    this.#path = path;
    this.#lock = new FileLock(path, name, machine);
    this.staging = `${path}.staging`;
    const folder = dirname(path);
    this.quarantine = new Quarantine(
      new FolderStore(folder, folder, machine),
      `${basename(path)}.quarantine`,
    );
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

  async reserve<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    await makeFolder(dirname(this.#path));
    return await this.#lock.hold(onWait, async () => {
      this.#isReserved = true;
      try {
        return await work();
      } finally {
        this.#isReserved = false;
        await this.close();
      }
    });
  }

  async exclusively<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    if (this.#isReserved) return await this.#writing(onWait, work);
    // The run that this one waits for may wait for those that have the file open.
    await this.close();
    await makeFolder(dirname(this.#path));
    return await this.#lock.hold(onWait, () => this.#writing(onWait, work));
  }

  async #writing<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    await this.close();
    const session = await this.#lock.openToWrite(onWait, () => this.#open({ readOnly: false }));
    try {
      this.#isExclusive = true;
      await rm(this.staging, { recursive: true, force: true });
      await makeFolder(this.staging);
      await session.transaction(async () => {
        await createOwnTables(session);
        for (const name of this.#tables.keys()) {
          const schema = await this.#readSchema(name, session);
          // Of a table that was dropped or altered by hand, all partitions are requested again.
          if (schema.version > 0 && (await shapeTable(session, name, schema)))
            await clearLedger(session, name);
          await this.#createView(name, schema, session);
        }
      });
      this.#isOurs = true;
      return await work();
    } finally {
      await this.#turns.run(async () => undefined);
      this.#isExclusive = false;
      await this.close();
      await rm(this.staging, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async lockSite<Value>(_table: string, _domainId: number, work: () => Promise<Value>): Promise<Value> {
    return await work();
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
    const session = this.#writingSession();
    return await this.#turns.run(async () => {
      const before = await this.#readSchema(table, session);
      const after = change(before);
      if (after === undefined) return before;
      await session.transaction(() => this.#changeSchema(table, { before, after }, session));
      // The checksums in memory are those of the types before.
      for (const key of this.#sites.keys()) if (key.startsWith(`${table}/`)) this.#forget(key);
      this.#schemas.set(table, after);
      return after;
    });
  }

  async #changeSchema(
    table: string,
    { before, after }: { readonly before: TableSchema; readonly after: TableSchema },
    session: DuckDbSession,
  ): Promise<void> {
    if ((await shapeTable(session, table, after)) && before.version > 0)
      await session.run(
        `UPDATE ${OWN}.ledger SET checksum = found.checksum FROM
             (SELECT domain_id, ${partitionOf(this.#sizeOf(table))} AS partition, ${checksumOf(after)} AS checksum
              FROM ${tableName(table)} GROUP BY ALL) AS found
           WHERE table_name = $1 AND ledger.domain_id = found.domain_id AND ledger.partition = found.partition`,
        [table],
      );
    await writeSchema(session, table, after);
    await this.#createView(table, after, session);
  }

  async #createView(name: string, { columns }: TableSchema, session: DuckDbSession): Promise<void> {
    const table = this.#tables.get(name);
    if (table !== undefined && !this.#tables.has(dayViewName(name)))
      await createDayView(session, table, columns);
  }

  async replace(file: PartitionFile, before: LedgerEntry | undefined): Promise<Replaced> {
    const {
      table: { name: table },
      domain,
      entry,
    } = file;
    const isSame =
      before !== undefined &&
      before.sha256 === entry.sha256 &&
      before.domain === entry.domain &&
      (await this.problemWith(table, domain.id, before)) === undefined;
    const checksum = await this.#replacements.store({ file, isSame });
    this.#note(`${table}/${domain.id}`, entry, checksum);
    return outcomeOf(before, entry);
  }

  async #store(
    session: DuckDbSession,
    items: readonly Omit<Replacement, 'schema'>[],
  ): Promise<readonly (string | null)[]> {
    const replacements: Replacement[] = [];
    for (const item of items)
      replacements.push({ ...item, schema: await this.#readSchema(item.file.table.name, session) });
    return await storePartitions(session, replacements);
  }

  #note(key: string, entry: LedgerEntry, checksum: string | null): void {
    const site = this.#loaded.get(key);
    // What is being loaded may lack it.
    if (site === undefined) this.#forget(key);
    site?.entries.set(entry.partition, entry);
    site?.rows.set(entry.partition, entry.rows);
    if (checksum !== null) site?.checksums.set(entry.partition, checksum);
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

  async strays(table: SyncTable): Promise<readonly Stray[]> {
    return await this.#readOwn(async session =>
      (await this.#exists(table.name, session)) ? await strayRows(session, table) : [],
    );
  }

  async domainIds(table: string): Promise<readonly number[]> {
    return await this.#readOwn(session => sitesInLedger(session, table));
  }

  async release(table: string, domainId: number): Promise<void> {
    this.#forget(`${table}/${domainId}`);
  }

  async addRun(run: RunRecord): Promise<void> {
    await this.#transaction(session => writeRun(session, run));
  }

  async runs(): Promise<readonly RunRecord[]> {
    return await this.#readOwn(readRuns);
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

  #memoryLimit(): string {
    const columns = Math.max(...[...this.#tables.values()].map(table => columnsOfRows(table).length));
    return `${MEMORY_MIB * Math.max(1, Math.ceil(columns / COLUMNS_OF_MEMORY))}MiB`;
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
    for (const { checksum, entry } of await this.#readOwn(session => readLedger(session, table, domainId))) {
      site.entries.set(entry.partition, entry);
      if (checksum !== null) site.checksums.set(entry.partition, checksum);
    }
    await this.#read(undefined, async session => {
      if (site.entries.size === 0 || !(await this.#exists(table, session))) return;
      // Grouped by days, which takes less time than by the texts of partitions.
      const counts = await session.rows<{ day: string; rows: string }>(
        `SELECT ${quoteName(DAY_COLUMN)}::VARCHAR AS day, rows::VARCHAR AS rows FROM
           (SELECT ${quoteName(DAY_COLUMN)}, count(*) AS rows FROM ${tableName(table)} WHERE domain_id = ${domainId} AND ${quoteName(DAY_COLUMN)} IS NOT NULL GROUP BY 1)`,
      );
      for (const { day, rows } of counts) {
        const partition = partitionKey(day, this.#sizeOf(table));
        site.rows.set(partition, (site.rows.get(partition) ?? 0) + Number(rows));
      }
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
    const schema = await readSchema(session, table);
    this.#schemas.set(table, schema);
    return schema;
  }

  /** Reads gatectl's own tables; nothing where there are none yet. */
  async #readOwn<Row>(read: (session: DuckDbSession) => Promise<readonly Row[]>): Promise<readonly Row[]> {
    return await this.#read([], async session => (this.#isOurs ? await read(session) : []));
  }

  /** Runs `work` with the open database, or with one opened to read; resolves to `absent` if there is no file. */
  async #read<Value>(absent: Value, work: (session: DuckDbSession) => Promise<Value>): Promise<Value> {
    return await this.#turns.run(async () => {
      if (this.#session === undefined && !(await isThere(this.#path))) {
        // A missing package is reported before anything is requested.
        await loadDuckDb();
        return absent;
      }
      return await work(this.#session ?? (await this.#openToRead()));
    });
  }

  async #transaction<Value>(work: (session: DuckDbSession) => Promise<Value>): Promise<Value> {
    const session = this.#writingSession();
    return await this.#turns.run(() => session.transaction(() => work(session)));
  }

  #writingSession(): DuckDbSession {
    if (this.#session === undefined || !this.#isExclusive)
      throw new TypeError('only a run writes to a DuckDB file');
    return this.#session;
  }

  async #openToRead(): Promise<DuckDbSession> {
    const open = () => this.#open({ readOnly: true });
    return this.#isReserved ? await open() : await this.#lock.openToRead(open);
  }

  /** Opens the file. Throws UsageError and FileError, for a file of a newer version too. */
  async #open({ readOnly }: { readonly readOnly: boolean }): Promise<DuckDbSession> {
    const config = { ...CONFIG, memory_limit: this.#memoryLimit(), temp_directory: this.staging };
    const session = await DuckDbSession.open(this.#path, this.name, { readOnly, config });
    try {
      const format = await formatOf(session);
      this.#isOurs = format !== undefined;
      if (format !== undefined && format > FORMAT)
        throw new FileError(`${this.name} was written by a newer version of gatectl`, {
          path: this.name,
          code: 'newer_version',
        });
    } catch (error) {
      session.close();
      throw error;
    }
    this.#session = session;
    return session;
  }
}
