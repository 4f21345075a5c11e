import type { CsvDialect } from '../../output/view.ts';
import { wholeWords } from '../../text/shortened.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { Columns, type Layout } from './columns.ts';
import { isDelimited, type RowFormat, type Writing, writingOf } from './formats.ts';
import { MalformedResponseError } from './json-scanner.ts';
import { Fingerprints, KnownRows } from './known-rows.ts';
import { envelopeMembers, envelopeText, ResponseReader } from './response-reader.ts';
import { Row } from './row.ts';
import type { RowEncoder } from './row-encoder.ts';
import type { RowReceiver } from './row-receiver.ts';
import { utf8Text } from './utf8.ts';

export interface TranscoderOptions {
  readonly format: RowFormat;
  /** For csv only; `rfc4180` by default. */
  readonly dialect?: CsvDialect;
  /**
   * The requested columns, in order: the columns of csv and tsv, and the names of the values in array rows. If empty, csv and tsv
   * use the columns of the first row, and json and ndjson leave rows unchanged.
   */
  readonly columns: readonly string[];
  /**
   * The member of the response that contains the rows. Without it, the root array, or the only array of rows in the root object.
   */
  readonly rowsName?: string;
  /**
   * Receives the encoded bytes, about a megabyte at a time and always complete rows. It owns the chunk until it passes it to
   * `reuse`.
   */
  readonly sink: (chunk: Uint8Array) => void;
  /** Takes the rows; then nothing is encoded. */
  readonly receiver?: RowReceiver | undefined;
  /** Continues the output of an earlier transcoder with the same options. */
  readonly resume?: Position;
  /** Number of rows at the beginning of the first page that the output has already. */
  readonly skipRows?: number;
}

/** The position of the output at the end of a row. Can be stored as JSON. */
export interface Position {
  /** Bytes of output, including those of earlier transcoders. */
  readonly bytes: number;
  /** Rows in these bytes. */
  readonly rows: number;
  /** The columns, requested or found. */
  readonly columns: readonly string[];
}

export type PageEnd = PageOfRows | PageWithoutRows;

export interface PageOfRows {
  readonly found: true;
  readonly rows: number;
  /** The JSON text of the other members of the root object, such as `total_rows`, unchanged. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Requested columns, and how many rows of this page lack them. */
  readonly missing: ReadonlyMap<string, number>;
  /** Fields that were not requested (the first hundred names), and how many rows of this page have them. */
  readonly extra: ReadonlyMap<string, number>;
  /**
   * Two numbers for each of the page's first rows ({@link MAX_FINGERPRINTS} at most), equal for rows with the same text. Empty
   * without the kernel.
   */
  readonly fingerprints: Int32Array;
  /** Rows beyond the limit of `limitRows`: they were read and dropped. */
  readonly surplus: number;
  /** Whether the rest of the page was not read. */
  readonly isCut: boolean;
  /** The position after complete pages: the output to keep, and where to resume, if the next page fails. */
  readonly position: Position;
}

/** A JSON response without an array of rows, possibly an error envelope. */
interface PageWithoutRows {
  readonly found: false;
  /** The text of the response. */
  readonly body: string;
}

/** Enough for every row of the largest page that the API returns. */
const MAX_FINGERPRINTS = 100_000;

const FLUSH_AT = 1024 * 1024;
const BUFFER_BYTES = FLUSH_AT + 64 * 1024;
/** Enough for a small page, and for rows that go elsewhere. */
const FIRST_BYTES = 4 * 1024;
const MAX_EXTRA_NAMES = 100;
const MAX_EXCERPT_BYTES = 60;
const NO_COLUMNS: Layout = { fieldOf: new Int32Array(0), missing: [], extra: [] };

/**
 * Converts the JSON responses of a paged export to one csv, tsv, ndjson or json document, in constant memory and without parsing
 * numbers: digits are copied. For each page, `write` its bytes as they arrive, then `endPage`; after the last page, `end`. After
 * an error, a transcoder cannot be used any more: truncate the output to the last page's `position` and create a new one with it
 * as `resume`. For output that cannot be truncated, `flush`, and resume from `position` with `skipRows`.
 */
