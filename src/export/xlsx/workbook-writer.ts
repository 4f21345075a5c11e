import type { WritableFile } from '../../files/writable-file.ts';
import type { Chart } from '../../output/chart/chart.ts';
import { ByteBuffer } from '../transcode/byte-buffer.ts';
import type { RowVisit } from '../transcode/row-reader.ts';
import { UnrepresentableValueError } from '../unrepresentable-value.ts';
import { CellWriter, columnLetters, putInteger, STYLES, TextTooLong } from './cell-writer.ts';
import {
  cellFigure,
  drawing,
  GRAPHIC_CHARACTERS,
  graphic,
  type PlacedPanel,
  placePanels,
  relations,
  rowsOfGraphics,
} from './chart-parts.ts';
import {
  columnWidth,
  MAX_CELL_TEXT,
  MAX_SHEET_COLUMNS,
  MAX_SHEET_ROWS,
  numberFormat,
  type SheetColumn,
} from './sheet-column.ts';
import {
  chartPart,
  contentTypes,
  drawingPart,
  headerCell,
  PACKAGE_RELATIONS,
  type PrintSplit,
  printSplit,
  properties,
  relationsPart,
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
  readonly createdBy: string;
  /** Rows of a sheet with its header; the default is what spreadsheets hold. */
  readonly sheetRows?: number | undefined;
  /** The charts of all sheets. */
  readonly charts: readonly Chart[];
  /** How many sheets have charts; the default is one for each. */
  readonly drawings?: number | undefined;
}

/** A sheet that is no table. */
export interface TextSheet {
  readonly widths: readonly number[];
  readonly rows: readonly string[];
  /** Cells that are one, each as `B2:H2`. */
  readonly merged: readonly string[];
  readonly charts: readonly Chart[];
}

/** The hidden sheet with the figures that the charts show. */
const DATA_SHEET = 'Data';
/** Of the figures of a chart, in characters. */
const FIGURE_WIDTH = 18;

const BUFFER_BYTES = 64 * 1024;
const ROW_MARKUP_BYTES = 64;
const encoder = new TextEncoder();
const ROW_OPEN = encoder.encode('<row r="');
const ROW_NAMED = encoder.encode('">');
const ROW_END = encoder.encode('</row>');

/** What a table has besides its rows. */
interface TableLook {
  /** Drawn beside the rows. */
  readonly chart?: Chart | undefined;
  /** What is printed below each page, after the name of the sheet. */
  readonly footer?: string | undefined;
}

/**
 * Writes a workbook, in constant memory. Call `begin`; for each table `beginTable`, `put` for each row, `flush` now and then, `endTable`;
 * between tables other sheets; at last `end` or `abandon`.
 */
export class WorkbookWriter {
  readonly #zip: ZipWriter;
  readonly #path: string;
  readonly #options: WorkbookOptions;
  readonly #sheetRows: number;
  #columns: readonly SheetColumn[] = [];
  #tableName = '';
  #cells: readonly CellWriter[] = [];
  readonly #formats: string[] = [];
  readonly #sheets: WrittenSheet[] = [];
  /** Bytes in order; an undefined entry begins the next sheet. */
  #pending: (Uint8Array | undefined)[] = [];
  readonly #out = new ByteBuffer(BUFFER_BYTES);
  /** How many sheets the archive has. */
  #begun = 0;
  /** How many sheets with graphics, and how many graphics it has. */
  #drawings = 0;
  #charts = 0;
  /** The last row of the current sheet. */
  #row = 0;
  /** The chart that the current sheet is to show. */
  #chart: Chart | undefined;
  #footer: string | undefined;
  /** How the current sheet is printed, if it is wider than a page. */
  #split: PrintSplit | undefined;
  /** The graphics of the current table, and where they are. */
  #drawn:
    | { readonly panels: readonly PlacedPanel[]; readonly sheet: number; readonly column: number }
    | undefined;
  /** Those of all tables. */
  readonly #panels: PlacedPanel[] = [];

  constructor(file: Pick<WritableFile, 'path' | 'write'>, options: WorkbookOptions) {
    this.#path = file.path;
    this.#options = options;
    this.#sheetRows = options.sheetRows ?? MAX_SHEET_ROWS;
    this.#zip = new ZipWriter(file);
  }

  /** The parts before the first sheet. */
  async begin(): Promise<void> {
    const { charts, createdBy, drawings = charts.length } = this.#options;
    const panels = charts.reduce((count, chart) => count + chart.panels.length, 0);
    await this.#part('[Content_Types].xml', contentTypes(drawings, panels));
    await this.#part('_rels/.rels', PACKAGE_RELATIONS);
    await this.#part('docProps/app.xml', properties(createdBy));
  }

