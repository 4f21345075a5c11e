import { type ColumnNeeds, typeOf } from '../../column-types.ts';
import { DAY_COLUMN } from '../../config.ts';
import type { LedgerEntry } from '../../ledger.ts';
import { differenceInDays, isSameDouble, type StoredDay } from '../day-totals.ts';
import type { Server } from './server.ts';
import { quoteName } from './statements.ts';

/**
 * Reads the rows and the sums of some metrics on each day that a condition selects. The server prints the sums: its function toString
 * prints decimals of more than 19 digits wrongly in old versions. Throws DestinationError.
 */
export async function readDays(
  server: Pick<Server, 'cells'>,
  table: string,
  metrics: readonly string[],
  condition: string,
): Promise<ReadonlyMap<string, StoredDay>> {
  const sums = metrics.map(metric => `, sum(${quoteName(metric)})`).join('');
  const days = await server.cells(
    `SELECT ${DAY_COLUMN}, count()${sums} FROM ${table} WHERE ${condition} GROUP BY ${DAY_COLUMN}`,
  );
  return new Map(
    days.map(([day = '', rows, ...cells]) => [
      day,
      { rows: Number(rows), sums: cells.map(cell => cell ?? '0') },
    ]),
  );
}

/** The condition for the rows of a partition, by its key, so that no other partition is read. */
export function partitionCondition(domainId: number, partition: string): string {
  const isDay = partition.length === 'YYYY-MM-DD'.length;
  const key = partition.replaceAll('-', '');
  return `domain_id = ${domainId} AND ${isDay ? 'toYYYYMMDD' : 'toYYYYMM'}(${DAY_COLUMN}) = ${key}`;
}

/**
 * The first difference between what the ledger says of a partition and what is stored; undefined if there is none. `columns` are those of
 * the table. A sum in ClickHouse is that of integers of 64 or 128 bits: it is compared as such, so that an overflow changes nothing.
 */
export function differenceToEntry(
  entry: LedgerEntry,
  columns: readonly ColumnNeeds[],
  metrics: readonly string[],
  stored: ReadonlyMap<string, StoredDay>,
): string | undefined {
  return differenceInDays(entry, metrics, stored, (metric, sum, recorded) => {
    const column = columns.find(({ name }) => name === metric);
    return column === undefined || isSameSum(sum, recorded, column);
  });
}

function isSameSum(stored: string, recorded: string, column: ColumnNeeds): boolean {
  const type = typeOf(column);
  switch (type.kind) {
    case 'integer':
      return BigInt.asIntN(64, unscaled(recorded, 0)) === BigInt.asIntN(64, unscaled(stored, 0));
    case 'decimal':
      return (
        BigInt.asIntN(128, unscaled(recorded, type.scale)) ===
        BigInt.asIntN(128, unscaled(stored, type.scale))
      );
    case 'double':
      return isSameDouble(stored, recorded);
    default:
      return true;
  }
}

/** The integer that a decimal is with its point moved to the right. */
function unscaled(digits: string, scale: number): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d*)(?:\.(\d*))?$/.exec(digits) ?? [];
  const value = BigInt(whole + fraction.padEnd(scale, '0').slice(0, scale));
  return sign === '-' ? -value : value;
}