export class RowTranscoder {
  readonly #options: TranscoderOptions;
  readonly #out = new ByteBuffer(BUFFER_BYTES, FIRST_BYTES);
  readonly #row = new Row();
  #columns: Columns;
  readonly #knownRows: KnownRows;
  readonly #writing: Writing;
  #encoder: RowEncoder | undefined;
  /** Bytes that the sink has, including those of earlier transcoders. */
  #bytesHandedOn: number;
  #rows: number;
  #rowsToSkip: number;
  #page: ResponseReader;
  #mostRows = Number.POSITIVE_INFINITY;
  #surplus = 0;
  /** Whether rows are written one by one, because the next few may exceed the limit. */
  #isNearlyFull = false;
  #counts = newCounts();
  readonly #fingerprints = new Fingerprints(MAX_FINGERPRINTS);

  constructor(options: TranscoderOptions) {
    this.#options = options;
    this.#columns = new Columns(options.resume?.columns ?? options.columns);
    this.#bytesHandedOn = options.resume?.bytes ?? 0;
    this.#rows = options.resume?.rows ?? 0;
    this.#rowsToSkip = options.skipRows ?? 0;
    this.#writing = writingOf(options.format, options.dialect ?? 'rfc4180');
    this.#knownRows =
      options.receiver === undefined
        ? new KnownRows(this.#writing.kernel, options.columns.length > 0)
        : new KnownRows(undefined, false, options.receiver.kernel);
    this.#page = this.#newPage();
  }

  /** The position of the output, including rows that still wait for the sink. */
  get position(): Position {
    return {
      bytes: this.#bytesHandedOn + this.#out.length,
      rows: this.#rows,
      columns: this.#columns.names,
    };
  }

  /** Received rows of the current page, including those that were not written. */
  get rowsOfPage(): number {
    return this.#counts.rows + this.#surplus;
  }

  /** Whether the document of the current page is complete; only white space may follow. */
  get isPageComplete(): boolean {
    return this.#page.isComplete;
  }

  /** Number of rows of the current page beyond the limit. */
  get surplus(): number {
    return this.#surplus;
  }

  /** Sets how many rows of the next page may be written. */
  limitRows(most: number): void {
    this.#mostRows = most;
  }

  /** Reads the next bytes of a page. Throws {@link MalformedResponseError} at the first invalid one. */
  write(chunk: Uint8Array): void {
    this.#knownRows.eachText(chunk, text => this.#read(text, true));
  }

  /** Ends a page and passes its rows to the sink. Throws {@link MalformedResponseError} if the page is incomplete. */
  endPage(): PageEnd {
    const page = this.#page;
    this.#knownRows.lastText(text => this.#read(text, false));
    const found = page.end();
    const end = this.#closePage();
    if (!found) return { found, body: envelopeText(page.envelope) };
    return { ...end, metadata: envelopeMembers(page.envelope, page.arrayName), isCut: false };
  }

  /** Ends a page that has rows before its end, and passes them to the sink. The rest is not read. */
  cutPage(): PageOfRows {
    return { ...this.#closePage(), metadata: new Map(), isCut: true };
  }

  #closePage(): Omit<PageOfRows, 'metadata' | 'isCut'> {
    this.flush();
    const { rows, missing, extra } = this.#counts;
    const fingerprints = this.#fingerprints.take();
    const surplus = this.#surplus;
    this.#page = this.#newPage();
    this.#counts = newCounts();
    this.#surplus = 0;
    this.#isNearlyFull = false;
    return { found: true, rows, missing, extra, fingerprints, surplus, position: this.position };
  }

  /** Passes the rows so far to the sink. */
  flush(): void {
    if (this.#out.length === 0) return;
    this.#bytesHandedOn += this.#out.length;
    this.#options.sink(this.#out.take());
  }

  /** Reuses the memory of a chunk that the sink no longer needs. */
  reuse(chunk: Uint8Array): void {
    this.#out.reuse(chunk);
  }

  /** Ends the document, after the last page. */
  end(): void {
    if (this.#options.receiver !== undefined) return;
    this.#openEncoder().close(this.#out, this.#rows === 0);
    this.flush();
  }

  #read(text: DataView, mayLeave: boolean): number {
    const offset = this.#page.offset;
    try {
      return this.#page.write(text, mayLeave);
    } catch (error) {
      if (!(error instanceof MalformedResponseError)) throw error;
      const at = Math.max(0, error.offset - offset);
      const near = wholeWords(utf8Text(text, at, Math.min(at + MAX_EXCERPT_BYTES, text.byteLength)));
      throw new MalformedResponseError(error.problem, error.offset, near);
    }
  }

  #newPage(): ResponseReader {
    return new ResponseReader(
      {
        row: (text, from, to) => this.#takeRow(text, from, to),
        knownRows: at => this.#takeKnownRows(at),
      },
      this.#options.rowsName,
    );
  }

  #takeRow(text: DataView, from: number, to: number): void {
    const row = this.#row;
    row.split(text, from, to);
    this.#refuseRepeatedName(row);
    if (this.#columns.names.length === 0 && this.#rows === 0 && isDelimited(this.#options.format))
      this.#columns = Columns.of(row);
    const layout = this.#columns.names.length === 0 ? NO_COLUMNS : this.#columns.layout(row);
    this.#knownRows.learn(row, layout);
    this.#writeRow(row, layout);
  }

  /** Rejects a duplicate name, because either value could be the right one. Rows of known shapes have no duplicates. */
  #refuseRepeatedName(row: Row): void {
    const name = row.repeatedName();
    if (name === undefined) return;
    const from = Math.max(0, this.#page.offset - (row.to - row.from));
    throw new MalformedResponseError(`a row has the key ${JSON.stringify(name)} twice`, from);
  }

  /** Writes rows from `at` on that have known shapes: as many as possible at once, or else one. */
  #takeKnownRows(at: number): number {
    if (this.#rowsToSkip === 0) {
      const end = this.#options.receiver === undefined ? this.#writeKnownRows(at) : this.#passKnownRows(at);
      if (end !== -1) return end;
    }
    const row = this.#row;
    const layout = this.#knownRows.read(at, row);
    if (layout === undefined) return -1;
    this.#writeRow(row, layout);
    return row.to;
  }

