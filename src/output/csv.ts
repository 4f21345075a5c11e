import { isJsonNumber, isRecord, type Json, textOf } from '../json/index.ts';
import { printableBlock } from '../terminal/printable.ts';
import { isFormula, needsQuotes } from './csv-quoting.ts';
import { gridOf, valueIn } from './shape.ts';
import type { Column, CsvDialect, Exporter, RowEncoder, Style } from './view.ts';

const encoder = new TextEncoder();

/**
 * CSV as in RFC 4180, except that lines end with LF. The `excel` dialect starts with a byte order mark, ends lines with CRLF, and puts
 * an apostrophe before texts that a spreadsheet would run. Null is an empty cell, arrays and objects are JSON text. On a terminal,
 * control characters are escaped.
 */
export function csvEncoder(
  columns: readonly Column[],
  style: Pick<Style, 'csvDialect' | 'width'>,
): RowEncoder {
  const excel = style.csvDialect === 'excel';
  const lineEnd = excel ? '\r\n' : '\n';
  const line = (cells: readonly (Json | undefined)[]): string => {
    if (cells.length === 0) return '';
    const texts = cells.map(cell => {
      // Null and a missing field are empty cells, an empty text is `""`.
      if (cell === null || cell === undefined) return '';
      const text = harmless(cell, style.csvDialect);
      return quoted(style.width === undefined ? text : printableBlock(text));
    });
    // Most CSV readers skip empty lines.
    return (texts.length === 1 && texts[0] === '' ? '""' : texts.join(',')) + lineEnd;
  };
  return {
    header: () => (excel ? '\ufeff' : '') + line(columns.map(column => column.key)),
    row: value => line(cellsOf(value, columns)),
    footer: () => '',
  };
}

/** A complete document; only the header for no rows. */
export const csv: Exporter = (data, view, style) => {
  const { columns, rows } = gridOf(data, view);
  if (columns.length === 0) return '';
  const encoder = csvEncoder(columns, style);
  return encoder.header() + rows.map(encoder.row).join('') + encoder.footer();
};

/** The cells of a row in the order of the columns; a row that is not an object is in the first. */
export function cellsOf(row: Json, columns: readonly Column[]): (Json | undefined)[] {
  if (isRecord(row)) return columns.map(column => valueIn(row, column));
  return columns.map((_, i) => (i === 0 ? row : undefined));
}

function harmless(cell: Json | undefined, dialect: CsvDialect): string {
  const text = textOf(cell);
  if (dialect !== 'excel' || isJsonNumber(cell) || !isFormula(text)) return text;
  return `'${text}`;
}

function quoted(text: string): string {
  const bytes = encoder.encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return needsQuotes(view, bytes.length) ? `"${text.replaceAll('"', '""')}"` : text;
}
