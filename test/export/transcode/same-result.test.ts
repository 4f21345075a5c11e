import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { isLosslessNumber, parse } from 'lossless-json';
import { describe, expect, test, vi } from 'vitest';
import { MalformedResponseError } from '../../../src/export/transcode/json-scanner.ts';
import { Kernel } from '../../../src/export/transcode/kernel.ts';
import { Row } from '../../../src/export/transcode/row.ts';
import { RowTranscoder, type TranscoderOptions } from '../../../src/export/transcode/transcoder.ts';
import { positions, runs } from '../../support/runs.ts';
import { arrayAnswer, objectAnswer } from './answers.ts';
import { inChunks, transcode } from './transcode.ts';

// A row may take the fast path where it lies whole in one chunk, or is left for the next one. Neither is so byte by byte: so the
// same body, in one chunk and byte by byte, goes both ways.

const answer = fc.oneof({ weight: 4, arbitrary: objectAnswer }, { weight: 1, arbitrary: arrayAnswer });

type Format = Pick<TranscoderOptions, 'format' | 'dialect'>;
const formats: Format[] = [
  { format: 'csv' },
  { format: 'csv', dialect: 'excel' },
  { format: 'tsv' },
  { format: 'ndjson' },
  { format: 'json' },
];

/** Columns asked for: some of the names of the rows, in another order, and one that no row has. */
function columnsOf(names: readonly string[]): string[] {
  return [...names.slice(1).reverse(), 'none'];
}

describe.each(formats)('$format $dialect', format => {
  test('is the same whatever the chunks', () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 2, max: 300 }), fc.boolean(), ({ body, names }, size, asked) => {
        const options = { ...format, columns: asked ? columnsOf(names) : [] };
        const whole = transcode([body, body], options);
        expect(transcode([body, body], options, 1)).toEqual(whole);
        expect(transcode([body, body], options, size)).toEqual(whole);
      }),
      { numRuns: runs(200) },
    );
  });

  test('is the same wherever a response is split in two', () => {
    fc.assert(
      fc.property(answer, fc.nat(), ({ body, names }, first) => {
        const bytes = Buffer.from(body);
        const options = { ...format, columns: columnsOf(names) };
        const whole = written(options, [bytes]);
        for (const position of positions(bytes.length - 1)) {
          const at = 1 + ((first + position) % (bytes.length - 1));
          const cut = written(options, [bytes.subarray(0, at), bytes.subarray(at)]);
          if (cut !== whole) expect({ at, text: cut }).toEqual({ at, text: whole });
        }
      }),
      { numRuns: runs(8) },
    );
  });

  test('of a body with a wrong byte has the same complete rows and error whatever the chunks', () => {
    const wrong = fc.tuple(
      answer,
      fc.nat(),
      fc.constantFrom(0, 1),
      fc.constantFrom('', 'cut', ...'[]{},:"\\0-.eE +\u0001xé'),
      fc.integer({ min: 2, max: 300 }),
    );
    fc.assert(
      fc.property(wrong, ([{ body, names }, position, removed, put, size]) => {
        const at = position % body.length;
        const broken = Buffer.from(body.slice(0, at) + (put === 'cut' ? '' : put + body.slice(at + removed)));
        const options = { ...format, columns: columnsOf(names) };
        const whole = outcome(broken, options, broken.length);
        expect(outcome(broken, options, 1)).toEqual(whole);
        expect(outcome(broken, options, size)).toEqual(whole);
        const isAboutRows = whole.fault?.includes('rows') || whole.fault?.includes('a row has ');
        if (!isAboutRows) expect(whole.fault === undefined).toBe(parses(broken.toString()));
      }),
      { numRuns: runs(300) },
    );
  });
});

test('rows have the same fingerprints on both paths, and different ones when their text differs', () => {
  fc.assert(
    fc.property(answer, ({ body, rows }) => {
      const prints = (size?: number) => {
        const [end] = transcode([body], { format: 'ndjson' }, size).pages;
        if (end?.found !== true) return expect.unreachable();
        return Array.from({ length: end.rows }, (_, row) =>
          end.fingerprints.slice(2 * row, 2 * row + 2).join(),
        );
      };
      const whole = prints();
      expect(prints(1)).toEqual(whole);
      expect(new Set(whole).size).toBeGreaterThanOrEqual(new Set(rows).size);
    }),
    { numRuns: runs(300) },
  );
});

