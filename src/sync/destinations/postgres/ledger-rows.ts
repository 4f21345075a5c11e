import type { LedgerEntry } from '../../ledger.ts';
import type { OwnTables } from './own-tables.ts';
import type { Session } from './session.ts';

/** What the ledger has of a partition. */
export interface LedgerRow {
  readonly entry: LedgerEntry;
  /** The columns that its rows were written to, and the fingerprint of these. */
  readonly columns: readonly string[];
  readonly fingerprint: string;
}

/** Reads the ledger of a site, by partition. Throws DestinationError. */
export async function readLedger(
  session: Session,
  { ledger }: OwnTables,
  table: string,
  domainId: number,
): Promise<Map<string, LedgerRow>> {
  const rows = await session.query(
    `SELECT partition, entry, columns, trim_scale(fingerprint)::text AS fingerprint
     FROM ${ledger} WHERE table_name = $1 AND domain_id = $2 ORDER BY partition`,
    [table, domainId],
  );
  return new Map(rows.map(row => [String(row.partition), row as unknown as LedgerRow]));
}

/** Records a partition, in the transaction that writes its rows. Throws DestinationError. */
export async function writeLedgerRow(
  session: Session,
  { ledger }: OwnTables,
  table: string,
  domainId: number,
  { entry, columns, fingerprint }: LedgerRow,
): Promise<void> {
  await session.query(
    `INSERT INTO ${ledger} (table_name, domain_id, partition, entry, columns, fingerprint)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (table_name, domain_id, partition) DO UPDATE
     SET entry = excluded.entry, columns = excluded.columns, fingerprint = excluded.fingerprint`,
    [table, domainId, entry.partition, JSON.stringify(entry), columns, fingerprint],
  );
}

/** Has all partitions requested again that were written to some columns. Throws DestinationError. */
export async function invalidatePartitions(
  session: Session,
  { ledger }: OwnTables,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await session.query(
    `UPDATE ${ledger} SET entry = entry || '{"query": "", "sha256": ""}' WHERE table_name = $1 AND columns && $2`,
    [table, columns],
  );
}

/** The sites of a table that the ledger has. Throws DestinationError. */
export async function sitesInLedger(
  session: Session,
  { ledger }: OwnTables,
  table: string,
): Promise<readonly number[]> {
  const rows = await session.query(
    `SELECT DISTINCT domain_id FROM ${ledger} WHERE table_name = $1 ORDER BY domain_id`,
    [table],
  );
  return rows.map(row => Number(row.domain_id));
}
