import type { ListColumn, ListEntry, ListOptions } from './structured-list.ts';
import { hasContent, readLines, type TextLine, type TextSource } from './text-source.ts';

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
  const lines = readLines(source, options.signal, options.encoding)[Symbol.asyncIterator]();
  const blocks = { [Symbol.asyncIterator]: () => lines };
  let separator: string | undefined;
  let isPlain: boolean | undefined;
  for await (const read of blocks) {
    let block = read;
    if (isPlain === undefined && separator === undefined) {
      const line = block.find(hasContent);
      separator = SEPARATOR_LINE.exec(line?.text ?? '')?.[1];
      if (separator !== undefined) block = block.map(each => (each === line ? { ...each, text: '' } : each));
    }
    const first = isPlain ? undefined : block.find(hasContent);
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
