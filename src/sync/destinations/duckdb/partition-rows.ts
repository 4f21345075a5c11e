import { addDays, type DayRange } from '../../../apis/bda/days.ts';
import { quoteName, quoteText } from '../../../text/sql.ts';
import { type ColumnNeeds, sqlType, type TableSchema, typeOf } from '../../column-types.ts';
import { DAY_COLUMN, type PartitionSize } from '../../config.ts';
import { ExactSum } from '../../exact-sum.ts';
import type { LedgerEntry } from '../../ledger.ts';
import { daysOfPartition } from '../../partitions.ts';
import { differenceInDays, isSameDouble } from '../day-totals.ts';
import type { DuckDbSession } from './session.ts';
import { tableName } from './table-shape.ts';

/** The rows of one partition. */
export interface PartitionKey {
  readonly table: string;
  readonly domainId: number;
  readonly partition: string;
}

/** The characters of a day that name its partition. */
const KEY_LENGTH: Readonly<Record<PartitionSize, number>> = { month: 7, day: 10 };

/** `main.pages WHERE …`, to select or delete the rows of a partition. */
export function rowsOf(key: PartitionKey): string {
  return `${tableName(key.table)} WHERE ${isIn(key.domainId, daysOfPartition(key.partition))}`;
}

function isIn(domainId: number, { from, to }: DayRange): string {
  return `domain_id = ${domainId} AND ${quoteName(DAY_COLUMN)} BETWEEN ${quoteText(from)} AND ${quoteText(to)}`;
}

/** The condition for the rows of some partitions, with one range for those that follow each other. */
function isInAny(keys: readonly PartitionKey[]): string {
  const ranges: { domainId: number; days: DayRange }[] = [];
  const sorted = keys.toSorted(
    (one, other) => one.domainId - other.domainId || (one.partition < other.partition ? -1 : 1),
  );
  for (const key of sorted) {
    const { from, to } = daysOfPartition(key.partition);
    const last = ranges.at(-1);
    if (last?.domainId === key.domainId && addDays(last.days.to, 1) === from)
      last.days = { from: last.days.from, to };
    else ranges.push({ domainId: key.domainId, days: { from, to } });
  }
  return ranges.map(({ domainId, days }) => `(${isIn(domainId, days)})`).join(' OR ');
}

/** The longest line of rows that are not known to be longer. DuckDB reads the file in buffers of twice this size. */
const USUAL_LINE_BYTES = 1024 * 1024;
/** Room for the columns of the site, and for nulls. */
const LINE_MARGIN = 64 * 1024;

/** Files of lines, as a table of some columns of a schema. `longestRow` is the JSON of their longest row, in bytes, if that is long. */
export function csvOf(
  {
    paths,
    columns,
    longestRow,
  }: { readonly paths: readonly string[]; readonly columns: readonly string[]; readonly longestRow: number },
  schema: TableSchema,
): string {
  const types = new Map(schema.columns.map(column => [column.name, sqlType(column)]));
  const list = columns.map(name => `${quoteText(name)}: ${quoteText(types.get(name) ?? 'VARCHAR')}`);
  const line = Math.max(USUAL_LINE_BYTES, 2 * longestRow + LINE_MARGIN);
  const options = [
    'auto_detect = false',
    `columns = {${list.join(', ')}}`,
    'header = false',
    `delim = ','`,
    `quote = '"'`,
    `escape = '"'`,
    `new_line = '\\n'`,
    `nullstr = ''`,
    'allow_quoted_nulls = false',
    `max_line_size = ${line}`,
    `buffer_size = ${2 * line}`,
  ];
  return `read_csv([${paths.map(quoteText).join(', ')}], ${options.join(', ')})`;
}

/** The expression for the partition of a row. */
export function partitionOf(size: PartitionSize): string {
  return `left(${quoteName(DAY_COLUMN)}::VARCHAR, ${KEY_LENGTH[size]})`;
}

/**
 * The expression for a checksum of rows in any order, with the version of DuckDB: another one may compute other hashes. It shows
 * changes that leave all sums as they were.
 */
export function checksumOf({ columns }: TableSchema): string {
  const list = columns.map(({ name }) => quoteName(name)).join(', ');
  return `version() || ' ' || coalesce(sum(hash(${list})), 0)::VARCHAR`;
}

/** The checksum of a partition without rows, as an expression. */
export const NO_ROWS_CHECKSUM = `version() || ' 0'`;

/** A query for the checksums of some partitions of a table: `id`, `partition` and `checksum` of those with rows. */
export function checksumsOf(
  keys: readonly PartitionKey[],
  size: PartitionSize,
  { columns }: TableSchema,
): string {
  const list = columns.map(({ name }) => quoteName(name)).join(', ');
  const day = quoteName(DAY_COLUMN);
  // By days first, of which there are few: the text of a partition takes long to make.
  return `SELECT domain_id::VARCHAR AS id, ${partitionOf(size)} AS partition, version() || ' ' || sum(hashes)::VARCHAR AS checksum
    FROM (SELECT domain_id, ${day}, sum(hash(${list})) AS hashes FROM ${tableName(keys[0]?.table ?? '')}
          WHERE ${isInAny(keys)} GROUP BY domain_id, ${day})
    GROUP BY ALL`;
}

