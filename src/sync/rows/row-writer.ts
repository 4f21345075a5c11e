import type { ByteBuffer } from '../../export/transcode/byte-buffer.ts';
import type { Layout } from '../../export/transcode/columns.ts';
import type { Row } from '../../export/transcode/row.ts';
import type { ColumnNeeds } from '../column-types.ts';
import type { SyncTable } from '../config.ts';
import type { SyncDomain } from '../plan.ts';
import type { RowCounts } from './row-counts.ts';

/** How the rows of a partition are written when they arrive: as objects of a JSON array, or as lines of cells. */
export type RowForm = 'json' | 'csv' | 'tsv';

/** Whose rows are written, and what for. */
export interface RowWriterOptions {
  readonly table: SyncTable;
  readonly domain: SyncDomain;
  /** The columns of the rows: the day, dimensions and metrics. */
  readonly columns: readonly string[];
  /** The kinds of columns that the table of the destination has. */
  readonly kinds: ReadonlyMap<string, ColumnNeeds['kind']>;
  /** Where the rows go, as messages name it. */
  readonly target: string;
  /** Rejects texts with the character NUL. */
  readonly rejectsNul: boolean;
  /** Writes lines without the columns of the site. */
  readonly omitsSite: boolean;
}

/** Writes rows one by one, with the columns of the site unless they are omitted. */
export interface RowWriter {
  /** The columns of the site: cells before a line, or members behind those of a row. */
  readonly site: Uint8Array;
  /** Appends a row; its metrics are numbers, quoted or not. Throws UnrepresentableValueError. */
  write(out: ByteBuffer, row: Row, layout: Layout, counts: RowCounts): void;
}
