import { type Json, textOf } from '../json/index.ts';
import { printable } from '../text/printable.ts';
import { cellsOf } from './csv.ts';
import { gridOf } from './shape.ts';
import { escapeTsv } from './tsv-escapes.ts';
import type { Column, Exporter, RowEncoder, Style } from './view.ts';

/**
 * One line per row, with tabs between cells; a tab, line break or backslash in a cell is `\t`, `\n`, `\r` or `\\`, so that `cut` and
 * `awk` can split it. Null is an empty cell, arrays and objects are JSON text.
 */
export function tsvEncoder(columns: readonly Column[], style: Pick<Style, 'width'>): RowEncoder {
  const line = (cells: readonly (Json | undefined)[]): string => {
    const texts = cells.map(cell => {
      const text = escapeTsv(textOf(cell));
      return style.width === undefined ? text : printable(text);
    });
    return `${texts.join('\t')}\n`;
  };
  return {
    header: () => line(columns.map(column => column.key)),
    row: value => line(cellsOf(value, columns)),
    footer: () => '',
  };
}

/** A complete document; only the header for no rows. */
export const tsv: Exporter = (data, view, style) => {
  const { columns, rows } = gridOf(data, view);
  if (columns.length === 0) return '';
  const encoder = tsvEncoder(columns, style);
  return encoder.header() + rows.map(encoder.row).join('') + encoder.footer();
};
