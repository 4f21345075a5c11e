import { tmpdir } from 'node:os';
import { DestinationError } from '../../../errors/index.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { PrivateFolder } from '../../../files/private-folder.ts';
import { quoteName } from '../../../text/sql.ts';
import type { TableSchema } from '../../column-types.ts';
import { ADDED_COLUMNS, DAY_COLUMN, type SyncTable } from '../../config.ts';
import type { Quarantine } from '../../contracts/quarantine.ts';
import type { Ledger, LedgerEntry } from '../../ledger.ts';
import type { DestinationCheck } from '../checks.ts';
import {
  type Destination,
  outcomeOf,
  type PartitionFile,
  type Replaced,
  RUNS_SHOWN,
  type RunRecord,
  type Stray,
} from '../destination.ts';
import { statementFailed, unusable } from '../failures.ts';
import { diagnoseDatabase } from './diagnosis.ts';
import { placeOf, readOnly } from './failures.ts';
import { type LedgerRow, readLedger, sitesInLedger, writeLedgerRow } from './ledger-rows.ts';
import { SchemaLocks } from './locks.ts';
import { createOwnTables, hasOwnTables, type OwnTables, ownTables } from './own-tables.ts';
import { Session, SessionPool } from './session.ts';
import type { PostgresSettings } from './settings.ts';
import { MAX_NAME_BYTES, monthOfKey, rowsOf } from './sql.ts';
import { strayRows } from './strays.ts';
import { Tables } from './tables.ts';
import { differenceOf, readTotals } from './totals.ts';

/** PostgreSQL 13 has `trim_scale`, and the project supports it until the end of 2025. */
const LEAST_VERSION = 130_000;
/** Sessions that write at the same time. */
const MOST_SESSIONS = 8;

/**
 * A schema of a PostgreSQL database, with one table for each table of the sync file, divided by months, and gatectl's own tables. A
 * partition is replaced in one transaction with its ledger entry; readers never wait for it.
 */
export class Postgres implements Destination {
  readonly name: string;
  readonly encoding = 'tsv';
  readonly rejectsNul = true;
  readonly keepsAllDigits = true;
  readonly rewritesForTypes = false;
  readonly quarantine: Quarantine;
  readonly #settings: PostgresSettings;
  readonly #machine: LockMachine;
  readonly #own: OwnTables;
  readonly #pool: SessionPool;
  readonly #staging = new PrivateFolder(tmpdir(), 'gatectl-sync-');
  readonly #ledgers = new Map<string, Promise<Map<string, LedgerRow>>>();
  readonly #locks: SchemaLocks;
  readonly #tables: Tables;
  /** The tables of the sync file. */
  readonly #synced: readonly SyncTable[];
  #isPrepared = false;
  /** Holds the lock of a run. */
  #run: Session | undefined;

  /** `name` is the URL as the user typed it. */
  constructor(
    name: string,
    settings: PostgresSettings,
    {
      tables,
      machine,
      signal,
      quarantine,
    }: {
      readonly tables: readonly SyncTable[];
      readonly machine: LockMachine;
      readonly signal: AbortSignal;
      readonly quarantine: Quarantine;
    },
  ) {
    this.quarantine = quarantine;
    this.name = name;
    this.#settings = settings;
    this.#machine = machine;
    this.#synced = tables;
    this.#own = ownTables(settings.schema);
    this.#pool = new SessionPool(MOST_SESSIONS, () => this.#open());
    this.#locks = new SchemaLocks(name, settings.schema, machine, signal);
    this.#tables = new Tables(
      { name, settings, pool: this.#pool, locks: this.#locks, machine, signal },
      this.#own,
    );
  }

  get staging(): string {
    return this.#staging.path;
  }

