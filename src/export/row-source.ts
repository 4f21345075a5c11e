import type { AheadOptions, RowStream } from '../http/gateway.ts';
import type { ErrorReader } from '../http/request.ts';
import { type Json, type JsonRecord, stringifyJson } from '../json/index.ts';
import type { Page, Plan } from './plan.ts';

/** Rows that an API returns page by page. */
export interface RowSource {
  /** The requested columns, in order; empty if the request names none. */
  readonly columns: readonly string[];
  /** The member of the response that contains the rows; undefined if the API does not document it. */
  readonly rowsName?: string;
  readonly readError: ErrorReader;
  /** Whether the API documents a total. */
  readonly hasTotal: boolean;
  /**
   * Requests a page. Throws the gateway's typed errors, after its retries. A request `ahead` of its turn is not retried, and
   * throws NoCapacityError if the server accepts no more requests.
   */
  open(page: Page, ahead?: AheadOptions): Promise<RowStream>;
  /** Total number of matching rows, from the JSON text of the members next to the rows. */
  total(metadata: ReadonlyMap<string, string>): number | undefined;
  /** Whether a page was the same as the one before it, and its rows were omitted. */
  repeatsPage?(): boolean;
}

const ROWS_A_CHUNK = 1_000;

/** A source of rows that were received already after some `skipped` ones, so that they are exported like those of a response. */
export function rowsInMemory(
  rows: readonly JsonRecord[],
  columns: readonly string[],
  skipped = 0,
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
    plan: { start: 0, pageSize: Math.max(1, rows.length), single: true, isWhole: true, skipped },
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
