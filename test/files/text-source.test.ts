import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileError, UsageError } from '../../src/errors/index.ts';
import { readLines, readText, type TextLine, type TextSource } from '../../src/files/text-source.ts';
import { temporaryFolder } from '../support/folder.ts';

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function stream(...chunks: (string | Uint8Array)[]): Readable {
  return Readable.from(chunks.map(chunk => Buffer.from(chunk as string)));
}

async function all(source: TextSource): Promise<TextLine[]> {
  const lines: TextLine[] = [];
  for await (const block of readLines(source)) lines.push(...block);
  return lines;
}

async function texts(source: TextSource): Promise<string[]> {
  return (await all(source)).map(line => line.text);
}

describe('readLines', () => {
  test('numbers the lines of a file from 1', async () => {
    const path = join(temporaryFolder(), 'urls.txt');
    writeFileSync(path, 'one\n\nthree\n');
    expect(await all(path)).toEqual([
      { line: 1, text: 'one' },
      { line: 2, text: '' },
      { line: 3, text: 'three' },
    ]);
  });

  test('drops a byte order mark and the returns of Windows', async () => {
    expect(await texts(stream('\uFEFFone\r\ntwo\r\n'))).toEqual(['one', 'two']);
  });

  test('keeps a mark and a return inside a line', async () => {
    expect(await texts(stream('a\uFEFFb\rc\n', '\uFEFFd\n'))).toEqual(['a\uFEFFb\rc', '\uFEFFd']);
  });

  test('reads a last line without an end', async () => {
    expect(await texts(stream('one\ntwo'))).toEqual(['one', 'two']);
  });

  test('an empty text has no lines', async () => {
    expect(await all(stream(''))).toEqual([]);
    expect(await all(stream())).toEqual([]);
  });

  test('bad lines are marked, and the good ones around them are read', async () => {
    const latin1 = Buffer.from('caf\xe9', 'latin1');
    const lines = await all(stream('good\n', latin1, '\r\nn\0l\nélan\n', latin1));
    expect(lines).toEqual([
      { line: 1, text: 'good' },
      { line: 2, text: 'caf\uFFFD', fault: 'not-utf8' },
      { line: 3, text: 'n\0l', fault: 'nul' },
      { line: 4, text: 'élan' },
      { line: 5, text: 'caf\uFFFD', fault: 'not-utf8' },
    ]);
  });

  test('UTF-16 is read by its byte order mark, or by --encoding', async () => {
    const marked = Buffer.from('\uFEFFeins\r\n€\n', 'utf16le');
    expect(await texts(stream(marked))).toEqual(['eins', '€']);
    expect(await texts(stream(Buffer.from(marked).swap16()))).toEqual(['eins', '€']);
    expect(await texts(stream(...[...marked].map(byte => [byte] as unknown as Uint8Array)))).toEqual([
      'eins',
      '€',
    ]);
    const unmarked = stream(Buffer.from('zwei\n', 'utf16le'));
    const [block] = await toArray(readLines(unmarked, undefined, 'utf-16le'));
    expect(block).toEqual([{ line: 1, text: 'zwei' }]);
  });

  test('UTF-16 without a mark is recognised by its zero bytes', async () => {
    const unmarked = Buffer.from('email\r\nzwei€\n', 'utf16le');
    expect(await texts(stream(unmarked))).toEqual(['email', 'zwei€']);
    expect(await texts(stream(Buffer.from(unmarked).swap16()))).toEqual(['email', 'zwei€']);
  });

  test('a workbook is named as what it is', async () => {
    const error = await all(stream(Buffer.from('PK\x03\x04\x14\0'))).catch(reason => reason);
    expect(error.message).toBe('standard input is a workbook or another ZIP file, not text');
    expect(error.reason).toBe('workbook_as_text');
  });

  test('UTF-16 that ends within a character is rejected', async () => {
    const cut = Buffer.from('\uFEFFone\n', 'utf16le').subarray(0, -1);
    await expect(all(stream(cut))).rejects.toThrowError('standard input is not valid UTF-16 text');
  });

  test('Latin-1 is read as Windows-1252, and a byte order mark overrides it', async () => {
    const read = async (bytes: Buffer) =>
      (await toArray(readLines(stream(bytes), undefined, 'latin1'))).flat();
    expect(await read(Buffer.from([0xe9, 0x80, 0x9f, 0x81, 0x0a]))).toEqual([{ line: 1, text: 'é€Ÿ\x81' }]);
    expect(await read(Buffer.from('\uFEFFé\n'))).toEqual([{ line: 1, text: 'é' }]);
  });

  test('a line that never ends stops the reading', async () => {
    const endless = Readable.from(
      (function* () {
        yield Buffer.from('first\n');
        for (;;) yield Buffer.alloc(65_536, 'x');
      })(),
    );
    await expect(all(endless)).rejects.toThrowError('line 2 of standard input is longer than 1 MiB');
  });

  test('a missing file is a file error', async () => {
    const path = join(temporaryFolder(), 'missing');
    await expect(all(path)).rejects.toThrowError(
      new FileError(`no such file: ${path}`, { path, code: 'file_not_found' }),
    );
  });

  test('a folder is a file error', async () => {
    const path = temporaryFolder();
    await expect(all(path)).rejects.toThrowError(`${path} is a folder, not a file`);
  });

  test('however the bytes are portioned, the lines are the same', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(text => !/[\n\r\0\uFEFF]/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1 }),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat()),
        async (lines, end, cuts) => {
          const bytes = Buffer.from(lines.map(text => text + end).join(''));
          const edges = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
          const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
          expect(await texts(stream(...chunks))).toEqual(lines);
        },
      ),
    );
  });
});

describe('readText', () => {
  test('reads a text without its byte order mark', async () => {
    expect(await readText(stream('\uFEFF{"a":', '"é"}'))).toBe('{"a":"é"}');
  });

  test('joins a character that was cut between two portions', async () => {
    const bytes = Buffer.from('é');
    expect(await readText(stream(bytes.subarray(0, 1), bytes.subarray(1)))).toBe('é');
  });

  test('another encoding is rejected', async () => {
    await expect(readText(stream(Buffer.from([0xe9])))).rejects.toThrowError(
      new UsageError('standard input is not UTF-8 text', {
        code: 'invalid_input',
        reason: 'not_utf8',
      }),
    );
  });

  test('a text over the limit is rejected', async () => {
    await expect(readText(stream('x'.repeat(2 << 20)), { maxBytes: 1 << 20 })).rejects.toThrowError(
      'standard input is larger than 1 MiB',
    );
  });
});