  async check(): Promise<void> {
    const { schema } = this.#settings;
    const place = placeOf(this.#settings);
    await this.#pool.use(async session => {
      const [row] = await session.query(
        `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
      );
      if (Number(row?.number) < LEAST_VERSION)
        throw unusable(`PostgreSQL at ${place} is version ${row?.version}`, {
          hints: ['gatectl requires PostgreSQL 13 or newer'],
        });
      const hasOwn = await hasOwnTables(session, schema, place);
      const known = hasOwn ? await session.query(`SELECT name FROM ${this.#own.tables}`) : [];
      const own = new Set(known.map(({ name }) => String(name)));
      for (const { name: table } of this.#synced) {
        if (own.has(table)) continue;
        if ((await this.#tables.actual(session, table)) === undefined) continue;
        throw unusable(`there is a table ${schema}.${table} at ${place}, which no sync wrote`, {
          hints: ['give the table another name, or add ?schema=NAME to the URL for tables of its own'],
        });
      }
    });
  }

  async diagnose(): Promise<readonly DestinationCheck[]> {
    const checks = await this.#pool.use(session => diagnoseDatabase(session, this.#settings, MOST_SESSIONS));
    const pooler = await this.#poolerCheck();
    return pooler === undefined ? checks : [...checks, pooler];
  }

  /** What is between gatectl and the server, if anything is. */
  async #poolerCheck(): Promise<DestinationCheck | undefined> {
    const session = await this.#open();
    try {
      if (!session.isPooled) return undefined;
      await this.#assertOwnSession(session);
      return { check: 'pooler', found: 'a pooler that keeps a session for each client' };
    } catch (error) {
      if (!(error instanceof DestinationError)) throw error;
      return { check: 'pooler', found: error.message, error };
    } finally {
      await session.close();
    }
  }

  async exclusively<Value>(onWait: (holder: string) => void, work: () => Promise<Value>): Promise<Value> {
    await this.#prepare();
    const session = await this.#open();
    try {
      await this.#assertOwnSession(session);
      await this.#locks.lock(session, ['run'], { onWait });
      this.#forget();
      this.#run = session;
      for (const { name, dimensions, metrics } of this.#synced)
        await this.#tables.invalidateLost(name, [...ADDED_COLUMNS, DAY_COLUMN, ...dimensions, ...metrics]);
      return await work();
    } finally {
      this.#run = undefined;
      this.#forget();
      await session.close();
    }
  }

  async lockSite<Value>(table: string, domainId: number, work: () => Promise<Value>): Promise<Value> {
    if (this.#run !== undefined) return await work();
    await this.#prepare();
    const session = await this.#open();
    try {
      await this.#assertOwnSession(session);
      // A run excludes all sites.
      await this.#locks.lock(session, ['run'], { isShared: true });
      await this.#locks.lock(session, ['site', table, domainId]);
      await this.release(table, domainId);
      return await work();
    } finally {
      await this.release(table, domainId);
      await session.close();
    }
  }

  async ledger(table: string, domainId: number): Promise<Ledger> {
    const rows = await this.#ledger(table, domainId);
    return new Map([...rows].map(([partition, { entry }]) => [partition, entry]));
  }

  async schema(table: string): Promise<TableSchema> {
    return await this.#tables.schema(table);
  }

  async updateSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    this.#run?.assertAlive();
    return await this.#tables.updateSchema(table, change);
  }

  async replace(file: PartitionFile, before: LedgerEntry | undefined): Promise<Replaced> {
    this.#run?.assertAlive();
    const { table, domain, entry } = file;
    const isSame =
      before !== undefined &&
      before.sha256 === entry.sha256 &&
      (await this.problemWith(table.name, domain.id, before)) === undefined;
    if (!isSame && file.path !== undefined)
      await this.#tables.addMonth(table.name, monthOfKey(entry.partition));
    const known = (await this.#ledger(table.name, domain.id)).get(entry.partition);
    const row = await this.#tables.writing(table.name, () =>
      this.#pool.use(session =>
        session.transaction(async () => {
          await this.#locks.lockInTransaction(session, 'write', table.name, domain.id, entry.partition);
          const written =
            isSame && known !== undefined ? { ...known, entry } : await this.#replaceRows(session, file);
          await writeLedgerRow(session, this.#own, table.name, domain.id, written);
          // A lost lock means that another run may have begun.
          this.#run?.assertAlive();
          return written;
        }),
      ),
    );
    (await this.#ledger(table.name, domain.id)).set(entry.partition, row);
    return outcomeOf(before, entry);
  }

  isIntact(table: string, _domainId: number, { rows }: LedgerEntry): boolean {
    return rows === 0 || !this.#tables.isMissing(table);
  }

  async problemWith(table: string, domainId: number, entry: LedgerEntry): Promise<string | undefined> {
    const row = (await this.#ledger(table, domainId)).get(entry.partition);
    return await this.#pool.use(async session => {
      const actual = await this.#tables.actual(session, table);
      if (actual === undefined) return entry.rows === 0 ? undefined : 'its table is missing';
      const columns = row?.columns ?? [];
      const missing = [...columns, ...entry.metrics].find(name => !actual.columns.has(name));
      if (missing !== undefined && entry.rows > 0) return `the column ${missing} is missing`;
      const metrics = missing === undefined ? entry.metrics : [];
      const found = await readTotals(session, this.#tables.nameOf(table), {
        domainId,
        partition: entry.partition,
        metrics,
        columns,
      });
      const problem = differenceOf(entry, metrics, found);
      if (problem !== undefined || row === undefined || entry.rows === 0) return problem;
      return found.fingerprint === row.fingerprint ? undefined : 'its rows were changed';
    });
  }

  async strays(table: SyncTable): Promise<readonly Stray[]> {
    return await this.#withOwn<Stray>(async session => {
      if ((await this.#tables.actual(session, table.name)) === undefined) return [];
      return await strayRows(session, this.#tables.nameOf(table.name), this.#own, table);
    });
  }

  async domainIds(table: string): Promise<readonly number[]> {
    return await this.#withOwn(session => sitesInLedger(session, this.#own, table));
  }

  async release(table: string, domainId: number): Promise<void> {
    this.#ledgers.delete(`${table}/${domainId}`);
  }

  async addRun(run: RunRecord): Promise<void> {
    await this.#pool.use(session =>
      session.query(`INSERT INTO ${this.#own.runs} (run) VALUES ($1)`, [JSON.stringify(run)]),
    );
  }

  async runs(): Promise<readonly RunRecord[]> {
    return await this.#withOwn(async session => {
      const rows = await session.query(
        `SELECT run FROM ${this.#own.runs} ORDER BY id DESC LIMIT ${RUNS_SHOWN}`,
      );
      return rows.map(({ run }) => run as RunRecord);
    });
  }

