import { type Json, type JsonRecord, stringifyJson } from '../json/index.ts';
import type { Plan } from './plan.ts';
import type { RowSource } from './row-source.ts';

const ROWS_A_CHUNK = 1_000;

/** A source of rows that were received already, so that they are exported like those of a response. */
export function rowsInMemory(
  rows: readonly JsonRecord[],
  columns: readonly string[],
): { readonly source: RowSource; readonly plan: Plan } {
  return {
    source: {
      columns,
      readError: () => undefined,
      open: async () => ({
        headers: {},
        body: jsonOf(rows),
        request: { method: 'GET', path: '', origin: '' },
      }),
      hasTotal: true,
      total: () => rows.length,
    },
    plan: { start: 0, pageSize: Math.max(1, rows.length), single: true },
  };
}

/** The bytes of rows as one JSON array, in pieces. */
export async function* jsonOf(rows: readonly JsonRecord[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('[');
  for (let from = 0; from < rows.length; from += ROWS_A_CHUNK) {
    const texts = rows.slice(from, from + ROWS_A_CHUNK).map((row: Json) => stringifyJson(row));
    yield encoder.encode((from === 0 ? '' : ',') + texts.join(','));
  }
  yield encoder.encode(']');
}