  /** Rows after those of one sheet continue in `pageview 2`, `pageview 3`; the first has the chart beside the rows. Throws UnrepresentableValueError for more columns than a sheet has. */
  beginTable(name: string, columns: readonly SheetColumn[], { chart, footer }: TableLook): void {
    if (columns.length > MAX_SHEET_COLUMNS)
      throw this.#refusal(`${columns.length} columns; a sheet has at most ${MAX_SHEET_COLUMNS}`);
    this.#tableName = name;
    this.#chart = chart;
    this.#footer = footer;
    this.#columns = columns;
    this.#cells = columns.map(
      (column, at) => new CellWriter(column, columnLetters(at), format => this.styleOf(format)),
    );
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
      else this.#cells[column]?.writeNone(out, this.#row);
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

  /** Completes the sheets of a table; `empty` is a sentence below the header of one without rows. */
  async endTable(empty?: string): Promise<void> {
    const row = this.#row + (this.#columns.length === 0 ? 0 : 1);
    if (empty !== undefined) this.#out.append(encoder.encode(rowOf(row, [[STYLES.plain, empty]])));
    this.#endSheet();
    await this.flush();
    const drawn = this.#drawn;
    this.#drawn = undefined;
    if (drawn !== undefined) await this.#graphics(drawn.panels, drawn);
  }

