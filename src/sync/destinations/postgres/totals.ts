import { quoteName } from '../../../text/sql.ts';
import { DAY_COLUMN } from '../../config.ts';
import type { LedgerEntry } from '../../ledger.ts';
import { differenceInDays, type StoredDay } from '../day-totals.ts';
import type { Session } from './session.ts';
import { rowsOf } from './sql.ts';

/** What the rows of a partition add up to. */
interface Totals {
  readonly days: ReadonlyMap<string, StoredDay>;
  /** See `fingerprintOf`. */
  readonly fingerprint: string;
}

/** Reads all rows of a partition of a table, whose name is quoted. `columns` are those that the fingerprint depends on. Throws DestinationError. */
export async function readTotals(
  session: Session,
  name: string,
  {
    domainId,
    partition,
    metrics,
    columns,
  }: Readonly<{
    domainId: number;
    partition: string;
    metrics: readonly string[];
    columns: readonly string[];
  }>,
): Promise<Totals> {
  const [isOfPartition, values] = rowsOf(domainId, partition);
  const sums = metrics.map(metric => `trim_scale(coalesce(sum(${quoteName(metric)}), 0)::numeric)::text`);
  const rows = await session.query(
    `SELECT ${quoteName(DAY_COLUMN)}::text AS day, count(*)::text AS rows, ARRAY[${sums.join(', ')}]::text[] AS sums,
       ${fingerprintOf(columns)} AS fingerprint
     FROM ${name} WHERE ${isOfPartition} GROUP BY 1`,
    values,
  );
  return {
    days: new Map(rows.map(row => [String(row.day), { rows: Number(row.rows), sums: row.sums as string[] }])),
    fingerprint: String(rows.reduce((sum, row) => sum + BigInt(String(row.fingerprint)), 0n)),
  };
}

/** What differs between the ledger and the rows, in words; undefined if the rows and the sums of `metrics` are the same on each day. */
export function differenceOf(
  entry: LedgerEntry,
  metrics: readonly string[],
  { days }: Totals,
): string | undefined {
  return differenceInDays(entry, metrics, days, (_, sum, recorded) => sum === recorded);
}

/**
 * The sum of a hash of each row of one site. It depends on all values of these columns, on nothing else, and not on the types that the
 * columns have by now: each value counts as the text that it is converted to when its column becomes text. Hashing each value costs a
 * third of hashing the text of a row; the last hash lets rows that exchange values differ.
 */
function fingerprintOf(columns: readonly string[]): string {
  const hashes = columns
    .filter(name => name !== 'domain_id')
    .map((name, index) => {
      // The column of days keeps its type, and a number is hashed faster than its text.
      const hash =
        name === DAY_COLUMN
          ? `hashint8extended(${quoteName(name)} - date '2000-01-01', ${index})`
          : `hashtextextended(${quoteName(name)}::text, ${index})`;
      return `coalesce(${hash}, ${index})`;
    });
  return `coalesce(sum(hashint8extended(${['0', ...hashes].join(' # ')}, 0)), 0)::text`;
}
