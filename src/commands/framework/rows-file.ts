import { dirname, join, resolve } from 'node:path';
import { version } from '../../../package.json';
import { invalidValue } from '../../errors/usage.ts';
import { openAtomic } from '../../files/atomic-file.ts';
import { mkdtemp, rm } from '../../files/disk.ts';
import { fileError } from '../../files/file-error.ts';
import type { WritableFile } from '../../files/writable-file.ts';
import { type Json, stringifyJson } from '../../json/index.ts';
import type { Style, View } from '../../output/view.ts';
import type { OutputSection } from './context.ts';

const FORMATS = {
  csv: 'csv',
  tsv: 'tsv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  md: 'md',
  html: 'html',
  htm: 'html',
  xlsx: 'xlsx',
} as const;
type RowsFileFormat = (typeof FORMATS)[keyof typeof FORMATS];

/** The format for the extension of a file. Throws UsageError for any other name. */
export function formatOf(path: string): RowsFileFormat {
  const end = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const format = Object.hasOwn(FORMATS, end) ? FORMATS[end as keyof typeof FORMATS] : undefined;
  if (format !== undefined) return format;
  throw invalidValue(
    `cannot determine the format of ${path}`,
    `name it ${['.csv', '.tsv', '.ndjson', '.json', '.xlsx', '.md'].join(', ')} or .html`,
  );
}

interface RowsDocument {
  /** In json, the members beside the rows and the name of these; undefined for the rows alone. */
  readonly around: { readonly summary: Json; readonly name: string } | undefined;
  /** The first sheet of a workbook, one line a row; none for the rows alone. */
  readonly lines?: readonly string[];
  /** The name of that sheet. */
  readonly summaryName?: string;
  readonly sheetName: string;
  /** Whether the headings of a workbook are the titles of the columns, rather than their names. */
  readonly isForPeople?: boolean;
  readonly rows: () => Iterable<Json>;
  readonly columns: NonNullable<View['columns']>;
  readonly sections: () => readonly OutputSection[];
  readonly style: Style;
  readonly signal: AbortSignal;
}

/** Writes rows to a file, which appears once it is complete. Throws FileError. */
export async function writeRowsFile(
  path: string,
  format: RowsFileFormat,
  document: RowsDocument,
): Promise<void> {
  const file = await openAtomic(path);
  try {
    if (format === 'xlsx') await writeWorkbook(file, document);
    else for await (const text of textOf(format, document)) await file.write(text);
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The writer of workbooks reads its rows several times, so they are stored next to the file first. */
async function writeWorkbook(file: WritableFile, document: RowsDocument): Promise<void> {
  const folder = await mkdtemp(join(dirname(resolve(file.path)), '.gatectl-rows-')).catch(error => {
    throw fileError(file.path, error, 'write');
  });
  try {
    const rowsPath = join(folder, 'rows.json');
    const rows = await openAtomic(rowsPath, { mode: 0o600 });
    try {
      for await (const text of textOf('rows', document)) await rows.write(text);
      await rows.commit();
    } catch (error) {
      await rows.discard();
      throw error;
    }
    await writeSheets(file, rowsPath, document);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeSheets(file: WritableFile, rowsPath: string, document: RowsDocument): Promise<void> {
  const [{ writeTable, writeWorkbook: write }, { rowOf }, { STYLES }] = await Promise.all([
    import('../../export/xlsx/rows-to-xlsx.ts'),
    import('../../export/xlsx/workbook-writer.ts'),
    import('../../export/xlsx/cell-writer.ts'),
  ]);
  const { columns, lines = [], summaryName = 'Summary', sheetName, isForPeople, signal } = document;
  await write(file, { createdBy: `gatectl ${version}`, charts: [] }, async writer => {
    const rows = lines.map((text, at) => rowOf(at + 1, [[at === 0 ? STYLES.title : STYLES.plain, text]]));
    if (rows.length > 0) await writer.sheet(summaryName, { widths: [90], rows, merged: [], charts: [] });
    await writeTable(writer, {
      rowsPath,
      columns: columns.map(({ key }) => key),
      headingOf: name => (isForPeople && columns.find(({ key }) => key === name)?.title) || name,
      figureOf: () => ({ figure: undefined, isChange: false }),
      sheetName,
      signal,
      onRows: () => {},
      onDigits: () => {},
    });
  });
}

/** In pieces of some kilobytes. */
const PIECE = 1 << 16;

/** `rows` are the findings alone, as one JSON array. */
async function* textOf(
  format: Exclude<RowsFileFormat, 'xlsx'> | 'rows',
  document: RowsDocument,
): AsyncGenerator<string> {
  const { renderSections, rowEncoder } = await import('../../output/render.ts');
  const { around, rows, columns, sections, style } = document;
  if (format === 'html' || format === 'md') {
    yield renderSections(sections(), format, style);
    return;
  }
  const encoder = rowEncoder(format === 'rows' ? 'json' : format, columns, style);
  const isInside = format === 'json' && around !== undefined;
  let piece = isInside ? `${stringifyJson(around.summary).slice(0, -1)},"${around.name}":` : '';
  piece += encoder.header();
  for (const row of rows()) {
    piece += encoder.row(row);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece + encoder.footer() + (isInside ? '}\n' : '');
}
