import { COMMA, OPEN_OBJECT, QUOTE } from '../../export/transcode/ascii.ts';
import type { ByteBuffer } from '../../export/transcode/byte-buffer.ts';
import type { Layout } from '../../export/transcode/columns.ts';
import { writeCompact } from '../../export/transcode/json-text.ts';
import type { Row } from '../../export/transcode/row.ts';
import type { RowWriter, RowWriterOptions } from './row-writer.ts';

const SPACE = 0x20;
/** Room for a comma and a bracket. */
const MARGIN = 2;

interface Column {
  /** `"name":` */
  readonly prefix: Uint8Array;
  readonly isMetric: boolean;
}

/** Writes rows as objects, each after a comma. Metrics in quotes become numbers. */
export class ObjectWriter implements RowWriter {
  readonly site: Uint8Array;
  readonly #columns: readonly Column[];

  constructor({ table, domain, columns }: RowWriterOptions) {
    this.site = Buffer.from(`,"domain_id":${domain.id},"domain":${JSON.stringify(domain.name)}}`);
    this.#columns = columns.map(name => ({
      prefix: Buffer.from(`${JSON.stringify(name)}:`),
      isMetric: table.metrics.includes(name),
    }));
  }

  write(out: ByteBuffer, row: Row, layout: Layout): void {
    out.reserve(MARGIN + row.to - row.from);
    out.put(COMMA);
    if (row.isArray || !row.isCompact) this.#writeColumns(out, row, layout);
    else this.#copy(out, row, layout);
    out.append(this.site);
  }

  /** Copies a row without its closing bracket. */
  #copy(out: ByteBuffer, { text, from, to, valueFrom, valueTo }: Row, { fieldOf }: Layout): void {
    // Where the bytes of the row go.
    const shift = out.length - from;
    out.copy(text, from, to - 1);
    for (const [column, { isMetric }] of this.#columns.entries()) {
      const field = fieldOf[column] as number;
      if (field < 0 || !isMetric) continue;
      const [start, end] = [valueFrom[field] as number, valueTo[field] as number];
      if (text.getUint8(start) !== QUOTE) continue;
      out.view.setUint8(start + shift, SPACE);
      out.view.setUint8(end - 1 + shift, SPACE);
    }
  }

  /** Writes the columns of an array, or of an object with white space, which would be part of nested values. */
  #writeColumns(out: ByteBuffer, { text, valueFrom, valueTo }: Row, { fieldOf }: Layout): void {
    out.put(OPEN_OBJECT);
    let isFirst = true;
    for (const [column, { prefix, isMetric }] of this.#columns.entries()) {
      const field = fieldOf[column] as number;
      if (field < 0) continue;
      let [from, to] = [valueFrom[field] as number, valueTo[field] as number];
      if (isMetric && text.getUint8(from) === QUOTE) [from, to] = [from + 1, to - 1];
      out.reserve(MARGIN + to - from);
      if (!isFirst) out.put(COMMA);
      isFirst = false;
      out.append(prefix);
      out.reserve(MARGIN + to - from);
      writeCompact(out, text, from, to);
    }
  }
}
