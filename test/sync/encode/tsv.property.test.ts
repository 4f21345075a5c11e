import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ColumnType } from '../../../src/export/parquet/column-type.ts';
import { UnrepresentableValueError } from '../../../src/export/unrepresentable-value.ts';
import { openAtomic } from '../../../src/files/atomic-file.ts';
import { rowsToTsv } from '../../../src/sync/encode/tsv.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';

interface Choice {
  readonly types?: readonly ColumnType[];
  readonly rejectsNul?: boolean;
  readonly calendar?: readonly [first: string, last: string];
  readonly keepsAllDigits?: boolean;
}

/** Rows, given as the text of a JSON array, as TSV. */
async function tsvOf(
  text: string,
  columns: readonly string[],
  { types, rejectsNul = false, calendar, keepsAllDigits = false }: Choice = {},
): Promise<string> {
  const folder = temporaryFolder();
  const rowsPath = join(folder, 'rows.json');
  writeFileSync(rowsPath, text);
  const file = await openAtomic(join(folder, 'rows.tsv'));
  try {
    await rowsToTsv({
      rowsPath,
      file,
      columns,
      figures: [],
      target: 'warehouse',
      rejectsNul,
      calendar,
      keepsAllDigits,
      signal: new AbortController().signal,
      ...(types !== undefined && { chooseTypes: async () => types }),
    });
    await file.commit();
    return readFileSync(file.path, 'utf8');
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The cells of a TSV text, as the manual of PostgreSQL describes COPY's text format. */
function decoded(tsv: string): (string | null)[][] {
  const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  expect(tsv === '' || tsv.endsWith('\n')).toBe(true);
  return tsv
    .split('\n')
    .slice(0, -1)
    .map(line =>
      line
        .split('\t')
        .map(cell =>
          cell === '\\N' ? null : cell.replace(/\\(.)/gs, (_, letter) => escapes[letter] ?? '?'),
        ),
    );
}

const Exact = Decimal.clone({ precision: 400, toExpNeg: -400, toExpPos: 400 });
const decimal = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
    fc.integer({ min: 0, max: 9 }),
    fc.constantFrom('', 'e', 'E'),
    fc.integer({ min: -8, max: 8 }),
    fc.boolean(),
  )
  .map(([value, scale, e, exponent, plus]) => {
    const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
    const whole = digits.slice(0, digits.length - scale).replace(/^0+(?=\d)/, '');
    const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`;
    const sign = exponent >= 0 && plus ? '+' : '';
    return `${value < 0n ? '-' : ''}${whole}${fraction}${e === '' ? '' : `${e}${sign}${exponent}`}`;
  });
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('\\', '\t', '\n', '\r', '\0', '"', 'N', 'a', '\u2028', '😀') }),
);
/** A JSON string, with characters escaped in any of the ways that JSON allows. */
const jsonText = fc.tuple(text, fc.boolean()).map(([value, isEscaped]) => ({
  value,
  json: isEscaped
    ? `"${[...Array(value.length).keys()].map(at => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(value),
}));

