import type { Layout } from './columns.ts';
import type { Row } from './row.ts';

/** The kernel compares this many bytes at a time; each part of a shape is padded to a multiple of it. */
const VECTOR_BYTES = 16;

/**
 * The text of a row without its values. A row with the same text around other valid values is valid too and has the same names, so
 * it needs no further check. White space, the order of keys and unknown names are part of the shape.
 */
export class RowShape {
  readonly layout: Layout;
  readonly isArray: boolean;
  readonly isCompact: boolean;
  /** The lengths in bytes of the text before, between and after the values. */
  readonly lengths: Int32Array;
  /** These parts, each padded with zeros. */
  readonly text: Uint8Array;

  /** The shape of a row that was split, with the layout of its fields in columns. */
  constructor(row: Row, layout: Layout) {
    this.layout = layout;
    this.isArray = row.isArray;
    this.isCompact = row.isCompact;
    this.lengths = new Int32Array(row.fieldCount + 1);
    const begins = new Int32Array(this.lengths.length);
    let size = 0;
    for (let stretch = 0; stretch < this.lengths.length; stretch++) {
      const from = stretch === 0 ? row.from : (row.valueTo[stretch - 1] as number);
      const to = stretch === row.fieldCount ? row.to : (row.valueFrom[stretch] as number);
      begins[stretch] = from;
      this.lengths[stretch] = to - from;
      size += padded(to - from);
    }
    this.text = new Uint8Array(size);
    let at = 0;
    for (const [stretch, length] of this.lengths.entries()) {
      const from = row.text.byteOffset + (begins[stretch] as number);
      this.text.set(new Uint8Array(row.text.buffer, from, length), at);
      at += padded(length);
    }
  }

  equals(other: RowShape): boolean {
    return areSame(this.lengths, other.lengths) && areSame(this.text, other.text);
  }
}

function padded(length: number): number {
  return Math.ceil(length / VECTOR_BYTES) * VECTOR_BYTES;
}

function areSame(a: Int32Array | Uint8Array, b: Int32Array | Uint8Array): boolean {
  return a.length === b.length && a.every((number, index) => number === b[index]);
}
