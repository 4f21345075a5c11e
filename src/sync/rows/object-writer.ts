import { COMMA, QUOTE } from '../../export/transcode/ascii.ts';
import type { ByteBuffer } from '../../export/transcode/byte-buffer.ts';
import type { Layout } from '../../export/transcode/columns.ts';
import type { Row } from '../../export/transcode/row.ts';
import type { RowWriter, RowWriterOptions } from './row-writer.ts';

const SPACE = 0x20;

/** Writes rows as objects, each after a comma. */
export class ObjectWriter implements RowWriter {
  readonly site: Uint8Array;
  /** The places of the metrics among the columns. */
  readonly #metrics: readonly number[];

  constructor({ table, domain, columns }: RowWriterOptions) {
    this.site = Buffer.from(`,"domain_id":${domain.id},"domain":${JSON.stringify(domain.name)}}`);
    this.#metrics = [...columns.keys()].filter(column => table.metrics.includes(columns[column] ?? ''));
  }

  /** Metrics in quotes become numbers. */
  write(out: ByteBuffer, { text, from, to, valueFrom, valueTo }: Row, { fieldOf }: Layout): void {
    out.reserve(1 + to - from);
    out.put(COMMA);
    // Where the bytes of the row go.
    const shift = out.length - from;
    out.copy(text, from, to - 1);
    out.append(this.site);
    for (const column of this.#metrics) {
      const field = fieldOf[column] as number;
      if (field < 0) continue;
      const [start, end] = [valueFrom[field] as number, valueTo[field] as number];
      if (text.getUint8(start) !== QUOTE) continue;
      out.view.setUint8(start + shift, SPACE);
      out.view.setUint8(end - 1 + shift, SPACE);
    }
  }
}
