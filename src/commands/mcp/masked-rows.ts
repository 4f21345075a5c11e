import { pipeline } from 'node:stream';
import { maskAddresses } from '../../apis/subscriptions/mask-addresses.ts';
import { createReadStream } from '../../files/disk.ts';
import type { WritableFile } from '../../files/writable-file.ts';
import type { RowWork } from '../../operations/rows/row-progress.ts';

/** Values are repeated, and a mask takes longer than to find it. */
const MOST_KNOWN = 20_000;
const ROWS_AT_ONCE = 1_000;
const NUMBER = /^-?\d*\.?\d*$/;

/** Writes the rows of a CSV file with every e-mail address masked, and is otherwise the same. Throws FileError, and the reason of the signal. */
export async function writeMasked(
  path: string,
  file: Pick<WritableFile, 'write'>,
  { progress, signal }: Pick<RowWork, 'progress' | 'signal'>,
): Promise<void> {
  const { parse } = await import('csv-parse');
  const line = progress(undefined, 'rows masked');
  const known = new Map<string, string>();
  const masked = (text: string) => {
    if (NUMBER.test(text)) return text;
    const found = known.get(text) ?? maskAddresses(text);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, found);
    return found;
  };
  const parser = parse({ raw: true });
  // Errors are thrown by the loop over the records.
  pipeline(createReadStream(path), parser, () => {});
  let lines: string[] = [];
  const flush = async () => {
    signal.throwIfAborted();
    await file.write(lines.join(''));
    line.advance(lines.length);
    lines = [];
  };
  let isHeader = true;
  for await (const { record, raw } of parser as AsyncIterable<{ record: string[]; raw: string }>) {
    const text = withCells(raw, record, record.map(masked));
    if (isHeader) await file.write(text);
    else lines.push(text);
    isHeader = false;
    if (lines.length === ROWS_AT_ONCE) await flush();
  }
  await flush();
  line.finish();
}

/** A line of CSV with other texts in its cells, in quotes where they were. */
function withCells(raw: string, cells: readonly string[], texts: readonly string[]): string {
  if (cells.every((cell, index) => cell === texts[index])) return raw;
  let at = 0;
  let made = '';
  for (const [index, cell] of cells.entries()) {
    const isQuoted = raw[at] === '"';
    const inLine = (text: string) => (isQuoted ? `"${text.replaceAll('"', '""')}"` : text);
    const end = at + inLine(cell).length;
    made += inLine(texts[index] ?? cell);
    // With the delimiter, or the end of the line.
    made += raw.slice(end, end + 1);
    at = end + 1;
  }
  return made;
}
