import { quoteName, quoteText } from '../../../text/sql.ts';
import { DAY_COLUMN, type SyncTable } from '../../config.ts';
import { type Stray, type StrayRow, strayOf } from '../destination.ts';
import type { OwnTables } from './own-tables.ts';
import type { Session } from './session.ts';

const KEY_FORMAT = { month: 'YYYY-MM', day: 'YYYY-MM-DD' } as const;

/** The rows of a table, whose name is quoted, that are of no partition in the ledger. Throws DestinationError. */
export async function strayRows(
  session: Session,
  name: string,
  { ledger }: OwnTables,
  table: SyncTable,
): Promise<readonly Stray[]> {
  const day = quoteName(DAY_COLUMN);
  const key = `to_char(${day}, '${KEY_FORMAT[table.partition]}')`;
  const found = await session.query(
    `SELECT found.domain_id::text AS id, found.partition, found.rows::text AS rows,
       EXISTS (SELECT FROM ${ledger} l WHERE l.table_name = $1 AND l.domain_id = found.domain_id) AS is_known_site
     FROM (SELECT domain_id, ${key} AS partition, sum(rows) AS rows
           FROM (SELECT domain_id, ${day}, count(*) AS rows FROM ${name} GROUP BY 1, 2) AS days GROUP BY 1, 2) AS found
     WHERE NOT EXISTS (SELECT FROM ${ledger} l
       WHERE l.table_name = $1 AND l.domain_id = found.domain_id AND l.partition = found.partition)
     ORDER BY found.domain_id, found.partition`,
    [table.name],
  );
  return found.map(row => {
    const stray = row as unknown as StrayRow;
    const { id, partition } = stray;
    const ofSite = id === null ? 'domain_id IS NULL' : `domain_id = ${id}`;
    const isDay = partition === null ? `${day} IS NULL` : `${key} = ${quoteText(partition)}`;
    const isPart = id !== null && row.is_known_site === true;
    return strayOf(stray, `DELETE FROM ${name} WHERE ${isPart ? `${ofSite} AND ${isDay}` : ofSite}`);
  });
}
