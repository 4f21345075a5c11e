import { type ColumnNeeds, typeOf } from '../../column-types.ts';
import { DAY_COLUMN } from '../../config.ts';
import type { LedgerEntry } from '../../ledger.ts';
import type { Server } from './server.ts';
import { quoteName } from './statements.ts';

/** Sums of doubles depend on the order of the rows. */
const DOUBLE_TOLERANCE = 1e-9;

/** What is stored of a day. */
export interface StoredDay {
  readonly rows: number;
  /** The sum of each metric. */
  readonly sums: readonly string[];
}

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
  for (const day of [...new Set([...Object.keys(entry.days), ...stored.keys()])].sort()) {
    const [recordedRows = 0, ...sums] = entry.days[day] ?? [];
    const found = stored.get(day);
    const rows = found?.rows ?? 0;
    if (rows !== recordedRows) return `${day}: ${rows} rows here, ${recordedRows} in the ledger`;
    for (const [index, metric] of metrics.entries()) {
      const recorded = sums[entry.metrics.indexOf(metric)];
      const column = columns.find(({ name }) => name === metric);
      if (recorded === undefined || recorded === null || column === undefined) continue;
      const sum = found?.sums[index] ?? '0';
      if (!isSameSum(sum, recorded, column))
        return `${metric} on ${day}: ${sum} here, ${recorded} in the ledger`;
    }
  }
  return undefined;
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
      return (
        Math.abs(Number(stored) - Number(recorded)) <=
        DOUBLE_TOLERANCE * Math.max(1, Math.abs(Number(stored)), Math.abs(Number(recorded)))
      );
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
