import { type ColumnNeeds, typeOf } from '../../column-types.ts';
import { DAY_COLUMN } from '../../config.ts';
import type { LedgerEntry } from '../../ledger.ts';
import type { Row } from './server.ts';
import { quoteName } from './statements.ts';

/** Sums of doubles depend on the order of the rows. */
const DOUBLE_TOLERANCE = 1e-9;

/** The query for the rows and the sums of some metrics on each day that a condition selects. */
export function daySumsQuery(table: string, metrics: readonly string[], condition: string): string {
  const sums = metrics.map((metric, index) => `, toString(sum(${quoteName(metric)})) AS m${index}`).join('');
  return `SELECT toString(${DAY_COLUMN}) AS day, toString(count()) AS n${sums} FROM ${table} WHERE ${condition} GROUP BY ${DAY_COLUMN}`;
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
  stored: readonly Row[],
): string | undefined {
  const found = new Map(stored.map(row => [String(row.day), row]));
  for (const day of [...new Set([...Object.keys(entry.days), ...found.keys()])].sort()) {
    const [recordedRows = 0, ...sums] = entry.days[day] ?? [];
    const row = found.get(day);
    const rows = Number(row?.n ?? 0);
    if (rows !== recordedRows) return `${day}: ${rows} rows here, ${recordedRows} in the ledger`;
    for (const [index, metric] of metrics.entries()) {
      const recorded = sums[entry.metrics.indexOf(metric)];
      const column = columns.find(({ name }) => name === metric);
      if (recorded === undefined || recorded === null || column === undefined) continue;
      const sum = (row?.[`m${index}`] ?? '0') as string;
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
