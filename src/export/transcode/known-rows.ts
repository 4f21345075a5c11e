import type { Layout } from './columns.ts';
import type { Row } from './row.ts';
import { RowShape } from './row-shape.ts';

const MAX_SHAPES = 8;
/** Longer rows are not worth remembering. */
const MAX_BYTES = 64 * 1024;

interface KnownRow {
  readonly shape: RowShape;
  readonly layout: Layout;
}

/**
 * The shapes of the latest rows, and how their fields are laid out in columns. Most answers have one; those that leave out
 * empty fields have a few.
 */
export class KnownRows {
  readonly #all: KnownRow[] = [];
  #latest: KnownRow | undefined;

  /** Reads the row at `at` into `row` and returns its layout; undefined when its shape is not known. */
  read(text: DataView, at: number, row: Row): Layout | undefined {
    if (this.#latest?.shape.read(text, at, row)) return this.#latest.layout;
    const other = this.#all.find(known => known !== this.#latest && known.shape.read(text, at, row));
    if (other !== undefined) this.#latest = other;
    return other?.layout;
  }

  /** Remembers what a row is like that was split, if it is not very long. */
  learn(row: Row, layout: Layout): void {
    if (row.to - row.from > MAX_BYTES) return;
    const shape = new RowShape(row);
    if (this.#all.some(known => known.shape.equals(shape))) return;
    this.#latest = { shape, layout };
    if (this.#all.length === MAX_SHAPES) this.#all.shift();
    this.#all.push(this.#latest);
  }
}
