import { type CsvDialect, csvForm } from '../../output/view.ts';
import { TAB } from './ascii.ts';
import { CsvCells } from './csv-cells.ts';
import { DelimitedRows } from './delimited-rows.ts';
import { JsonRows, NdjsonRows } from './json-rows.ts';
import type { KernelFormat } from './kernel.ts';
import type { RowEncoder } from './row-encoder.ts';
import { TsvCells } from './tsv-cells.ts';

export type RowFormat = 'csv' | 'tsv' | 'ndjson' | 'json';

/** The two ways to write rows, with equal results. */
export interface Writing {
  /** Writes any row. */
  encoder(columns: readonly string[]): RowEncoder;
  /** The format of rows that the kernel writes. */
  readonly kernel: KernelFormat | undefined;
}

/** Whether rows are lists of cells, so that the columns must be known before the first one. */
export function isDelimited(format: RowFormat): boolean {
  return format === 'csv' || format === 'tsv';
}

export function writingOf(format: RowFormat, dialect: CsvDialect): Writing {
  switch (format) {
    case 'csv': {
      const { isExcel, hasDecimalComma, delimiter: character } = csvForm(dialect);
      const lines = { delimiter: character.charCodeAt(0), lineEnd: isExcel ? '\r\n' : '\n' };
      const cells = new CsvCells(isExcel, hasDecimalComma ? lines : undefined);
      return {
        encoder: columns =>
          new DelimitedRows(columns, { ...lines, byteOrderMark: isExcel, emptyLine: '""', cells }),
        kernel: hasDecimalComma
          ? undefined
          : {
              kind: isExcel ? 'csv-disarmed' : 'csv',
              delimiter: lines.delimiter,
              before: '',
              behind: lines.lineEnd,
            },
      };
    }
    case 'tsv': {
      const lines = { delimiter: TAB, lineEnd: '\n' };
      const cells = new TsvCells();
      return {
        encoder: columns =>
          new DelimitedRows(columns, { ...lines, byteOrderMark: false, emptyLine: '', cells }),
        kernel: { kind: 'tsv', delimiter: lines.delimiter, before: '', behind: lines.lineEnd },
      };
    }
    case 'ndjson':
      return {
        encoder: columns => new NdjsonRows(columns),
        kernel: { kind: 'json', before: '', behind: '\n' },
      };
    case 'json':
      return {
        encoder: columns => new JsonRows(columns),
        kernel: { kind: 'json', before: ',\n', behind: '' },
      };
  }
}