/** Totals of a day as a database returns them: text, so that no digit is lost. */
interface DayRow {
  readonly day: string;
  readonly rows: string;
  /** By metric: `m0`, `m1` and so on; null without values. See `sumIn`. */
  readonly [sum: `m${number}`]: string | null;
}

/** Of that many digits, a sum of as many rows as a file can have fits into the 128 bits of DuckDB's sums. */
const SAFE_DIGITS = 26;
/** Divides longer numbers into two parts of 19 digits. */
const PART = 10n ** 19n;

/**
 * The expression for the exact sum of a column, as text: a number or, for a decimal that is long, three: the sum of the values that are
 * short, and that of the high and of the low digits of the others, without a point. DuckDB rejects sums of more than 128 bits.
 */
function sumIn(column: ColumnNeeds): string {
  const [name, type] = [quoteName(column.name), typeOf(column)];
  if (type.kind !== 'decimal' || type.precision <= SAFE_DIGITS) return `sum(${name})::VARCHAR`;
  const { precision, scale } = type;
  const limit =
    scale > SAFE_DIGITS
      ? `0.${'1'.padStart(scale - SAFE_DIGITS, '0')}`
      : `1${'0'.repeat(SAFE_DIGITS - scale)}`;
  const isShort = `abs(${name}) < ${quoteText(limit)}::DECIMAL(${precision},${scale})`;
  const digits = `replace(${name}::VARCHAR, '.', '')::HUGEINT`;
  const parts = ['//', '%'].map(part => `CASE WHEN ${isShort} THEN 0 ELSE ${digits} ${part} ${PART} END`);
  const sums = [`CASE WHEN ${isShort} THEN ${name} END`, ...parts].map(
    values => `coalesce(sum(${values})::VARCHAR, '0')`,
  );
  return `concat_ws(' ', ${sums.join(', ')})`;
}

/** The sum that `sumIn` prints of a column, without zeros that its scale adds. */
function sumFrom(text: string, column: ColumnNeeds): string {
  const type = typeOf(column);
  const [short = '', high, low] = text.split(' ');
  if (high === undefined || low === undefined || type.kind !== 'decimal') return plainDecimal(text || '0');
  const sum = new ExactSum();
  sum.addText(plainDecimal(short));
  sum.addUnscaled(BigInt(high) * PART + BigInt(low), type.scale);
  return sum.digits() ?? '';
}

/** A decimal without the zeros that its scale adds, and with one before the point, where DuckDB omits it if all digits are after it. */
export function plainDecimal(digits: string): string {
  if (!digits.includes('.') || /e/i.test(digits)) return digits;
  return digits.replace(/^(-?)(?=\.)/, '$10').replace(/\.?0+$/, '');
}

/** What differs between the stored rows of a partition and its ledger entry; undefined if nothing does. */
export async function differenceInRows(
  session: DuckDbSession,
  key: PartitionKey,
  schema: TableSchema,
  { entry, checksum }: { readonly entry: LedgerEntry; readonly checksum: string | undefined },
): Promise<string | undefined> {
  const columns = entry.metrics.flatMap(
    metric => schema.columns.find(({ name, kind }) => name === metric && kind !== 'text') ?? [],
  );
  const metrics = columns.map(({ name }) => name);
  const sums = columns.map((column, index) => `, ${sumIn(column)} AS m${index}`);
  const days = await session.rows<DayRow>(
    `SELECT ${quoteName(DAY_COLUMN)}::VARCHAR AS day, count(*)::VARCHAR AS rows${sums.join('')}
     FROM ${rowsOf(key)} GROUP BY 1`,
  );
  const stored = new Map(
    days.map(day => [
      day.day,
      {
        rows: Number(day.rows),
        sums: columns.map((column, index) => sumFrom(day[`m${index}`] ?? '', column)),
      },
    ]),
  );
  const kinds = new Map(columns.map(column => [column.name, typeOf(column).kind]));
  const difference = differenceInDays(entry, metrics, stored, (metric, sum, recorded) =>
    kinds.get(metric) === 'double' ? isSameDouble(sum, recorded) : sum === recorded,
  );
  if (difference !== undefined || checksum === undefined) return difference;
  const [found] = await session.rows<{ checksum: string }>(
    `SELECT ${checksumOf(schema)} AS checksum FROM ${rowsOf(key)}`,
  );
  const versionOf = (text: string) => text.split(' ')[0];
  const isChanged = found !== undefined && found.checksum !== checksum;
  return isChanged && versionOf(found.checksum) === versionOf(checksum) ? 'its rows were changed' : undefined;
}
