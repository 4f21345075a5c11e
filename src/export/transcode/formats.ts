import type { CsvDialect } from '../../output/view.ts';
import { COMMA, TAB } from './ascii.ts';
import { CsvCells } from './csv-cells.ts';
import { DelimitedRows } from './delimited-rows.ts';
import { JsonRows, NdjsonRows } from './json-rows.ts';
import type { RowEncoder } from './row-encoder.ts';
import { TsvCells } from './tsv-cells.ts';

export type RowFormat = 'csv' | 'tsv' | 'ndjson' | 'json';

/** True where each row is a list of cells, so that the columns have to be known before the first. */
export function isDelimited(format: RowFormat): boolean {
  return format === 'csv' || format === 'tsv';
}

export function encoderFor(format: RowFormat, dialect: CsvDialect, columns: readonly string[]): RowEncoder {
  switch (format) {
    case 'csv': {
      const isExcel = dialect === 'excel';
      return new DelimitedRows(columns, {
        delimiter: COMMA,
        lineEnd: isExcel ? '\r\n' : '\n',
        byteOrderMark: isExcel,
        emptyLine: '""',
        cells: new CsvCells(isExcel),
      });
    }
    case 'tsv':
      return new DelimitedRows(columns, {
        delimiter: TAB,
        lineEnd: '\n',
        byteOrderMark: false,
        emptyLine: '',
        cells: new TsvCells(),
      });
    case 'ndjson':
      return new NdjsonRows(columns);
    case 'json':
      return new JsonRows(columns);
  }
}
