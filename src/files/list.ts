import type { ListColumn, ListEntry } from './structured-list.ts';
import { hasContent, readLines, type TextLine, type TextSource } from './text-source.ts';

/**
 * The entries of a list, a block at a time: lines, or the cells of one column of CSV, or the strings of JSON, depending on the
 * first line. Blank lines and lines that start with # are skipped. Throws UsageError if no column or several columns qualify,
 * and the errors of `readLines`.
 */
export async function* readList(
  source: TextSource,
  column: ListColumn,
  signal?: AbortSignal,
): AsyncGenerator<readonly ListEntry[]> {
  const lines = readLines(source, signal)[Symbol.asyncIterator]();
  const blocks = { [Symbol.asyncIterator]: () => lines };
  let isPlain: boolean | undefined;
  for await (const block of blocks) {
    const first = isPlain ? undefined : block.find(hasContent);
    if (first !== undefined && isStructured(first, column)) {
      const { structuredList } = await import('./structured-list.ts');
      return yield* structuredList(prepended(block, blocks), first.text.trim(), source, column);
    }
    isPlain ||= first !== undefined;
    yield block
      .filter(hasContent)
      .map(({ line, text, fault }) => ({ place: line, text: text.trim(), ...(fault && { fault }) }));
  }
}

function isStructured({ text, fault }: TextLine, { names, isValue }: ListColumn): boolean {
  const line = text.trim();
  if (fault !== undefined) return false;
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
