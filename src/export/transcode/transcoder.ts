import type { CsvDialect } from '../../output/view.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { Columns, type Layout } from './columns.ts';
import { envelopeMembers, envelopeText } from './envelope.ts';
import { Fingerprints } from './fingerprints.ts';
import { isDelimited, type RowFormat, type Writing, writingOf } from './formats.ts';
import { KnownRows } from './known-rows.ts';
import { MalformedResponseError } from './malformed-response.ts';
import { ResponseReader } from './response-reader.ts';
import { Row } from './row.ts';
import type { RowEncoder } from './row-encoder.ts';
import { utf8Text } from './utf8.ts';

export interface TranscoderOptions {
  readonly format: RowFormat;
  /** For csv only; `rfc4180` unless said otherwise. */
  readonly dialect?: CsvDialect;
  /**
   * The columns asked for, in order: what csv and tsv write, and the names of what array rows hold. Without any, csv and tsv
   * take the columns of the first row, and json and ndjson leave rows as they are.
   */
  readonly columns: readonly string[];
  /** The member of the answer that holds the rows. Without it, the root array or the only array of rows in the root object. */
  readonly rowsName?: string;
  /** Gets the encoded bytes, about a megabyte at a time and always whole rows. The chunk is its own until it gives it to `reuse`. */
  readonly sink: (chunk: Uint8Array) => void;
  /** Goes on behind the output of an earlier transcoder with the same options. */
  readonly resume?: Position;
  /** Rows at the beginning of the first page that are in the output already. */
  readonly skipRows?: number;
}

/** How far the output has come, at the end of a row. Can be kept as JSON. */
export interface Position {
  /** Bytes of output, those before a resumption included. */
  readonly bytes: number;
  /** Rows in these bytes. */
  readonly rows: number;
  /** The columns, asked for or found. */
  readonly columns: readonly string[];
}

export type PageEnd = PageOfRows | PageWithoutRows;

export interface PageOfRows {
  readonly found: true;
  readonly rows: number;
  /** The JSON text of everything else in the root object, such as `total_rows`: digit for digit. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Columns asked for, and how many rows of this page lacked them. */
  readonly missing: ReadonlyMap<string, number>;
  /** Fields not asked for (the first hundred names), and how many rows of this page had them. */
  readonly extra: ReadonlyMap<string, number>;
  /** Two numbers for each of the page's first rows ({@link MAX_FINGERPRINTS} at most): the same for rows of the same text. None without the kernel. */
  readonly fingerprints: Int32Array;
  /** Rows beyond those that `limitRows` allows: they were read and dropped. */
  readonly surplus: number;
  /** Whether the rest of the page was not read. */
  readonly isCut: boolean;
  /** The whole pages so far: what to keep, and where to resume, when the next page fails. */
  readonly position: Position;
}

/** The answer was JSON but had no rows array: an error envelope, perhaps. */
export interface PageWithoutRows {
  readonly found: false;
  /** The answer's own text. */
  readonly body: string;
}

/** A page as large as the API hands out has a fingerprint of every row. */
export const MAX_FINGERPRINTS = 100_000;

const FLUSH_AT = 1024 * 1024;
const BUFFER_BYTES = FLUSH_AT + 64 * 1024;
const MAX_EXTRA_NAMES = 100;
const MAX_EXCERPT_BYTES = 60;
const NO_COLUMNS: Layout = { fieldOf: new Int32Array(0), missing: [], extra: [] };

/**
 * Turns the JSON answers of a paged export into one csv, tsv, ndjson or json document, in constant memory and without ever
 * making a number of a number: digits are copied. For each page `write` its bytes as they come and `endPage`; after the last
 * page, `end`. After an error a transcoder is of no more use: cut the output back to the last page's `position`, and begin a new
 * one with it as `resume`. Where output can't be taken back, `flush`, and resume from `position` with `skipRows`.
 */