  /** Writes as many known rows as possible, unless they exceed the limit: then none, and from here on one by one. */
  #writeKnownRows(at: number): number {
    // The text before the first row differs.
    if (this.#rows === 0 || this.#writing.kernel === undefined || this.#isNearlyFull) return -1;
    const before = this.#out.length;
    const end = this.#knownRows.write(at, this.#out);
    if (end === -1) return -1;
    const written: [layout: Layout, rows: number][] = [];
    let rowsWritten = 0;
    this.#knownRows.countRows((layout, rows) => {
      written.push([layout, rows]);
      rowsWritten += rows;
    });
    if (this.#counts.rows + rowsWritten > this.#mostRows) {
      this.#out.length = before;
      this.#isNearlyFull = true;
      return -1;
    }
    for (const [layout, rows] of written) this.#count(layout, rows);
    this.#rows += rowsWritten;
    this.#fingerprints.add(this.#knownRows.fingerprints);
    this.#flushIfFull();
    return end;
  }

  /** Passes as many known rows as possible to the receiver. */
  #passKnownRows(at: number): number {
    const end = this.#options.receiver?.takeKnown(at, this.#mostRows - this.#counts.rows) ?? -1;
    if (end === -1) return -1;
    this.#knownRows.countRows((layout, rows) => {
      this.#count(layout, rows);
      this.#rows += rows;
    });
    this.#fingerprints.add(this.#knownRows.fingerprints);
    return end;
  }

  #count(layout: Layout, rows: number): void {
    this.#counts.rows += rows;
    count(this.#counts.missing, layout.missing, rows, Number.POSITIVE_INFINITY);
    count(this.#counts.extra, layout.extra, rows, MAX_EXTRA_NAMES);
  }

  #writeRow(row: Row, layout: Layout): void {
    if (this.#counts.rows >= this.#mostRows) {
      this.#surplus += 1;
      return;
    }
    this.#count(layout, 1);
    this.#knownRows.fingerprint(row);
    this.#fingerprints.add(this.#knownRows.fingerprints);
    if (this.#rowsToSkip > 0) {
      this.#rowsToSkip--;
      return;
    }
    if (this.#options.receiver === undefined)
      this.#openEncoder().row(this.#out, row, layout, this.#rows === 0);
    else this.#options.receiver.take(row, layout);
    this.#rows++;
    this.#flushIfFull();
  }

  #flushIfFull(): void {
    if (this.#out.length >= FLUSH_AT) this.flush();
  }

  #openEncoder(): RowEncoder {
    if (this.#encoder !== undefined) return this.#encoder;
    this.#encoder = this.#writing.encoder(this.#columns.names);
    if (this.#bytesHandedOn === 0) this.#encoder.open(this.#out);
    return this.#encoder;
  }
}

/** Counts of one page. */
function newCounts() {
  return { rows: 0, missing: new Map<string, number>(), extra: new Map<string, number>() };
}

function count(counts: Map<string, number>, names: readonly string[], rows: number, maxNames: number): void {
  for (const name of names) {
    const before = counts.get(name);
    if (before !== undefined || counts.size < maxNames) counts.set(name, (before ?? 0) + rows);
  }
}
