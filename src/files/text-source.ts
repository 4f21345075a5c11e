import type { Readable } from 'node:stream';
import { InterruptedError, UsageError } from '../errors/index.ts';
import { constants, createReadStream, openSync, statSync } from './disk.ts';
import { fileError } from './file-error.ts';
import { type Encoding, utf8Bytes } from './text-encoding.ts';

/** A path, or a stream of bytes such as standard input. */
export type TextSource = string | Readable;

const MEBIBYTE = 1 << 20;
/** Bytes per read: with Node's default of 64 KiB, the reads take as long as parsing. */
const READ_BYTES = 1 << 18;

/** The name of a source in messages. */
export function sourceName(source: TextSource): string {
  return typeof source === 'string' ? source : 'standard input';
}

async function* bytesOf(source: TextSource, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    const stream = typeof source === 'string' ? await openInput(source, signal) : source;
    for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    throw fileError(sourceName(source), error, 'read');
  }
}

/** The bytes of a file or FIFO; they end with the reason of the signal. Throws what the system throws. */
export async function openInput(path: string, signal?: AbortSignal): Promise<Readable> {
  const stream = statSync(path).isFIFO()
    ? await openFifo(path)
    : createReadStream(path, { highWaterMark: READ_BYTES });
  if (signal?.aborted) stream.destroy(signal.reason);
  const end = (): unknown => stream.destroy(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  stream.once('close', () => signal?.removeEventListener('abort', end));
  return stream;
}

/** A read of a FIFO that has no writer yet blocks a thread, which no signal ends. A socket waits for it as for a network. */
async function openFifo(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/**
 * Reads a text into one string, without its byte order mark: UTF-8, or UTF-16 with a mark. Throws FileError if it cannot be read,
 * UsageError for other encodings and for more than `maxBytes` (64 MiB).
 */
export async function readText(
  source: TextSource,
  { signal, maxBytes = 64 * MEBIBYTE }: { readonly signal?: AbortSignal; readonly maxBytes?: number } = {},
): Promise<string> {
  const name = sourceName(source);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of utf8Bytes(bytesOf(source, signal), name)) {
    size += chunk.length;
    if (size > maxBytes)
      throw new UsageError(`${name} is larger than ${Math.floor(maxBytes / MEBIBYTE)} MiB`, {
        code: 'invalid_input',
      });
    chunks.push(chunk);
  }
  const text = decoded(Buffer.concat(chunks));
  if (text === undefined)
    throw new UsageError(`${name} is not UTF-8 text`, { code: 'invalid_input', reason: 'not_utf8' });
  return text;
}

/** One line without its line ending. */
export interface TextLine {
  /** Counted from 1. */
  readonly line: number;
  /** If `fault` is `not-utf8`, invalid bytes are replaced by U+FFFD. */
  readonly text: string;
  readonly fault?: 'not-utf8' | 'nul';
}

/** A line that is neither blank nor a comment. */
export function hasContent({ text, fault }: TextLine): boolean {
  return fault !== undefined || !/^\s*(?:#|$)/.test(text);
}

/** Whether a line is a comment. Where all cells are kept, `#1042;Anna` is a ticket. */
export function isComment(line: string, keepsColumns: boolean): boolean {
  return keepsColumns && /[,;\t]/.test(line) ? /^\s*#[\s#!]/.test(line) : /^\s*#/.test(line);
}

/** In bytes. */
const LINE_LIMIT = MEBIBYTE;

/**
 * The lines of a text, a block at a time, in constant memory. Lines end with LF or CRLF; a byte order mark is skipped and decides
 * the encoding. Without one it is `encoding`, or UTF-8. Invalid lines are marked by `fault` and reading continues, so that all of
 * them can be reported together. Throws FileError if the source cannot be read, UsageError for invalid UTF-16 and for a line over
 * 1 MiB.
 */
export async function* readLines(
  source: TextSource,
  signal?: AbortSignal,
  encoding?: Encoding,
): AsyncGenerator<readonly TextLine[]> {
  const name = sourceName(source);
  let line = 0;
  let rest: Buffer[] = [];
  let restSize = 0;
  const numbered = (block: Buffer): TextLine[] => linesOf(block).map(entry => ({ line: ++line, ...entry }));
  for await (const chunk of utf8Bytes(bytesOf(source, signal), name, encoding)) {
    const end = chunk.lastIndexOf(0x0a);
    if (end >= 0) {
      yield numbered(Buffer.concat([...rest, chunk.subarray(0, end)]));
      rest = [];
      restSize = 0;
    }
    const tail = chunk.subarray(end + 1);
    rest.push(tail);
    restSize += tail.length;
    if (restSize > LINE_LIMIT)
      throw new UsageError(`line ${line + 1} of ${name} is longer than 1 MiB`, { code: 'invalid_input' });
  }
  if (restSize > 0) yield numbered(Buffer.concat(rest));
}

type UnnumberedLine = Omit<TextLine, 'line'>;

function linesOf(bytes: Buffer): UnnumberedLine[] {
  const text = bytes.includes(0) ? undefined : decoded(bytes);
  if (text !== undefined) return text.split('\n').map(line => ({ text: withoutReturn(line) }));
  const lines: UnnumberedLine[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, end < 0 ? bytes.length : end);
    lines.push(faultyLine(line));
    start += line.length + 1;
  }
  return lines;
}

function faultyLine(bytes: Buffer): UnnumberedLine {
  const text = decoded(bytes);
  if (text === undefined) return { text: withoutReturn(bytes.toString()), fault: 'not-utf8' };
  return text.includes('\0') ? { text: withoutReturn(text), fault: 'nul' } : { text: withoutReturn(text) };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
