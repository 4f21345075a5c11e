import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import naughtyStrings from 'big-list-of-naughty-strings';
import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../../src/json/index.ts';
import { render } from '../../../src/output/render.ts';
import type { Style } from '../../../src/output/view.ts';
import { PIPE } from '../../output/styles.ts';
import { runs } from '../../support/runs.ts';
import { transcode } from './transcode.ts';

const COLUMNS = ['a', 'b'];
/** Marks, blanks and control characters that a reader may trim, act on or take for a delimiter. */
const ODD = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\v',
    '\f',
    '\u0000',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u2028',
    '\ufeff',
  ],
  ...[
    '"',
    '""',
    ',',
    ';',
    '\\',
    '\\.',
    '\\N',
    '\\t',
    "'",
    '=1+1',
    '+1',
    '-1',
    '@x',
    '＝1',
    '#',
    'a b',
    'null',
    'é',
    '😀',
  ],
];
const text = fc.oneof(
  fc.constantFrom(...ODD),
  fc.array(fc.constantFrom(...ODD, 'a', '1'), { maxLength: 5 }).map(parts => parts.join('')),
  fc.string({ unit: 'binary' }),
);
/** Inside of nested values, where listings and exports may escape other characters in other ways. */
const inner = fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', '\n', ' ') });
const cell: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom<Json>(null, true, false) },
  { weight: 1, arbitrary: fc.array(inner, { maxLength: 2 }) },
  { weight: 1, arbitrary: inner.map(part => ({ [part]: part })) },
);
/** JSON of the same value as servers write it: as it is, or every character as an escape. */
const asJson = (value: Json, isEscaped: boolean) => {
  const json = JSON.stringify(value);
  if (!isEscaped || typeof value !== 'string') return json;
  return `"${Array.from({ length: value.length }, (_, i) => `\\u${value.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
};

type Writing = readonly ['csv' | 'tsv', Style['csvDialect']];
const WRITINGS: readonly Writing[] = [
  ['csv', 'rfc4180'],
  ['csv', 'excel'],
  ['tsv', 'rfc4180'],
];

/** What the three writers make of the same rows: of documents, of any row of an export, and of rows like those before. */
function written(rows: readonly (readonly [Json, Json])[], [format, dialect]: Writing, isEscaped = false) {
  const json = `[${rows.map(([a, b]) => `{"a":${asJson(a, isEscaped)},"b":${asJson(b, isEscaped)}}`).join(',')}]`;
  const options = { format, dialect, columns: COLUMNS };
  const view = { columns: COLUMNS.map(key => ({ key })) };
  return {
    document: Buffer.from(render(parseJson(json), view, format, { ...PIPE, csvDialect: dialect })).toString(),
    general: transcode(json, options, 1).text,
    kernel: transcode(json, options).text,
  };
}

describe.each(WRITINGS)('cells of %s (%s)', (...writing) => {
  test('are the same, byte for byte, in listings, exports and the fast path of exports', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (rows, isEscaped) => {
          const { document, general, kernel } = written(rows, writing, isEscaped);
          expect(general).toBe(document);
          expect(kernel).toBe(document);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test.each(ODD)('are the same for %j', odd => {
    // The first rows teach the fast path their shape.
    const { document, general, kernel } = written(
      [
        ['x', 'y'],
        ['x', 'y'],
        [odd, odd],
        [`a${odd}`, `${odd}a`],
      ],
      writing,
    );
    expect([general, kernel]).toEqual([document, document]);
  });
});

test('quotes are where a reader could lose something, and nowhere else', () => {
  const quoted = ODD.filter(odd => written([[odd, 'y']], ['csv', 'rfc4180']).kernel.startsWith('a,b\n"'));
  expect(quoted).toEqual([
    ...['', ' ', '\t', '\n', '\r', '\r\n', '\v', '\f', '\u0000', '\u001f', '\ufeff'],
    ...['"', '""', ',', '\\.'],
  ]);
});

/** A TSV cell by the rules of PostgreSQL, MySQL and ClickHouse. */
const unescapeTsv = (raw: string) =>
  raw.replace(/\\(.)/g, (_, letter: string) => ({ t: '\t', n: '\n', r: '\r' })[letter] ?? letter);

describe('tsv of naughty strings', () => {
  // NUL is no character of any text type of theirs.
  const strings = [...(naughtyStrings as readonly string[]), ...ODD].filter(one => !one.includes('\u0000'));
  const rows = strings.map((one, i) => [`n${i}`, one] as const);
  const { kernel: tsv, document } = written(rows, ['tsv', 'rfc4180']);

  test('is read by csv-parse as it was written', () => {
    expect(document).toBe(tsv);
    const read = parseCsv(tsv, { delimiter: '\t', quote: null, escape: null, record_delimiter: '\n' });
    expect(read.slice(1).map(([id, raw]) => [id, unescapeTsv(raw ?? '')])).toEqual(rows);
  });

  test('is read by DuckDB as it was written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatectl-tsv-'));
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      const file = join(folder, 'rows.tsv');
      writeFileSync(file, tsv);
      const read = await connection.runAndReadAll(
        `SELECT a, hex(b) AS b FROM read_csv('${file}', delim = '\t', quote = '', escape = '', header = true, all_varchar = true, auto_detect = false, columns = {a: 'VARCHAR', b: 'VARCHAR'}, nullstr = '\u0001')`,
      );
      expect(
        read
          .getRowObjectsJson()
          .map(row => [row.a, unescapeTsv(Buffer.from(String(row.b ?? ''), 'hex').toString())]),
      ).toEqual(rows);
    } finally {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("is read by Python's csv module as it was written, where there is Python", context => {
    const script =
      'import csv, json, sys, io\n' +
      "text = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline='')\n" +
      "print(json.dumps(list(csv.reader(text, delimiter='\\t', quoting=csv.QUOTE_NONE))))";
    let json: string;
    try {
      json = execFileSync('python3', ['-c', script], { input: tsv, encoding: 'utf8', maxBuffer: 1 << 26 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return context.skip();
      throw error;
    }
    const read = JSON.parse(json) as string[][];
    expect(read.slice(1).map(([id, raw]) => [id, unescapeTsv(raw ?? '')])).toEqual(rows);
  });
});