  /** A complete sheet of rows as XML, with charts below them. */
  async sheet(name: string, { widths, rows, merged, charts }: TextSheet): Promise<void> {
    const start = sheetStart(widths, { isFirst: this.#sheets.length === 0, hasHeader: false });
    const panels = charts.flatMap(chart => this.#place(chart));
    const length = rows.length + rowsOfGraphics(panels);
    const end = sheetEnd({ rows: length, hasGraphics: panels.length > 0, merged });
    const sheet = this.#begun++;
    await this.#part(sheetPart(sheet), `${start}${rows.join('')}${end}`);
    this.#sheets.push({ name: this.#unusedName(name), filter: undefined });
    if (panels.length > 0) await this.#graphics(panels, { sheet, column: 1, row: rows.length + 1 });
  }

  /** The graphics of a sheet; their figures are cells of the sheet of data. */
  async #graphics(
    panels: readonly PlacedPanel[],
    { sheet, column, row }: { readonly sheet: number; readonly column: number; readonly row?: number },
  ) {
    const drawingName = drawingPart(this.#drawings++);
    const parts = panels.map(placed => ({ placed, part: chartPart(this.#charts++) }));
    const target = (part: string) => part.replace('xl/', '../');
    await this.#part(relationsPart(sheetPart(sheet)), relations('drawing', [target(drawingName)]));
    await this.#part(drawingName, drawing(panels, column, row));
    await this.#part(
      relationsPart(drawingName),
      relations(
        'chart',
        parts.map(({ part }) => target(part)),
      ),
    );
    for (const { placed, part } of parts) await this.#part(part, graphic(placed, DATA_SHEET));
  }

  /** The figures of all charts. */
  async #dataSheet(): Promise<void> {
    const panels = this.#panels;
    const width = Math.max(...panels.flatMap(({ labels }) => labels.map(label => label.length)), 0);
    const columns = Math.max(...panels.map(({ figures }) => figures.length), 0);
    const widths = [columnWidth('', width), ...Array.from({ length: columns }, () => FIGURE_WIDTH)];
    const rows = panels.flatMap(placed => this.#panelRows(placed));
    await this.#part(
      sheetPart(this.#begun++),
      `${sheetStart(widths, { isFirst: false, hasHeader: false })}${rows.join('')}${sheetEnd({ rows: rows.length })}`,
    );
    this.#sheets.push({ name: DATA_SHEET, filter: undefined, isHidden: true });
  }

  #panelRows({ panel, row, labels, figures }: PlacedPanel): string[] {
    const header = rowOf(
      row,
      [panel.time ?? panel.axis, ...figures.map(({ name }) => name)].map(text => [STYLES.header, text]),
    );
    const decimals = Math.max(
      0,
      ...figures.flatMap(({ digits }) => digits.map(text => /\.(\d+)$/.exec(text ?? '')?.[1]?.length ?? 0)),
    );
    const style = this.styleOf(numberFormat(panel.title, cellFigure(panel), decimals));
    const rows = labels.map((label, at) => {
      const place = row + 1 + at;
      const cells = figures.map(({ digits }, column) =>
        digits[at] === undefined
          ? ''
          : `<c r="${columnLetters(column + 1)}${place}" s="${style}"><v>${digits[at]}</v></c>`,
      );
      return `<row r="${place}">${headerCell(`A${place}`, STYLES.plain, label)}${cells.join('')}</row>`;
    });
    return [header, ...rows];
  }

  /** Completes the file. Throws FileError. */
  async end(): Promise<void> {
    if (this.#panels.length > 0) await this.#dataSheet();
    await this.#part('xl/styles.xml', styles(this.#formats));
    await this.#part('xl/workbook.xml', workbook(this.#sheets));
    await this.#part('xl/_rels/workbook.xml.rels', workbookRelations(this.#sheets.length));
    await this.#zip.end();
  }

  async #part(name: string, content: string): Promise<void> {
    this.#zip.begin(name);
    await this.#zip.write(content);
  }

  /** The style of numbers in a format. */
  styleOf(format: string): number {
    if (!this.#formats.includes(format)) this.#formats.push(format);
    return STYLES.firstNumber + this.#formats.indexOf(format);
  }

  /** Spreadsheets ignore the case of sheet names. */
  #unusedName(wanted: string): string {
    const taken = new Set(this.#sheets.map(({ name }) => name.toLowerCase()));
    if (this.#options.charts.length > 0) taken.add(DATA_SHEET.toLowerCase());
    for (let count = 1; ; count++) {
      const name = nameOfSheet(wanted, count === 1 ? '' : ` ${count}`);
      if (!taken.has(name.toLowerCase())) return name;
    }
  }

  /** Stops after an error; the file is not complete. */
  async abandon(): Promise<void> {
    await this.#zip.abandon();
  }

  #beginSheet(): void {
    const columns = this.#columns;
    this.#pending.push(undefined);
    this.#split = printSplit(columns, this.#chart === undefined ? 0 : GRAPHIC_CHARACTERS);
    const start = sheetStart(
      columns.map(({ width }) => width),
      { isFirst: this.#sheets.length === 0, hasHeader: true, split: this.#split },
    );
    const header = columns.map(({ name, heading = name, hasNumbers }, at) => {
      if (heading.length > MAX_CELL_TEXT) throw this.#tooLong('a column name', heading.length);
      return headerCell(`${columnLetters(at)}1`, hasNumbers ? STYLES.rightHeader : STYLES.header, heading);
    });
    this.#out.append(
      encoder.encode(`${start}${columns.length === 0 ? '' : `<row r="1">${header.join('')}</row>`}`),
    );
    this.#row = 1;
  }

  #endSheet(): void {
    const columns = this.#columns;
    const name = this.#unusedName(this.#tableName);
    const last = columnLetters(columns.length - 1);
    const hasColumns = columns.length > 0;
    const panels = this.#placeChart();
    const rows = Math.max(this.#row, rowsOfGraphics(panels));
    const cells = hasColumns ? `A1:${last}${this.#row}` : undefined;
    const split = this.#split;
    const end = { split, filter: cells, rows, hasGraphics: panels.length > 0, footer: this.#footer };
    this.#out.append(encoder.encode(sheetEnd(end)));
    this.#pending.push(this.#out.take());
    this.#sheets.push({
      name,
      filter: hasColumns ? `$A$1:$${last}$${this.#row}` : undefined,
      repeatedTo: split?.repeated ? columnLetters(split.repeated - 1) : undefined,
    });
  }

  /** The panels that the current sheet shows; the others of its table show none. */
  #placeChart(): readonly PlacedPanel[] {
    const chart = this.#chart;
    this.#chart = undefined;
    if (chart === undefined) return [];
    const panels = this.#place(chart);
    this.#drawn = { panels, sheet: this.#sheets.length, column: this.#columns.length + 1 };
    return panels;
  }

  /** The panels of a chart, with their figures after those of the charts before. */
  #place(chart: Chart): readonly PlacedPanel[] {
    const before = this.#panels.at(-1);
    const panels = placePanels(chart, before === undefined ? 1 : before.row + before.labels.length + 3);
    this.#panels.push(...panels);
    return panels;
  }

  #writeCell(column: number, text: DataView, from: number, to: number): void {
    try {
      this.#cells[column]?.write(this.#out, this.#row, text, from, to);
    } catch (error) {
      if (!(error instanceof TextTooLong)) throw error;
      throw this.#tooLong(`the column ${this.#columns[column]?.name}`, error.length);
    }
  }

  #tooLong(where: string, length: number): UnrepresentableValueError {
    return this.#refusal(`${where} has a text of ${length} characters; a cell holds ${MAX_CELL_TEXT}`);
  }

  #refusal(why: string): UnrepresentableValueError {
    return new UnrepresentableValueError(
      `cannot write ${this.#path}: ${why}; csv and ndjson can contain it`,
      { path: this.#path, code: 'unrepresentable_value' },
    );
  }
}

/** A row of texts in their styles, as XML; an empty text has no cell. `height` is in points. */
export function rowOf(
  row: number,
  cells: readonly (readonly [style: number, text: string])[],
  height?: number,
): string {
  const written = cells.map(([style, text], at) =>
    text === '' ? '' : headerCell(`${columnLetters(at)}${row}`, style, text),
  );
  const ht = height === undefined ? '' : ` ht="${height}" customHeight="1"`;
  return `<row r="${row}"${ht}>${written.join('')}</row>`;
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
