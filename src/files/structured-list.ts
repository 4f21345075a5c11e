import { pipeline, Readable } from 'node:stream';
import { UsageError } from '../errors/index.ts';
import { InvalidJsonError, isList, isRecord, type Json, parseJson } from '../json/index.ts';
import { hasContent, sourceName, type TextLine, type TextSource } from './text-source.ts';

/** The kind of values in a list, to detect their column in CSV and JSON. */
export interface ListColumn {
  /** One value in messages, such as `URL`. */
  readonly what: string;
  /** Names of columns and fields with such values, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Whether a cell, or a line of a plain list, is such a value. */
  readonly isValue: (text: string) => boolean;
  /** Whether nearly any text is such a value, so that only the header of CSV tells the column. */
  readonly byName?: true;
}

/** One entry of a list. */
export interface ListEntry {
  /** Its line number, or a name such as `item 3`. */
  readonly place: number | string;
  readonly text: string;
  readonly fault?: TextLine['fault'];
}

/** JSON documents are parsed in one piece. */
const MAX_CHARACTERS = 64 * (1 << 20);
const BLOCK = 1000;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** The entries of a CSV or JSON list; `first` is its first line with content. Throws UsageError. */
export async function* structuredList(
  blocks: AsyncIterable<readonly TextLine[]>,
  first: string,
  source: TextSource,
  column: ListColumn,
): AsyncGenerator<readonly ListEntry[]> {
  const name = sourceName(source);
  const lines = textOnly(blocks, name);
  if (!/^[[{]/.test(first)) return yield* csvList(lines, first, name, column);
  if (first.startsWith('{') && jsonOf(first) !== undefined) return yield* ndjsonList(lines, name, column);
  yield jsonList(await textOf(lines, name), name, column);
}

async function* csvList(
  lines: AsyncIterable<readonly TextLine[]>,
  first: string,
  name: string,
  column: ListColumn,
): AsyncGenerator<readonly ListEntry[]> {
  const { parse, CsvError } = await import('csv-parse');
  const parser = parse({
    comment: '#',
    comment_no_infix: true,
    delimiter: delimiterOf(first),
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  });
  // Errors are thrown by the loop over the rows.
  pipeline(Readable.from(csvText(lines)), parser, () => {});
  const rows: AsyncIterable<Row> = parser;
  let header: readonly string[] | undefined;
  let index: number | undefined;
  let block: ListEntry[] = [];
  try {
    for await (const { record, info } of rows) {
      if (header === undefined && (column.byName || !record.some(column.isValue))) {
        header = record;
        continue;
      }
      header ??= [];
      index ??= columnIndex(header, record, name, column);
      block.push({ place: info.lines, text: record[index] ?? '' });
      if (block.length < BLOCK) continue;
      yield block;
      block = [];
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(`line ${error.lines ?? '?'} of ${name} is not valid CSV`, { code: 'invalid_input' });
  }
  yield block;
}

/** Throws UsageError at a line that is not UTF-8: a quoted cell or JSON value may continue on the next one. */
async function* textOnly(
  lines: AsyncIterable<readonly TextLine[]>,
  name: string,
): AsyncGenerator<readonly TextLine[]> {
  for await (const block of lines) {
    const bad = block.find(({ fault }) => fault !== undefined);
    if (bad !== undefined)
      throw new UsageError(`line ${bad.line} of ${name} is not UTF-8 text`, { code: 'invalid_input' });
    yield block;
  }
}

async function* csvText(lines: AsyncIterable<readonly TextLine[]>): AsyncGenerator<string> {
  for await (const block of lines) yield `${block.map(({ text }) => text).join('\n')}\n`;
}

/** The most frequent delimiter in the first line. */
function delimiterOf(line: string): string {
  const count = (delimiter: string) => line.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, each) => (count(each) > count(most) ? each : most));
}

/** The column with one of the names, or else the only one whose first cell is a value. Throws UsageError. */
function columnIndex(
  header: readonly string[],
  record: readonly string[],
  name: string,
  column: ListColumn,
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
    hints: [`name the column ${usual}, or pass one ${what} per line`],
  });
}

async function* ndjsonList(
  lines: AsyncIterable<readonly TextLine[]>,
  name: string,
  column: ListColumn,
): AsyncGenerator<readonly ListEntry[]> {
  let key: string | undefined;
  for await (const block of lines) {
    yield block.filter(hasContent).map(({ line, text }) => {
      const item = jsonOf(text);
      if (item === undefined)
        throw new UsageError(`line ${line} of ${name} is not JSON`, { code: 'invalid_input' });
      key ??= keyOf(item, name, column);
      return { place: line, text: textIn(item, key) };
    });
  }
}

function jsonList(text: string, name: string, column: ListColumn): ListEntry[] {
  const items = itemsOf(parsed(text, name));
  if (items === undefined) throw new UsageError(`${name} is JSON without a list`, { code: 'invalid_input' });
  const key = items[0] === undefined ? undefined : keyOf(items[0], name, column);
  return items.map((item, index) => ({ place: `item ${index + 1}`, text: textIn(item, key) }));
}

/** The document if it is a list, or the only list in an object. */
function itemsOf(document: Json): readonly Json[] | undefined {
  if (isList(document)) return document;
  if (!isRecord(document)) return undefined;
  const [list, ...others] = Object.values(document).filter(isList);
  return others.length === 0 ? list : undefined;
}

/** The name of the field with the value; undefined for a list of strings. */
function keyOf(item: Json, name: string, column: ListColumn): string | undefined {
  if (!isRecord(item)) return undefined;
  const keys = Object.keys(item);
  const cells = keys.map(key => textIn(item, key));
  return keys[columnIndex(keys, cells, name, column)];
}

function textIn(item: Json, key: string | undefined): string {
  const value = isRecord(item) && key !== undefined ? item[key] : item;
  return typeof value === 'string' ? value.trim() : '';
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof InvalidJsonError) return undefined;
    throw error;
  }
}

function parsed(text: string, name: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    const { line, column } = error.position;
    throw new UsageError(`${name} is not JSON: ${error.message} (line ${line}, column ${column})`, {
      code: 'invalid_input',
    });
  }
}

async function textOf(lines: AsyncIterable<readonly TextLine[]>, name: string): Promise<string> {
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
