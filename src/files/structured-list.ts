import { pipeline, Readable } from 'node:stream';
import { UsageError } from '../errors/index.ts';
import { similar } from '../errors/nearest.ts';
import { isList, isRecord, type Json, jsonIn, stringifyJson, textOf, tryParseJson } from '../json/index.ts';
import type { OpenedNote } from './opened-note.ts';
import type { Encoding } from './text-encoding.ts';
import { hasContent, isComment, sourceName, type TextLine, type TextSource } from './text-source.ts';

/** The kind of values in a list, to detect their column in CSV and JSON. */
export interface ListColumn {
  /** One value in messages, such as `URL`. */
  readonly what: string;
  /** Names of columns and fields with such values, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Whether a cell, or a line of a plain list, is such a value. */
  readonly isValue: (text: string) => boolean;
  /** Whether nearly any text is such a value, so that only the header of CSV identifies the column. */
  readonly byName?: true;
}

/** One entry of a list. */
export interface ListEntry {
  /** Its line number, or a name such as `item 3`. */
  readonly place: number | string;
  readonly text: string;
  readonly fault?: TextLine['fault'];
  /** The values of the further columns, in their order; undefined where a line is too short. */
  readonly values?: readonly (string | undefined)[];
}

export interface ListOptions {
  readonly signal?: AbortSignal;
  /** Of a text without a byte order mark; without it, UTF-8. */
  readonly encoding?: Encoding | undefined;
  /** Whether the user can choose the encoding. */
  readonly acceptsEncoding?: boolean;
  /** The name of the column with the values, instead of detecting it. */
  readonly column?: string | undefined;
  /** Names of further columns to read. */
  readonly columns?: readonly string[];
  /**
   * Reads all columns, and is called once they are known: their names, and the index of the one with the values. Called again with further
   * names where a later object of JSON has more.
   */
  readonly onColumns?: (names: readonly string[], value: number) => void;
  /** Reads a workbook too, and a file in an encoding that nothing names; called with what is said about it, and whether the encoding is uncertain. */
  readonly onOpened?: (note: OpenedNote) => void;
  /** Whether a stream is in memory as a whole, so that its encoding is detected as that of a file. */
  readonly isInMemory?: boolean;
}

/** JSON documents are parsed in one piece. */
const MAX_CHARACTERS = 64 * (1 << 20);
const BLOCK = 1000;

/** The cells of a line. */
interface Row {
  readonly line: number;
  readonly record: readonly string[];
}

/** How a list begins: its first line with content, and the separator that a line before it names. */
interface ListStart {
  readonly first: string;
  readonly separator: string | undefined;
}

/** The columns to read, once the names of all columns are known. */
interface Columns {
  readonly column: ListColumn;
  readonly options: ListOptions;
  /** The list's name in messages. */
  readonly name: string;
}

/** The entries of a list whose rows have cells, as those of a sheet. Throws UsageError. */
export function sheetList(
  rows: AsyncIterable<Row>,
  source: TextSource,
  column: ListColumn,
  options: ListOptions,
): AsyncGenerator<readonly ListEntry[]> {
  return listOfRows(rows, { column, options, name: sourceName(source) });
}

