import { createHash } from 'node:crypto';
import { quoteName } from '../../../text/sql.ts';
import { type ColumnNeeds, sqlType, type TypeNames } from '../../column-types.ts';
import { DAY_COLUMN } from '../../config.ts';
import { daysOfPartition } from '../../partitions.ts';

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

/** The condition for the rows of a partition of the sync, with the values of its parameters. */
export function rowsOf(domainId: number, partition: string): readonly [condition: string, values: unknown[]] {
  const { from, to } = daysOfPartition(partition);
  return [`domain_id = $1 AND ${quoteName(DAY_COLUMN)} BETWEEN $2 AND $3`, [domainId, from, to]];
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
