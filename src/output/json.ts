import { stringifyJson } from '../json/index.ts';
import type { Exporter, RowEncoder } from './view.ts';

const INDENT = 2;

/** The data as it was sent, every field and every digit, indented. */
export const json: Exporter = data => `${stringifyJson(data, INDENT)}\n`;

/** An array of rows, byte for byte what `json` makes of all of them; `[]` of none. For one document only. */
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
