import type { ByteBuffer } from './byte-buffer.ts';
import type { Layout } from './columns.ts';
import type { Row } from './row.ts';

/** Writes the rows of all pages as one document of a format. */
export interface RowEncoder {
  /** Writes what precedes the first row, also in an export without rows. */
  open(out: ByteBuffer): void;
  row(out: ByteBuffer, row: Row, layout: Layout, isFirst: boolean): void;
  close(out: ByteBuffer, isEmpty: boolean): void;
}
