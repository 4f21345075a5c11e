import { isJsonNumber, type Json } from '../json/index.ts';
import { displayWidth, padEnd, padStart } from '../terminal/width.ts';
import { type CellWriter, isRightAligned } from './cell.ts';
import { fitWidths, PADDING_MAX, sum } from './fit.ts';
import { type Grid, valueIn } from './shape.ts';
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
  if (sum(naturals) <= room) {
    const { header, rows } = layOut(columns, naturals, style);
    return [...header, ...rows];
  }

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
  const { header, rows } = layOut(short, widths, style);
  return rows.length > grid.rows.length * linesARowMax ? undefined : [...header, ...rows];
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

/** Rows and their header in columns of these widths; wider texts wrap. */
function layOut(
  columns: readonly TableColumn[],
  widths: readonly number[],
  style: Style,
): { readonly header: readonly string[]; readonly rows: readonly string[] } {
  const width = (at: number) => widths[at] ?? 0;
  const place = (text: string, at: number) => {
    const padding = Math.min(width(at), PADDING_MAX);
    return columns[at]?.right ? padStart(text, padding) : padEnd(text, padding);
  };
  const titles = columns.map(({ title }, at) => wrapTitle(title, width(at)));
  const height = Math.max(1, ...titles.map(lines => lines.length));
  const header = Array.from({ length: height }, (_, line) =>
    // Headings are aligned at the bottom.
    titles
      .map((lines, at) => place(lines[line - height + lines.length] ?? '', at))
      .join(GAP)
      .trimEnd(),
  );
  const rows = (columns[0]?.cells ?? []).flatMap((_, row) => {
    const texts = columns.map(({ cells }, at) => wrapCell(cells[row]?.text ?? '', width(at)));
    return Array.from({ length: Math.max(1, ...texts.map(lines => lines.length)) }, (_, line) =>
      columns
        .map(({ column, cells }, at) => {
          const text = texts[at]?.[line];
          return text === undefined
            ? place('', at)
            : painted(place(text, at), cells[row]?.value, column, style);
        })
        .join(GAP)
        .trimEnd(),
    );
  });
  return { header: header.map(style.paint.bold), rows };
}

/** Truncates the decimals of a number, ending with `mark`, if that is shorter. */
function shortDecimals(text: string, mark: string): string {
  const [, whole, decimals] = DECIMALS.exec(text) ?? [];
  if (whole === undefined || decimals === undefined) return text;
  const zeros = /[1-9]/.test(whole) ? 0 : (/^0*/.exec(decimals)?.[0].length ?? 0);
  const short = whole + decimals.slice(0, zeros + SHORT_DECIMALS) + mark;
  return short.length < text.length ? short : text;
}