export class RowTranscoder {
  readonly #options: TranscoderOptions;
  readonly #out = new ByteBuffer(BUFFER_BYTES);
  readonly #row = new Row();
  #columns: Columns;
  readonly #knownRows: KnownRows;
  readonly #writing: Writing;
  #encoder: RowEncoder | undefined;
  /** Bytes that the sink, or a transcoder before this one, has. */
  #bytesHandedOn: number;
  #rows: number;
  #rowsToSkip: number;
  #page: ResponseReader;
  #mostRows = Number.POSITIVE_INFINITY;
  #surplus = 0;
  /** Whether rows come one by one, because the next few may be too many. */
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
    this.#knownRows = new KnownRows(this.#writing.kernel, options.columns.length > 0);
    this.#page = this.#newPage();
  }

  /** How far the output has come, rows included that still wait for the sink. */
  get position(): Position {
    return {
      bytes: this.#bytesHandedOn + this.#out.length,
      rows: this.#rows,
      columns: this.#columns.names,
    };
  }

  /** Rows that came with the page at hand, those included that are not written. */
  get rowsOfPage(): number {
    return this.#counts.rows + this.#surplus;
  }

  /** How many rows of the page at hand came beyond the limit. */
  get surplus(): number {
    return this.#surplus;
  }

  /** Sets how many rows of the page that begins may be written. */
  limitRows(most: number): void {
    this.#mostRows = most;
  }

  /** Takes the next bytes of a page. Throws {@link MalformedResponseError} at the first byte that can't be. */
  write(chunk: Uint8Array): void {
    this.#knownRows.eachText(chunk, text => this.#read(text, true));
  }

  /** Ends a page and hands its rows to the sink. Throws {@link MalformedResponseError} when the page was cut. */
  endPage(): PageEnd {
    const page = this.#page;
    this.#knownRows.lastText(text => this.#read(text, false));
    const found = page.end();
    const end = this.#closePage();
    if (!found) return { found, body: envelopeText(page.envelope) };
    return { ...end, metadata: envelopeMembers(page.envelope, page.arrayName), isCut: false };
  }

  /** Ends a page that has rows although more of it would come, and hands them to the sink. Nothing is known of what follows them. */
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

  /** Hands the rows so far to the sink. */
  flush(): void {
    if (this.#out.length === 0) return;
    this.#bytesHandedOn += this.#out.length;
    this.#options.sink(this.#out.take());
  }

  /** Takes back the memory of a chunk that the sink got and is done with. */
  reuse(chunk: Uint8Array): void {
    this.#out.reuse(chunk);
  }

  /** Ends the document, after the last page. */
  end(): void {
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
      throw new MalformedResponseError(error.reason, error.offset, near);
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

  /** Either value could be the right one. Rows that are like one before have its names. */
  #refuseRepeatedName(row: Row): void {
    const name = row.repeatedName();
    if (name === undefined) return;
    const from = Math.max(0, this.#page.offset - (row.to - row.from));
    throw new MalformedResponseError(`a row has the key ${JSON.stringify(name)} twice`, from);
  }

  /** Takes the rows from `at` on that are like rows before: as many as can be written at a stroke, or else one. */
  #takeKnownRows(at: number): number {
    // What stands before the first row differs.
    if (this.#rows > 0 && this.#rowsToSkip === 0 && !this.#isNearlyFull) {
      const end = this.#writeKnownRows(at);
      if (end !== -1) return end;
    }
    const row = this.#row;
    const layout = this.#knownRows.read(at, row);
    if (layout === undefined) return -1;
    this.#writeRow(row, layout);
    return row.to;
  }

  /** Writes as many known rows as it can, unless they are more than may be written: then none, and from here on one by one. */
  #writeKnownRows(at: number): number {
    const before = this.#out.length;
    const written: [layout: Layout, rows: number][] = [];
    let rowsWritten = 0;
    const end = this.#knownRows.write(at, this.#out, (layout, rows) => {
      written.push([layout, rows]);
      rowsWritten += rows;
    });
    if (end === -1) return -1;
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
    this.#openEncoder().row(this.#out, row, layout, this.#rows === 0);
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

/** Without a word at the end that may be cut: half of a secret is not told from other text, and would show. */
function wholeWords(text: string): string {
  return text.replace(/[^\s"',:;<>()[\]{}]+$/, '');
}

/** What is counted in one page. */
function newCounts() {
  return { rows: 0, missing: new Map<string, number>(), extra: new Map<string, number>() };
}

function count(counts: Map<string, number>, names: readonly string[], rows: number, maxNames: number): void {
  for (const name of names) {
    const before = counts.get(name);
    if (before !== undefined || counts.size < maxNames) counts.set(name, (before ?? 0) + rows);
  }
}
