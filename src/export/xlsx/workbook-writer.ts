import type { WritableFile } from '../../files/writable-file.ts';
import { ByteBuffer } from '../transcode/byte-buffer.ts';
import type { RowVisit } from '../transcode/row-reader.ts';
import { UnrepresentableValueError } from '../unrepresentable-value.ts';
import { CellWriter, columnLetters, putInteger, STYLES, TextTooLong } from './cell-writer.ts';
import { MAX_CELL_TEXT, MAX_SHEET_COLUMNS, MAX_SHEET_ROWS, type SheetColumn } from './sheet-column.ts';
import {
  CONTENT_TYPES,
  headerCell,
  PACKAGE_RELATIONS,
  properties,
  sheetEnd,
  sheetPart,
  sheetStart,
  styles,
  type WrittenSheet,
  workbook,
  workbookRelations,
} from './workbook-parts.ts';
import { ZipWriter } from './zip-writer.ts';

export interface WorkbookOptions {
  readonly columns: readonly SheetColumn[];
  /** Rows after those of one sheet continue in `pageview 2`, `pageview 3`. */
  readonly sheetName: string;
  readonly createdBy: string;
  /** Rows of a sheet with its header; the default is what spreadsheets hold. */
  readonly sheetRows?: number;
}

const BUFFER_BYTES = 64 * 1024;
const ROW_MARKUP_BYTES = 64;
const encoder = new TextEncoder();
const ROW_OPEN = encoder.encode('<row r="');
const ROW_NAMED = encoder.encode('">');
const ROW_END = encoder.encode('</row>');

/** Writes rows as a workbook, in constant memory: call `put` for each row and `flush` now and then, at last `end` or `abandon`. */
export class WorkbookWriter {
  readonly #zip: ZipWriter;
  readonly #path: string;
  readonly #options: WorkbookOptions;
  readonly #cells: readonly CellWriter[];
  readonly #formats: readonly string[];
  readonly #sheetRows: number;
  readonly #sheets: WrittenSheet[] = [];
  /** Bytes in order; an undefined entry begins the next sheet. */
  #pending: (Uint8Array | undefined)[] = [];
  readonly #out = new ByteBuffer(BUFFER_BYTES);
  /** How many sheets the archive has. */
  #begun = 0;
  /** The last row of the current sheet. */
  #row = 0;

  /** Throws UnrepresentableValueError for more columns than a sheet has. */
  constructor(file: WritableFile, options: WorkbookOptions) {
    const { columns, sheetRows = MAX_SHEET_ROWS } = options;
    this.#path = file.path;
    if (columns.length > MAX_SHEET_COLUMNS)
      throw this.#refusal(`${columns.length} columns; a sheet has at most ${MAX_SHEET_COLUMNS}`);
    this.#options = options;
    this.#sheetRows = sheetRows;
    this.#formats = [...new Set(columns.map(({ format }) => format))];
    this.#cells = columns.map(
      (column, at) =>
        new CellWriter(column, columnLetters(at), STYLES.firstNumber + this.#formats.indexOf(column.format)),
    );
    this.#zip = new ZipWriter(file);
  }

