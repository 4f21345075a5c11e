import { isJsonNumber, type Json } from '../json/index.ts';
import { displayWidth } from '../terminal/width.ts';
import { type CellWriter, isRightAligned } from './cell.ts';
import { fitWidths, PADDING_MAX, sum } from './fit.ts';
import { type Grid, valueIn } from './shape.ts';
import { tableLines } from './table-lines.ts';
import { GAP, painted, titleOf } from './table-parts.ts';
import { looksLikeDay } from './time.ts';
import type { Column, Style } from './view.ts';
import { widestPart, widestTitlePart, wrapCell, wrapTitle } from './wrap-cell.ts';

const DECIMALS = /^(-?[\d,]+\.)(\d+)$/;
/** Decimals to show, not counting leading zeros. */
const SHORT_DECIMALS = 4;
/** Names and words up to this width are not broken, so that they can be copied. */
const NAME_MAX = 32;
/** With more lines per row on average, a list for each row is easier to read. */
const LINES_A_ROW_MAX = 3;

interface Cell {
  readonly value: Json | undefined;
  readonly text: string;
}

interface TableColumn {
  readonly column: Column;
  readonly title: string;
  readonly cells: readonly Cell[];
  readonly right: boolean;
}

/**
 * Rows in columns with a header; undefined if the columns do not fit with at most `linesARowMax` lines per row on average. If there is
 * too little room, long decimals are truncated with a mark, then headings and texts wrap.
 */
export function rowTable(
  grid: Grid,
  style: Style,
  write: CellWriter,
  linesARowMax = LINES_A_ROW_MAX,
): string[] | undefined {
  const columns = grid.columns.map((column): TableColumn => {
    const cells = grid.rows.map((row): Cell => {
      const value = valueIn(row, column);
      return { value, text: write(value, column) };
    });
    const right = isRightAligned(
      column,
      cells.map(cell => cell.value),
    );
    return { column, title: titleOf(column), cells, right };
  });
  const naturals = columns.map(naturalWidth);
  const room = (style.width ?? Number.POSITIVE_INFINITY) - GAP.length * (columns.length - 1);
  if (sum(naturals) <= room) return drawTable(columns, naturals, style);

  // Truncate long decimals first: they take the most room and matter least.
  const short = columns.map(column => withShortDecimals(column, style));
  // Then wrap headings, and finally texts.
  const widths =
    fitWidths(
      short.map(column => ({ natural: naturalWidth(column), least: withTitleBroken(column) })),
      room,
    ) ??
    fitWidths(
      short.map(column => ({ natural: withTitleBroken(column), least: leastWidth(column) })),
      room,
    );
  if (widths === undefined) return undefined;
  const isReadable = heightOf(short, widths) <= grid.rows.length * linesARowMax;
  return isReadable ? drawTable(short, widths, style) : undefined;
}

function naturalWidth({ title, cells }: TableColumn): number {
  return widest(cells, displayWidth, displayWidth(title));
}

function withTitleBroken({ title, cells }: TableColumn): number {
  return widest(cells, displayWidth, widestTitlePart(title));
}

/** Numbers, times and days are not broken, nor are words and names up to NAME_MAX. */
function leastWidth({ column, title, cells, right }: TableColumn): number {
  const isUnbroken =
    right ||
    column.kind === 'time' ||
    column.kind === 'flag' ||
    cells.some(({ value }) => isJsonNumber(value) || (typeof value === 'string' && looksLikeDay(value)));
  const least = isUnbroken ? displayWidth : (text: string) => Math.min(widestPart(text), NAME_MAX);
  return widest(cells, least, widestTitlePart(title));
}

function widest(cells: readonly Cell[], measure: (text: string) => number, least: number): number {
  return cells.reduce((most, { text }) => Math.max(most, measure(text)), least);
}

function withShortDecimals(column: TableColumn, style: Style): TableColumn {
  if (style.decimals !== undefined) return column;
  const cells = column.cells.map(cell =>
    isJsonNumber(cell.value) || column.right
      ? { ...cell, text: shortDecimals(cell.text, style.unicode ? '…' : '...') }
      : cell,
  );
  return { ...column, cells };
}

/** The number of lines that the cells take in columns of these widths. */
function heightOf(columns: readonly TableColumn[], widths: readonly number[]): number {
  const rows = columns[0]?.cells ?? [];
  return rows.reduce((lines, _, row) => {
    const heights = columns.map(({ cells }, at) => wrapCell(cells[row]?.text ?? '', widths[at] ?? 0).length);
    return lines + Math.max(1, ...heights);
  }, 0);
}

/** The cells in columns of these widths, row by row, because a response may have millions. */
function* wrappedRows(
  columns: readonly TableColumn[],
  widths: readonly number[],
  style: Style,
): Iterable<readonly string[]> {
  for (const row of (columns[0]?.cells ?? []).keys())
    yield columns.map(({ column, cells }, at) => {
      const { text = '', value } = cells[row] ?? {};
      return wrapCell(text, widths[at] ?? 0)
        .map(line => painted(line, value, column, style))
        .join('\n');
    });
}

/** Headings, aligned at the bottom, above the cells. */
function drawTable(columns: readonly TableColumn[], widths: readonly number[], style: Style): string[] {
  const places = columns.map(({ right }, at) => ({ width: Math.min(widths[at] ?? 0, PADDING_MAX), right }));
  const titles = columns.map(({ title }, at) => wrapTitle(title, widths[at] ?? 0).join('\n'));
  const header = tableLines([titles], places, { vertical: 'bottom' });
  return [...header.map(style.paint.bold), ...tableLines(wrappedRows(columns, widths, style), places)];
}

/** Truncates the decimals of a number, ending with `mark`, if that is shorter. */
function shortDecimals(text: string, mark: string): string {
  const [, whole, decimals] = DECIMALS.exec(text) ?? [];
  if (whole === undefined || decimals === undefined) return text;
  const zeros = /[1-9]/.test(whole) ? 0 : (/^0*/.exec(decimals)?.[0].length ?? 0);
  const short = whole + decimals.slice(0, zeros + SHORT_DECIMALS) + mark;
  return short.length < text.length ? short : text;
}
