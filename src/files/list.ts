import type { ListColumn, ListEntry, ListOptions } from './structured-list.ts';
import { hasContent, isComment, readLines, type TextLine, type TextSource } from './text-source.ts';
import type { SheetRow } from './workbook.ts';

/** The line in which Excel names the separator of a CSV file. */
const SEPARATOR_LINE = /^"?sep=(.)"?\s*$/i;

/**
 * The entries of a list, a block at a time: lines, or the cells of one column of CSV, or the strings of JSON, depending on the
 * first line. Blank lines and lines that start with # are skipped. With `columns`, the list must be CSV with a header or JSON, and
 * entries have the values of these columns too. Throws UsageError if no column or several columns qualify, and the errors of
 * `readLines`.
 */
export async function* readList(
  source: TextSource,
  column: ListColumn,
  options: ListOptions = {},
): AsyncGenerator<readonly ListEntry[]> {
  let { encoding } = options;
  let text = source;
  if (options.onOpened !== undefined) {
    const { openList } = await import('./open-list.ts');
    const opened = await openList(source, encoding, options.isInMemory);
    if (opened.note !== undefined) options.onOpened(opened.note);
    if ('rows' in opened) {
      const { sheetList } = await import('./structured-list.ts');
      return yield* sheetList(rowsOf(opened.rows), source, column, options);
    }
    ({ text, encoding } = opened);
  }
  const lines = readLines(text, options.signal, encoding)[Symbol.asyncIterator]();
  const blocks = { [Symbol.asyncIterator]: () => lines };
  let separator: string | undefined;
  let isPlain: boolean | undefined;
  const keepsColumns = options.onColumns !== undefined;
  const isContent = (line: TextLine) =>
    hasContent(line) || (keepsColumns && line.text.trim() !== '' && !isComment(line.text, keepsColumns));
  for await (const read of blocks) {
    let block = read;
    if (isPlain === undefined && separator === undefined) {
      const line = block.find(isContent);
      separator = SEPARATOR_LINE.exec(line?.text ?? '')?.[1];
      if (separator !== undefined) block = block.map(each => (each === line ? { ...each, text: '' } : each));
    }
    const first = isPlain ? undefined : block.find(isContent);
    if (first !== undefined && (needsHeader(options) || separator || isStructured(first, column))) {
      const { structuredList } = await import('./structured-list.ts');
      const all = prepended(block, blocks);
      return yield* structuredList(all, { first: first.text.trim(), separator }, source, column, options);
    }
    isPlain ||= first !== undefined;
    yield block
      .filter(hasContent)
      .map(({ line, text, fault }) => ({ place: line, text: text.trim(), ...(fault && { fault }) }));
  }
}

async function* rowsOf(rows: readonly SheetRow[]) {
  for (const { row, cells } of rows) yield { line: row, record: cells };
}

function needsHeader({ columns = [], column }: ListOptions): boolean {
  return columns.length > 0 || column !== undefined;
}

function isStructured({ text }: TextLine, { names, isValue }: ListColumn): boolean {
  const line = text.trim();
  if (/^[[{]/.test(line)) return true;
  if (isValue(line)) return false;
  if (names.has(line.replace(/^"(.*)"$/, '$1').toLowerCase())) return true;
  const cells = line.split(/[,;\t]/);
  // A line with a slash and without a value is a mistyped entry rather than a header.
  return cells.length > 1 && (!line.includes('/') || cells.some(cell => isValue(cell.trim())));
}

async function* prepended<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
