import { describe, expect, test } from 'vitest';
import { UnrepresentableValueError } from '../../../src/export/unrepresentable-value.ts';
import { NO_SCHEMA, type TableSchema } from '../../../src/sync/column-types.ts';
import { TypesChangedError } from '../../../src/sync/encode/lines.ts';
import { tableOf } from '../tables.ts';
import { decodedTsv, tsvOf } from './dividing.ts';

const withText = (name: string): TableSchema => ({
  ...NO_SCHEMA,
  version: 1,
  columns: [{ name, kind: 'text', whole: 0, scale: 0 }],
});

describe('the lines of a partition', () => {
  const table = tableOf({ dimensions: ['c', 'a', 'b'], metrics: ['n'] });

  test('have null where a row has no value, and numbers without exponents', async () => {
    const rows = [
      '"a":1.5e3,"b":"x","n":1',
      '"b":"a\\tb\\\\c\\nd\\re","a":-2.50',
      '"c":true,"a":1e-3,"n":null',
    ];
    expect(await tsvOf(rows, { table })).toBe(
      '\\N\t1500\tx\t1\n\\N\t-2.50\ta\\tb\\\\c\\nd\\re\t\\N\n1\t0.001\t\\N\t\\N\n',
    );
  });

  test('have the numbers, flags and nested values of a column of text as the gateway sent them', async () => {
    const rows = ['"a":1.50e2,"n":1', '"a":true,"n":1', '"a":{"b":[1,"\\t"]},"n":1', '"a":"","n":1'];
    expect(
      await tsvOf(rows, { table: tableOf({ dimensions: ['a'], metrics: ['n'] }), schema: withText('a') }),
    ).toBe('1.50e2\t1\ntrue\t1\n{"b":[1,"\\\\t"]}\t1\n\t1\n');
  });

  test('have numbers without the zeros that the type of their column lacks', async () => {
    const rows = [
      '"a":"5.00","n":5.00',
      '"a":"1.0","n":-70',
      '"n":100.0',
      '"a":"\\t2.0","n":null',
      '"n":0.0',
    ];
    const table = tableOf({ dimensions: ['a'], metrics: ['n'] });
    expect(await tsvOf(rows, { table })).toBe('5.00\t5\n1.0\t-70\n\\N\t100\n\\t2.0\t\\N\n\\N\t0\n');
    expect(await tsvOf(['"n":2.500000', '"n":2.00', '"n":20', '"n":0.1050'], { table })).toBe(
      '\\N\t2.5\n\\N\t2\n\\N\t20\n\\N\t0.105\n',
    );
    const many = Array.from({ length: 40_000 }, (_, row) => `"n":${row}.0`);
    const cells = decodedTsv(await tsvOf(many, { table }));
    expect(cells).toEqual(many.map((_, row) => [null, String(row)]));
  });

  test('have metrics in quotes as numbers', async () => {
    expect(
      await tsvOf(['"n":"12.50"', '"n":"1e2"'], { table: tableOf({ dimensions: [], metrics: ['n'] }) }),
    ).toBe('12.50\n100\n');
  });

  test.each([
    ['a flag', 'true'],
    ['a number with an exponent', '1e2'],
  ])('must be written again when %s turns out to be in a column of text', async (_, value) => {
    const table = tableOf({ dimensions: ['a'], metrics: ['n'] });
    await expect(tsvOf([`"a":${value}`, '"a":"x"'], { table })).rejects.toThrow(TypesChangedError);
    expect(await tsvOf([`"a":${value}`, '"a":"x"'], { table, schema: withText('a') })).toBe(
      `${value}\t\\N\nx\t\\N\n`,
    );
  });

  test('of millions of bytes are written in pieces, with very long rows and numbers among them', async () => {
    const long = 'x\\n'.repeat(300_000);
    const rows = Array.from(
      { length: 5_000 },
      (_, row) => `"a":${row}e${row % 100 === 0 ? 30 : 0},"b":"${row === 17 ? long : `page ${row}`}"`,
    );
    const cells = decodedTsv(
      await tsvOf(rows, { table: tableOf({ dimensions: ['a', 'b'], metrics: ['n'] }) }),
    );
    expect(cells.length).toBe(rows.length);
    expect(cells[17]).toEqual(['17', 'x\n'.repeat(300_000), null]);
    for (const [row, [a, b]] of cells.entries()) {
      if (row === 17) continue;
      expect(a).toBe(row === 0 ? '0' : row % 100 === 0 ? `${row}${'0'.repeat(30)}` : String(row));
      expect(b).toBe(`page ${row}`);
    }
  });
});

