import { type Column, CURRENCY, REVENUE_DECIMALS } from '../columns.ts';
import type { Cell, Row, RowQuery } from './ask.ts';
import { decimalText, rounded } from './decimal.ts';

/** Bytes after which a chunk is handed on. */
export const CHUNK_BYTES = 65_536;

type Encode = (cell: Cell) => string;

function encoderOf(column: Column, revenueDecimals: number): Encode {
  if (column.type !== 'number') return cell => JSON.stringify(cell);
  const decimals = column.role === 'metric' ? column.decimals : undefined;
  const isRevenue = column.unit === CURRENCY && revenueDecimals < REVENUE_DECIMALS;
  if (decimals === undefined)
    return isRevenue ? cell => Number(cell).toFixed(revenueDecimals) : cell => String(cell);
  if (isRevenue) {
    return cell =>
      decimalText(
        rounded(cell as number | bigint, decimals, revenueDecimals),
        Math.min(decimals, revenueDecimals),
      );
  }
  return cell => decimalText(cell as number | bigint, decimals);
}

/** The JSON texts of rows, digits kept; v1's label comes first, under `segment`. */
export function* encodedRows(
  rows: Iterable<Row>,
  rowQuery: RowQuery,
  revenueDecimals: number = REVENUE_DECIMALS,
): Generator<string> {
  const labelled = rowQuery.parts.some(part => part.label !== undefined);
  const cells = [...rowQuery.dimensions, ...rowQuery.metrics].map((column, position) => ({
    key: `c${position}`,
    name: JSON.stringify(column.name),
    encode: encoderOf(column, revenueDecimals),
  }));
  for (const row of rows) {
    const fields = cells.map(({ key, name, encode }) => {
      const cell = row[key] ?? null;
      return `${name}:${cell === null ? 'null' : encode(cell)}`;
    });
    if (labelled) fields.unshift(`"segment":${JSON.stringify(row.label)}`);
    yield `{${fields.join(',')}}`;
  }
}

/** Cuts a document with a list of rows into chunks: head, rows with commas between them, tail. */
export function* documentChunks(head: string, rows: Iterable<string>, tail: string): Generator<Buffer> {
  let text = head;
  let comma = '';
  for (const row of rows) {
    text += comma + row;
    comma = ',';
    if (text.length >= CHUNK_BYTES) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text + tail);
}
