import type { WritableFile } from '../../files/writable-file.ts';
import type { DataSection, ReportDocument } from '../../output/document/document.ts';
import { jsonOf } from '../row-source.ts';
import { writeTable, writeWorkbook } from './rows-to-xlsx.ts';
import { MAX_CELL_TEXT } from './sheet-column.ts';

interface DocumentXlsxOptions {
  readonly createdBy: string;
  readonly decimals: number | undefined;
  readonly signal: AbortSignal;
  /** A column of numbers of a section that is written as text, because a spreadsheet would change `example`. */
  readonly onDigits: (section: string, column: string, example: string) => void;
}

/**
 * Writes a report as a workbook: a sheet with its texts, then for each section a sheet with all rows, and one with its chart. Throws
 * UnrepresentableValueError, FileError, and the signal's reason.
 */
export async function documentToXlsx(
  document: ReportDocument,
  file: Pick<WritableFile, 'path' | 'write'>,
  { createdBy, decimals, signal, onDigits }: DocumentXlsxOptions,
): Promise<void> {
  const sections = document.sections.filter((section): section is DataSection => section.kind === 'data');
  const charts = sections.flatMap(({ chart }) => (chart === undefined ? [] : [chart]));
  await writeWorkbook(file, { createdBy, charts }, async writer => {
    await writer.textSheet('Report', textsOf(document));
    for (const { title, rows, columns, chart } of sections) {
      const units = columns.flatMap(({ key, unit }) => (unit === undefined ? [] : [[key, unit] as const]));
      await writeTable(writer, {
        rowsPath: () => jsonOf(rows),
        signal,
        columns: columns.map(({ key }) => key),
        units: new Map(units),
        sheetName: title,
        decimals,
        onRows: () => {},
        onDigits: (column, example) => onDigits(title, column, example),
      });
      if (chart !== undefined) await writer.chartSheet(`${title.slice(0, LONGEST_TITLE)} chart`, chart);
    }
  });
}

/** A sheet name has 31 characters. */
const LONGEST_TITLE = 23;

/** What the report says in words: headings in the first column, texts in the second. */
function textsOf({ title, subtitle, sections }: ReportDocument): string[][] {
  const rows = [[title, ''], ...(subtitle === undefined ? [] : [['', subtitle]])];
  for (const section of sections) {
    const texts =
      section.kind === 'text'
        ? section.markdown.trimEnd().split('\n')
        : [
            ...(section.period === undefined ? [] : [section.period]),
            ...section.sentences,
            ...section.warnings.map(text => `Warning: ${text}`),
          ];
    rows.push([], [section.title ?? '', texts[0] ?? ''], ...texts.slice(1).map(text => ['', text]));
  }
  return rows.map(row => row.map(text => text.slice(0, MAX_CELL_TEXT)));
}
