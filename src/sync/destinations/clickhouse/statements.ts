import { quoteWithBackslashes } from '../../../text/sql.ts';
import { type ColumnNeeds, sqlType, type TypeNames } from '../../column-types.ts';
import { DAY_COLUMN, type PartitionSize } from '../../config.ts';

/** A name as SQL writes it. */
export function quoteName(name: string): string {
  return quoteWithBackslashes(name, '`');
}

/** A name for a statement that a user may type: in quotes only if it needs them. */
export function nameInSql(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : quoteName(name);
}

/** The name of a table of a database as SQL writes it. */
export function quoteTable(database: string, table: string): string {
  return `${quoteName(database)}.${quoteName(table)}`;
}

/** A text as SQL writes it. */
export function quoteText(text: string): string {
  return quoteWithBackslashes(text, "'");
}

/** Columns that every row has, with their types. */
const FIXED: ReadonlyMap<string, string> = new Map([
  ['domain_id', 'Int64'],
  ['domain', 'String'],
  [DAY_COLUMN, 'Date'],
]);

/** Flags are UInt8, because older servers have no Bool. */
export const TYPES: TypeNames = {
  text: 'Nullable(String)',
  flag: 'Nullable(UInt8)',
  day: 'Nullable(Date)',
  integer: 'Nullable(Int64)',
  double: 'Nullable(Float64)',
  decimal: (precision, scale) => `Nullable(Decimal(${precision}, ${scale}))`,
};
/** A flag whose text is that of JSON. */
const NAMED_FLAG = "Nullable(Enum8('false' = 0, 'true' = 1))";

/** The type of a column. */
function columnType(column: ColumnNeeds): string {
  return FIXED.get(column.name) ?? sqlType(column, TYPES);
}

const PARTITION_EXPRESSION: Readonly<Record<PartitionSize, string>> = {
  month: `(domain_id, toYYYYMM(${DAY_COLUMN}))`,
  day: `(domain_id, toYYYYMMDD(${DAY_COLUMN}))`,
};

/** What a cluster distributes the rows by: all rows of a site are on one shard. */
export const SHARDING_KEY = 'domain_id';

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

/** The statement that creates a table for rows, unless it exists. `table` is a quoted name, with ON CLUSTER where that is due. */
export function createTable(
  table: string,
  columns: readonly ColumnNeeds[],
  size: PartitionSize,
  engine = 'MergeTree',
): string {
  const known = new Set(columns.map(({ name }) => name));
  const fixed = [...FIXED].filter(([name]) => !known.has(name));
  const definitions = [
    ...fixed.map(([name, type]) => `${quoteName(name)} ${type}`),
    ...columns.map(column => `${quoteName(column.name)} ${columnType(column)}`),
  ];
  return `CREATE TABLE IF NOT EXISTS ${table} (${definitions.join(', ')}) ENGINE = ${engine} PARTITION BY ${partitionExpression(size)} ORDER BY (domain_id, ${DAY_COLUMN})`;
}

/** What an existing table lacks: changes for an ALTER TABLE each, in order, and numbers that become doubles or text. */
interface Alterations {
  readonly steps: readonly (readonly string[])[];
  readonly toDouble: readonly ColumnNeeds[];
  readonly toText: readonly ColumnNeeds[];
}

/**
 * The changes that give a table its columns. `current` are its columns with their types, which may be wider after an interrupted change.
 * A flag that becomes text gets names before, so that its text is `true` or `false` instead of 1 or 0. A double remains one: as a decimal
 * it would lose digits. Each step may be interrupted and run again.
 */
export function alterations(
  current: ReadonlyMap<string, string>,
  columns: readonly ColumnNeeds[],
): Alterations {
  const named: string[] = [];
  const changes: string[] = [];
  const toDouble: ColumnNeeds[] = [];
  const toText: ColumnNeeds[] = [];
  for (const column of columns) {
    const type = columnType(column);
    const before = current.get(column.name);
    if (before !== undefined && isSameType(before, type)) continue;
    if (before === TYPES.double && column.kind === 'number') continue;
    const name = quoteName(column.name);
    if ((before === TYPES.flag && type === TYPES.text) || (before === TYPES.text && type === TYPES.flag))
      named.push(`MODIFY COLUMN ${name} ${NAMED_FLAG}`);
    changes.push(`${before === undefined ? 'ADD' : 'MODIFY'} COLUMN ${name} ${type}`);
    if (before !== undefined && type === TYPES.double) toDouble.push(column);
    if (before?.includes('Decimal(') && type === TYPES.text) toText.push(column);
  }
  return { steps: [named, changes].filter(step => step.length > 0), toDouble, toText };
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
  const scale = scaleOf(type);
  if (scale === undefined)
    return `abs(${name}) >= 1000000000000000 AND toInt64(toFloat64(${name})) != ${name}`;
  return `${isLonger(column, scale, 15)} AND toDecimal128(toFloat64(${name}), ${scale}) != toDecimal128(${name}, ${scale})`;
}

/** The condition for the values of a decimal column that old versions convert to text wrongly: those that exceed 64 bits. */
export function wrongAsText(column: string, type: string): string {
  return isLonger(column, scaleOf(type) ?? 0, 18);
}

function scaleOf(type: string): number | undefined {
  const [, scale] = /Decimal\(\d+, ?(\d+)\)/.exec(type) ?? [];
  return scale === undefined ? undefined : Number(scale);
}

/** The condition for the values of a decimal column with more than some digits. */
function isLonger(column: string, scale: number, digits: number): string {
  const name = quoteName(column);
  const limit = `toDecimal128('1${'0'.repeat(Math.max(0, digits - scale))}', ${scale})`;
  return `(${name} >= ${limit} OR ${name} <= -${limit})`;
}