test('these responses use both the fast and the general path', () => {
  const took = (method: 'write' | 'read') => {
    const results = vi.spyOn(Kernel.prototype, method).mock.results;
    return () => results.filter(({ value }) => value !== -1).length;
  };
  const written = took('write');
  const read = took('read');
  const split = vi.spyOn(Row.prototype, 'split');
  fc.assert(
    fc.property(answer, ({ body }) => {
      transcode(body, { dialect: 'excel' });
    }),
    { numRuns: 200, seed: 1 },
  );
  expect(written()).toBeGreaterThan(50);
  expect(read()).toBeGreaterThan(50);
  expect(split.mock.results.length).toBeGreaterThan(50);
  vi.restoreAllMocks();
});

/** The text that comes of chunks. */
function written(options: Omit<TranscoderOptions, 'sink'>, chunks: readonly Uint8Array[]): string {
  const made: Uint8Array[] = [];
  const transcoder = new RowTranscoder({ ...options, sink: chunk => made.push(chunk) });
  for (const chunk of chunks) transcoder.write(chunk);
  transcoder.endPage();
  transcoder.end();
  return Buffer.concat(made).toString();
}

/** What comes of one body: the whole rows before the fault, and the fault. */
function outcome(body: Uint8Array, options: Omit<TranscoderOptions, 'sink'>, chunkSize: number) {
  const chunks: Uint8Array[] = [];
  const transcoder = new RowTranscoder({ ...options, sink: chunk => chunks.push(chunk) });
  let fault: string | undefined;
  try {
    for (const chunk of inChunks(body, chunkSize)) transcoder.write(chunk);
    transcoder.endPage();
  } catch (error) {
    if (!(error instanceof MalformedResponseError)) throw error;
    fault = `${error.reason} @ ${error.offset}`;
  }
  transcoder.flush();
  return { text: Buffer.concat(chunks).toString(), fault };
}

function parses(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

describe('read by third-party readers', () => {
  test('ndjson is the text of each row without white space', () => {
    fc.assert(
      fc.property(answer, ({ body, rows }) => {
        const { text } = transcode(body, { format: 'ndjson' });
        expect(text).toBe(rows.map(row => `${row}\n`).join(''));
      }),
      { numRuns: runs(300) },
    );
  });

  test('json is an array of the rows with all digits', () => {
    fc.assert(
      fc.property(objectAnswer, ({ body, names }) => {
        const { text } = transcode(body, { format: 'json', columns: columnsOf(names) });
        expect(reading(text)).toEqual(rowsOf(body));
      }),
      { numRuns: runs(300) },
    );
  });

  test('csv has the cells of the response with all digits', () => {
    fc.assert(
      fc.property(answer, ({ body, names }) => {
        const columns = columnsOf(names);
        const { text } = transcode(body, { columns });
        const [header, ...lines] = parseCsv(text, { record_delimiter: '\n' });
        expect(header).toEqual(columns);
        expectCells(lines, rowsOf(body), columns);
      }),
      { numRuns: runs(300) },
    );
  });

  test('tsv has the cells of the response with all digits', () => {
    fc.assert(
      fc.property(answer, ({ body, names }) => {
        const columns = columnsOf(names);
        const { text } = transcode(body, { format: 'tsv', columns });
        const lines = text.slice(0, -1).split('\n');
        const [header, ...cells] = lines.map(line => line.split('\t').map(unescaped));
        expect(header).toEqual(columns);
        expectCells(cells, rowsOf(body), columns);
      }),
      { numRuns: runs(300) },
    );
  });
});

/** Reads JSON with numbers as they are written; of a repeated name the last counts. */
function reading(text: string): unknown {
  return parse(text, null, { onDuplicateKey: ({ newValue }) => newValue });
}

function rowsOf(body: string): unknown[] {
  const root = reading(body.replace(/^\ufeff/, ''));
  return (Array.isArray(root) ? root : (root as { rows: unknown[] }).rows) as unknown[];
}

/** Nested values are compared as what their text says: of an object in an object, the order does not count. */
function expectCells(lines: readonly string[][], rows: readonly unknown[], columns: readonly string[]): void {
  const expected = rows.map(row =>
    columns.map((name, column) => {
      const value = Array.isArray(row) ? row[column] : (row as Record<string, unknown>)[name];
      return isNested(value) ? value : cellText(value);
    }),
  );
  const actual = lines.map((cells, line) =>
    cells.map((cell, column) => (isNested(expected[line]?.[column]) ? reading(cell) : cell)),
  );
  expect(actual).toEqual(expected);
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !isLosslessNumber(value);
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? wellFormed(value) : String(value);
}

/** Surrogates that are alone replaced, as encoding does. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function unescaped(cell: string): string {
  return cell.replace(/\\(.)/g, (_, letter: string) => ({ t: '\t', n: '\n', r: '\r' })[letter] ?? letter);
}
