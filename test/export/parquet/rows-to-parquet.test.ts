import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowsToParquet } from '../../../src/export/parquet/rows-to-parquet.ts';
import { UnrepresentableValueError } from '../../../src/export/unrepresentable-value.ts';
import { openAtomic } from '../../../src/files/atomic-file.ts';
import { readParquet } from '../../support/duckdb.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';

interface Written {
  readonly path: string;
  readonly mixed: readonly string[];
  readonly told: readonly (readonly [number, number])[];
}

/** Writes rows, given as JSON texts, to a Parquet file. */
async function written(
  rows: readonly string[],
  columns: readonly string[],
  figures: readonly string[] = [],
): Promise<Written> {
  const folder = temporaryFolder();
  const rowsPath = join(folder, 'rows.json');
  writeFileSync(rowsPath, `[\n${rows.join(',\n')}\n]\n`);
  const mixed: string[] = [];
  const told: [number, number][] = [];
  const file = await openAtomic(join(folder, 'rows.parquet'));
  try {
    await rowsToParquet({
      rowsPath,
      file,
      columns,
      figures,
      createdBy: 'test',
      signal: new AbortController().signal,
      onRows: (count, all) => told.push([count, all]),
      onMixed: column => mixed.push(column),
    });
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.commit();
  return { path: file.path, mixed, told };
}

async function readBack(rows: readonly string[], columns: readonly string[], figures?: readonly string[]) {
  return await readParquet((await written(rows, columns, figures)).path);
}

/** One column of these JSON values. */
const column = (...values: string[]) =>
  readBack(
    values.map(value => `{"a":${value}}`),
    ['a'],
  );
const values = ({ rows }: { rows: readonly Readonly<Record<string, string | null>>[] }) =>
  rows.map(row => row.a);

test('a Parquet file has the same bytes, whatever files the process wrote before', async () => {
  const bytes = async () => {
    const { path } = await written(['{"a":null}', '{"a":1}', '{"a":2}'], ['a']);
    return readFileSync(path);
  };
  const first = await bytes();
  const full = Array.from({ length: 16 }, (_, row) => `{"a":${row}}`);
  await written(full, ['a']);
  expect(await bytes()).toEqual(first);
});

describe('a Parquet column', () => {
  test.each<[string, string[], string, (string | null)[]]>([
    [
      'days are dates',
      ['"2026-02-28"', 'null', '"1969-12-31"', '"0001-01-01"'],
      'DATE',
      ['2026-02-28', null, '1969-12-31', '0001-01-01'],
    ],
    [
      'a day that does not exist leaves all of them text',
      ['"2026-02-28"', '"2026-02-30"'],
      'VARCHAR',
      ['2026-02-28', '2026-02-30'],
    ],
    ['months stay text', ['"2026-02"'], 'VARCHAR', ['2026-02']],
    [
      'integers are 64 bits wide',
      ['0', '-9223372036854775808', '9223372036854775807'],
      'BIGINT',
      ['0', '-9223372036854775808', '9223372036854775807'],
    ],
    [
      'integers that do not fit are decimals',
      ['9223372036854775808', '-1'],
      'DECIMAL(19,0)',
      ['9223372036854775808', '-1'],
    ],
    [
      'integers written with an exponent are integers',
      ['1e3', '12E+2', '5'],
      'BIGINT',
      ['1000', '1200', '5'],
    ],
    [
      'decimals keep their digits',
      ['172.4133208101921', '0.5', '-3'],
      'DECIMAL(16,13)',
      ['172.4133208101921', '0.5000000000000', '-3.0000000000000'],
    ],
    [
      'decimals beyond 64 bits keep them too',
      ['12345678901234567890.0123456789', '-0.0000000001'],
      'DECIMAL(30,10)',
      ['12345678901234567890.0123456789', '-0.0000000001'],
    ],
    [
      'zeros at the end go where there is no room',
      [`1.${'0'.repeat(40)}`, `${'9'.repeat(38)}`],
      'DECIMAL(38,0)',
      ['1', '9'.repeat(38)],
    ],
    [
      'zeros at the end go from long fractions too',
      ['-0.50000000000000000000000', '9223372036854775808.0', '1'],
      'DECIMAL(20,1)',
      ['-0.5', '9223372036854775808.0', '1.0'],
    ],
    [
      'numbers of all sizes that doubles keep are doubles',
      ['1e-30', '12345678901234567000', '-0.1'],
      'DOUBLE',
      ['1e-30', '1.2345678901234567e+19', '-0.1'],
    ],
    ['true and false are booleans', ['true', 'false', 'null'], 'BOOLEAN', ['true', 'false', null]],
    [
      'texts are texts, escapes and all',
      ['"a\\u00e9\\n\\ud83d\\ude00"', '""', '"\u65e5\u672c"'],
      'VARCHAR',
      ['aé\n😀', '', '日本'],
    ],
    ['nested values are JSON text', ['{"b":[1.50]}', '[]', 'null'], 'VARCHAR', ['{"b":[1.50]}', '[]', null]],
  ])('%s', async (_, given, type, expected) => {
    const back = await column(...given);
    expect(back.types).toEqual({ a: type });
    expect(values(back)).toEqual(expected);
  });

  test('with several kinds of values is text, with a warning', async () => {
    const { path, mixed } = await written(['{"a":1.50}', '{"a":"n/a"}', '{"a":true}'], ['a']);
    expect(mixed).toEqual(['a']);
    expect(values(await readParquet(path))).toEqual(['1.50', 'n/a', 'true']);
  });

  test.each([
    [
      '12345678901234567890123456789012345678901',
      /cannot store the column a as it is: numbers that are too long/,
    ],
    ['1e400', /column a .* such as 1e400/],
    ['0.1234567890123456789012345678901234567891', /column a/],
    ['"\\ud800"', /column a .* cut in the middle of a character/],
  ])('that cannot keep %s is rejected by name', async (value, message) => {
    const failure = written([`{"b":1,"a":${value}}`, '{"b":1,"a":null}'], ['b', 'a']);
    await expect(failure).rejects.toThrow(UnrepresentableValueError);
    await expect(failure).rejects.toThrow(message);
  });

  test('that is empty is integers where it holds figures, else text', async () => {
    const { types } = await readBack(['{"a":null}', '{}'], ['a', 'b'], ['b']);
    expect(types).toEqual({ a: 'VARCHAR', b: 'BIGINT' });
  });
});

describe('a Parquet file', () => {
  test('has its columns in the requested order, whatever the order in the rows', async () => {
    const rows = ['{"x":9,"b":1,"a":"p"}', '{"a":"q"}', '["r",2]'];
    const back = await readBack(rows, ['a', 'b']);
    expect(Object.keys(back.types)).toEqual(['a', 'b']);
    expect(back.rows).toEqual([
      { a: 'p', b: '1' },
      { a: 'q', b: null },
      { a: 'r', b: '2' },
    ]);
  });

  test('has the columns of all rows if none were requested', async () => {
    const back = await readBack(['{"b":1}', '{"a":2,"b":3}'], []);
    expect(back.rows).toEqual([
      { b: '1', a: null },
      { b: '3', a: '2' },
    ]);
  });

  test('without rows still has its columns', async () => {
    const back = await readBack([], ['a', 'b'], ['b']);
    expect(back).toEqual({ types: { a: 'VARCHAR', b: 'BIGINT' }, rows: [] });
  });

  test('without rows or names is rejected', async () => {
    await expect(written([], [])).rejects.toThrow('would have no columns');
  });

  test('of several row groups holds every row', async () => {
    const rows = Array.from({ length: 120_000 }, (_, i) => `{"a":${i},"b":"text ${i % 7}"}`);
    const { path, told } = await written(rows, ['a', 'b']);
    expect(told.length).toBeGreaterThan(1);
    expect(told.at(-1)).toEqual([120_000, 120_000]);
    const back = await readParquet(path);
    expect(back.rows.length).toBe(120_000);
    expect(back.rows.every((row, i) => row.a === String(i) && row.b === `text ${i % 7}`)).toBe(true);
  });

  test('keeps the value of any number, or rejects the column', async () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,2})?$/);
    const numbers = fc.array(
      fc.tuple(fc.constantFrom('', '-'), digits).map(([sign, text]) => sign + text),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(numbers, async given => {
        const back = await column(...given).catch(error => {
          if (error instanceof UnrepresentableValueError) return undefined;
          throw error;
        });
        if (back === undefined) return;
        const Exact = Decimal.clone({ precision: 500 });
        values(back).forEach((text, i) => {
          expect(new Exact(text ?? 'NaN').eq(new Exact(given[i] ?? ''))).toBe(true);
        });
      }),
      { numRuns: runs(60) },
    );
  });

  test('keeps any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), async texts => {
        const back = await column(...texts.map(text => JSON.stringify(text)));
        expect(values(back)).toEqual(texts);
      }),
      { numRuns: runs(30) },
    );
  });
});
