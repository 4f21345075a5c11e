import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { parse as parseCsv } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import PostalMime from 'postal-mime';
import { SaxesParser } from 'saxes';
import type { ReportFormat } from '../../src/commands/bda/report/build/target.ts';
import type { ChartFileKind } from '../../src/export/output-path.ts';
import { CSV_DIALECTS, FILE_ONLY_FORMATS, FORMATS } from '../../src/output/view.ts';
import { printable } from '../../src/text/printable.ts';
import { readWorkbook } from '../support/workbook.ts';

/** What an output contains, read by a program that has nothing to do with its writer; it throws if the output is not valid. */
export interface OutputKind {
  readonly flags: (path: string) => readonly string[];
  /** The extension of the file that is written; without one the output is stdout. */
  readonly file?: string;
  /** The texts of the output. */
  readonly read: (bytes: Buffer, path: string) => readonly string[] | Promise<readonly string[]>;
  /** How a value may be shown. */
  readonly shown: readonly ((value: string) => string)[];
  /** A value without what this output does not accept: text that is not valid Unicode, or does not fit into a picture. */
  readonly fits?: (value: string) => string;
  /** Names of every value are cut to fit a picture, or are paths: only the validity is checked. */
  readonly isPicture?: boolean;
}

const asIs = (value: string) => value;
const asUtf8 = (value: string) => value.toWellFormed();
/** A spreadsheet would run it. */
const asText = (value: string) =>
  (/^[=+\-@\t\r]/.test(value) && !/^-\d+$/.test(value) ? `'${value}` : value).toWellFormed();
const beginning = (value: string) => [...value].slice(0, 12).join('').trim();
const DATA = [asIs, asUtf8, printable];
const PEOPLE = [printable];

const linesOf = (text: string) => text.split('\n');

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  return Object.entries(value).flatMap(([name, item]) => [
    ...(Array.isArray(value) ? [] : [`${name}:`]),
    ...leavesOf(item),
  ]);
}

function cellsOf(text: string, delimiter: string): string[] {
  const rows: string[][] = parseCsv(text, { delimiter, bom: true, relax_column_count: true });
  return rows.flat();
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
const fromTsv = (cell: string) => cell.replaceAll(/\\(.)/g, (_, letter) => TSV_ESCAPES[letter] ?? letter);

/** Markdown has a backslash before punctuation, and entities, but not in what is fenced. */
const fromMarkdown = (text: string) =>
  text
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, at) =>
      at % 2 === 1 ? part : entities(part.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('<br>', ' ')),
    )
    .join('');

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const entities = (text: string) =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name) => ENTITIES[name] ?? '');

/** Before the name of an element: no text of a page has it. */
const ELEMENT = '\u0001element ';

/** The elements and texts of a page, without those of its script and style. */
function pageParts(html: string): string[] {
  const markup = html.replaceAll(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, '');
  return [...markup.matchAll(/<([!/\w-]+)[^>]*>|([^<]+)/g)].map(([, element, text = '']) =>
    element === undefined ? entities(text) : `${ELEMENT}${element}`,
  );
}

function xmlElements(xml: string): string[] {
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', ({ name }) => names.push(name));
  parser.write(xml).close();
  return names;
}

