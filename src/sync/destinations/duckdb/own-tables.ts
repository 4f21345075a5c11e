import { NO_SCHEMA, type TableSchema } from '../../column-types.ts';
import type { LedgerEntry } from '../../ledger.ts';
import { RUNS_SHOWN, type RunRecord } from '../destination.ts';
import type { PartitionKey } from './partition-rows.ts';
import type { DuckDbSession } from './session.ts';

/** The schema of gatectl's own tables. */
export const OWN = '_gatectl';
/** The version of these tables. */
export const FORMAT = 1;

/** What the ledger has of a partition. */
interface LedgerRow {
  readonly entry: LedgerEntry;
  /** The checksum of its rows; null if they have none. */
  readonly checksum: string | null;
}

/** Creates gatectl's own tables, unless they exist. Throws FileError, as all functions here do. */
export async function createOwnTables(session: DuckDbSession): Promise<void> {
  await session.run(`
    CREATE SCHEMA IF NOT EXISTS ${OWN};
    CREATE TABLE IF NOT EXISTS ${OWN}.format (version INTEGER);
    INSERT INTO ${OWN}.format SELECT ${FORMAT} WHERE NOT EXISTS (FROM ${OWN}.format);
    CREATE TABLE IF NOT EXISTS ${OWN}.tables (table_name VARCHAR, version BIGINT, types VARCHAR);
    CREATE TABLE IF NOT EXISTS ${OWN}.ledger (table_name VARCHAR, domain_id BIGINT, partition VARCHAR, rows BIGINT,
      state VARCHAR, fetched_at VARCHAR, checksum VARCHAR, entry VARCHAR);
    CREATE TABLE IF NOT EXISTS ${OWN}.runs (started_at VARCHAR, run VARCHAR);
    CREATE TABLE IF NOT EXISTS ${OWN}.views (view_name VARCHAR);`);
}

/** The version of gatectl's own tables; undefined if there are none. */
export async function formatOf(session: DuckDbSession): Promise<number | undefined> {
  const found = await session.rows(
    `SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = '${OWN}' AND table_name = 'format'`,
  );
  if (found.length === 0) return undefined;
  const [format] = await session.rows<{ version: number }>(`FROM ${OWN}.format`);
  return format?.version ?? FORMAT;
}

/** The column types of a table; NO_SCHEMA before it has any. */
export async function readSchema(session: DuckDbSession, table: string): Promise<TableSchema> {
  const [stored] = await session.rows<{ types: string }>(
    `SELECT types FROM ${OWN}.tables WHERE table_name = $1`,
    [table],
  );
  return stored === undefined ? NO_SCHEMA : (JSON.parse(stored.types) as TableSchema);
}

export async function writeSchema(session: DuckDbSession, table: string, schema: TableSchema): Promise<void> {
  await session.run(`DELETE FROM ${OWN}.tables WHERE table_name = $1`, [table]);
  await session.run(`INSERT INTO ${OWN}.tables VALUES ($1, $2, $3)`, [
    table,
    schema.version,
    JSON.stringify(schema),
  ]);
}

/** What the ledger has of a site. */
export async function readLedger(
  session: DuckDbSession,
  table: string,
  domainId: number,
): Promise<readonly LedgerRow[]> {
  const rows = await session.rows<{ checksum: string | null; entry: string }>(
    `SELECT checksum, entry FROM ${OWN}.ledger WHERE table_name = $1 AND domain_id = $2 ORDER BY partition`,
    [table, domainId],
  );
  return rows.map(({ checksum, entry }) => ({ checksum, entry: JSON.parse(entry) as LedgerEntry }));
}

/** The checksum of a partition in the ledger; null if it has none. */
export async function readChecksum(
  session: DuckDbSession,
  { table, domainId, partition }: PartitionKey,
): Promise<string | null> {
  const [stored] = await session.rows<{ checksum: string | null }>(
    `SELECT checksum FROM ${OWN}.ledger WHERE table_name = $1 AND domain_id = $2 AND partition = $3`,
    [table, domainId, partition],
  );
  return stored?.checksum ?? null;
}

/** Records partitions, in the transaction that writes their rows. */
export async function writeLedgerRows(
  session: DuckDbSession,
  rows: readonly (PartitionKey & LedgerRow)[],
): Promise<void> {
  const keys = rows.map(({ table, domainId, partition }) => [table, domainId, partition]);
  await session.run(
    `DELETE FROM ${OWN}.ledger WHERE (table_name, domain_id, partition) IN (VALUES ${tuplesOf(keys)})`,
    keys.flat(),
  );
  const values = rows.map(({ entry, checksum }, index) => [
    ...(keys[index] ?? []),
    ...[entry.rows, entry.state, entry.fetchedAt, checksum, JSON.stringify(entry)],
  ]);
  await session.run(`INSERT INTO ${OWN}.ledger VALUES ${tuplesOf(values)}`, values.flat());
}

/** The parameters of tuples: `($1, $2), ($3, $4)`. */
function tuplesOf(tuples: readonly (readonly unknown[])[]): string {
  let parameter = 0;
  return tuples.map(tuple => `(${tuple.map(() => `$${++parameter}`).join(', ')})`).join(', ');
}

/** Removes a table from the ledger, so that all its partitions are requested again. */
export async function clearLedger(session: DuckDbSession, table: string): Promise<void> {
  await session.run(`DELETE FROM ${OWN}.ledger WHERE table_name = $1`, [table]);
}

/** The sites of a table that the ledger has. */
export async function sitesInLedger(session: DuckDbSession, table: string): Promise<readonly number[]> {
  const rows = await session.rows<{ id: string }>(
    `SELECT DISTINCT domain_id AS id FROM ${OWN}.ledger WHERE table_name = $1 ORDER BY domain_id`,
    [table],
  );
  return rows.map(({ id }) => Number(id));
}

export async function writeRun(session: DuckDbSession, run: RunRecord): Promise<void> {
  await session.run(`INSERT INTO ${OWN}.runs VALUES ($1, $2)`, [run.startedAt, JSON.stringify(run)]);
}

/** The latest runs, the last one first. */
export async function readRuns(session: DuckDbSession): Promise<readonly RunRecord[]> {
  const rows = await session.rows<{ run: string }>(
    `SELECT run FROM ${OWN}.runs ORDER BY started_at DESC, rowid DESC LIMIT ${RUNS_SHOWN}`,
  );
  return rows.map(({ run }) => JSON.parse(run) as RunRecord);
}
