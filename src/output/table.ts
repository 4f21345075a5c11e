import type { JsonRecord } from '../json/index.ts';
import { displayWidth, wrap } from '../terminal/width.ts';
import { printable } from '../text/printable.ts';
import { type CellWriter, cellWriter } from './cell.ts';
import { rowTable } from './row-table.ts';
import { type Grid, gridOf, valueIn, withoutAbsent, withUnlisted } from './shape.ts';
import { tableLines } from './table-lines.ts';
import { GAP, outcomeOf, painted, paintOutcome, titleOf, withMark } from './table-parts.ts';
import type { Column, Exporter, Outcome, Style, View } from './view.ts';
import { wrapTitle } from './wrap-cell.ts';

/** With more lines per row on average, a table is easier to read without its secondary columns. */
const FEW_LINES_A_ROW = 1.5;

/**
 * Formats rows in columns, a record as a list of fields, and strings as lines. On a narrow terminal long decimals are truncated with
 * `…`, then texts and headings wrap, the widest first. A table that still does not fit becomes one list per row, with all digits.
 */
export const table: Exporter = (data, view, style) => {
  const lines = bodyOf(withoutAbsent(gridOf(data, view)), style, view);
  if (lines.length === 0 && view.empty !== undefined)
    lines.push(...markedLines(view.empty, view.outcomes?.[0], style));
  lines.unshift(...(view.introduction ?? []).flatMap(text => fitText(printable(text), style)));
  if (view.heading !== undefined) lines.unshift(...headingLines(view.heading, view.outcome, style));
  return lines.map(line => `${line}\n`).join('');
};

function bodyOf(grid: Grid, style: Style, view: View): string[] {
  const { secondary = [] } = view;
  const [first] = grid.rows;
  if (first === undefined) return [];
  const cell = markedCells(style, grid);
  switch (grid.kind) {
    case 'record':
      return fieldList(first, withUnlisted(grid.columns, first), style, cell);
    case 'rows':
      return (
        readableTable(grid, secondary, style, cell) ??
        rowTable(grid, style, cell) ??
        listPerRow(grid, style, cell)
      );
    default:
      return valueLines(grid, style, cell, view);
  }
}

/**
 * A table that hardly wraps, without as many of the secondary columns as necessary, which the last line names; undefined if there are
 * none, or if omitting all of them does not help.
 */
function readableTable(
  grid: Grid,
  secondary: readonly string[],
  style: Style,
  write: CellWriter,
): string[] | undefined {
  const omissible = secondary.filter(key => grid.columns.some(column => column.key === key));
  if (style.width === undefined || omissible.length === 0) return undefined;
  for (let count = 0; count <= omissible.length; count++) {
    const omitted = omissible.slice(0, count);
    const columns = grid.columns.filter(({ key }) => !omitted.includes(key));
    const isLast = count === omissible.length;
    const lines = rowTable({ ...grid, columns }, style, write, isLast ? undefined : FEW_LINES_A_ROW);
    if (lines === undefined || columns.length === 0) continue;
    const names = columnNames(grid.columns.filter(({ key }) => omitted.includes(key)));
    return count === 0
      ? lines
      : [...lines, '', ...fitText(`omitted in this width: ${names}; -o json includes them`, style)];
  }
  return undefined;
}

function columnNames(columns: readonly Column[]): string {
  return columns.map(titleOf).join(', ');
}

function listPerRow(grid: Grid, style: Style, write: CellWriter): string[] {
  return grid.rows.flatMap((row, i) => [
    ...(i === 0 ? [] : ['']),
    ...fieldList(row, grid.columns, style, write),
  ]);
}

/** Two columns: names and values, both wrapped. */
function fieldList(row: JsonRecord, columns: readonly Column[], style: Style, write: CellWriter): string[] {
  const widest = columns.reduce((most, column) => Math.max(most, displayWidth(titleOf(column))), 0);
  const limit = style.width === undefined ? widest : Math.floor((style.width - GAP.length) / 2);
  const nameWidth = Math.min(widest, Math.max(1, limit));
  const room = style.width === undefined ? undefined : style.width - nameWidth - GAP.length;
  const cells = columns.map(column => {
    const value = valueIn(row, column);
    const text = write(value, column);
    const names = wrapTitle(titleOf(column), nameWidth).map(style.paint.bold);
    const lines = room === undefined ? [text] : wrap(text, room);
    return [names.join('\n'), lines.map(line => painted(line, value, column, style)).join('\n')];
  });
  return tableLines(cells, [{ width: nameWidth }, { width: 1 }]);
}

/** Strings and single values, one per line, below the column's title if it has one. */
function valueLines(
  grid: Grid,
  style: Style,
  write: CellWriter,
  { outcomes = [], paragraphs = false }: View,
): string[] {
  const [column] = grid.columns;
  if (column === undefined) return [];
  const lines = grid.rows.flatMap((row, i) => [
    ...(paragraphs && i > 0 ? [''] : []),
    ...markedLines(write(valueIn(row, column), column), outcomes[i], style),
  ]);
  return column.title === undefined ? lines : [style.paint.bold(titleOf(column)), ...lines];
}

/** Cells with the marks of their outcomes. */
function markedCells(style: Style, { rows, columns }: Grid): CellWriter {
  const write = cellWriter(style, rows, columns);
  return (value, column) => withMark(write(value, column), outcomeOf(value, column), style);
}

function headingLines(text: string, outcome: Outcome | undefined, style: Style): string[] {
  const lines = fitText(withMark(printable(text), outcome, style), style);
  const painted = outcome === undefined ? lines : lines.map(line => paintOutcome(line, outcome, style));
  return painted.map(style.paint.bold);
}

/** A sentence whose mark or first word has the color of the outcome. */
function markedLines(text: string, outcome: Outcome | undefined, style: Style): string[] {
  const [first = '', ...others] = fitText(withMark(text, outcome, style), style);
  if (outcome === undefined) return [first, ...others];
  return [first.replace(/^\S+/, word => paintOutcome(word, outcome, style)), ...others];
}

function fitText(text: string, style: Style): string[] {
  return style.width === undefined ? [text] : wrap(text, style.width);
}