/** The entries of a CSV or JSON list. Throws UsageError. */
export async function* structuredList(
  blocks: AsyncIterable<readonly TextLine[]>,
  { first, separator }: ListStart,
  source: TextSource,
  column: ListColumn,
  options: ListOptions,
): AsyncGenerator<readonly ListEntry[]> {
  const name = sourceName(source);
  const lines = textOnly(blocks, name, options);
  const columns = { column, options, name };
  if (separator !== undefined || !/^[[{]/.test(first))
    return yield* csvList(lines, separator ?? delimiterOf(first), columns);
  if (first.startsWith('{') && tryParseJson(first) !== undefined) return yield* ndjsonList(lines, columns);
  yield jsonList(await textOfLines(lines, name), columns);
}

async function* csvList(
  lines: AsyncIterable<readonly TextLine[]>,
  delimiter: string,
  columns: Columns,
): AsyncGenerator<readonly ListEntry[]> {
  const { name, options } = columns;
  const { parse, CsvError } = await import('csv-parse');
  const parser = parse({
    ...(options.onColumns === undefined && { comment: '#', comment_no_infix: true }),
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  });
  // Lines before the first block of the list.
  const skipped = { lines: 0 };
  // Errors are thrown by the loop over the rows.
  pipeline(Readable.from(csvText(lines, skipped)), parser, () => {});
  const parsed: AsyncIterable<{
    readonly record: readonly string[];
    readonly info: { readonly lines: number };
  }> = parser;
  const rows = (async function* () {
    for await (const { record, info } of parsed) yield { record, line: info.lines + skipped.lines };
  })();
  try {
    yield* listOfRows(rows, columns);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? error.lines + skipped.lines : '?';
    throw new UsageError(`line ${line} of ${name} is not valid CSV`, { code: 'invalid_input' });
  }
}

async function* listOfRows(rows: AsyncIterable<Row>, columns: Columns): AsyncGenerator<readonly ListEntry[]> {
  const { column, options } = columns;
  const keepsAll = options.onColumns !== undefined;
  const needsHeader = column.byName || (options.columns ?? []).length > 0 || options.column !== undefined;
  let header: readonly string[] | undefined;
  let places: Places | undefined;
  let block: ListEntry[] = [];
  for await (const { record, line } of rows) {
    // A line of separators is how a spreadsheet writes a blank row.
    if (record.every(cell => cell.trim() === '') && (record.length > 1 || keepsAll)) continue;
    if (keepsAll && isComment(record.length > 1 ? `${record[0]},` : (record[0] ?? ''), keepsAll)) continue;
    if (header === undefined && (needsHeader || !record.some(column.isValue))) {
      header = record;
      if (needsHeader) assertColumns(header, columns);
      continue;
    }
    header ??= [];
    places ??= placesIn(header, record, columns);
    block.push(csvEntry(line, record, places, keepsAll ? places.others.length : header.length));
    if (block.length < BLOCK) continue;
    yield block;
    block = [];
  }
  yield block;
}

/** The indexes of the columns to read. */
interface Places {
  readonly value: number;
  readonly others: readonly number[];
}

function csvEntry(
  line: number,
  record: readonly string[],
  { value, others }: Places,
  width: number,
): ListEntry {
  const text = record[value] ?? '';
  if (others.length === 0) return { place: line, text };
  // Cells beyond the header are those of an unquoted separator: no cell after it can be relied on.
  const isShifted = record.slice(width).some(cell => cell !== '');
  return { place: line, text, values: others.map(index => (isShifted ? undefined : record[index])) };
}

/** Throws UsageError at a line that is not UTF-8: a quoted cell or JSON value may continue on the next one. */
async function* textOnly(
  lines: AsyncIterable<readonly TextLine[]>,
  name: string,
  { acceptsEncoding }: ListOptions,
): AsyncGenerator<readonly TextLine[]> {
  for await (const block of lines) {
    const bad = block.find(({ fault }) => fault !== undefined);
    if (bad !== undefined)
      throw new UsageError(
        `line ${bad.line} of ${name} ${bad.fault === 'nul' ? 'contains a NUL byte' : 'is not UTF-8 text'}`,
        {
          code: 'invalid_input',
          reason: bad.fault === 'nul' ? undefined : acceptsEncoding ? 'list_not_utf8' : 'not_utf8',
        },
      );
    yield block;
  }
}

async function* csvText(
  lines: AsyncIterable<readonly TextLine[]>,
  skipped: { lines: number },
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const block of lines) {
    if (isFirst) skipped.lines = (block[0]?.line ?? 1) - 1;
    isFirst = false;
    yield `${block.map(({ text }) => text).join('\n')}\n`;
  }
}

/** The most frequent delimiter in the first line, outside quotes. */
function delimiterOf(line: string): string {
  const unquoted = line.replace(/"(?:[^"]|"")*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, each) => (count(each) > count(most) ? each : most));
}

/** Throws UsageError for a column that the header does not have. */
function assertColumns(header: readonly string[], { options, name }: Columns): void {
  for (const wanted of [options.column, ...(options.columns ?? [])])
    if (wanted !== undefined) namedColumn(wanted, header, name);
}

function placesIn(header: readonly string[], record: readonly string[], columns: Columns): Places {
  const { options, name } = columns;
  const value =
    options.column === undefined
      ? columnIndex(header, record, columns)
      : namedColumn(options.column, header, name);
  if (options.onColumns === undefined)
    return { value, others: (options.columns ?? []).map(each => namedColumn(each, header, name)) };
  const others = Array.from({ length: Math.max(header.length, record.length) }, (_, index) => index);
  options.onColumns(
    others.map(index => header[index] || `column ${index + 1}`),
    value,
  );
  return { value, others };
}

/** The index of the column with a name; letter case counts only where two differ in nothing else. Throws UsageError. */
function namedColumn(wanted: string, header: readonly string[], name: string): number {
  const key = wanted.trim();
  const exact = indexesOf(header, title => title === key);
  const found =
    exact.length > 0 ? exact : indexesOf(header, title => title.toLowerCase() === key.toLowerCase());
  if (found.length > 1)
    throw new UsageError(`several columns of ${name} are named ${key}`, {
      code: 'ambiguous_name',
      reason: 'ambiguous_column',
    });
  const [index] = found;
  if (index !== undefined) return index;
  const near = similar(key, header, { related: true });
  const rest = header.filter(title => title !== '' && !near.includes(title));
  throw new UsageError(`no column ${key} in ${name}`, {
    code: 'unknown_name',
    reason: { name: 'unknown_list_column', columns: [...near, ...rest] },
  });
}

/** The column with one of the names, or else the only one whose first cell is a value. Throws UsageError. */
function columnIndex(
  header: readonly string[],
  record: readonly string[],
  { column, name }: Columns,
): number {
  const named = indexesOf(header, title => column.names.has(title.toLowerCase()));
  const [found, ...others] = named.length > 0 ? named : indexesOf(record, column.isValue);
  if (found !== undefined && others.length === 0) return found;
  throw notFound(
    name,
    [found, ...others].filter(at => at !== undefined).map(at => header[at] ?? `column ${at + 1}`),
    column,
  );
}