  /** The parts before the first sheet. */
  async begin(): Promise<void> {
    for (const [name, content] of [
      ['[Content_Types].xml', CONTENT_TYPES],
      ['_rels/.rels', PACKAGE_RELATIONS],
      ['docProps/app.xml', properties(this.#options.createdBy)],
      ['xl/styles.xml', styles(this.#formats)],
    ] as const) {
      this.#zip.begin(name);
      await this.#zip.write(content);
    }
    this.#beginSheet();
  }

  /** Adds a row. Throws UnrepresentableValueError for a text that no cell holds. */
  readonly put: RowVisit = (row, { fieldOf }) => {
    if (this.#row === this.#sheetRows) {
      this.#endSheet();
      this.#beginSheet();
    }
    const out = this.#out;
    this.#row += 1;
    out.append(ROW_OPEN);
    out.reserve(ROW_MARKUP_BYTES);
    putInteger(out, this.#row);
    out.append(ROW_NAMED);
    for (let column = 0; column < this.#cells.length; column++) {
      const field = fieldOf[column] as number;
      if (field >= 0)
        this.#writeCell(column, row.text, row.valueFrom[field] as number, row.valueTo[field] as number);
    }
    out.append(ROW_END);
    if (out.length >= BUFFER_BYTES / 2) this.#pending.push(out.take());
  };

  /** Passes on the bytes written so far. Throws FileError. */
  async flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const bytes of pending) {
      if (bytes === undefined) this.#zip.begin(sheetPart(this.#begun++));
      else await this.#zip.write(bytes);
    }
  }

  /** Completes the file. Throws FileError. */
  async end(): Promise<void> {
    this.#endSheet();
    await this.flush();
    this.#zip.begin('xl/workbook.xml');
    await this.#zip.write(workbook(this.#sheets));
    this.#zip.begin('xl/_rels/workbook.xml.rels');
    await this.#zip.write(workbookRelations(this.#sheets.length));
    await this.#zip.end();
  }

  /** Stops after an error; the file is not complete. */
  async abandon(): Promise<void> {
    await this.#zip.abandon();
  }

  #beginSheet(): void {
    const { columns } = this.#options;
    this.#pending.push(undefined);
    const start = sheetStart(
      columns.map(({ width }) => width),
      this.#sheets.length === 0,
    );
    const header = columns.map(({ name }, at) => {
      if (name.length > MAX_CELL_TEXT) throw this.#tooLong('a column name', name.length);
      return headerCell(`${columnLetters(at)}1`, STYLES.header, name);
    });
    this.#out.append(
      encoder.encode(`${start}${columns.length === 0 ? '' : `<row r="1">${header.join('')}</row>`}`),
    );
    this.#row = 1;
  }

  #endSheet(): void {
    const { columns, sheetName } = this.#options;
    const place = this.#sheets.length;
    const name = place === 0 ? nameOfSheet(sheetName, '') : nameOfSheet(sheetName, ` ${place + 1}`);
    const last = columnLetters(columns.length - 1);
    const hasColumns = columns.length > 0;
    this.#out.append(encoder.encode(sheetEnd(hasColumns ? `A1:${last}${this.#row}` : undefined)));
    this.#pending.push(this.#out.take());
    this.#sheets.push({ name, filter: hasColumns ? `$A$1:$${last}$${this.#row}` : undefined });
  }

  #writeCell(column: number, text: DataView, from: number, to: number): void {
    try {
      this.#cells[column]?.write(this.#out, this.#row, text, from, to);
    } catch (error) {
      if (!(error instanceof TextTooLong)) throw error;
      throw this.#tooLong(`the column ${this.#options.columns[column]?.name}`, error.length);
    }
  }

  #tooLong(where: string, length: number): UnrepresentableValueError {
    return this.#refusal(`${where} has a text of ${length} characters; a cell holds ${MAX_CELL_TEXT}`);
  }

  #refusal(why: string): UnrepresentableValueError {
    return new UnrepresentableValueError(
      `cannot write ${this.#path}: ${why}; csv and ndjson can contain it`,
      {
        path: this.#path,
        code: 'unrepresentable_value',
      },
    );
  }
}

const MAX_SHEET_NAME = 31;

/** Characters that a sheet name cannot contain are replaced; an apostrophe cannot begin or end it. */
function nameOfSheet(name: string, suffix: string): string {
  const allowed = name
    .replace(/[\0-\x1f[\]:*?/\\\ufffe\uffff]|\p{Surrogate}/gu, ' ')
    .replace(/^[\s']+|[\s']+$/g, '')
    .replaceAll("'", '’');
  const short = (allowed === '' ? 'rows' : allowed).slice(0, MAX_SHEET_NAME - suffix.length).toWellFormed();
  return `${short.trimEnd()}${suffix}`;
}
