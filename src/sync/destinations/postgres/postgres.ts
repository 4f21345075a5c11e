import { DestinationError, UsageError } from '../../../errors/index.ts';
import { UnrepresentableValueError } from '../../../export/unrepresentable-value.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { formatBytes } from '../../../terminal/numbers.ts';
import { NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import { DAY_COLUMN } from '../../config.ts';
import type { Ledger, LedgerEntry } from '../../ledger.ts';
import { quoteName } from '../../sql-text.ts';
import type { Destination, DestinationCheck, PartitionFile, Replaced, RunRecord } from '../destination.ts';
import { rightMissing, statementFailed, unusable } from '../failures.ts';
import { StagingFolder } from '../staging-folder.ts';
import { nameInSql, placeOf, readOnly } from './failures.ts';
import {
  type ActualTable,
  actualTable,
  createOwnTables,
  hasOwnTables,
  type OwnTables,
  ownTables,
} from './own-tables.ts';
import { Session, SessionPool } from './session.ts';
import type { PostgresSettings } from './settings.ts';
import {
  columnType,
  daysOfKey,
  fingerprintOf,
  lockKey,
  MAX_NAME_BYTES,
  monthOfKey,
  monthTable,
} from './sql.ts';
import { TableGate } from './table-gate.ts';

/** PostgreSQL 13 has `trim_scale`, and the project supports it until the end of 2025. */
const LEAST_VERSION = 130_000;
/** Sessions that write at the same time. */
const MOST_SESSIONS = 8;
/** How often a lock is tried that another process holds, in milliseconds. */
const POLL_MS = 500;
/** How long the readers of a table wait at most for a change of its columns to begin. */
const CHANGE_LOCK_TIMEOUT = '2s';
const CHANGE_ATTEMPTS = 150;
const RUNS_SHOWN = 30;
const LOCK_NOT_AVAILABLE = '55P03';

/** What `diagnose` reports, in one row; $1 is the quoted schema. */
const DIAGNOSIS = `
  SELECT current_setting('server_version') AS version, inet_client_addr()::text AS address,
    (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS tls,
    pg_is_in_recovery() AS read_only,
    to_regnamespace($1) IS NOT NULL AS has_schema,
    CASE WHEN to_regnamespace($1) IS NULL THEN has_database_privilege(current_database(), 'CREATE')
      ELSE has_schema_privilege(to_regnamespace($1), 'CREATE') AND has_schema_privilege(to_regnamespace($1), 'USAGE')
    END AS may_create,
    (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relname LIKE '\\_gatectl\\_%'
      AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE')) AS foreign_tables,
    current_setting('max_connections') AS connections,
    current_setting('max_connections')::int - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
      AS connections_free,
    pg_database_size(current_database()) AS bytes`;

/** What the ledger has of a partition. */
interface LedgerRow {
  readonly entry: LedgerEntry;
  /** The columns that its rows were written to, and the fingerprint of these. */
  readonly columns: readonly string[];
  readonly fingerprint: string;
}

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
  readonly #settings: PostgresSettings;
  readonly #machine: LockMachine;
  readonly #signal: AbortSignal;
  readonly #own: OwnTables;
  readonly #pool: SessionPool;
  readonly #staging = new StagingFolder();
  readonly #schemas = new Map<string, TableSchema>();
  readonly #ledgers = new Map<string, Promise<Map<string, LedgerRow>>>();
  readonly #actual = new Map<string, ActualTable | undefined>();
  readonly #gates = new Map<string, TableGate>();
  readonly #tables: readonly string[];
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
    }: { readonly tables: readonly string[]; readonly machine: LockMachine; readonly signal: AbortSignal },
  ) {
    this.name = name;
    this.#signal = signal;
    this.#settings = settings;
    this.#machine = machine;
    this.#tables = tables;
    this.#own = ownTables(settings.schema);
    this.#pool = new SessionPool(MOST_SESSIONS, () => this.#open());
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
      for (const table of this.#tables) {
        if (own.has(table)) continue;
        if ((await actualTable(session, schema, table)) === undefined) continue;
        throw unusable(`there is a table ${schema}.${table} at ${place}, which no sync wrote`, {
          hints: ['give the table another name, or add ?schema=NAME to the URL for tables of its own'],
        });
      }
    });
  }

  async diagnose(): Promise<readonly DestinationCheck[]> {
    const { schema, user, database } = this.#settings;
    return await this.#pool.use(async session => {
      const [row] = await session.query(DIAGNOSIS, [quoteName(schema)]);
      const text = (key: string) => String(row?.[key]);
      const checks: DestinationCheck[] = [{ check: 'version', found: `PostgreSQL ${text('version')}` }];
      const isLocal = text('address') === 'null' || /^(?:127\.|::1)/.test(text('address'));
      if (row?.tls !== null) checks.push({ check: 'encryption', found: text('tls') });
      else if (isLocal) checks.push({ check: 'encryption', found: 'none, on this machine' });
      else
        checks.push({
          check: 'encryption',
          found: 'none',
          advice: 'add sslmode=verify-full to the URL, or set PGSSLMODE',
        });
      if (row?.read_only === true) {
        checks.push({
          check: 'rights',
          found: 'the server is read-only',
          error: readOnly(this.#settings),
        });
      } else if (row?.may_create === true && Number(row.foreign_tables) === 0)
        checks.push({ check: 'rights', found: `the user ${user} may create tables in the schema ${schema}` });
      else {
        const isForeign = row?.may_create === true;
        const found = isForeign
          ? `the tables in the schema ${schema} belong to another user`
          : `the user ${user} may not create tables in the schema ${schema}`;
        const grant =
          row?.has_schema === true
            ? `GRANT USAGE, CREATE ON SCHEMA ${nameInSql(schema)} TO ${nameInSql(user)}`
            : `GRANT CREATE ON DATABASE ${nameInSql(database)} TO ${nameInSql(user)}`;
        const hints = [
          `run as the owner: ${isForeign ? `REASSIGN OWNED BY OWNER TO ${nameInSql(user)}` : grant}`,
        ];
        checks.push({ check: 'rights', found, error: rightMissing(found, { hints }) });
      }
      const pooler = await this.#poolerCheck();
      if (pooler !== undefined) checks.push(pooler);
      const free = Number(row?.connections_free);
      checks.push({
        check: 'connections',
        found: `${free} of ${text('connections')} are free`,
        ...(free <= MOST_SESSIONS && { advice: 'raise max_connections, or lower --concurrency' }),
      });
      checks.push({
        check: 'space',
        found: `the database has ${formatBytes(Number(row?.bytes))}; PostgreSQL does not report free space`,
      });
      return checks;
    });
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
    const key = this.#key('run');
    const session = await this.#open();
    try {
      await this.#assertOwnSession(session);
      await this.#acquire(session, `pg_try_advisory_lock(${key})`, key, onWait);
      this.#forget();
      this.#run = session;
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
    const [run, site] = [this.#key('run'), this.#key('site', table, domainId)];
    const session = await this.#open();
    try {
      await this.#assertOwnSession(session);
      // A run excludes all sites.
      await this.#acquire(session, `pg_try_advisory_lock_shared(${run})`, run, () => {});
      await this.#acquire(session, `pg_try_advisory_lock(${site})`, site, () => {});
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
    const known = this.#schemas.get(table);
    if (known !== undefined) return known;
    return await this.#pool.use(session => this.#readSchema(session, table));
  }

  async updateSchema(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    // Types only become wider: what fits those of a moment ago fits those of now.
    const recent = await this.schema(table);
    const expected = change(recent);
    if (expected === undefined) return recent;
    const update = () => this.#changeTable(table, change);
    return await (changesOf(recent, expected).length === 0 ? update() : this.#gate(table).alone(update));
  }

  async replace(file: PartitionFile, before: LedgerEntry | undefined): Promise<Replaced> {
    this.#run?.assertAlive();
    const { table, domain, entry } = file;
    const isSame =
      before !== undefined &&
      before.sha256 === entry.sha256 &&
      (await this.problemWith(table.name, domain.id, before)) === undefined;
    if (!isSame && file.path !== undefined) await this.#addMonth(table.name, monthOfKey(entry.partition));
    const known = (await this.#ledger(table.name, domain.id)).get(entry.partition);
    const row = await this.#gate(table.name).shared(() =>
      this.#pool.use(session =>
        session.transaction(async () => {
          await session.query('SELECT pg_advisory_xact_lock($1)', [
            this.#key('write', table.name, domain.id, entry.partition),
          ]);
          const written =
            isSame && known !== undefined ? { ...known, entry } : await this.#replaceRows(session, file);
          await this.#record(session, table.name, domain.id, written);
          // A lost lock means that another run may have begun.
          this.#run?.assertAlive();
          return written;
        }),
      ),
    );
    (await this.#ledger(table.name, domain.id)).set(entry.partition, row);
    if (isSame) return 'unchanged';
    return before === undefined ? 'added' : before.sha256 === entry.sha256 ? 'unchanged' : 'changed';
  }

  isIntact(table: string, _domainId: number, { rows }: LedgerEntry): boolean {
    return rows === 0 || !this.#actual.has(table) || this.#actual.get(table) !== undefined;
  }

  async problemWith(table: string, domainId: number, entry: LedgerEntry): Promise<string | undefined> {
    const row = (await this.#ledger(table, domainId)).get(entry.partition);
    return await this.#pool.use(async session => {
      const actual = await actualTable(session, this.#settings.schema, table);
      if (actual === undefined) return entry.rows === 0 ? undefined : 'its table is missing';
      const columns = row?.columns ?? [];
      const missing = [...columns, ...entry.metrics].find(name => !actual.columns.has(name));
      if (missing !== undefined && entry.rows > 0) return `the column ${missing} is missing`;
      const metrics = missing === undefined ? entry.metrics : [];
      const found = await this.#totals(session, table, domainId, entry.partition, metrics, columns);
      const problem = differenceOf(entry, metrics, found);
      if (problem !== undefined || row === undefined || entry.rows === 0) return problem;
      return found.fingerprint === row.fingerprint ? undefined : 'its rows were changed';
    });
  }

  async domainIds(table: string): Promise<readonly number[]> {
    return await this.#pool.use(async session => {
      if (!(await hasOwnTables(session, this.#settings.schema, placeOf(this.#settings)))) return [];
      const rows = await session.query(
        `SELECT DISTINCT domain_id FROM ${this.#own.ledger} WHERE table_name = $1 ORDER BY domain_id`,
        [table],
      );
      return rows.map(row => Number(row.domain_id));
    });
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
    return await this.#pool.use(async session => {
      if (!(await hasOwnTables(session, this.#settings.schema, placeOf(this.#settings)))) return [];
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
        await session.query('SELECT pg_advisory_xact_lock($1)', [this.#key('setup')]);
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

  /** The key of an advisory lock; the server keeps those of each database apart. */
  #key(...parts: readonly (string | number)[]): string {
    return lockKey(this.#settings.schema, ...parts);
  }

  /** Tries a lock again and again: a session that waits in the server would keep it from removing old rows. */
  async #acquire(
    session: Session,
    attempt: string,
    key: string,
    onWait: (holder: string) => void,
  ): Promise<void> {
    let isWaiting = false;
    for (;;) {
      const [row] = await session.query(`SELECT ${attempt} AS locked`);
      if (row?.locked === true) return;
      if (!isWaiting) onWait(await this.#holderOf(session, key));
      isWaiting = true;
      await this.#machine.sleep(POLL_MS);
      this.#signal.throwIfAborted();
    }
  }

  async #holderOf(session: Session, key: string): Promise<string> {
    const [row] = await session.query(
      `SELECT a.application_name AS name, to_char(a.backend_start, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND (l.classid::bigint << 32) | l.objid::bigint = $1 LIMIT 1`,
      [key],
    );
    const [, who] = /^gatectl (pid .*)$/.exec(String(row?.name)) ?? [];
    return `${this.name} is locked by ${who === undefined ? 'another process' : `${who} since ${row?.since}`}`;
  }

  #forget(): void {
    this.#ledgers.clear();
    this.#schemas.clear();
    this.#actual.clear();
  }

  #gate(table: string): TableGate {
    const gate = this.#gates.get(table) ?? new TableGate();
    this.#gates.set(table, gate);
    return gate;
  }

  #tableName(table: string): string {
    return `${quoteName(this.#settings.schema)}.${quoteName(table)}`;
  }

  #ledger(table: string, domainId: number): Promise<Map<string, LedgerRow>> {
    const key = `${table}/${domainId}`;
    const known = this.#ledgers.get(key);
    if (known !== undefined) return known;
    const read = this.#pool.use(async session => {
      if (!(await hasOwnTables(session, this.#settings.schema, placeOf(this.#settings)))) return new Map();
      const rows = await session.query(
        `SELECT partition, entry, columns, trim_scale(fingerprint)::text AS fingerprint
         FROM ${this.#own.ledger} WHERE table_name = $1 AND domain_id = $2 ORDER BY partition`,
        [table, domainId],
      );
      return new Map(rows.map(row => [String(row.partition), row as unknown as LedgerRow]));
    });
    this.#ledgers.set(key, read);
    return read;
  }

  /** The stored column types, without columns that somebody removed; of a table that somebody dropped, none. */
  async #readSchema(session: Session, table: string): Promise<TableSchema> {
    let schema = NO_SCHEMA;
    if (await hasOwnTables(session, this.#settings.schema, placeOf(this.#settings))) {
      const [row] = await session.query(`SELECT schema FROM ${this.#own.tables} WHERE name = $1`, [table]);
      if (row !== undefined) {
        const stored = row.schema as TableSchema;
        const actual = await actualTable(session, this.#settings.schema, table);
        this.#actual.set(table, actual);
        schema = { ...stored, columns: stored.columns.filter(({ name }) => actual?.columns.has(name)) };
      }
    }
    this.#schemas.set(table, schema);
    return schema;
  }

  /** Changes the types and the table, while no other process does. Waits for sessions that use the table, but never makes others wait long. */
  async #changeTable(
    table: string,
    change: (before: TableSchema) => TableSchema | undefined,
  ): Promise<TableSchema> {
    this.#run?.assertAlive();
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#pool
          .use(session =>
            session.transaction(async () => {
              await session.query('SELECT pg_advisory_xact_lock($1)', [this.#key('table', table)]);
              const before = await this.#readSchema(session, table);
              const after = change(before);
              if (after === undefined) return { schema: before };
              await this.#apply(session, table, before, after);
              await session.query(
                `INSERT INTO ${this.#own.tables} (name, schema) VALUES ($1, $2)
               ON CONFLICT (name) DO UPDATE SET schema = excluded.schema`,
                [table, JSON.stringify(after)],
              );
              return { schema: after, actual: await actualTable(session, this.#settings.schema, table) };
            }),
          )
          .then(({ schema, actual }) => {
            this.#schemas.set(table, schema);
            if (actual !== undefined) this.#actual.set(table, actual);
            return schema;
          });
      } catch (error) {
        this.#schemas.delete(table);
        const isLocked = (error as { cause?: { code?: string } }).cause?.code === LOCK_NOT_AVAILABLE;
        if (!isLocked || attempt === CHANGE_ATTEMPTS) throw error;
        this.#signal.throwIfAborted();
        await this.#machine.sleep(POLL_MS * (1 + Math.min(attempt, 10)));
      }
  }

  async #apply(session: Session, table: string, before: TableSchema, after: TableSchema): Promise<void> {
    for (const { name } of after.columns)
      if (Buffer.byteLength(name) > MAX_NAME_BYTES)
        throw new UsageError(
          `PostgreSQL allows names of up to ${MAX_NAME_BYTES} bytes, and ${name} is longer`,
          {
            code: 'invalid_input',
            hints: ['leave the column out, or choose another destination'],
          },
        );
    const day = after.columns.find(({ name }) => name === DAY_COLUMN);
    if (day !== undefined && day.kind !== 'day')
      throw new UnrepresentableValueError(
        `${this.name} can't keep the column ${DAY_COLUMN} as it is: a value is no day of the calendar`,
        { path: this.name, code: 'unrepresentable_value' },
      );
    const name = this.#tableName(table);
    if (before.columns.length === 0) {
      const columns = after.columns.map(column => `${quoteName(column.name)} ${columnType(column)}`);
      await session.execute(
        `CREATE TABLE ${name} (${columns.join(', ')}) PARTITION BY RANGE (${quoteName(DAY_COLUMN)})`,
      );
      await session.execute(`CREATE INDEX ON ${name} (domain_id, ${quoteName(DAY_COLUMN)})`);
    } else {
      const changes = changesOf(before, after);
      if (changes.length > 0) {
        await session.execute(`SET LOCAL lock_timeout = '${CHANGE_LOCK_TIMEOUT}'`);
        await session.execute(`ALTER TABLE ${name} ${changes.join(', ')}`);
      }
    }
  }

  /** Creates the partition of a table for a month. Attaching one does not make readers wait, as creating it in its place would. */
  async #addMonth(table: string, month: string): Promise<void> {
    const part = monthTable(table, month);
    if (this.#actual.get(table)?.months.has(part)) return;
    const found = await this.#pool.use(session =>
      session.transaction(async () => {
        await session.query('SELECT pg_advisory_xact_lock($1)', [this.#key('table', table)]);
        const actual = await actualTable(session, this.#settings.schema, table);
        if (!actual?.months.has(part)) {
          const { from, until } = daysOfKey(month);
          await session.execute(
            `CREATE TABLE ${this.#tableName(part)} (LIKE ${this.#tableName(table)} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
          );
          await session.execute(
            `ALTER TABLE ${this.#tableName(table)} ATTACH PARTITION ${this.#tableName(part)} FOR VALUES FROM ('${from}') TO ('${until}')`,
          );
        }
        return await actualTable(session, this.#settings.schema, table);
      }),
    );
    // Only now do other sessions have the month.
    this.#actual.set(table, found);
  }

  /** Replaces the rows of a partition, and compares what arrived with what was sent. */
  async #replaceRows(
    session: Session,
    { table, domain, path, columns, entry }: PartitionFile,
  ): Promise<LedgerRow> {
    const name = this.#tableName(table.name);
    const { from, until } = daysOfKey(entry.partition);
    const actual = await actualTable(session, this.#settings.schema, table.name);
    if (actual !== undefined)
      await session.query(
        `DELETE FROM ${name} WHERE domain_id = $1 AND ${quoteName(DAY_COLUMN)} >= $2 AND ${quoteName(DAY_COLUMN)} < $3`,
        [domain.id, from, until],
      );
    if (path === undefined) return { entry, columns: [], fingerprint: '0' };
    await session.copy(`COPY ${name} (${columns.map(quoteName).join(', ')}) FROM STDIN`, path);
    const found = await this.#totals(session, table.name, domain.id, entry.partition, entry.metrics, columns);
    const problem = differenceOf(entry, entry.metrics, found);
    if (problem !== undefined)
      throw statementFailed(
        `${table.name} of ${domain.name}: ${entry.partition} differs after it was written: ${problem}`,
        { hints: ['a trigger or a rule may have changed the rows'] },
      );
    return { entry, columns, fingerprint: found.fingerprint };
  }

  async #record(session: Session, table: string, domainId: number, row: LedgerRow): Promise<void> {
    await session.query(
      `INSERT INTO ${this.#own.ledger} (table_name, domain_id, partition, entry, columns, fingerprint)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (table_name, domain_id, partition) DO UPDATE
       SET entry = excluded.entry, columns = excluded.columns, fingerprint = excluded.fingerprint`,
      [table, domainId, row.entry.partition, JSON.stringify(row.entry), row.columns, row.fingerprint],
    );
  }

  async #totals(
    session: Session,
    table: string,
    domainId: number,
    partition: string,
    metrics: readonly string[],
    columns: readonly string[],
  ): Promise<Totals> {
    const { from, until } = daysOfKey(partition);
    const sums = metrics.map(
      (metric, index) => `trim_scale(coalesce(sum(${quoteName(metric)}), 0)::numeric)::text AS sum${index}`,
    );
    const [row] = await session.query(
      `SELECT ${['count(*)::text AS rows', ...sums, `${fingerprintOf(columns)} AS fingerprint`].join(', ')}
       FROM ${this.#tableName(table)}
       WHERE domain_id = $1 AND ${quoteName(DAY_COLUMN)} >= $2 AND ${quoteName(DAY_COLUMN)} < $3`,
      [domainId, from, until],
    );
    return {
      rows: Number(row?.rows),
      sums: metrics.map((_, index) => String(row?.[`sum${index}`])),
      fingerprint: String(row?.fingerprint),
    };
  }
}

/** What a partition has by now. */
interface Totals {
  readonly rows: number;
  /** The exact sum of each metric. */
  readonly sums: readonly string[];
  readonly fingerprint: string;
}

/** What differs between the ledger and the rows, in words. */
function differenceOf(entry: LedgerEntry, metrics: readonly string[], found: Totals): string | undefined {
  if (found.rows !== entry.rows) return `it has ${found.rows} rows, not ${entry.rows}`;
  for (const [index, metric] of metrics.entries()) {
    const recorded = entry.sums[index] ?? null;
    if (recorded !== null && recorded !== found.sums[index])
      return `the sum of ${metric} is ${found.sums[index]}, not ${recorded}`;
  }
  return undefined;
}

/** The parts of an ALTER TABLE that change the columns of a table. */
function changesOf(before: TableSchema, after: TableSchema): string[] {
  return after.columns.flatMap(column => {
    const old = before.columns.find(({ name }) => name === column.name);
    const type = columnType(column);
    if (old === undefined) return [`ADD COLUMN ${quoteName(column.name)} ${type}`];
    if (columnType(old) === type) return [];
    const name = quoteName(column.name);
    return [`ALTER COLUMN ${name} TYPE ${type} USING ${name}::${type}`];
  });
}
