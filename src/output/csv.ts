import { isJsonNumber, isRecord, type Json, textOf } from '../json/index.ts';
import { printableBlock } from '../text/printable.ts';
import { isFormula, needsQuotes } from './csv-quoting.ts';
import { gridOf, valueIn } from './shape.ts';
import { type Column, type CsvForm, csvForm, type Exporter, type RowEncoder, type Style } from './view.ts';

const encoder = new TextEncoder();
/** A number with a decimal comma, which the delimiter does not separate. */
const DECIMAL = /^-?\d+,\d+(?:[eE][+-]?\d+)?$/;

/**
 * CSV as in RFC 4180, except that lines end with LF. The `excel` dialect starts with a byte order mark, ends lines with CRLF, and puts
 * an apostrophe before texts that a spreadsheet would run; `excel-semicolon` also has semicolons and decimal commas. Null is an empty cell, arrays and objects are JSON text. On a terminal,
 * control characters are escaped.
 */
export function csvEncoder(
  columns: readonly Column[],
  style: Pick<Style, 'csvDialect' | 'width'>,
): RowEncoder {
  const form = csvForm(style.csvDialect);
  const lineEnd = form.isExcel ? '\r\n' : '\n';
  const line = (cells: readonly (Json | undefined)[]): string => {
    if (cells.length === 0) return '';
    const texts = cells.map(cell => {
      // Null and a missing field are empty cells, an empty text is `""`.
      if (cell === null || cell === undefined) return '';
      const text = cellText(cell, form);
      return quoted(style.width === undefined ? text : printableBlock(text), form);
    });
    // Most CSV readers skip empty lines.
    return (texts.length === 1 && texts[0] === '' ? '""' : texts.join(form.delimiter)) + lineEnd;
  };
  return {
    header: () => (form.isExcel ? '\ufeff' : '') + line(columns.map(column => column.key)),
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

function cellText(cell: Json | undefined, { isExcel, hasDecimalComma }: CsvForm): string {
  const text = textOf(cell);
  if (isJsonNumber(cell)) return hasDecimalComma ? text.replace('.', ',') : text;
  return isExcel && isFormula(text) ? `'${text}` : text;
}

function quoted(text: string, { delimiter, hasDecimalComma }: CsvForm): string {
  if (hasDecimalComma && DECIMAL.test(text)) return text;
  const bytes = encoder.encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return needsQuotes(view, bytes.length, delimiter.charCodeAt(0)) ? `"${text.replaceAll('"', '""')}"` : text;
}
