import type { ByteBuffer } from './byte-buffer.ts';
import type { Layout } from './columns.ts';
import type { Row } from './row.ts';

/** One output format: one document, of the rows of all pages. */
export interface RowEncoder {
  /** What stands before the first row, and what an export without rows has as well. */
  open(out: ByteBuffer): void;
  row(out: ByteBuffer, row: Row, layout: Layout, isFirst: boolean): void;
  close(out: ByteBuffer, isEmpty: boolean): void;
}
