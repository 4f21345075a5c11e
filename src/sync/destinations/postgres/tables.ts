import { addDays } from '../../../apis/bda/days.ts';
import { withAttempts } from '../../../errors/attempts.ts';
import { UsageError } from '../../../errors/index.ts';
import { UnrepresentableValueError } from '../../../export/unrepresentable-value.ts';
import type { LockMachine } from '../../../files/lock.ts';
import { quoteName } from '../../../text/sql.ts';
import { NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import { DAY_COLUMN } from '../../config.ts';
import { daysOfPartition } from '../../partitions.ts';
import { placeOf } from './failures.ts';
import { invalidatePartitions } from './ledger-rows.ts';
import type { SchemaLocks } from './locks.ts';
import { type ActualTable, actualTable, hasOwnTables, type OwnTables } from './own-tables.ts';
import type { Session, SessionPool } from './session.ts';
import type { PostgresSettings } from './settings.ts';
import { columnType, MAX_NAME_BYTES, monthTable } from './sql.ts';
import { TableGate } from './table-gate.ts';

/** How long the readers of a table wait at most for a change of its columns to begin. */
const CHANGE_LOCK_TIMEOUT = '2s';
const CHANGE_ATTEMPTS = 150;
/** The wait before the second attempt, in milliseconds; it grows. */
const CHANGE_AGAIN_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']);

/** What the tables of a sync require of their destination. */
interface TablesOptions {
  /** The destination, as messages name it. */
  readonly name: string;
  readonly settings: PostgresSettings;
  readonly pool: SessionPool;
  readonly locks: SchemaLocks;
  readonly machine: Pick<LockMachine, 'sleep'>;
  readonly signal: AbortSignal;
}

/** The tables of a sync: their column types, and their partitions by month. Methods throw DestinationError. */
export class Tables {
  readonly #options: TablesOptions;
  readonly #own: OwnTables;
  readonly #schemas = new Map<string, TableSchema>();
  readonly #actual = new Map<string, ActualTable | undefined>();
  /** The recorded columns that a table lacks, because somebody dropped them or the table. */
  readonly #lost = new Map<string, readonly string[]>();
  readonly #gates = new Map<string, TableGate>();

  constructor(options: TablesOptions, own: OwnTables) {
    this.#options = options;
    this.#own = own;
  }

  /** The name of a table, quoted, with the schema. */
  nameOf(table: string): string {
    return `${quoteName(this.#options.settings.schema)}.${quoteName(table)}`;
  }

  /** The columns and months of a table by now; undefined if there is no table. */
  async actual(session: Session, table: string): Promise<ActualTable | undefined> {
    return await actualTable(session, this.#options.settings.schema, table);
  }

  /** Whether a table was missing when it was last read. */
  isMissing(table: string): boolean {
    return this.#actual.has(table) && this.#actual.get(table) === undefined;
  }

  /** The column types of a table. */
  async schema(table: string): Promise<TableSchema> {
    const known = this.#schemas.get(table);
    if (known !== undefined) return known;
    return await this.#options.pool.use(session => this.#readSchema(session, table));
  }

  /** Changes the column types of a table, as `Destination.updateSchema` does. Throws UnrepresentableValueError and UsageError, too. */
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

  /** Has the partitions of a table requested again whose values in some columns somebody dropped, with the column or with the table. */
  async invalidateLost(table: string, columns: readonly string[]): Promise<void> {
    await this.#options.pool.use(async session => {
      await this.#readSchema(session, table);
      await this.#invalidate(session, table, columns);
    });
  }

  async #invalidate(session: Session, table: string, columns: readonly string[]): Promise<void> {
    const lost = this.#lost.get(table)?.filter(name => columns.includes(name)) ?? [];
    if (lost.length > 0) await invalidatePartitions(session, this.#own, table, lost);
  }

  /** Runs `work`, which writes rows, while no columns of the table change. */
  async writing<Value>(table: string, work: () => Promise<Value>): Promise<Value> {
    return await this.#gate(table).shared(work);
  }

  /** Creates the partition of a table for a month. Attaching one does not make readers wait, as creating it in its place would. */
  async addMonth(table: string, month: string): Promise<void> {
    const part = monthTable(table, month);
    if (this.#actual.get(table)?.months.has(part)) return;
    const found = await this.#options.pool.use(session =>
      session.transaction(async () => {
        await this.#options.locks.lockInTransaction(session, 'table', table);
        const actual = await this.actual(session, table);
        if (!actual?.months.has(part)) {
          const { from, to } = daysOfPartition(month);
          await session.execute(
            `CREATE TABLE ${this.nameOf(part)} (LIKE ${this.nameOf(table)} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
          );
          await session.execute(
            `ALTER TABLE ${this.nameOf(table)} ATTACH PARTITION ${this.nameOf(part)} FOR VALUES FROM ('${from}') TO ('${addDays(to, 1)}')`,
          );
        }
        return await this.actual(session, table);
      }),
    );
    // Only now do other sessions have the month.
    this.#actual.set(table, found);
  }

  /** Forgets what other processes may change. */
  forget(): void {
    this.#schemas.clear();
    this.#actual.clear();
    this.#lost.clear();
  }

  #gate(table: string): TableGate {
    const gate = this.#gates.get(table) ?? new TableGate();
    this.#gates.set(table, gate);
    return gate;
  }

  /** The stored column types, without columns that somebody removed; of a table that somebody dropped, none. */
  async #readSchema(session: Session, table: string): Promise<TableSchema> {
    let schema = NO_SCHEMA;
    if (await hasOwnTables(session, this.#options.settings.schema, placeOf(this.#options.settings))) {
      const [row] = await session.query(`SELECT schema FROM ${this.#own.tables} WHERE name = $1`, [table]);
      if (row !== undefined) {
        const stored = row.schema as TableSchema;
        const actual = await this.actual(session, table);
        this.#actual.set(table, actual);
        const lost = stored.columns.filter(({ name }) => actual?.columns.has(name) !== true);
        this.#lost.set(
          table,
          lost.map(({ name }) => name),
        );
        schema = { ...stored, columns: stored.columns.filter(column => !lost.includes(column)) };
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
    const { pool, locks, machine, signal } = this.#options;
    const again = async (error: unknown, attempt: number) => {
      if ((error as { cause?: { code?: string } }).cause?.code !== LOCK_NOT_AVAILABLE) return false;
      signal.throwIfAborted();
      await machine.sleep(CHANGE_AGAIN_MS * (1 + Math.min(attempt, 10)));
      return true;
    };
    const changed = () =>
      pool.use(session =>
        session.transaction(async () => {
          await locks.lockInTransaction(session, 'table', table);
          const before = await this.#readSchema(session, table);
          const after = change(before);
          if (after === undefined) return { schema: before };
          const columns = after.columns.map(({ name }) => name);
          await this.#invalidate(session, table, columns);
          await this.#apply(session, table, before, after);
          await session.query(
            `INSERT INTO ${this.#own.tables} (name, schema) VALUES ($1, $2)
               ON CONFLICT (name) DO UPDATE SET schema = excluded.schema`,
            [table, JSON.stringify(after)],
          );
          return { schema: after, actual: await this.actual(session, table) };
        }),
      );
    const { schema, actual } = await withAttempts({ attempts: CHANGE_ATTEMPTS, again }, () =>
      changed().catch(error => {
        this.#schemas.delete(table);
        throw error;
      }),
    );
    this.#schemas.set(table, schema);
    if (actual !== undefined) this.#actual.set(table, actual);
    return schema;
  }

  async #apply(session: Session, table: string, before: TableSchema, after: TableSchema): Promise<void> {
    for (const { name } of after.columns) {
      const problem = SYSTEM_COLUMNS.has(name)
        ? `PostgreSQL has a column ${name} of its own in each table`
        : Buffer.byteLength(name) > MAX_NAME_BYTES
          ? `PostgreSQL allows names of up to ${MAX_NAME_BYTES} bytes, and ${name} is longer`
          : undefined;
      if (problem !== undefined)
        throw new UsageError(problem, {
          code: 'invalid_input',
          hints: ['omit the column, or choose another destination'],
        });
    }
    const day = after.columns.find(({ name }) => name === DAY_COLUMN);
    if (day !== undefined && day.kind !== 'day')
      throw new UnrepresentableValueError(
        `${this.#options.name} cannot store the column ${DAY_COLUMN} as it is: a value is not a valid date`,
        { path: this.#options.name, code: 'unrepresentable_value' },
      );
    const name = this.nameOf(table);
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
