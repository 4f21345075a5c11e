import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openAtomic } from '../../../src/files/atomic-file.ts';
import { readParquet } from '../../support/duckdb.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

/** Writes rows, given as JSON texts, to a Parquet file; without the kernel as on a processor that lacks SIMD. */
async function write(rows: readonly string[], columns: readonly string[], hasKernel = true): Promise<string> {
  vi.resetModules();
  if (!hasKernel)
    vi.spyOn(WebAssembly, 'Module').mockImplementation(function module() {
      throw new WebAssembly.CompileError('Wasm SIMD unsupported');
    });
  const { rowsToParquet } = await import('../../../src/export/parquet/rows-to-parquet.ts');
  const folder = temporaryFolder();
  const rowsPath = join(folder, 'rows.json');
  writeFileSync(rowsPath, `[\n${rows.join(',\n')}\n]\n`);
  const file = await openAtomic(join(folder, 'rows.parquet'));
  const signal = new AbortController().signal;
  await rowsToParquet({
    ...{ rowsPath, file, columns, figures: [], createdBy: 'test', signal },
    onRows: () => {},
    onMixed: () => {},
  });
  await file.commit();
  vi.restoreAllMocks();
  return file.path;
}

const day = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 13 }), fc.integer({ min: 1, max: 31 }))
  .map(parts =>
    JSON.stringify(parts.map((part, at) => String(part).padStart(at === 0 ? 4 : 2, '0')).join('-')),
  );
const decimal = fc
  .tuple(fc.constantFrom('', '-'), fc.integer({ min: 0, max: 99_999 }), fc.stringMatching(/^(\.\d{1,6})?$/))
  .map(parts => parts.join(''));
/** Columns of one kind each, as JSON texts of their values. */
const KINDS: readonly fc.Arbitrary<string>[] = [
  fc.string({ unit: 'grapheme', maxLength: 20 }).map(text => JSON.stringify(text)),
  fc.constantFrom('"DE"', '"US"', '"FR"', '"a, b"', '""', '"\\u00e9\\n"'),
  fc
    .tuple(fc.constantFrom('ab', 'abcde', '€'), fc.nat(3000))
    .map(([text, times]) => `"${text.repeat(times)}"`),
  day,
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.integer({ min: -3, max: 300 }).map(String),
  decimal,
  fc.constantFrom('1e3', '1.50', '2', '-0', '12.5E-1', '0.000001'),
  fc.constantFrom('true', 'false'),
  fc.constantFrom('{"a": [1, "x"]}', '[]', '"text"', '7', 'true'),
];

describe('columns made by the kernel', () => {
  test('are what the general path makes of the same rows', async () => {
    const table = fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 5 }).chain(kinds =>
      fc.array(fc.tuple(...kinds.map(kind => fc.option(fc.option(kind, { nil: 'null' }), { freq: 9 }))), {
        maxLength: 120,
      }),
    );
    await fc.assert(
      fc.asyncProperty(table, async cells => {
        const columns = (cells[0] ?? ['']).map((_, column) => `c${column}`);
        const rows = cells.map(
          values =>
            `{${values.flatMap((value, column) => (value === null ? [] : [`"c${column}":${value}`])).join(',')}}`,
        );
        const [fast, general] = [await write(rows, columns), await write(rows, columns, false)];
        expect(await readParquet(fast)).toEqual(await readParquet(general));
      }),
      { numRuns: runs(40) },
    );
  });

  test('continue in further pages and groups when texts are long, read alike by two other readers', async () => {
    const text = (index: number) => `${index} ${'long '.repeat(200)}${index * 7919}`;
    const rows = Array.from({ length: 11_000 }, (_, index) =>
      index % 7 === 0 ? `{"n":${index},"t":null}` : `{"n":${index},"t":"${text(index)}"}`,
    );
    const path = await write(rows, ['n', 't']);
    const expected = rows.map((_, index) => ({ n: String(index), t: index % 7 === 0 ? null : text(index) }));
    const { types, rows: read } = await readParquet(path);
    expect(types).toEqual({ n: 'BIGINT', t: 'VARCHAR' });
    expect(read).toEqual(expected);
    const bytes = readFileSync(path);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const objects = await parquetReadObjects({ file });
    expect(objects.map(({ n, t }) => ({ n: String(n), t }))).toEqual(expected);
  });

  test('use the general path if a row is longer than the kernel accepts', async () => {
    const long = 'x'.repeat(600_000);
    const { rows } = await readParquet(await write([`{"t":"${long}"}`, '{"t":"short"}'], ['t']));
    expect(rows).toEqual([{ t: long }, { t: 'short' }]);
  });
});
