import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, LF, OPEN_ARRAY, OPEN_OBJECT } from './ascii.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import type { Layout } from './columns.ts';
import { writeCompact } from './json-text.ts';
import type { Row } from './row.ts';
import type { RowEncoder } from './row-encoder.ts';
import { utf8Bytes } from './utf8.ts';

/** Room for the brackets, commas and line ends of a row. */
const AROUND = 8;

/** The JSON text of each row on one line, without insignificant white space. With columns, arrays become objects. */
class JsonTextWriter {
  /** For each column, `"name":`. */
  readonly #prefixes: readonly DataView[];

  constructor(columns: readonly string[]) {
    this.#prefixes = columns.map(prefixOf);
  }

  write(out: ByteBuffer, row: Row): void {
    out.reserve(row.to - row.from + AROUND);
    if (row.isArray && this.#prefixes.length > 0) this.#writeArrayAsObject(out, row);
    else if (row.isCompact) out.copy(row.text, row.from, row.to);
    else writeCompact(out, row.text, row.from, row.to);
  }

  #writeArrayAsObject(out: ByteBuffer, row: Row): void {
    out.put(OPEN_OBJECT);
    for (let field = 0; field < row.fieldCount; field++) {
      const prefix = this.#prefixes[field] ?? prefixOf(row.fieldName(field));
      const from = row.valueFrom[field] as number;
      const to = row.valueTo[field] as number;
      out.reserve(prefix.byteLength + to - from + AROUND);
      if (field > 0) out.put(COMMA);
      out.copy(prefix, 0, prefix.byteLength);
      writeCompact(out, row.text, from, to);
    }
    out.put(CLOSE_OBJECT);
  }
}

/** ndjson: one row per line. */
export class NdjsonRows implements RowEncoder {
  readonly #writer: JsonTextWriter;

  constructor(columns: readonly string[]) {
    this.#writer = new JsonTextWriter(columns);
  }

  open(): void {}

  row(out: ByteBuffer, row: Row): void {
    this.#writer.write(out, row);
    out.put(LF);
  }

  close(): void {}
}

/** json: one array, with one row per line. */
export class JsonRows implements RowEncoder {
  readonly #writer: JsonTextWriter;

  constructor(columns: readonly string[]) {
    this.#writer = new JsonTextWriter(columns);
  }

  open(out: ByteBuffer): void {
    out.reserve(AROUND);
    out.put(OPEN_ARRAY);
  }

  row(out: ByteBuffer, row: Row, _layout: Layout, isFirst: boolean): void {
    out.reserve(AROUND);
    if (!isFirst) out.put(COMMA);
    out.put(LF);
    this.#writer.write(out, row);
  }

  close(out: ByteBuffer, isEmpty: boolean): void {
    out.reserve(AROUND);
    if (!isEmpty) out.put(LF);
    out.put(CLOSE_ARRAY);
    out.put(LF);
  }
}

function prefixOf(name: string): DataView {
  return utf8Bytes(`${JSON.stringify(name)}:`);
}
