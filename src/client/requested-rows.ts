import { GatectlError, InvalidResponseError, PartialError, UsageError } from '../errors/index.ts';
import { completenessOf, type ExportStats } from '../export/export-audit.ts';
import { exportRows } from '../export/export-rows.ts';
import type { Plan } from '../export/plan.ts';
import type { RowSource } from '../export/row-source.ts';
import { streamSink } from '../export/sink.ts';
import type { Sender } from '../http/sender.ts';
import { InvalidJsonError, type Json, parseJson } from '../json/index.ts';
import { Channel } from './channel.ts';
import type { Connection } from './connection.ts';
import { conversionOf, withNumbers } from './numbers.ts';
import type { Rows, RowsOptions, RowsStats } from './rows.ts';

/** What is requested, and how. */
interface RowsRequest {
  readonly source: (sender: Sender) => RowSource;
  readonly plan: Plan;
  /** Called after the last row; may throw. */
  readonly finish?: () => void;
}

export class RequestedRows<Row> implements Rows<Row> {
  readonly #connection: Connection;
  readonly #request: RowsRequest;
  readonly #options: RowsOptions;
  #isStarted = false;
  #stats: RowsStats | undefined;
  #limits: ReturnType<Connection['limits']> | undefined;

  constructor(connection: Connection, request: RowsRequest, options: RowsOptions) {
    this.#connection = connection;
    this.#request = request;
    this.#options = options;
  }

  get stats(): RowsStats | undefined {
    return this.#stats;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    for await (const batch of this.batches()) {
      for (const row of batch) {
        this.#limits?.throwIfAborted();
        yield row;
      }
    }
  }

  async toArray(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const batch of this.batches()) for (const row of batch) rows.push(row);
    return rows;
  }

  async *batches(): AsyncGenerator<readonly Row[]> {
    if (this.#isStarted) throw new UsageError('the rows have already been read; request them again');
    this.#isStarted = true;
    const { clock, settings } = this.#connection;
    const left = new AbortController();
    const limits = this.#connection.limits(this.#options, left.signal);
    this.#limits = limits;
    const { signal } = limits;
    const chunks = new Channel<Uint8Array>(signal);
    const convert = conversionOf(this.#options.numbers ?? 'string');
    const exported = exportRows({
      source: this.#request.source(limits.sender),
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
      const { stats } = await exported;
      this.#finish(stats);
    } catch (error) {
      throw this.#connection.redactError(limits.typed(error));
    } finally {
      left.abort(new Error('the rows are no longer needed'));
      await exported.catch(() => {});
      limits.release();
    }
  }

  #finish(stats: ExportStats): void {
    const { isComplete, isContradictory, flaws: warnings } = completenessOf(stats);
    this.#stats = { rows: stats.rows, total: stats.lastTotal, complete: isComplete, warnings };
    for (const warning of warnings) this.#connection.warn(warning);
    this.#request.finish?.();
    if (isContradictory || (this.#options.strict && !isComplete))
      throw new PartialError(`the rows are not complete: ${warnings.join('; ')}`, {
        code: 'rows_incomplete',
      });
  }
}

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

/** Checks the options that requests depend on. Throws UsageError. */
export function checkRowsOptions({ numbers, pageSize, pagesInFlight }: RowsOptions, mostRows: number): void {
  if (numbers !== undefined && numbers !== 'string' && numbers !== 'bigint' && typeof numbers !== 'function')
    throw new UsageError("numbers must be 'string', 'bigint' or a function", { code: 'invalid_value' });
  checkCount('pageSize', pageSize, mostRows);
  checkCount('pagesInFlight', pagesInFlight, 64);
}

function checkCount(name: string, value: number | undefined, most: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)) return;
  throw new UsageError(`${name} must be an integer from 1 to ${most}`, { code: 'invalid_value' });
}

/** A request's value as JSON. Throws UsageError for one that JSON cannot express. */
export function requestOf<Request>(value: Request, convert: (value: Request) => Json): Json {
  try {
    return convert(value);
  } catch (error) {
    if (error instanceof GatectlError || !(error instanceof TypeError)) throw error;
    throw new UsageError(error.message, { code: 'invalid_request' });
  }
}
