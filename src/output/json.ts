import { stringifyJson } from '../json/index.ts';
import { shapeOf } from './shape.ts';
import type { Exporter, RowEncoder } from './view.ts';

const INDENT = 2;

/** The data as it was sent, with all fields and digits, indented. */
export const json: Exporter = data => `${stringifyJson(data, INDENT)}\n`;

/** An array of rows, with the same bytes as `json`; `[]` for none. An encoder serves one document. */
export function jsonEncoder(): RowEncoder {
  let rows = 0;
  return {
    header: () => '[',
    row: value => {
      const text = stringifyJson(value, INDENT).replaceAll('\n', '\n  ');
      return `${rows++ === 0 ? '' : ','}\n  ${text}`;
    },
    footer: () => (rows === 0 ? ']\n' : '\n]\n'),
  };
}

/** One JSON value per line. */
export function ndjsonEncoder(): RowEncoder {
  return { header: () => '', row: value => `${stringifyJson(value)}\n`, footer: () => '' };
}

/** One line per row, or one for a record or a single value; empty for no rows. */
export const ndjson: Exporter = (data, view) => {
  const { row } = ndjsonEncoder();
  const shape = shapeOf(data, view.columns);
  if (shape.kind === 'nothing') return '';
  const items = shape.kind === 'rows' || shape.kind === 'strings' ? shape.items : [data];
  return items.map(row).join('');
};
