import type { CallOptions } from './options.ts';
import type { Numbers } from './values.ts';

export interface RowsOptions<Choice extends Numbers = Numbers> extends CallOptions {
  /** How numbers are returned; their digits as strings by default. */
  readonly numbers?: Choice;
  /** Rows per request where all rows are fetched. */
  readonly pageSize?: number;
  /** Maximum pages in flight where all rows are fetched; 4 by default. */
  readonly pagesInFlight?: number;
  /** Throws PartialError at the end for anything that `stats.warnings` would list. */
  readonly strict?: boolean;
}

/** Available after all rows were read. */
export interface RowsStats {
  readonly rows: number;
  /** How many rows match, according to the last response; undefined if the API reports no total. */
  readonly total: number | undefined;
  /** Whether these are all rows, or as many as the request limits them to. */
  readonly complete: boolean;
  /** Whether rows are missing, repeat or lack columns. */
  readonly warnings: readonly string[];
}

/**
 * Rows that are requested while they are read. Iterate once: over single rows, or over `batches()`, which is faster for millions.
 * Leaving a loop ends the requests. At the end it throws PartialError for rows that contradict the request.
 */
export interface Rows<Row> extends AsyncIterable<Row> {
  /** The rows in groups, as they arrive. */
  batches(): AsyncIterable<readonly Row[]>;
  /** All rows in memory. */
  toArray(): Promise<Row[]>;
  /** Undefined until all rows were read. */
  readonly stats: RowsStats | undefined;
}