describe('a text with the character NUL', () => {
  const table = tableOf({ dimensions: ['page'], metrics: ['n'] });
  const rows = ['"page":"x"', '"page":"x\\u0000y"'];

  test('is rejected with its column where the destination cannot store it', async () => {
    await expect(tsvOf(rows, { table, rejectsNul: true })).rejects.toThrow(
      new UnrepresentableValueError(
        'warehouse cannot store the column page as it is: a text with the character NUL',
        { path: 'warehouse', code: 'unrepresentable_value' },
      ),
    );
  });

  test('is written elsewhere', async () => {
    expect(await tsvOf(rows, { table })).toBe('x\t\\N\nx\0y\t\\N\n');
  });
});

test('a text with half a character is rejected with its column', async () => {
  const table = tableOf({ dimensions: ['page'], metrics: ['n'] });
  await expect(tsvOf(['"page":"\\ud83d"'], { table })).rejects.toThrow(
    'warehouse cannot store the column page as it is: a text that is cut in the middle of a character',
  );
});

describe('a day that the calendar of the destination does not contain', () => {
  const table = tableOf({ dimensions: ['day'], metrics: ['n'] });
  const calendar = ['1970-01-01', '2105-12-31'] as const;
  const rowsOf = (day: string) => ['"day":"2026-03-01"', `"day":"${day}"`];

  test.each(['1969-12-31', '0001-01-01', '2106-01-01', '9999-12-31'])('is rejected: %s', async day => {
    await expect(tsvOf(rowsOf(day), { table, calendar })).rejects.toThrow(
      new UnrepresentableValueError(
        `warehouse cannot store the column day as it is: the day ${day} is not between 1970-01-01 and 2105-12-31`,
        { path: 'warehouse', code: 'unrepresentable_value' },
      ),
    );
    expect(await tsvOf(rowsOf(day), { table })).toBe(`2026-03-01\t\\N\n${day}\t\\N\n`);
  });

  test.each([...calendar])('its first and last day are written: %s', async day => {
    expect(await tsvOf(rowsOf(day), { table, calendar })).toBe(`2026-03-01\t\\N\n${day}\t\\N\n`);
  });
});

describe('a number with more digits than a double has', () => {
  const table = tableOf({ dimensions: ['a'], metrics: ['n'] });
  const long = `${'123456789'.repeat(8)}.5`;

  test('is rejected where the destination has nothing longer', async () => {
    await expect(tsvOf([`"a":${long}`], { table })).rejects.toThrow(/numbers that are too long for it/);
  });

  test('is written where a double prints the same digits', async () => {
    expect(await tsvOf(['"a":1e300', '"a":0.1'], { table })).toBe(`1${'0'.repeat(300)}\t\\N\n0.1\t\\N\n`);
  });

  test('keeps all digits elsewhere, within reason', async () => {
    expect(await tsvOf([`"a":${long}`, '"a":1e-40'], { table, keepsAllDigits: true })).toBe(
      `${long}\t\\N\n0.${'0'.repeat(39)}1\t\\N\n`,
    );
    await expect(tsvOf(['"a":1e999999999'], { table, keepsAllDigits: true })).rejects.toThrow(
      'warehouse cannot store the column a as it is: a number of more than 10000 digits',
    );
  });
});
