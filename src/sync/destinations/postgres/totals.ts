import { quoteName } from '../../../text/sql.ts';
import { DAY_COLUMN } from '../../config.ts';
import type { LedgerEntry } from '../../ledger.ts';
import type { Session } from './session.ts';
import { daysOfKey } from './sql.ts';

/** What the rows of a partition add up to. */
interface Totals {
  readonly rows: number;
  /** The exact sum of each metric. */
  readonly sums: readonly string[];
  /** See `fingerprintOf`. */
  readonly fingerprint: string;
}

/** Reads all rows of a partition of a table, whose name is quoted. Throws DestinationError. */
export async function readTotals(
  session: Session,
  name: string,
  {
    domainId,
    partition,
    metrics,
    columns,
  }: {
    readonly domainId: number;
    readonly partition: string;
    readonly metrics: readonly string[];
    /** The columns that the fingerprint depends on. */
    readonly columns: readonly string[];
  },
): Promise<Totals> {
  const { from, until } = daysOfKey(partition);
  const sums = metrics.map(
    (metric, index) => `trim_scale(coalesce(sum(${quoteName(metric)}), 0)::numeric)::text AS sum${index}`,
  );
  const [row] = await session.query(
    `SELECT ${['count(*)::text AS rows', ...sums, `${fingerprintOf(columns)} AS fingerprint`].join(', ')}
     FROM ${name}
     WHERE domain_id = $1 AND ${quoteName(DAY_COLUMN)} >= $2 AND ${quoteName(DAY_COLUMN)} < $3`,
    [domainId, from, until],
  );
  return {
    rows: Number(row?.rows),
    sums: metrics.map((_, index) => String(row?.[`sum${index}`])),
    fingerprint: String(row?.fingerprint),
  };
}

/** What differs between the ledger and the rows, in words; undefined if their number and the sums of `metrics` are the same. */
export function differenceOf(
  entry: LedgerEntry,
  metrics: readonly string[],
  found: Totals,
): string | undefined {
  if (found.rows !== entry.rows) return `it has ${found.rows} rows, not ${entry.rows}`;
  for (const [index, metric] of metrics.entries()) {
    const recorded = entry.sums[index] ?? null;
    if (recorded !== null && recorded !== found.sums[index])
      return `the sum of ${metric} is ${found.sums[index]}, not ${recorded}`;
  }
  return undefined;
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
