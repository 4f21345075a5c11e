import type { WritableFile } from '../../files/writable-file.ts';
import type { DataSection, ReportDocument } from '../../output/document/document.ts';
import { proseLines } from '../../output/document/prose.ts';
import { headingOf, presentationOf } from '../../output/presentation/index.ts';
import { jsonOf } from '../row-source.ts';
import { STYLES } from './cell-writer.ts';
import { writeTable, writeWorkbook } from './rows-to-xlsx.ts';
import { MAX_CELL_TEXT } from './sheet-column.ts';
import { rowOf } from './workbook-writer.ts';

interface DocumentXlsxOptions {
  readonly createdBy: string;
  readonly decimals: number | undefined;
  readonly signal: AbortSignal;
  /** A column of numbers of a section that is written as text, because a spreadsheet would change `example`. */
  readonly onDigits: (section: string, column: string, example: string) => void;
}

/**
 * Writes a report as a workbook: a sheet with its texts, then for each section a sheet with all rows and its chart. Throws
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
    await writer.sheet('Summary', { widths: SUMMARY_WIDTHS, rows: summaryRows(document) });
    for (const { title, rows, columns, chart } of sections) {
      const named = new Map(columns.map(column => [column.key, column]));
      // The header has the unit of money.
      const units = columns.flatMap(({ key, presentation }) =>
        presentation?.figure === undefined ? [] : [[key, presentation.figure] as const],
      );
      await writeTable(writer, {
        rowsPath: () => jsonOf(rows),
        signal,
        columns: columns.map(({ key }) => key),
        units: new Map(units),
        sheetName: title,
        headingOf: key => headingOf(named.get(key)?.presentation ?? presentationOf(key)),
        chart,
        decimals,
        onRows: () => {},
        onDigits: (column, example) => onDigits(title, column, example),
      });
    }
  });
}

/** Of the sheet of texts: headings, texts. */
const SUMMARY_WIDTHS = [30, 100];
/** Of a line, in points. */
const LINE_HEIGHT = 15;
const TITLE_HEIGHT = 24;
/** Characters of the second column in a line of a common font. */
const LINE_CHARACTERS = 90;

/** Spreadsheets do not fit the height of a row to its text when they open a file. */
function heightOf(style: number, heading: string, text: string): number {
  if (style === STYLES.title) return TITLE_HEIGHT;
  const lines = Math.max(heading.length / 26, text.length / LINE_CHARACTERS, 1);
  // More are cut by the limit of spreadsheets.
  return Math.min(400, Math.ceil(lines) * LINE_HEIGHT);
}

/** What the report says in words: headings in the first column, texts in the second. */
function summaryRows({ title, subtitle, sections }: ReportDocument): string[] {
  const texts: (readonly [style: number, heading: string, text: string])[] = [
    [STYLES.title, title, ''],
    ...(subtitle === undefined ? [] : [[STYLES.plain, subtitle, ''] as const]),
  ];
  for (const section of sections) {
    const lines =
      section.kind === 'text'
        ? proseLines(section.markdown)
        : [
            ...(section.period === undefined ? [] : [section.period]),
            ...section.sentences,
            ...section.warnings.map(text => `Warning: ${text}`),
          ];
    const [first = '', ...others] = lines;
    texts.push(
      [STYLES.plain, '', ''],
      [STYLES.heading, section.title ?? '', first],
      ...others.map(text => [STYLES.heading, '', text] as const),
    );
  }
  const cut = (text: string) => text.slice(0, MAX_CELL_TEXT);
  return texts.map(([style, heading, text], at) =>
    rowOf(
      at + 1,
      [
        [style, cut(heading)],
        [STYLES.paragraph, cut(text)],
      ],
      heightOf(style, heading, text),
    ),
  );
}
