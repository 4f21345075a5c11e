import { queryRows } from '../apis/bda-v2/query-rows.ts';
import { InvalidResponseError } from '../errors/index.ts';
import { exportRows } from '../export/export-rows.ts';
import type { Plan } from '../export/plan.ts';
import type { RowSource } from '../export/row-source.ts';
import { streamSink } from '../export/sink.ts';
import type { Sender } from '../http/sender.ts';
import { InvalidJsonError, type Json, parseJson } from '../json/index.ts';
import { BatchedRows, type Limits } from './batched-rows.ts';
import type { QueryRows } from './bda.ts';
import { Channel } from './channel.ts';
import type { Connection } from './connection.ts';
import { conversionOf, withNumbers } from './numbers.ts';
import type { RowsOptions } from './rows.ts';

/** What is requested, and how. */
interface RowsRequest {
  readonly source: (sender: Sender) => RowSource;
  readonly plan: Plan;
  /** Called after the last row; may throw. */
  readonly finish?: () => void;
}

/** Rows that are streamed, in pages of which several are in flight. */
export class RequestedRows<Row> extends BatchedRows<Row> {
  readonly #connection: Connection;
  readonly #request: RowsRequest;
  readonly #options: RowsOptions;

  constructor(connection: Connection, request: RowsRequest, options: RowsOptions) {
    super(connection, options);
    this.#connection = connection;
    this.#request = request;
    this.#options = options;
  }

  protected override async *read({ sender, signal }: Limits, leave: () => void) {
    const { clock, settings } = this.#connection;
    const chunks = new Channel<Uint8Array>(signal);
    const convert = conversionOf(this.#options.numbers ?? 'string');
    const exported = exportRows({
      source: this.#request.source(sender),
      plan: this.#request.plan,
      encoding: { format: 'ndjson', dialect: 'rfc4180' },
      openSink: async () => streamSink(chunk => chunks.send(chunk)),
      clock,
      signal,
      retries: this.#options.retries ?? settings.retries,
      onRows: () => {},
      onPage: async () => {},
    }).finally(() => chunks.close());
    // It is awaited at the end; until then it must not count as unhandled.
    exported.catch(() => {});
    try {
      for await (const chunk of chunks) yield rowsIn(chunk, convert) as Row[];
      return (await exported).stats;
    } finally {
      leave();
      await exported.catch(() => {});
    }
  }

  protected override finished(): void {
    this.#request.finish?.();
  }
}

/** The rows of a v2 query. */
export const STREAMED_ROWS: QueryRows = {
  open: (connection, site, { sent, plan, isPaged }, options) =>
    new RequestedRows(
      connection,
      { source: sender => queryRows(sender, site, sent, { paged: isPaged }), plan },
      options,
    ),
};

/** The rows of complete lines of JSON. */
function rowsIn(chunk: Uint8Array, convert: (digits: string) => unknown): unknown[] {
  const lines = new TextDecoder().decode(chunk).split('\n');
  return lines.filter(line => line !== '').map(line => withNumbers(parseRow(line), convert));
}

function parseRow(line: string): Json {
  try {
    return parseJson(line);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new InvalidResponseError(`cannot parse a row: ${error.message}`, {
      code: 'malformed_rows',
      cause: error,
    });
  }
}
