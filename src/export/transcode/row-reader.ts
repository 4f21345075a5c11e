import { Columns, type Layout } from './columns.ts';
import type { Kernel } from './kernel.ts';
import { KnownRows } from './known-rows.ts';
import { ResponseReader } from './response-reader.ts';
import { Row } from './row.ts';

/** Receives each row with its layout. Both are valid only during the call. */
export type RowVisit = (row: Row, layout: Layout) => void;

/** Reads rows of known shapes faster than one visit per row. */
export interface FastRows {
  readonly kernel: Kernel;
  /** Reads rows from a position in the kernel's text on. Returns the end of the last one, or -1 to have the first one visited. */
  readonly take: (at: number) => number;
}

/** Reads the rows of one JSON array, in order, in constant memory. */
export class RowReader {
  readonly #columns: Columns;
  readonly #visit: RowVisit;
  readonly #known: KnownRows;
  readonly #row = new Row();
  readonly #reader: ResponseReader;

  constructor(columns: readonly string[], visit: RowVisit, fast?: FastRows) {
    this.#columns = new Columns(columns);
    this.#visit = visit;
    this.#known = new KnownRows(undefined, false, fast?.kernel);
    this.#reader = new ResponseReader(
      {
        row: (text, from, to) => this.#takeRow(text, from, to),
        knownRows: fast?.take ?? (at => this.#takeKnownRow(at)),
      },
      undefined,
    );
  }

  /** Reads the next bytes. Throws MalformedResponseError at the first invalid one. */
  write(chunk: Uint8Array): void {
    this.#known.eachText(chunk, text => this.#reader.write(text, true));
  }

  /** Throws MalformedResponseError if the array is incomplete. */
  end(): void {
    this.#known.lastText(text => this.#reader.write(text, false));
    this.#reader.end();
  }

  #takeRow(text: DataView, from: number, to: number): void {
    const row = this.#row;
    row.split(text, from, to);
    const layout = this.#columns.layout(row);
    this.#known.learn(row, layout);
    this.#visit(row, layout);
  }

  #takeKnownRow(at: number): number {
    const row = this.#row;
    const layout = this.#known.read(at, row);
    if (layout === undefined) return -1;
    this.#visit(row, layout);
    return row.to;
  }
}
