import type { ByteBuffer } from './byte-buffer.ts';
import type { Layout } from './columns.ts';
import type { Row } from './row.ts';
import type { RowEncoder } from './row-encoder.ts';
import { utf8Bytes } from './utf8.ts';

/** Writes the cells of one dialect. */
export interface CellWriter {
  /** Appends the JSON value `[from, to)` of `text` as a cell. The caller has made room for twice its length plus three bytes. */
  write(out: ByteBuffer, text: DataView, from: number, to: number): void;
}

interface DelimitedDialect {
  readonly delimiter: number;
  readonly lineEnd: string;
  readonly byteOrderMark: boolean;
  /** Replaces an empty line, which readers would skip. */
  readonly emptyLine: string;
  readonly cells: CellWriter;
}

/** csv and tsv: a header line, then one line per row. */
export class DelimitedRows implements RowEncoder {
  readonly #columns: readonly string[];
  readonly #delimiter: number;
  readonly #cells: CellWriter;
  readonly #lineEnd: DataView;
  readonly #emptyLine: DataView;
  readonly #byteOrderMark: boolean;

  constructor(columns: readonly string[], dialect: DelimitedDialect) {
    this.#columns = columns;
    this.#delimiter = dialect.delimiter;
    this.#cells = dialect.cells;
    this.#lineEnd = utf8Bytes(dialect.lineEnd);
    this.#emptyLine = utf8Bytes(dialect.emptyLine);
    this.#byteOrderMark = dialect.byteOrderMark;
  }

  open(out: ByteBuffer): void {
    if (this.#columns.length === 0) return;
    if (this.#byteOrderMark) append(out, utf8Bytes('\ufeff'));
    this.#columns.forEach((name, column) => {
      const value = utf8Bytes(JSON.stringify(name));
      out.reserve(2 * value.byteLength + 4);
      if (column > 0) out.put(this.#delimiter);
      this.#cells.write(out, value, 0, value.byteLength);
    });
    append(out, this.#lineEnd);
  }

  row(out: ByteBuffer, row: Row, layout: Layout): void {
    const { fieldOf } = layout;
    out.reserve(2 * (row.to - row.from) + 4 * fieldOf.length + 4);
    const start = out.length;
    for (let column = 0; column < fieldOf.length; column++) {
      if (column > 0) out.put(this.#delimiter);
      const field = fieldOf[column] as number;
      if (field >= 0)
        this.#cells.write(out, row.text, row.valueFrom[field] as number, row.valueTo[field] as number);
    }
    if (out.length === start) append(out, this.#emptyLine);
    append(out, this.#lineEnd);
  }

  close(): void {}
}

function append(out: ByteBuffer, bytes: DataView): void {
  out.reserve(bytes.byteLength);
  out.copy(bytes, 0, bytes.byteLength);
}
