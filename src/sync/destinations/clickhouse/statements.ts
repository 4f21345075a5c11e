import { type ColumnNeeds, typeOf } from '../../column-types.ts';
import { DAY_COLUMN, type PartitionSize } from '../../config.ts';

/** A name as SQL writes it. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/** A text as SQL writes it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Columns that every row has, with their types. */
const FIXED: ReadonlyMap<string, string> = new Map([
  ['domain_id', 'Int64'],
  ['domain', 'String'],
  [DAY_COLUMN, 'Date'],
]);

/** The type of a column. Flags are UInt8, because older servers have no Bool. */
export function columnType(column: ColumnNeeds): string {
  const fixed = FIXED.get(column.name);
  if (fixed !== undefined) return fixed;
  const type = typeOf(column);
  switch (type.kind) {
    case 'text':
      return 'Nullable(String)';
    case 'flag':
      return 'Nullable(UInt8)';
    case 'day':
      return 'Nullable(Date)';
    case 'integer':
      return 'Nullable(Int64)';
    case 'double':
      return 'Nullable(Float64)';
    case 'decimal':
      return `Nullable(Decimal(${type.precision}, ${type.scale}))`;
  }
}

const PARTITION_EXPRESSION: Readonly<Record<PartitionSize, string>> = {
  month: `(domain_id, toYYYYMM(${DAY_COLUMN}))`,
  day: `(domain_id, toYYYYMMDD(${DAY_COLUMN}))`,
};

/** How the tables of a sync are partitioned, as system.tables prints it. */
export function partitionExpression(size: PartitionSize): string {
  return PARTITION_EXPRESSION[size];
}

/** The value of a partition, as statements and system.parts (without the space) write it. */
export function partitionValue(domainId: number, partition: string): string {
  return `(${domainId}, ${partition.replaceAll('-', '')})`;
}

/** As system.parts prints the value of a partition. */
export function partitionName(domainId: number, partition: string): string {
  return `(${domainId},${partition.replaceAll('-', '')})`;
}

/** The statement that creates a table for rows, unless it exists. `table` is a quoted name. */
export function createTable(table: string, columns: readonly ColumnNeeds[], size: PartitionSize): string {
  const known = new Set(columns.map(({ name }) => name));
  const fixed = [...FIXED].filter(([name]) => !known.has(name));
  const definitions = [
    ...fixed.map(([name, type]) => `${quoteName(name)} ${type}`),
    ...columns.map(column => `${quoteName(column.name)} ${columnType(column)}`),
  ];
  return `CREATE TABLE IF NOT EXISTS ${table} (${definitions.join(', ')}) ENGINE = MergeTree PARTITION BY ${partitionExpression(size)} ORDER BY (domain_id, ${DAY_COLUMN})`;
}

/** What an existing table lacks: changes for one ALTER TABLE, and columns that become doubles. */
export interface Alterations {
  readonly changes: readonly string[];
  readonly toDouble: readonly ColumnNeeds[];
}

/** The changes that give a table its columns. `current` are its columns with their types. */
export function alterations(
  current: ReadonlyMap<string, string>,
  columns: readonly ColumnNeeds[],
): Alterations {
  const changes: string[] = [];
  const toDouble: ColumnNeeds[] = [];
  for (const column of columns) {
    const type = columnType(column);
    const before = current.get(column.name);
    if (before !== undefined && isSameType(before, type)) continue;
    changes.push(`${before === undefined ? 'ADD' : 'MODIFY'} COLUMN ${quoteName(column.name)} ${type}`);
    if (before !== undefined && type === 'Nullable(Float64)') toDouble.push(column);
  }
  return { changes, toDouble };
}

export function isSameType(one: string, other: string): boolean {
  return one.replaceAll(' ', '') === other.replaceAll(' ', '');
}

/**
 * The condition for the values of a decimal or integer column that a double does not represent with all their digits. Numbers of up to 15
 * digits are exact.
 */
export function lossyAsDouble(column: string, type: string): string {
  const name = quoteName(column);
  const [, precision, scale] = /Decimal\((\d+), ?(\d+)\)/.exec(type) ?? [];
  if (precision === undefined)
    return `abs(${name}) >= 1000000000000000 AND toInt64(toFloat64(${name})) != ${name}`;
  const digits = Math.max(0, 15 - Number(scale));
  const limit = `toDecimal128('1${'0'.repeat(digits)}', ${scale})`;
  return `(${name} >= ${limit} OR ${name} <= -${limit}) AND toDecimal128(toFloat64(${name}), ${scale}) != toDecimal128(${name}, ${scale})`;
}