  async close(): Promise<void> {
    await this.#pool.close();
    await this.#staging.remove();
  }

  async #open(): Promise<Session> {
    const { pid, host } = this.#machine.identify();
    return await Session.open(this.#settings, `gatectl pid ${pid} on ${host}`.slice(0, MAX_NAME_BYTES));
  }

  /** Creates what gatectl needs before it writes. */
  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    await this.#staging.open(this.#machine.now(), process.geteuid?.());
    const { schema } = this.#settings;
    await this.#pool.use(async session => {
      const [row] = await session.query('SELECT pg_is_in_recovery() AS is_replica');
      if (row?.is_replica === true) throw readOnly(this.#settings);
      if (await hasOwnTables(session, schema, placeOf(this.#settings))) return;
      await session.transaction(async () => {
        await this.#locks.lockInTransaction(session, 'setup');
        await createOwnTables(session, schema);
      });
    });
    this.#isPrepared = true;
  }

  /**
   * Throws DestinationError for a pooler that gives the same session of the server to several clients: locks would be those of any of
   * them, and remain when gatectl has ended.
   */
  async #assertOwnSession(session: Session): Promise<void> {
    if (!session.isPooled) return;
    const processOf = async (each: Session) =>
      (await each.query('SELECT pg_backend_pid() AS pid'))[0]?.pid as number;
    const own = await processOf(session);
    const other = await this.#pool.use(processOf);
    if (own !== other) return;
    throw unusable(`PostgreSQL at ${placeOf(this.#settings)} is behind a pooler that shares its sessions`, {
      hints: ['connect to the server itself, or set pool_mode = session in the pooler'],
    });
  }

  /** What `read` finds with gatectl's own tables; nothing where there are none yet. */
  async #withOwn<Item>(read: (session: Session) => Promise<Iterable<Item>>): Promise<readonly Item[]> {
    return await this.#pool.use(async session => {
      const isThere = await hasOwnTables(session, this.#settings.schema, placeOf(this.#settings));
      return isThere ? [...(await read(session))] : [];
    });
  }

  #forget(): void {
    this.#ledgers.clear();
    this.#tables.forget();
  }

  #ledger(table: string, domainId: number): Promise<Map<string, LedgerRow>> {
    const key = `${table}/${domainId}`;
    const known = this.#ledgers.get(key);
    if (known !== undefined) return known;
    const read = this.#withOwn(session => readLedger(session, this.#own, table, domainId)).then(
      rows => new Map(rows),
    );
    this.#ledgers.set(key, read);
    return read;
  }

  /** Replaces the rows of a partition, and compares what arrived with what was sent. */
  async #replaceRows(
    session: Session,
    { table, domain, path, columns, entry }: PartitionFile,
  ): Promise<LedgerRow> {
    const name = this.#tables.nameOf(table.name);
    const [isOfPartition, values] = rowsOf(domain.id, entry.partition);
    const actual = await this.#tables.actual(session, table.name);
    if (actual !== undefined) await session.query(`DELETE FROM ${name} WHERE ${isOfPartition}`, values);
    if (path === undefined) return { entry, columns: [], fingerprint: '0' };
    await session.copy(`COPY ${name} (${columns.map(quoteName).join(', ')}) FROM STDIN`, path);
    const found = await readTotals(session, name, {
      domainId: domain.id,
      partition: entry.partition,
      metrics: entry.metrics,
      columns,
    });
    const problem = differenceOf(entry, entry.metrics, found);
    if (problem !== undefined)
      throw statementFailed(
        `${table.name} of ${domain.name}: ${entry.partition} differs after it was written: ${problem}`,
        { hints: ['a trigger or a rule may have changed the rows'] },
      );
    return { entry, columns, fingerprint: found.fingerprint };
  }
}