test('decoding the rows gives the same values, digit for digit', async () => {
  const row = fc.record(
    {
      amount: fc.option(decimal),
      page: fc.option(jsonText),
      day: fc.option(fc.constantFrom('2026-03-14', '1969-12-31', '2024-02-29')),
      flag: fc.option(fc.boolean()),
    },
    { requiredKeys: ['amount'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 30 }),
      fc.constantFrom('', ' ', '\n'),
      async (rows, blank) => {
        const json = rows.map(({ amount, page, day, flag }) => {
          const fields = [
            `"amount":${blank}${amount}`,
            ...(page === undefined ? [] : [`"page":${blank}${page === null ? null : page.json}`]),
            ...(day === undefined ? [] : [`"day":${JSON.stringify(day)}`]),
            ...(flag === undefined ? [] : [`"flag":${flag}${blank}`]),
          ];
          return `{${fields.join(`,${blank}`)}}`;
        });
        const cells = decoded(await tsvOf(`[${json.join(`,${blank}`)}]`, ['day', 'amount', 'page', 'flag']));
        expect(cells.length).toBe(rows.length);
        for (const [index, { amount, page, day, flag }] of rows.entries()) {
          const [gotDay, gotAmount, gotPage, gotFlag] = cells[index] ?? [];
          expect(gotDay).toBe(day ?? null);
          expect(gotPage).toBe(page?.value ?? null);
          expect(gotFlag).toBe(flag === undefined || flag === null ? null : flag ? '1' : '0');
          if (amount === null) expect(gotAmount).toBe(null);
          else {
            expect(gotAmount).toMatch(/^-?\d+(?:\.\d+)?$/);
            expect(new Exact(gotAmount ?? '').eq(amount)).toBe(true);
            if (!/e/i.test(amount)) expect(gotAmount).toBe(amount);
          }
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

describe('a table', () => {
  test('is written with the chosen types, and null where a row has no value', async () => {
    const rows = `[{"a":1.5e3,"b":"x"},{"b":"a\\tb\\\\c\\nd\\re","a":-2.50},{"c":true,"a":1e-3}]`;
    expect(await tsvOf(rows, ['c', 'a', 'b'])).toBe(
      '\\N\t1500\tx\n\\N\t-2.50\ta\\tb\\\\c\\nd\\re\n1\t0.001\t\\N\n',
    );
  });

  test('with a column of text has its numbers, flags and nested values as the gateway sent them', async () => {
    const rows = `[{"a":1.50e2},{"a":true},{"a":{"b":[1,"\\t"]}},{"a":""}]`;
    expect(await tsvOf(rows, ['a'], { types: [{ kind: 'text' }] })).toBe(
      '1.50e2\ntrue\n{"b":[1,"\\\\t"]}\n\n',
    );
  });

  test('without rows is an empty file', async () => {
    expect(await tsvOf('[]', ['a'])).toBe('');
  });

  test('of millions of bytes is written in pieces, with very long rows and numbers among them', async () => {
    const long = 'x\\n'.repeat(300_000);
    const rows = Array.from(
      { length: 30_000 },
      (_, row) => `{"a":${row}e${row % 100 === 0 ? 30 : 0},"b":"${row === 17 ? long : `page ${row}`}"}`,
    );
    const cells = decoded(await tsvOf(`[${rows.join(',')}]`, ['a', 'b']));
    expect(cells.length).toBe(rows.length);
    expect(cells[17]).toEqual(['17', 'x\n'.repeat(300_000)]);
    for (const [row, [a, b]] of cells.entries()) {
      if (row === 17) continue;
      expect(a).toBe(row === 0 ? '0' : row % 100 === 0 ? `${row}${'0'.repeat(30)}` : String(row));
      expect(b).toBe(`page ${row}`);
    }
  });
});

describe('a text with the character NUL', () => {
  const rows = '[{"a":"1","page":"x"},{"a":"2","page":"x\\u0000y"}]';

  test('is rejected with its column where the destination cannot store it', async () => {
    await expect(tsvOf(rows, ['a', 'page'], { rejectsNul: true })).rejects.toThrow(
      new UnrepresentableValueError(
        "warehouse can't keep the column page as it is: a text with the character NUL; csv and ndjson can",
        { path: 'warehouse', code: 'unrepresentable_value' },
      ),
    );
  });

  test('is written elsewhere', async () => {
    expect(await tsvOf(rows, ['a', 'page'])).toBe('1\tx\n2\tx\0y\n');
  });
});

describe('a day that the calendar of the destination does not contain', () => {
  const calendar = ['1970-01-01', '2105-12-31'] as const;
  const rowsOf = (day: string) => `[{"a":"1","day":"2026-03-01"},{"a":"2","day":"${day}"}]`;

  test.each(['1969-12-31', '0001-01-01', '2106-01-01', '9999-12-31'])('is rejected: %s', async day => {
    await expect(tsvOf(rowsOf(day), ['a', 'day'], { calendar })).rejects.toThrow(
      new UnrepresentableValueError(
        `warehouse can't keep the column day as it is: the day ${day} is not between 1970-01-01 and 2105-12-31; csv and ndjson can`,
        { path: 'warehouse', code: 'unrepresentable_value' },
      ),
    );
    expect(await tsvOf(rowsOf(day), ['a', 'day'])).toBe(`1\t2026-03-01\n2\t${day}\n`);
  });

  test.each([...calendar])('its first and last day are written: %s', async day => {
    expect(await tsvOf(rowsOf(day), ['a', 'day'], { calendar })).toBe(`1\t2026-03-01\n2\t${day}\n`);
  });
});

describe('a number with more digits than a double has', () => {
  const long = `${'123456789'.repeat(8)}.5`;

  test('is rejected where the destination has nothing longer', async () => {
    await expect(tsvOf(`[{"a":${long}}]`, ['a'])).rejects.toThrow(/numbers that are too long for it/);
  });

  test('keeps all digits elsewhere, within reason', async () => {
    expect(await tsvOf(`[{"a":${long}},{"a":1e-40}]`, ['a'], { keepsAllDigits: true })).toBe(
      `${long}\n0.${'0'.repeat(39)}1\n`,
    );
    await expect(tsvOf('[{"a":1e999999999}]', ['a'], { keepsAllDigits: true })).rejects.toThrow(
      "warehouse can't keep the column a as it is: a number of more than 10000 digits; csv and ndjson can",
    );
  });
});
