import type { Layout } from './columns.ts';
import type { Row } from './row.ts';

/** The kernel compares so many bytes at a time; each stretch of a shape is filled up to whole ones. */
const VECTOR_BYTES = 16;

/**
 * What is the same in rows that are alike: all text of a row but its values. A row that has this text around any values is as
 * valid as the one that the shape was taken from, has the same names and needs no further check. White space, key order and
 * unknown names are whatever they were in that row.
 */
export class RowShape {
  readonly layout: Layout;
  readonly isArray: boolean;
  readonly isCompact: boolean;
  /** The lengths of the stretches of text before, between and behind the values, in bytes. */
  readonly lengths: Int32Array;
  /** The stretches, each filled up with zeros. */
  readonly text: Uint8Array;

  /** Takes the shape of a row that was split, and where its fields lie in columns. */
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
      size += filledUp(to - from);
    }
    this.text = new Uint8Array(size);
    let at = 0;
    for (const [stretch, length] of this.lengths.entries()) {
      const from = row.text.byteOffset + (begins[stretch] as number);
      this.text.set(new Uint8Array(row.text.buffer, from, length), at);
      at += filledUp(length);
    }
  }

  equals(other: RowShape): boolean {
    return areSame(this.lengths, other.lengths) && areSame(this.text, other.text);
  }
}

function filledUp(length: number): number {
  return Math.ceil(length / VECTOR_BYTES) * VECTOR_BYTES;
}

function areSame(a: Int32Array | Uint8Array, b: Int32Array | Uint8Array): boolean {
  return a.length === b.length && a.every((number, index) => number === b[index]);
}
