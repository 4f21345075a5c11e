import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { version } from '../../../../package.json';
import { invalidValue } from '../../../errors/usage.ts';
import { openAtomic } from '../../../files/atomic-file.ts';
import { fileError } from '../../../files/file-error.ts';
import type { WritableFile } from '../../../files/writable-file.ts';
import { type Json, stringifyJson } from '../../../json/index.ts';
import type { Style, View } from '../../../output/view.ts';
import type { OutputSection } from '../../framework/context.ts';

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
type AuditFormat = (typeof FORMATS)[keyof typeof FORMATS];

/** The format for the extension of a file. Throws UsageError for any other name. */
export function formatOf(path: string): AuditFormat {
  const end = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const format = Object.hasOwn(FORMATS, end) ? FORMATS[end as keyof typeof FORMATS] : undefined;
  if (format !== undefined) return format;
  throw invalidValue(
    `cannot determine the format of ${path}`,
    `name it ${['.csv', '.tsv', '.ndjson', '.json', '.xlsx', '.md'].join(', ')} or .html`,
  );
}

interface AuditDocument {
  /** Everything but the rows. */
  readonly summary: Json;
  readonly rows: () => Iterable<Json>;
  readonly columns: NonNullable<View['columns']>;
  readonly sections: () => readonly OutputSection[];
  readonly style: Style;
  readonly signal: AbortSignal;
}

/** Writes an audit to a file, which appears once it is complete. Throws FileError. */
export async function writeAudit(path: string, format: AuditFormat, document: AuditDocument): Promise<void> {
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
async function writeWorkbook(file: WritableFile, document: AuditDocument): Promise<void> {
  const { rowsToXlsx } = await import('../../../export/xlsx/rows-to-xlsx.ts');
  const folder = await mkdtemp(join(dirname(resolve(file.path)), '.gatectl-audit-')).catch(error => {
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
    await rowsToXlsx({
      rowsPath,
      file,
      columns: document.columns.map(({ key }) => key),
      units: new Map(),
      sheetName: 'audit',
      createdBy: `gatectl ${version}`,
      signal: document.signal,
      onRows: () => {},
      onDigits: () => {},
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In pieces of some kilobytes. */
const PIECE = 1 << 16;

/** `rows` are the findings alone, as one JSON array. */
async function* textOf(
  format: Exclude<AuditFormat, 'xlsx'> | 'rows',
  document: AuditDocument,
): AsyncGenerator<string> {
  const { renderSections, rowEncoder } = await import('../../../output/render.ts');
  const { summary, rows, columns, sections, style } = document;
  if (format === 'html' || format === 'md') {
    yield renderSections(sections(), format, style);
    return;
  }
  const encoder = rowEncoder(format === 'rows' ? 'json' : format, columns, style);
  let piece = format === 'json' ? `${stringifyJson(summary).slice(0, -1)},"findings":` : '';
  piece += encoder.header();
  for (const row of rows()) {
    piece += encoder.row(row);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece + encoder.footer() + (format === 'json' ? '}\n' : '');
}
