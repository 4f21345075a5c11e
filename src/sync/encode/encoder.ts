import type { FoundColumn } from '../../export/parquet/found-types.ts';
import type { TableSchema } from '../column-types.ts';

/** The form in which a destination takes the rows of a partition. */
export type Encoding = 'parquet' | 'tsv';

/** How an encoder writes rows. */
export interface EncoderOptions {
  /** The file to write. */
  readonly path: string;
  readonly rowsPath: string;
  /** Where the rows go, as messages name it. */
  readonly target: string;
  /** Whether the destination cannot store texts with the character NUL. */
  readonly rejectsNul: boolean;
  /** The first and the last day that the destination can store; undefined for no limit. */
  readonly calendar: readonly [first: string, last: string] | undefined;
  /** Whether it keeps numbers with more digits than decimals and doubles have. */
  readonly keepsAllDigits: boolean;
  /** The columns of the file, in order. */
  readonly columns: readonly string[];
  /** Those that are numeric, even if they are empty. */
  readonly metrics: readonly string[];
  /** Gets what a look at all values found, and resolves to the types of the table, which are wide enough for it. */
  readonly pin: (found: readonly FoundColumn[]) => Promise<TableSchema>;
  readonly signal: AbortSignal;
}

/** Writes the rows of a partition, the same bytes for the same rows and types; resolves to the length of the file in bytes. */
export type Encoder = (options: EncoderOptions) => Promise<number>;
