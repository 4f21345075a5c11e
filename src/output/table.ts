import { isJsonNumber, type Json, type JsonRecord } from '../json/index.ts';
import { printable } from '../terminal/printable.ts';
import { cut, displayWidth, padEnd, padStart, wrap } from '../terminal/width.ts';
import { type CellWriter, cellWriter, isRightAligned } from './cell.ts';
import { fitWidths } from './fit.ts';
import { type Grid, gridOf, valueIn, withoutAbsent, withUnlisted } from './shape.ts';
import type { Column, Exporter, Style } from './view.ts';

const GAP = '  ';

/** Narrower than this, a text cell no longer tells its rows apart, nor a title its columns. */
const LEAST_TEXT = 8;

/**
 * For people: rows in columns, one record as a list of fields, strings a line each. On a terminal the widest columns of
 * text are cut with `…` or wrapped (numbers, days and times never), and a table that does not fit even so becomes a list per row.
 */
export const table: Exporter = (data, view, style) => {
  const lines = bodyOf(withoutAbsent(gridOf(data, view)), style, cellWriter(style));
  if (lines.length === 0 && view.empty !== undefined) lines.push(...fitText(view.empty, style));
  if (view.heading !== undefined) {
    lines.unshift(...fitText(printable(view.heading), style).map(style.paint.bold));
  }
  return lines.map(line => `${line}\n`).join('');
};

function bodyOf(grid: Grid, style: Style, cell: CellWriter): string[] {
  const [first] = grid.rows;
  if (first === undefined) return [];
  switch (grid.kind) {
    case 'record':
      return fieldList(first, withUnlisted(grid.columns, first), style, cell);
    case 'rows':
      return rowTable(grid, style, cell) ?? listPerRow(grid, style, cell);
    default:
      return valueLines(grid, style, cell);
  }
}

interface Cell {
  readonly value: Json | undefined;
  readonly text: string;
}

/** Undefined when the columns do not fit side by side. */
function rowTable(grid: Grid, style: Style, write: CellWriter): string[] | undefined {
  const columns = grid.columns.map(column => {
    const cells = grid.rows.map((row): Cell => {
      const value = valueIn(row, column);
      return { value, text: write(value, column) };
    });
    const values = cells.map(cell => cell.value);
    const right = isRightAligned(column, values);
    const title = titleOf(column);
    const widest = cells.reduce((most, cell) => Math.max(most, displayWidth(cell.text)), 0);
    const whole = right || column.kind === 'time' || values.some(isJsonNumber) || values.some(isDay);
    return {
      column,
      cells,
      right,
      title,
      natural: Math.max(widest, displayWidth(title)),
      least: whole ? Math.max(widest, Math.min(displayWidth(title), LEAST_TEXT)) : LEAST_TEXT,
    };
  });
  const gaps = GAP.length * (columns.length - 1);
  const widths =
    style.width === undefined
      ? columns.map(column => column.natural)
      : fitWidths(columns, style.width - gaps);
  if (widths === undefined) return undefined;

  const line = (texts: readonly string[]): string => texts.join(GAP).trimEnd();
  const place = (text: string, i: number): string => {
    const width = widths[i] ?? 0;
    const fitted = cut(text, width, style.unicode ? '…' : '...');
    return columns[i]?.right ? padStart(fitted, width) : padEnd(fitted, width);
  };
  const header = line(columns.map(({ title }, i) => place(title, i)));
  const rows = grid.rows.flatMap((_, r) => {
    const texts = columns.map(({ column, cells }, i) => {
      const text = cells[r]?.text ?? '';
      return column.wraps ? wrap(text, widths[i] ?? 0) : [text];
    });
    const height = Math.max(1, ...texts.map(lines => lines.length));
    return Array.from({ length: height }, (_, at) =>
      line(
        columns.map(({ column, cells }, i) => {
          const text = texts[i]?.[at];
          return text === undefined ? place('', i) : painted(place(text, i), cells[r]?.value, column, style);
        }),
      ),
    );
  });
  return [style.paint.bold(header), ...rows];
}

/** A day or a month, half of which tells nothing. */
function isDay(value: Json | undefined): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d(-\d\d)?$/.test(value);
}

function listPerRow(grid: Grid, style: Style, write: CellWriter): string[] {
  return grid.rows.flatMap((row, i) => [
    ...(i === 0 ? [] : ['']),
    ...fieldList(row, grid.columns, style, write),
  ]);
}

/** Two columns: names, and values that are wrapped under themselves. */
function fieldList(row: JsonRecord, columns: readonly Column[], style: Style, write: CellWriter): string[] {
  const widest = columns.reduce((most, column) => Math.max(most, displayWidth(titleOf(column))), 0);
  const limit = style.width === undefined ? widest : Math.floor((style.width - GAP.length) / 2);
  const nameWidth = Math.min(widest, Math.max(1, limit));
  const room = style.width === undefined ? undefined : style.width - nameWidth - GAP.length;
  return columns.flatMap(column => {
    const value = valueIn(row, column);
    const text = write(value, column);
    const name = cut(titleOf(column), nameWidth, style.unicode ? '…' : '...');
    const lines = room === undefined ? [text] : wrap(text, room);
    return lines.map((part, i) => {
      const label = i === 0 ? style.paint.bold(padEnd(name, nameWidth)) : ' '.repeat(nameWidth);
      return (label + GAP + painted(part, value, column, style)).trimEnd();
    });
  });
}

/** Strings and single values have no fields to name, so they stand alone, under a title where the view gives one. */
function valueLines(grid: Grid, style: Style, write: CellWriter): string[] {
  const [column] = grid.columns;
  if (column === undefined) return [];
  const lines = grid.rows.flatMap(row => fitText(write(valueIn(row, column), column), style));
  return column.title === undefined ? lines : [style.paint.bold(titleOf(column)), ...lines];
}

function fitText(text: string, style: Style): string[] {
  return style.width === undefined ? [text] : wrap(text, style.width);
}

/** Titles are ours and stand in capitals; a field's own name is kept as it is, to be typed into a flag. */
function titleOf(column: Column): string {
  return column.title === undefined ? printable(column.key) : printable(column.title).toUpperCase();
}

function painted(text: string, value: Json | undefined, column: Column, style: Style): string {
  if (value === null || value === undefined) return style.paint.dim(text);
  if (column.kind === 'flag' && typeof value === 'boolean') {
    return value ? style.paint.green(text) : style.paint.red(text);
  }
  return text;
}
