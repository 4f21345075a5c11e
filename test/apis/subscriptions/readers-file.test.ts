import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ReaderEntry, readerEntries } from '../../../src/apis/subscriptions/readers-file.ts';
import { runs } from '../../support/runs.ts';

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const cell = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  // Spreadsheets trim cells too.
  .map(text => text.trim())
  .filter(text => text.isWellFormed() && !/^#|[\0\uFEFF]/.test(text));
const latin1Cell = fc
  .string({ unit: fc.constantFrom(...'abzéüñß,;\t" €'), maxLength: 12 })
  .map(text => text.trim());

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const isPlain = (text: string) => !/[",;\t\r\n]/.test(text);

const ENCODERS = {
  'utf-8': (text: string) => Buffer.from(text),
  'utf-8 with a mark': (text: string) => Buffer.from(`\uFEFF${text}`),
  'utf-16le': (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'utf-16be': (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  latin1: (text: string) =>
    Buffer.concat([...text].map(char => (char === '€' ? Buffer.from([0x80]) : Buffer.from(char, 'latin1')))),
};

async function entriesOf(chunks: readonly Uint8Array[], encoding?: 'latin1'): Promise<ReaderEntry[]> {
  const source = Readable.from(chunks);
  const blocks = await toArray(readerEntries(source, { encoding, columns: ['Plan', 'Note, long'] }));
  return blocks.flat();
}

test('a list reads the same in every encoding and dialect, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(ENCODERS) as (keyof typeof ENCODERS)[])).chain(encoding => {
        const text = encoding === 'latin1' ? latin1Cell : cell;
        return fc.record({
          encoding: fc.constant(encoding),
          rows: fc.array(fc.record({ plan: text, note: text, blanks: fc.nat(2) }), {
            minLength: 1,
            maxLength: 8,
          }),
        });
      }),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      async ({ encoding, rows }, delimiter, end, alwaysQuotes, namesSeparator, size) => {
        const write = (text: string) => (alwaysQuotes || !isPlain(text) ? quoted(text) : text);
        const line = (cells: string[]) => cells.map(write).join(delimiter) + end;
        const text = [
          namesSeparator ? `sep=${delimiter}${end}` : '',
          line(['Plan', 'E-Mail', 'Note, long']),
          ...rows.map(
            ({ plan, note, blanks }, i) => line([plan, `r${i}@example.com`, note]) + end.repeat(blanks),
          ),
        ].join('');
        const bytes = ENCODERS[encoding](text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        const entries = await entriesOf(chunks, encoding === 'latin1' ? 'latin1' : undefined);
        expect(entries.map(({ reader, values }) => [reader, ...values])).toEqual(
          rows.map(({ plan, note }, i) => [{ email: `r${i}@example.com`, isRepaired: false }, plan, note]),
        );
        const lines = text.replaceAll('\r\n', '\n').split('\n');
        for (const [i, { place }] of entries.entries()) {
          const number = Number(/^line (\d+)$/.exec(place)?.[1]);
          expect(lines.slice(0, number).join('\n')).toContain(`r${i}@example.com`);
          expect(lines.slice(number).join('\n')).not.toContain(`r${i}@example.com`);
        }
      },
    ),
    { numRuns: runs(400) },
  );
});

test('a line that is too short or too long has no values', async () => {
  const read = await entriesOf([
    Buffer.from(
      'email,Plan,"Note, long"\na@example.com,gold\nb@example.com,gold,n,\nc@example.com,gold,n,m\n',
    ),
  ]);
  expect(read.map(({ values }) => values)).toEqual([
    ['gold', undefined],
    ['gold', 'n'],
    [undefined, undefined],
  ]);
});

test('the values of JSON are texts: numbers with their digits, true and false, nothing for null', async () => {
  const item = { email: 'a@example.com', 'Note, long': null, Plan: true };
  for (const text of [JSON.stringify([item]), `${JSON.stringify(item)}\n`]) {
    const [entry] = await entriesOf([Buffer.from(text)]);
    expect(entry?.values).toEqual(['true', '']);
  }
});

test('columns require a header: a plain list is rejected', async () => {
  await expect(entriesOf([Buffer.from('a@example.com\nb@example.com\n')])).rejects.toThrowError(
    'no column Plan in standard input',
  );
});
