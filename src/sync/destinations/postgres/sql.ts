import { createHash } from 'node:crypto';
import { addDays, addMonths, type Day } from '../../../apis/bda/days.ts';
import { type ColumnNeeds, sqlType, type TypeNames } from '../../column-types.ts';

/** Bytes of a name; longer ones would be cut. */
export const MAX_NAME_BYTES = 63;

/**
 * Numbers with decimals have no declared precision, so that a table is not rewritten, and its readers do not wait, when later values have
 * more digits; `numeric` keeps all of them.
 */
export const TYPES: TypeNames = {
  text: 'text',
  flag: 'boolean',
  day: 'date',
  integer: 'bigint',
  double: 'numeric',
  decimal: () => 'numeric',
};

/** The type of a column. */
export function columnType(column: ColumnNeeds): string {
  return sqlType(column, TYPES);
}

/** The days from `from` up to, but not including, `until`. */
interface Days {
  readonly from: Day;
  readonly until: Day;
}

/** The days of a partition of the sync: a month or a day. */
export function daysOfKey(key: string): Days {
  if (key.length > '2026-03'.length) return { from: key, until: addDays(key, 1) };
  const from = `${key}-01`;
  return { from, until: addMonths(from, 1) };
}

/** The partition of a table, one for each month, that holds the rows of a partition of the sync. */
export function monthOfKey(key: string): string {
  return key.slice(0, 7);
}

/** The name of a month of a table. The underscore in front keeps it apart from the tables of a sync file. */
export function monthTable(table: string, month: string): string {
  const name = `_${table}_${month.replace('-', '_')}`;
  if (name.length <= MAX_NAME_BYTES) return name;
  const hash = createHash('sha256').update(table).digest('hex').slice(0, 8);
  return `_${table.slice(0, 44)}_${hash}_${month.replace('-', '_')}`;
}

/** A key for an advisory lock. */
export function lockKey(...parts: readonly (string | number)[]): string {
  return String(
    createHash('sha256')
      .update(['gatectl', ...parts].join('\0'))
      .digest()
      .readBigInt64BE(),
  );
}
