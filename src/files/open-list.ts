import { isUtf8 as isBufferUtf8 } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { UsageError } from '../errors/index.ts';
import { fileError } from './file-error.ts';
import type { Encoding } from './text-encoding.ts';
import { sourceName, type TextSource } from './text-source.ts';
import type { SheetRow } from './workbook.ts';

/** A list as it is read: a text with its encoding, or the rows of a sheet. */
type OpenedList =
  | { readonly text: TextSource; readonly encoding: Encoding | undefined; readonly note?: string }
  | { readonly rows: readonly SheetRow[]; readonly note: string | undefined };

const ZIP = Buffer.from('PK\x03\x04');
/** The start of an .xls file, and of a workbook with a password. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const MARKS = [Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];
const MAX_WORKBOOK_BYTES = 64 << 20;

/**
 * Opens a list that may be a workbook, or a file of Excel whose encoding nothing names: a file that is not UTF-8 is read as Windows-1252,
 * with a note; so is a stream that is in memory as a whole. Throws UsageError for a workbook that cannot be read, and FileError.
 */
export async function openList(
  source: TextSource,
  encoding: Encoding | undefined,
  isInMemory = false,
): Promise<OpenedList> {
  const name = isInMemory ? 'the list' : sourceName(source);
  try {
    if (typeof source !== 'string') return await openStream(source, name, encoding, isInMemory);
    // A FIFO can be read once.
    if (!statSync(source).isFile()) return { text: source, encoding };
    const start = await startOf(source);
    if (isWorkbook(start, name)) return sheetOf(await collected(createReadStream(source), name), name);
    if (encoding !== undefined || isMarked(start) || (await isUtf8(source)))
      return { text: source, encoding };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw fileError(name, error, 'read');
  }
  return windows(source, `${name} ${WINDOWS}; --encoding names another`);
}

const WINDOWS = 'is not UTF-8 text and is read as Windows-1252, as Excel saves CSV';

function windows(text: TextSource, note: string): OpenedList {
  return { text, encoding: 'latin1', note };
}

async function openStream(
  stream: Readable,
  name: string,
  encoding: Encoding | undefined,
  isInMemory: boolean,
): Promise<OpenedList> {
  const chunks = bytesOf(stream)[Symbol.asyncIterator]();
  const first = await chunks.next();
  const start = first.done ? Buffer.alloc(0) : first.value;
  const all = (async function* () {
    yield start;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  if (isWorkbook(start, name)) return sheetOf(await collected(all, name), name);
  if (!isInMemory || encoding !== undefined || isMarked(start)) return { text: Readable.from(all), encoding };
  const bytes = await collected(all, name);
  const text = Readable.from([bytes]);
  return isBufferUtf8(bytes) ? { text, encoding } : windows(text, `${name} ${WINDOWS}`);
}

/** Whether the bytes tell their encoding: a mark, or the NUL bytes of UTF-16. */
function isMarked(start: Buffer): boolean {
  return MARKS.some(mark => start.subarray(0, mark.length).equals(mark)) || start.subarray(0, 16).includes(0);
}

async function* bytesOf(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

function isWorkbook(start: Buffer, name: string): boolean {
  if (start.subarray(0, COMPOUND.length).equals(COMPOUND))
    throw new UsageError(`${name} is a workbook of an old Excel, or has a password`, {
      code: 'invalid_input',
      reason: 'workbook_as_text',
    });
  return start.subarray(0, ZIP.length).equals(ZIP);
}

async function sheetOf(bytes: Buffer, file: string): Promise<OpenedList> {
  const { readSheet } = await import('./workbook.ts');
  const { rows, name, others } = readSheet(bytes, file);
  return { rows, note: others > 0 ? `reading the sheet ${name}, one of ${others + 1}` : undefined };
}

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function collected(chunks: AsyncIterable<Buffer>, name: string): Promise<Buffer> {
  const all: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_WORKBOOK_BYTES)
      throw new UsageError(`${name} is a workbook larger than 64 MiB`, { code: 'invalid_input' });
    all.push(chunk);
  }
  return Buffer.concat(all);
}

async function isUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }))
      decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
