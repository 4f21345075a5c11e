import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import script from 'virtual:parquet-thread';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ColumnKernel } from '../../../src/export/parquet/column-kernel.ts';
import { ConversionInThread } from '../../../src/export/parquet/conversion-in-thread.ts';
import { EarlyConversion, NotEarlyError } from '../../../src/export/parquet/early-conversion.ts';
import { rowsToParquet } from '../../../src/export/parquet/rows-to-parquet.ts';
import { UnrepresentableValueError } from '../../../src/export/unrepresentable-value.ts';
import { openAtomic } from '../../../src/files/atomic-file.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';

const kernel = new ColumnKernel();
const HEAD = '[\n';

interface Stored {
  readonly folder: string;
  readonly rowsPath: string;
  /** Where each row ends in the file. */
  readonly ends: readonly number[];
  readonly bytes: number;
  readonly columns: readonly string[];
}

/** Rows, given as JSON texts, in a file as an export stores them. */
function stored(rows: readonly string[], columns: readonly string[]): Stored {
  const folder = temporaryFolder();
  const rowsPath = join(folder, 'rows.part');
  const text = `${HEAD}${rows.join(',\n')}\n]\n`;
  writeFileSync(rowsPath, text);
  let end = HEAD.length;
  const ends = rows.map(row => {
    end += Buffer.byteLength(row) + 2;
    return end - 2;
  });
  return { folder, rowsPath, ends, bytes: Buffer.byteLength(text), columns };
}

/** The file that is made of complete rows, and the columns of mixed values. */
async function late({ folder, rowsPath, columns }: Stored) {
  const mixed: string[] = [];
  const file = await openAtomic(join(folder, 'late.parquet'));
  await rowsToParquet({
    ...{ rowsPath, file, columns, figures: ['n'], createdBy: 'test', signal: new AbortController().signal },
    onRows: () => {},
    onMixed: column => mixed.push(column),
  });
  await file.commit();
  return { bytes: readFileSync(file.path), mixed };
}

/** The file that is made of rows while they come, of so many at a time; undefined if they are none for it. */
async function early({ rowsPath, columns, ends, bytes }: Stored, steps: readonly number[]) {
  const made: Uint8Array[] = [];
  let restarts = 0;
  const conversion = new EarlyConversion(
    kernel,
    { rowsPath, columns, figures: ['n'], createdBy: 'test' },
    {
      async write(chunk) {
        made.push(chunk.slice());
      },
      restart() {
        restarts += 1;
        made.length = 0;
      },
    },
  );
  try {
    let rows = 0;
    for (const step of steps) {
      rows += step;
      await conversion.reach(ends[Math.min(rows, ends.length) - 1] as number);
    }
    const result = await conversion.end(bytes);
    return { bytes: Buffer.concat(made), restarts, ...result };
  } catch (error) {
    if (error instanceof NotEarlyError || error instanceof UnrepresentableValueError) return undefined;
    throw error;
  } finally {
    conversion.close();
  }
}

const number = fc.oneof(
  fc.integer({ min: -3, max: 300 }).map(String),
  fc.constantFrom('0.5', '1.50', '12345.678', '1e3', '12.5E-1'),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }).map(value => JSON.stringify(value)),
  fc.constantFrom('"DE"', '"a, b"', '""', '"\\u00e9\\n"', '"https:\\/\\/example.com\\/"'),
);
const day = fc.constantFrom('"2026-02-01"', '"2026-02-28"', '"1969-12-31"');
const KINDS = [number, text, day, fc.constantFrom('true', 'false'), fc.constantFrom('[]', '{"a": [1]}')];

/** The profiler has not read the row with 0.5 when it fails, because it left the rows of shapes that it knew for later. */
const NOT_EXAMINED = (() => {
  const none = [null, null, null];
  const shapes = ['n', '', 'nb', 'ab', 'b', 'na', 'nab'].map(names =>
    ['n', 'a', 'b'].map(name => (names.includes(name) ? 'null' : null)),
  );
  const values = [
    ['null', '0', null],
    [null, null, '"https:\\/\\/example.com\\/"'],
    none,
    [null, '0.5', null],
  ];
  return [...shapes, none, none, ...values, ...Array.from({ length: 14 }, () => none)];
})();

