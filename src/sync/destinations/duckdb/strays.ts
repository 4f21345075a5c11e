import { quoteName, quoteText } from '../../../text/sql.ts';
import { DAY_COLUMN, type SyncTable } from '../../config.ts';
import { type Stray, type StrayRow, strayOf } from '../destination.ts';
import { OWN } from './own-tables.ts';
import { partitionOf, rowsOf } from './partition-rows.ts';
import type { DuckDbSession } from './session.ts';
import { tableName } from './table-shape.ts';

/** The rows of a table that are of no partition in the ledger. Throws FileError. */
export async function strayRows(session: DuckDbSession, table: SyncTable): Promise<readonly Stray[]> {
  const day = quoteName(DAY_COLUMN);
  // Grouped by days first, which takes less time than by the texts of partitions.
  const found = await session.rows<StrayRow & { readonly isKnownSite: boolean }>(
    `SELECT domain_id::VARCHAR AS id, partition, rows::VARCHAR AS rows,
       EXISTS (FROM ${OWN}.ledger WHERE table_name = $1 AND ledger.domain_id = found.domain_id) AS "isKnownSite"
     FROM (SELECT domain_id, ${partitionOf(table.partition)} AS partition, sum(rows) AS rows
           FROM (SELECT domain_id, ${day}, count(*) AS rows FROM ${tableName(table.name)} GROUP BY ALL) GROUP BY ALL) AS found
     WHERE NOT EXISTS (FROM ${OWN}.ledger
       WHERE table_name = $1 AND ledger.domain_id = found.domain_id AND ledger.partition = found.partition)
     ORDER BY found.domain_id, partition`,
    [table.name],
  );
  return found.map(row => strayOf(row, `DELETE FROM ${conditionOf(table, row)}`));
}

function conditionOf(
  { name, partition: size }: SyncTable,
  { id, partition, isKnownSite }: StrayRow & { readonly isKnownSite: boolean },
): string {
  if (id === null) return `${tableName(name)} WHERE domain_id IS NULL`;
  if (!isKnownSite) return `${tableName(name)} WHERE domain_id = ${id}`;
  if (partition === null)
    return `${tableName(name)} WHERE domain_id = ${id} AND ${quoteName(DAY_COLUMN)} IS NULL`;
  if (/^\d{4}-\d\d(-\d\d)?$/.test(partition)) return rowsOf({ table: name, domainId: Number(id), partition });
  return `${tableName(name)} WHERE domain_id = ${id} AND ${partitionOf(size)} = ${quoteText(partition)}`;
}