function indexesOf(cells: readonly string[], matches: (cell: string) => boolean): number[] {
  return cells.flatMap((cell, index) => (matches(cell) ? [index] : []));
}

function notFound(name: string, candidates: readonly string[], { what, names }: ListColumn): UsageError {
  const [usual = ''] = names;
  const value = `${/^[aeio]/i.test(what) ? 'an' : 'a'} ${what}`;
  const problem =
    candidates.length === 0
      ? `no column of ${name} contains ${value}`
      : `several columns of ${name} contain ${value}: ${candidates.join(', ')}`;
  return new UsageError(problem, {
    code: 'invalid_input',
    reason: { name: 'no_list_column', usual, what },
  });
}

async function* ndjsonList(
  lines: AsyncIterable<readonly TextLine[]>,
  columns: Columns,
): AsyncGenerator<readonly ListEntry[]> {
  let fields: Fields | undefined;
  for await (const block of lines) {
    const entries: ListEntry[] = [];
    for (const { line, text } of block.filter(hasContent)) {
      const item = tryParseJson(text);
      if (item === undefined)
        throw new UsageError(`line ${line} of ${columns.name} is not JSON`, { code: 'invalid_input' });
      fields = fields === undefined ? fieldsOf(item, columns) : withFieldsOf(item, fields, columns);
      entries.push(jsonEntry(line, item, fields, columns));
    }
    yield entries;
  }
}

function jsonList(text: string, columns: Columns): ListEntry[] {
  const { name } = columns;
  const items = itemsOf(jsonIn(text, name));
  if (items === undefined) throw new UsageError(`${name} is JSON without a list`, { code: 'invalid_input' });
  const [first] = items;
  if (first === undefined) return [];
  let fields = fieldsOf(first, columns);
  return items.map((item, index) => {
    fields = withFieldsOf(item, fields, columns);
    return jsonEntry(`item ${index + 1}`, item, fields, columns);
  });
}

/** The document if it is a list, or the only list in an object. */
function itemsOf(document: Json): readonly Json[] | undefined {
  if (isList(document)) return document;
  if (!isRecord(document)) return undefined;
  const [list, ...others] = Object.values(document).filter(isList);
  return others.length === 0 ? list : undefined;
}

/** The names of the fields to read; no `value` for a list of strings. */
interface Fields {
  readonly value: string | undefined;
  readonly others: readonly string[];
}

function fieldsOf(item: Json, columns: Columns): Fields {
  if (!isRecord(item)) {
    assertColumns([], columns);
    return { value: undefined, others: [] };
  }
  const keys = Object.keys(item);
  const { value, others } = placesIn(
    keys,
    keys.map(key => textIn(item, key)),
    columns,
  );
  return { value: keys[value], others: others.map(index => keys[index] ?? '') };
}

/** Adds the fields that only a later object has, where all are read. */
function withFieldsOf(item: Json, fields: Fields, { options }: Columns): Fields {
  const { value, others } = fields;
  if (options.onColumns === undefined || value === undefined || !isRecord(item)) return fields;
  const known = new Set(others);
  const more = Object.keys(item).filter(key => !known.has(key));
  if (more.length === 0) return fields;
  const all = [...others, ...more];
  options.onColumns(
    all.map((key, index) => key || `column ${index + 1}`),
    all.indexOf(value),
  );
  return { value, others: all };
}

function jsonEntry(
  place: number | string,
  item: Json,
  { value, others }: Fields,
  { options }: Columns,
): ListEntry {
  const text = textIn(item, value);
  if (others.length === 0) return { place, text };
  const read = options.onColumns === undefined ? scalarIn : anyIn;
  return { place, text, values: others.map(key => read(item, key)) };
}

/** Any value as text: one with parts as JSON. Undefined where the field is missing. */
function anyIn(item: Json, key: string): string | undefined {
  const value = isRecord(item) ? item[key] : undefined;
  return isRecord(value) || isList(value) ? stringifyJson(value) : scalarIn(item, key);
}

function textIn(item: Json, key: string | undefined): string {
  const value = isRecord(item) && key !== undefined ? item[key] : item;
  return typeof value === 'string' ? value.trim() : '';
}

/** A text, number or boolean as text; null as no text. Undefined where the field is missing, or has parts. */
function scalarIn(item: Json, key: string): string | undefined {
  const value = isRecord(item) ? item[key] : undefined;
  if (value === null) return '';
  return value === undefined || isRecord(value) || isList(value) ? undefined : textOf(value).trim();
}

async function textOfLines(lines: AsyncIterable<readonly TextLine[]>, name: string): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const block of lines) {
    const part = block.map(({ text }) => text).join('\n');
    parts.push(part);
    length += part.length;
    if (length > MAX_CHARACTERS)
      throw new UsageError(`${name} is JSON of more than 64 MiB`, { code: 'invalid_input' });
  }
  return parts.join('\n');
}
