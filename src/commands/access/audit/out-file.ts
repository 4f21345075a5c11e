import { UsageError } from '../../../errors/index.ts';
import { openAtomic } from '../../../files/atomic-file.ts';
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
} as const;
export type AuditFormat = (typeof FORMATS)[keyof typeof FORMATS];

/** The format that a file's name says. Throws UsageError for any other name. */
export function formatOf(path: string): AuditFormat {
  const end = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const format = Object.hasOwn(FORMATS, end) ? FORMATS[end as keyof typeof FORMATS] : undefined;
  if (format !== undefined) return format;
  throw new UsageError(`cannot tell the format of ${path}`, {
    code: 'invalid_value',
    hints: [`name it ${['.csv', '.tsv', '.ndjson', '.json', '.md'].join(', ')} or .html`],
  });
}

export interface AuditDocument {
  /** Everything but the rows. */
  readonly summary: Json;
  readonly rows: () => Iterable<Json>;
  readonly columns: NonNullable<View['columns']>;
  readonly sections: () => readonly OutputSection[];
  readonly style: Style;
}

/** Writes an audit to a file, which appears once it is complete. Throws FileError. */
export async function writeAudit(path: string, format: AuditFormat, document: AuditDocument): Promise<void> {
  const file = await openAtomic(path);
  try {
    for await (const text of textOf(format, document)) await file.write(text);
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** In pieces of some kilobytes. */
const PIECE = 1 << 16;

async function* textOf(format: AuditFormat, document: AuditDocument): AsyncGenerator<string> {
  const { renderSections, rowEncoder } = await import('../../../output/render.ts');
  const { summary, rows, columns, sections, style } = document;
  if (format === 'html' || format === 'md') {
    yield renderSections(sections(), format, style);
    return;
  }
  const encoder = rowEncoder(format, columns, style);
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