/** The size of an image whose chunks and lines are complete. */
function imageSize(bytes: Buffer): string[] {
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('not a PNG image');
  const data: Buffer[] = [];
  let at = 8;
  let type = '';
  while (type !== 'IEND') {
    const length = bytes.readUInt32BE(at);
    type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const pixels = inflateSync(Buffer.concat(data));
  if (at !== bytes.length || pixels.length % height !== 0) throw new Error('the image is not complete');
  return [`${width}`];
}

async function parquetTexts(bytes: Buffer): Promise<string[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const names = parquetMetadata(file).schema.map(({ name }) => name);
  return [...names, ...(await parquetReadObjects({ file })).flatMap(row => Object.values(row).map(String))];
}

async function mailTexts(bytes: Buffer): Promise<string[]> {
  if (!/^[\t\n\x20-\x7e]*$/.test(bytes.toString('latin1'))) throw new Error('the mail is not ASCII');
  const { text = '', html = '', attachments } = await PostalMime.parse(bytes);
  for (const { content } of attachments) imageSize(Buffer.from(content as ArrayBuffer));
  // A heading is underlined as long as it is.
  const lines = linesOf(text).filter(line => !/^=+$/.test(line));
  return [...lines, ...pageParts(html)];
}

const STDOUT: Readonly<Record<(typeof FORMATS)[number], Pick<OutputKind, 'read' | 'shown'>>> = {
  table: { read: bytes => linesOf(bytes.toString()), shown: PEOPLE },
  json: { read: bytes => leavesOf(JSON.parse(bytes.toString() || 'null')), shown: DATA },
  ndjson: {
    read: bytes =>
      bytes
        .toString()
        .split('\n')
        .filter(Boolean)
        .flatMap(line => leavesOf(JSON.parse(line))),
    shown: DATA,
  },
  csv: { read: bytes => cellsOf(bytes.toString(), ','), shown: DATA },
  tsv: {
    read: bytes => linesOf(bytes.toString()).flatMap(line => line.split('\t').map(fromTsv)),
    shown: DATA,
  },
  md: { read: bytes => linesOf(fromMarkdown(bytes.toString())), shown: PEOPLE },
  html: { read: bytes => pageParts(bytes.toString()), shown: PEOPLE },
};

const DIALECTS: Readonly<Record<(typeof CSV_DIALECTS)[number], Pick<OutputKind, 'read' | 'shown'>>> = {
  rfc4180: STDOUT.csv,
  excel: { read: STDOUT.csv.read, shown: [asText] },
  'excel-semicolon': { read: bytes => cellsOf(bytes.toString(), ';'), shown: [asText] },
};

const FILES: Readonly<
  Record<(typeof FILE_ONLY_FORMATS)[number], Pick<OutputKind, 'read' | 'shown' | 'fits'>>
> = {
  parquet: { read: parquetTexts, shown: [asUtf8], fits: asUtf8 },
  xlsx: { read: workbookTexts, shown: DATA },
};

function workbookTexts(_: Buffer, path: string): string[] {
  return readWorkbook(path).flatMap(sheet => sheet.rows.flatMap(row => row.map(cell => cell?.value ?? '')));
}

const CHARTS: Readonly<Record<ChartFileKind, Pick<OutputKind, 'read'>>> = {
  svg: { read: bytes => xmlElements(bytes.toString()).filter(name => name !== 'path' && name !== 'text') },
  png: { read: imageSize },
  html: { read: bytes => pageParts(bytes.toString()).filter(part => part.startsWith(ELEMENT)) },
};

const REPORTS: Readonly<Record<ReportFormat, Pick<OutputKind, 'read' | 'shown'>>> = {
  html: STDOUT.html,
  md: STDOUT.md,
  eml: { read: mailTexts, shown: PEOPLE },
  xlsx: { read: workbookTexts, shown: DATA },
};

type Named = readonly (readonly [name: string, kind: OutputKind])[];

/** What every command prints. */
export const PRINTED: Named = FORMATS.map(format => [
  format,
  { ...STDOUT[format], flags: () => ['-o', format] },
]);

/** The files of a command that exports rows. */
export const ROW_FILES: Named = [
  ...FORMATS.filter(format => !['table', 'md', 'html'].includes(format)).map(
    format =>
      [
        `${format} file`,
        { ...STDOUT[format], file: format, flags: (path: string) => ['--out', path] },
      ] as const,
  ),
  ...CSV_DIALECTS.map(
    dialect =>
      [
        `csv as ${dialect}`,
        {
          ...DIALECTS[dialect],
          file: 'csv',
          flags: (path: string) => ['--out', path, '--csv-dialect', dialect],
        },
      ] as const,
  ),
  ...FILE_ONLY_FORMATS.map(
    format =>
      [
        `${format} file`,
        { ...FILES[format], file: format, flags: (path: string) => ['--out', path] },
      ] as const,
  ),
];

/** Charts of rows. */
export const CHART_FILES: Named = Object.entries(CHARTS).map(([format, { read }]) => [
  `chart as ${format}`,
  {
    read,
    shown: [],
    isPicture: true,
    fits: beginning,
    file: format,
    flags: (path: string) => ['--chart', path],
  },
]);

/** Charts of characters. */
export const CHART: Named = [
  ['chart', { read: () => [], shown: [], isPicture: true, flags: () => ['--chart'] }],
];

/** The formats of a report. */
export const REPORT_FILES: Named = Object.entries(REPORTS).map(([format, kind]) => [
  `report as ${format}`,
  { ...kind, fits: beginning, file: format, flags: (path: string) => ['--out', path] },
]);

/** What a run wrote. */
export function written(kind: OutputKind, stdout: string, path: string): Buffer {
  return kind.file === undefined ? Buffer.from(stdout) : readFileSync(path);
}
