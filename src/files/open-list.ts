import { isUtf8 as isBufferUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { InterruptedError, UsageError } from '../errors/index.ts';
import { createReadStream, open, statSync } from './disk.ts';
import { fileError } from './file-error.ts';
import type { OpenedNote } from './opened-note.ts';
import type { Encoding } from './text-encoding.ts';
import { sourceName, type TextSource } from './text-source.ts';
import type { SheetRow } from './workbook.ts';

/** A list as it is read: a text with its encoding, or the rows of a sheet. */
type OpenedList =
  | { readonly text: TextSource; readonly encoding: Encoding | undefined; readonly note?: OpenedNote }
  | { readonly rows: readonly SheetRow[]; readonly note: OpenedNote | undefined };

const ZIP = Buffer.from('PK\x03\x04');
/** The start of an .xls file, and of a workbook with a password. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const MARKS = [Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];
const MAX_WORKBOOK_BYTES = 64 << 20;
/** As many bytes as any mark, and the NUL bytes of UTF-16, need. */
const START_BYTES = 16;
/** The rest of a longer stream is in the encoding of its beginning. */
const MAX_DETECTED_BYTES = 64 << 20;

/**
 * Opens a list that may be a workbook, or a file of Excel whose encoding nothing names: a file or stream that is not UTF-8 is read as
 * Windows-1252, with a note. Throws UsageError for a workbook that cannot be read, and FileError.
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
    if (error instanceof UsageError || error instanceof InterruptedError) throw error;
    throw fileError(name, error, 'read');
  }
  return windows(source, name);
}

function windows(text: TextSource, name: string | undefined): OpenedList {
  return { text, encoding: 'latin1', note: { kind: 'windows', name, hasFlag: name !== undefined } };
}

async function openStream(
  stream: Readable,
  name: string,
  encoding: Encoding | undefined,
  isInMemory: boolean,
): Promise<OpenedList> {
  const chunks = bytesOf(stream)[Symbol.asyncIterator]();
  const start = await bytesUpTo(START_BYTES, chunks);
  if (isWorkbook(start, name)) return sheetOf(await collected(joined([start], chunks), name), name);
  if (encoding !== undefined || isMarked(start))
    return { text: Readable.from(joined([start], chunks)), encoding };
  const bytes = Buffer.concat([start, await bytesUpTo(MAX_DETECTED_BYTES, chunks)]);
  const text = Readable.from(joined([bytes], chunks));
  return isUtf8Start(bytes) ? { text, encoding } : windows(text, isInMemory ? undefined : name);
}

/** The next bytes of a stream: at least so many, unless it ends. */
async function bytesUpTo(size: number, chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for (let length = 0; length < size; ) {
    const next = await chunks.next();
    if (next.done) break;
    read.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(read);
}

async function* joined(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** Whether bytes are UTF-8, of which the last character may be incomplete. */
function isUtf8Start(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return bytes.length >= MAX_DETECTED_BYTES || isBufferUtf8(bytes);
  } catch {
    return false;
  }
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
  return { rows, note: others > 0 ? { kind: 'sheet', name, count: others + 1 } : undefined };
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
