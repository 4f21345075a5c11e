import { PartialError, UsageError } from '../errors/index.ts';
import { completenessOf, type ExportStats } from '../export/export-audit.ts';
import type { Connection } from './connection.ts';
import type { Rows, RowsOptions, RowsStats } from './rows.ts';

/** What a call may do, and what ends it. */
export type Limits = ReturnType<Connection['limits']>;

/** Rows that are read once, in batches, within the limits of a call. */
export abstract class BatchedRows<Row> implements Rows<Row> {
  readonly #connection: Connection;
  readonly #options: RowsOptions;
  #isStarted = false;
  #stats: RowsStats | undefined;
  #limits: Limits | undefined;

  constructor(connection: Connection, options: RowsOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Reads the rows, and returns what shows whether they are complete. `leave` ends requests whose rows are no longer needed. */
  protected abstract read(
    limits: Limits,
    leave: () => void,
  ): AsyncGenerator<readonly Row[], ExportStats, undefined>;

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
    const left = new AbortController();
    const limits = this.#connection.limits(this.#options, left.signal);
    this.#limits = limits;
    try {
      const leave = () => left.abort(new Error('the rows are no longer needed'));
      this.#finish(yield* this.read(limits, leave));
    } catch (error) {
      throw this.#connection.redactError(limits.typed(error));
    } finally {
      limits.release();
    }
  }

  /** Called after the last row; may throw. */
  protected finished(): void {}

  #finish(stats: ExportStats): void {
    const { isComplete, isContradictory, flaws: warnings } = completenessOf(stats);
    this.#stats = { rows: stats.rows, total: stats.lastTotal, complete: isComplete, warnings };
    for (const warning of warnings) this.#connection.warn(warning);
    this.finished();
    if (isContradictory || (this.#options.strict && !isComplete))
      throw new PartialError(`the rows are not complete: ${warnings.join('; ')}`, {
        code: 'rows_incomplete',
      });
  }
}
