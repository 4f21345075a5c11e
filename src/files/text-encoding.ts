import { UsageError } from '../errors/index.ts';

/** The encodings of text files; `latin1` is what Excel on Windows calls ANSI, Windows-1252. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'latin1'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const MARKS: readonly (readonly [Encoding, Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
/** How many bytes are needed to detect the encoding. */
const START_BYTES = 4;
/** The start of a ZIP file, which a workbook is. */
const ZIP = Buffer.from('PK\x03\x04');

/**
 * Converts the bytes of a text to UTF-8, without a byte order mark. The mark decides the encoding; without one it is `encoding`, or
 * UTF-16 where every second byte at the start is zero, or UTF-8, whose bytes are not checked. Throws UsageError for invalid UTF-16
 * and for a ZIP file, which a workbook is.
 */
export async function* utf8Bytes(
  chunks: AsyncIterable<Buffer>,
  name: string,
  encoding?: Encoding,
): AsyncGenerator<Buffer> {
  let decode: Decoder | undefined;
  let start = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (decode !== undefined) {
      yield decode(chunk);
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < START_BYTES) continue;
    const marked = decoderFor(start, encoding, name);
    decode = marked.decode;
    yield decode(marked.rest);
  }
  if (decode === undefined) {
    const marked = decoderFor(start, encoding, name);
    decode = marked.decode;
    yield decode(marked.rest);
  }
  yield decode();
}

/** Converts the next bytes; without any, ends the text. */
type Decoder = (chunk?: Buffer) => Buffer;

function decoderFor(
  start: Buffer,
  encoding: Encoding | undefined,
  name: string,
): { readonly decode: Decoder; readonly rest: Buffer } {
  if (start.subarray(0, ZIP.length).equals(ZIP))
    throw new UsageError(`${name} is a workbook or another ZIP file, not text`, {
      code: 'invalid_input',
      reason: 'workbook_as_text',
    });
  const mark = MARKS.find(([, bytes]) => start.subarray(0, bytes.length).equals(bytes));
  const rest = start.subarray(mark?.[1].length ?? 0);
  const actual = mark?.[0] ?? encoding ?? unmarkedEncoding(start);
  switch (actual) {
    case 'utf-8':
      return { rest, decode: (chunk = Buffer.alloc(0)) => chunk };
    case 'latin1':
      return { rest, decode: (chunk = Buffer.alloc(0)) => Buffer.from(fromWindows1252(chunk)) };
    default:
      return { rest, decode: utf16Decoder(actual, name) };
  }
}

/** ASCII characters in UTF-16 have a zero byte each, which no other text has. */
function unmarkedEncoding(start: Buffer): Encoding {
  const zeros = [...start.subarray(0, START_BYTES)].map(byte => (byte === 0 ? '0' : 'x')).join('');
  if (zeros === 'x0x0') return 'utf-16le';
  return zeros === '0x0x' ? 'utf-16be' : 'utf-8';
}

function utf16Decoder(encoding: 'utf-16le' | 'utf-16be', name: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return chunk => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch {
      throw new UsageError(`${name} is not valid UTF-16 text`, {
        code: 'invalid_input',
        reason: 'not_utf8',
      });
    }
  };
}

/** The characters of the bytes 0x80 to 0x9f; a byte without one is the control character of Latin-1. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Node's own decoder maps these bytes differently in some versions. */
function fromWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, byte => WINDOWS_1252[byte.charCodeAt(0) - 0x80] ?? byte);
}
