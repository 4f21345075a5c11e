import type { SandboxReply } from '../../routing.ts';
import { type Column, CURRENCY, REVENUE_DECIMALS } from '../columns.ts';
import { decimalText, roundUnits } from './decimal.ts';
import type { Cell, Row, RowQuery } from './run-query.ts';

/** Approximate size of a chunk. */
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
        roundUnits(cell as number | bigint, decimals, revenueDecimals),
        Math.min(decimals, revenueDecimals),
      );
  }
  return cell => decimalText(cell as number | bigint, decimals);
}

/** Encodes rows as JSON with all digits; the label of v1 comes first, as `segment`. */
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

/** Joins head, rows (separated by commas) and tail, in chunks. */
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

const HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/**
 * A response with a JSON document in chunks. A single chunk is sent with its length, several are streamed.
 *
 * @param ended called once all chunks are produced, one fails, or the consumer stops
 */
export function streamedJson(chunks: Iterable<Uint8Array>, ended: () => void = () => {}): SandboxReply {
  const source = chunks[Symbol.iterator]();
  const ahead = [source.next(), source.next()];
  const [first, second] = ahead;
  if (second?.done) {
    ended();
    return { status: 200, headers: HEADERS, body: first?.done ? '' : first?.value };
  }
  const end = (): IteratorResult<Uint8Array> => {
    ended();
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      try {
        const step = ahead.shift() ?? source.next();
        return step.done ? end() : step;
      } catch (error) {
        ended();
        throw error;
      }
    },
    return: async () => {
      ahead.length = 0;
      source.return?.();
      return end();
    },
  };
  return { status: 200, headers: HEADERS, body: { [Symbol.asyncIterator]: () => iterator } };
}
