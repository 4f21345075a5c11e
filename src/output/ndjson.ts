import { stringifyJson } from '../json/index.ts';
import { shapeOf } from './shape.ts';
import type { Exporter, RowEncoder } from './view.ts';

/** One JSON value a line. */
export function ndjsonEncoder(): RowEncoder {
  return { header: () => '', row: value => `${stringifyJson(value)}\n`, footer: () => '' };
}

/** One row a line, a record or a single value on one line, nothing at all for nothing. */
export const ndjson: Exporter = (data, view) => {
  const { row } = ndjsonEncoder();
  const shape = shapeOf(data, view.columns);
  if (shape.kind === 'nothing') return '';
  const items = shape.kind === 'rows' || shape.kind === 'strings' ? shape.items : [data];
  return items.map(row).join('');
};
