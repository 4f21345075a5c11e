import { AnswerReader } from './answer-reader.ts';
import { COMMA } from './ascii.ts';
import { Columns, type Layout } from './columns.ts';
import { KnownRows } from './known-rows.ts';
import { Row } from './row.ts';

/** Gets each row with the places of its columns. Both are valid only during the call. */
export type RowVisit = (row: Row, layout: Layout) => void;

/** Reads the rows of one JSON array, in order, in constant memory. */
export class RowReader {
  readonly #columns: Columns;
  readonly #visit: RowVisit;
  readonly #known = new KnownRows();
  readonly #row = new Row();
  readonly #reader: AnswerReader;

  constructor(columns: readonly string[], visit: RowVisit) {
    this.#columns = new Columns(columns);
    this.#visit = visit;
    this.#reader = new AnswerReader(
      {
        row: (text, from, to) => this.#takeRow(text, from, to),
        knownRows: (text, at) => this.#takeKnownRows(text, at),
      },
      undefined,
    );
  }

  /** Takes the next bytes. Throws MalformedAnswer at the first one that can't be. */
  write(chunk: Uint8Array): void {
    this.#reader.write(new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }

  /** Throws MalformedAnswer when the array is not whole. */
  end(): void {
    this.#reader.end();
  }

  #takeRow(text: DataView, from: number, to: number): void {
    const row = this.#row;
    row.split(text, from, to);
    const layout = this.#columns.layout(row);
    this.#known.learn(row, layout);
    this.#visit(row, layout);
  }

  #takeKnownRows(text: DataView, at: number): number {
    const row = this.#row;
    let end = -1;
    let layout = this.#known.read(text, at, row);
    while (layout !== undefined) {
      this.#visit(row, layout);
      end = row.to;
      layout = text.getUint8(end) === COMMA ? this.#known.read(text, end + 1, row) : undefined;
    }
    return end;
  }
}