describe('rows that are converted while others come', () => {
  test('make the same file, wherever they are cut and whatever kinds of values follow', async () => {
    const column = fc.tuple(
      fc.constantFrom(...KINDS),
      fc.constantFrom(...KINDS),
      fc.double({ min: 0.5, max: 1, noNaN: true }),
    );
    const table = fc
      .array(column, { minLength: 1, maxLength: 4 })
      .chain(kinds =>
        fc
          .integer({ min: 1, max: 80 })
          .chain(count =>
            fc.tuple(
              ...Array.from({ length: count }, (_, row) =>
                fc.tuple(
                  ...kinds.map(([first, later, share]) =>
                    fc.option(fc.option(row < share * count ? first : later, { nil: 'null' }), { freq: 9 }),
                  ),
                ),
              ),
            ),
          ),
      );
    const steps = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 });
    let converted = 0;
    await fc.assert(
      fc.asyncProperty(table, steps, async (cells, cuts) => {
        const columns = (cells[0] ?? []).map((_, index) => (index === 0 ? 'n' : `c${index}`));
        const rows = cells.map(values => {
          const members = values.flatMap((value, index) =>
            value === null ? [] : [`"${columns[index]}":${value}`],
          );
          return `{${members.join(',')}}`;
        });
        const file = stored(rows, columns);
        const made = await early(file, cuts);
        if (made === undefined) return;
        converted += 1;
        const expected = await late(file);
        expect(made.bytes.equals(expected.bytes)).toBe(true);
        expect({ rows: made.rows, mixed: made.mixed }).toEqual({ rows: rows.length, mixed: expected.mixed });
      }),
      { numRuns: runs(200), examples: [[NOT_EXAMINED, [12]]] },
    );
    expect(converted).toBeGreaterThan(0);
  });

  test('begin again when a value needs another type than those before', async () => {
    const rows = Array.from(
      { length: 9 },
      (_, index) => `{"n":${index}${index < 6 ? '' : '.25'},"t":"${index}"}`,
    );
    const file = stored(rows, ['n', 't']);
    const made = await early(file, [3, 3]);
    expect(made).toMatchObject({ restarts: 1, rows: 9, mixed: [] });
    expect(made?.bytes.equals((await late(file)).bytes)).toBe(true);
  });

  test('keep their types when later values only have more digits', async () => {
    const file = stored(['{"n":1.5}', '{"n":-12345.5}', '{"n":null}'], ['n']);
    const made = await early(file, [1]);
    expect(made?.restarts).toBe(0);
    expect(made?.bytes.equals((await late(file)).bytes)).toBe(true);
  });

  test.each([
    ['a number that needs more than 64 bits', ['{"n":1}', '{"n":12345678901234567890123}']],
    ['a number that no type holds', ['{"n":1}', '{"n":1E400}']],
    ['types that change again and again', ['{"n":1}', '{"n":1.5}', '{"n":1.25}', '{"n":1.125}']],
    ['a row that the kernel does not hold', ['{"n":1}', `{"n":"${'x'.repeat(600_000)}"}`]],
  ])('are left to the conversion of complete rows: %s', async (_, rows) => {
    expect(await early(stored(rows, ['n']), [1, 1, 1])).toBeUndefined();
  });
});

/** Rows of several groups. */
const MANY = Array.from(
  { length: 150_000 },
  (_, index) =>
    `{"n":${index % 977}.${index % 10}1,"t":"${index * 7919} text","m":${index === 140_000 ? '"x"' : index % 3}}`,
);

describe('a conversion in a thread', () => {
  const start = ({ folder, rowsPath, columns }: Stored, code = script) =>
    new ConversionInThread(code, join(folder, 'early.parquet'), {
      ...{ rowsPath, columns, figures: ['n'], createdBy: 'test' },
    });
  const unstopped = () => ({ signal: new AbortController().signal, onRows: () => {} });

  test('makes the same file, and leaves no other', async () => {
    const file = stored(MANY, ['n', 't', 'm']);
    const expected = await late(file);
    const thread = start(file);
    for (const rows of [70_000, 90_000, 110_000]) thread.reach(file.ends[rows - 1] as number);
    const counts: number[] = [];
    const made = await thread.finish(file.bytes, { ...unstopped(), onRows: rows => counts.push(rows) });
    expect(made).toMatchObject({ rows: 150_000, mixed: ['m'] });
    expect(counts.at(-1)).toBe(150_000);
    await made?.file.commit();
    expect(readFileSync(join(file.folder, 'early.parquet')).equals(expected.bytes)).toBe(true);
    expect(readdirSync(file.folder).sort()).toEqual(['early.parquet', 'late.parquet', 'rows.part']);
  });

  test.each([
    ['rows that are none for it', script, '{"n":1E400}'],
    ['code that fails when it is loaded', 'throw new Error("no memory")', '{"n":1}'],
    ['code that ends', '', '{"n":1}'],
  ])('gives no file, and leaves none: %s', async (_, code, last) => {
    const file = stored([...MANY, last], ['n', 't']);
    const thread = start(file, code);
    thread.reach(file.ends[99_999] as number);
    expect(await thread.finish(file.bytes, unstopped())).toBeUndefined();
    expect(readdirSync(file.folder)).toEqual(['rows.part']);
  });

  test('gives no file where none can be written', async () => {
    const file = stored(MANY, ['n', 't']);
    const thread = start({ ...file, folder: join(file.folder, 'missing') });
    expect(await thread.finish(file.bytes, unstopped())).toBeUndefined();
    expect(readdirSync(file.folder)).toEqual(['rows.part']);
  });

  test('ends with the export, and leaves no file', async () => {
    const file = stored(MANY, ['n', 't']);
    const thread = start(file);
    thread.reach(file.bytes);
    await thread.stop();
    expect(readdirSync(file.folder)).toEqual(['rows.part']);
  });

  test('ends when it is aborted, and leaves no file', async () => {
    const file = stored(MANY, ['n', 't']);
    const reason = new Error('interrupted');
    const aborting = new AbortController();
    const finished = start(file).finish(file.bytes, {
      signal: aborting.signal,
      onRows: rows => {
        if (rows > 0) aborting.abort(reason);
      },
    });
    await expect(finished).rejects.toBe(reason);
    expect(existsSync(join(file.folder, 'early.parquet'))).toBe(false);
    expect(readdirSync(file.folder)).toEqual(['rows.part']);
  });
});
