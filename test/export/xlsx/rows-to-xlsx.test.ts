import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { FileError } from '../../../src/errors/index.ts';
import { UnrepresentableValueError } from '../../../src/export/unrepresentable-value.ts';
import { rowsToXlsx, type XlsxOptions } from '../../../src/export/xlsx/rows-to-xlsx.ts';
import { printSplit, workbook } from '../../../src/export/xlsx/workbook-parts.ts';
import { openAtomic } from '../../../src/files/atomic-file.ts';
import type { WritableFile } from '../../../src/files/writable-file.ts';
import { presentationOf } from '../../../src/output/presentation/column.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';
import { readWorkbook } from '../../support/workbook.ts';

interface Written {
  readonly path: string;
  readonly digits: readonly (readonly [string, string])[];
}

/** Writes rows, given as JSON texts, to a workbook. */
async function written(
  rows: readonly string[],
  columns: readonly string[],
  options: Partial<XlsxOptions> = {},
): Promise<Written> {
  const folder = temporaryFolder();
  const rowsPath = join(folder, 'rows.json');
  writeFileSync(rowsPath, `[\n${rows.join(',\n')}\n]\n`);
  const digits: [string, string][] = [];
  const file = await openAtomic(join(folder, 'rows.xlsx'));
  try {
    await rowsToXlsx({
      rowsPath,
      file,
      columns,
      figureOf: name => presentationOf(name),
      sheetName: 'pageview',
      createdBy: 'test',
      signal: new AbortController().signal,
      onRows: () => {},
      onDigits: (column, example) => digits.push([column, example]),
      ...options,
    });
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.commit();
  return { path: file.path, digits };
}

/** One column of these JSON values, read back. */
async function column(values: readonly string[], options?: Partial<XlsxOptions>) {
  const { path, digits } = await written(
    values.map(value => `{"a":${value}}`),
    ['a'],
    options,
  );
  const [sheet] = readWorkbook(path);
  return { cells: sheet?.rows.slice(1).map(row => row[0]), digits, width: sheet?.widths[0] };
}

const kinds = (cells: readonly ({ kind: string; value: string } | undefined)[] | undefined) =>
  cells?.map(cell => cell && `${cell.kind} ${cell.value}`);

describe('a cell of a workbook', () => {
  test.each<[string, string[], (string | undefined)[]]>([
    [
      'a day is a date',
      ['"2026-02-28"', 'null', '"1900-03-01"'],
      ['day 2026-02-28', undefined, 'day 1900-03-01'],
    ],
    [
      'days before March 1900 are text, because spreadsheets count them wrong',
      ['"1900-02-28"', '"2026-01-01"'],
      ['text 1900-02-28', 'day 2026-01-01'],
    ],
    [
      'a column with other texts has no dates',
      ['"2026-02-28"', '"2026-02-30"'],
      ['text 2026-02-28', 'text 2026-02-30'],
    ],
    ['true and false are flags', ['true', 'false'], ['flag true', 'flag false']],
    ['an empty text is not an empty cell', ['""', 'null'], ['text ', undefined]],
    ['a number in quotes is text', ['"007"', '"1e5"'], ['text 007', 'text 1e5']],
    ['nested values are JSON text', ['{"b" : [1, "<&>"]}', '[]'], ['text {"b":[1,"<&>"]}', 'text []']],
    [
      'a formula is text',
      ['"=1+1"', '"+1"', '"-1"', '"@SUM(A1)"', `"=cmd|' /C calc'!A0"`],
      ['text =1+1', 'text +1', 'text -1', 'text @SUM(A1)', "text =cmd|' /C calc'!A0"],
    ],
    [
      'escapes of spreadsheets are not undone',
      ['"_x000D_"', '"_x0041"', '"_x0041\\u0001"', '"a_x"', '"__x0041_x0042_"'],
      ['text _x000D_', 'text _x0041', 'text _x0041\u0001', 'text a_x', 'text __x0041_x0042_'],
    ],
  ])('%s', async (_, values, expected) => {
    expect(kinds((await column(values)).cells)).toEqual(expected);
  });

  test('a period that lacks days says so beside its value, which remains a day or a text', async () => {
    const partOf = (_: string, label: string) =>
      ({ '2026-03-09': '5 of 7 days', '2026-03': '13 of 31 days' })[label];
    const weeks = await column(['"2026-03-02"', '"2026-03-09"', 'null'], { partOf });
    expect(weeks.cells?.map(cell => cell && [cell.kind, cell.value, cell.format])).toEqual([
      ['day', '2026-03-02', 'yyyy-mm-dd'],
      ['day', '2026-03-09', 'yyyy-mm-dd" (5 of 7 days)";;;@" (5 of 7 days)"'],
      undefined,
    ]);
    expect(weeks.width).toBeGreaterThan('2026-03-09 (5 of 7 days)'.length);
    const months = await column(['"2026-02"', '"2026-03"'], { partOf });
    expect(months.cells?.map(cell => [cell?.kind, cell?.value, cell?.format])).toEqual([
      ['text', '2026-02', 'General'],
      ['text', '2026-03', 'yyyy-mm-dd" (13 of 31 days)";;;@" (13 of 31 days)"'],
    ]);
  });

  test('of any text reads back the same, with control characters, lone surrogates and spaces at its ends', async () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code));
    const piece = fc.oneof(
      unit,
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '_x000D_',
        '_x',
        '_x005F_',
        '\r\n',
        ' ',
        '\t',
        '<',
        ']]>',
        '&amp;',
        '\ufffe',
        '\uffff',
        '\ufeff',
      ),
    );
    const text = fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 30 }), async texts => {
        const { cells } = await column(texts.map(value => JSON.stringify(value)));
        expect(cells?.map(cell => cell?.value)).toEqual(texts);
      }),
      { numRuns: runs(30) },
    );
  });

  test('of any number that a double keeps is that number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 30 }),
        async numbers => {
          const texts = numbers.map(number => (Object.is(number, -0) ? '-0' : String(number)));
          const { cells, digits } = await column(texts.map(text => text.replace('e+', 'e')));
          expect(digits).toEqual([]);
          expect(cells?.map(cell => [cell?.kind, Number(cell?.value)])).toEqual(
            texts.map(text => ['number', Number(text)]),
          );
        },
      ),
      { numRuns: runs(30) },
    );
  });

  test('of any number has all its digits, as text where a double would lose some', async () => {
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,25})?(?:[eE][+-]?\d{1,3})?$/);
    await fc.assert(
      fc.asyncProperty(fc.array(digits, { minLength: 1, maxLength: 10 }), async texts => {
        const { cells } = await column(texts);
        expect(cells?.map(cell => cell?.value)).toEqual(texts);
        const isKept = texts.every(text => new Decimal(text).equals(new Decimal(Number(text))));
        if (cells?.every(cell => cell?.kind === 'number')) {
          for (const text of texts)
            expect(new Decimal(String(Number(text))).equals(new Decimal(text))).toBe(true);
        } else expect(isKept && texts.every(text => text.length < 15)).toBe(false);
      }),
      { numRuns: runs(60) },
    );
  });

  test('with more than 32,767 characters is rejected by the name of its column', async () => {
    const longest = 'é'.repeat(32_767);
    expect((await column([JSON.stringify(longest)])).cells?.[0]?.value).toBe(longest);
    const error = await column([JSON.stringify(`${longest}x`)]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnrepresentableValueError);
    expect((error as Error).message).toMatch(
      /rows\.xlsx: the column a has a text of 32768 characters; a cell holds 32767; csv and ndjson can contain it$/,
    );
  });
});

describe('a column of a workbook', () => {
  test('of numbers with more digits than a double has is text in every row, and named', async () => {
    const values = ['1', '12345678901234567890', 'null', '2.5'];
    const { cells, digits } = await column(values);
    expect(cells?.map(cell => cell && [cell.kind, cell.value, cell.format])).toEqual([
      ['text', '1', '@'],
      ['text', '12345678901234567890', '@'],
      undefined,
      ['text', '2.5', '@'],
    ]);
    expect(digits).toEqual([['a', '12345678901234567890']]);
  });

  test('of changes of a share has points, as text, too', async () => {
    const name = 'bounce_rate_change';
    const values = ['-0.035165245209687761234', '0.02', 'null'];
    const { path } = await written(
      values.map(value => `{"${name}":${value}}`),
      [name],
    );
    const cells = readWorkbook(path)[0]
      ?.rows.slice(1)
      .map(row => row[0]);
    expect(kinds(cells)).toEqual(['text -3.5165245209687761234', 'text 2', undefined]);
  });

  test('is rounded where that is requested, half away from zero, and its numbers stay numbers', async () => {
    const { cells, digits } = await column(['1.005', '-0.125000000000000000001', '12345', '2.5e-3'], {
      decimals: 2,
    });
    expect(digits).toEqual([]);
    expect(kinds(cells)).toEqual(['number 1.01', 'number -0.13', 'number 12345.00', 'number 0.00']);
  });

  test('is text in every row if one rounded number is more than a double keeps', async () => {
    const { cells, digits } = await column(['12345678901234567.891', '1.5', '2.25'], { decimals: 2 });
    expect(digits).toEqual([['a', '12345678901234567.89']]);
    expect(kinds(cells)).toEqual(['text 12345678901234567.89', 'text 1.50', 'text 2.25']);
  });

  test.each([
    ['visits', 'count', ['1234'], '#,##0'],
    ['revenue', 'USD', ['1234.5678'], '[$USD] #,##0.00'],
    ['revenue', 'currency', ['1234.5678'], '#,##0.00'],
    ['share', 'percent', ['12.5'], '#,##0.0" %"'],
    ['engaged_time', 'seconds', ['12.345'], '#,##0.0" s"'],
    ['bounce_rate', 'ratio', ['0.14285714285714285'], '0.0 %'],
    ['domain_id', 'count', ['1234'], '0'],
  ])('named %s with the unit %s is formatted for it', async (name, unit, values, format) => {
    const { path } = await written(
      values.map(value => `{"${name}":${value}}`),
      [name],
      { figureOf: column => presentationOf(column, own => (own === name ? { unit } : undefined)) },
    );
    expect(readWorkbook(path)[0]?.rows[1]?.[0]?.format).toBe(format);
  });

  test.each([
    ['revenue_before', '12.5', '[$USD] #,##0.00', '12.5'],
    ['revenue_change', '-5.1704', '+[$USD] #,##0.00;"\u2212"[$USD] #,##0.00;[$USD] #,##0.00', '-5.1704'],
    ['revenue_change_percent', '-2.8438', '+#,##0.0" %";"\u2212"#,##0.0" %";#,##0.0" %"', '-2.8438'],
    ['bounce_rate_before', '0.4437', '0.0 %', '0.4437'],
    ['bounce_rate_change', '-0.0352', '+#,##0.0" pp";"\u2212"#,##0.0" pp";#,##0.0" pp"', '-3.52'],
    ['engaged_time_change', '-12.3', '+#,##0.0" s";"\u2212"#,##0.0" s";#,##0.0" s"', '-12.3'],
  ])(
    'named %s of a comparison is formatted as its figure, and a change with its sign',
    async (name, value, format, number) => {
      const units = new Map([
        ['revenue', { unit: 'USD' }],
        ['bounce_rate', { unit: 'ratio' }],
        ['engaged_time', { unit: 'seconds' }],
      ]);
      const { path } = await written([`{"${name}":${value}}`], [name], {
        figureOf: column => presentationOf(column, own => units.get(own)),
      });
      const cell = readWorkbook(path)[0]?.rows[1]?.[0];
      expect([cell?.format, cell?.value]).toEqual([format, number]);
    },
  );

  test('is as wide as its numbers with their format, however far down the longest is', async () => {
    const values = [...Array.from({ length: 30_000 }, () => '1'), '123456789012'];
    expect((await column(values)).width).toBeGreaterThanOrEqual('123,456,789,012'.length);
  });
});

describe('a workbook', () => {
  test('has a header that stays in view and a filter over all rows', async () => {
    const { path } = await written(
      ['{"country":"DE","visits":1}', '{"country":"AT","visits":2}'],
      ['country', 'visits'],
    );
    const [sheet] = readWorkbook(path);
    expect(sheet).toMatchObject({ name: 'pageview', filter: 'A1:B3', frozenRows: 1 });
    expect(sheet?.rows[0]?.map(cell => cell?.value)).toEqual(['country', 'visits']);
  });

  test('continues in further sheets, each with the header', async () => {
    const rows = Array.from({ length: 10 }, (_, at) => `{"n":${at}}`);
    const { path } = await written(rows, ['n'], { sheetRows: 5 });
    expect(
      readWorkbook(path).map(({ name, rows, filter }) => [name, rows.map(row => row[0]?.value), filter]),
    ).toEqual([
      ['pageview', ['n', '0', '1', '2', '3'], 'A1:A5'],
      ['pageview 2', ['n', '4', '5', '6', '7'], 'A1:A5'],
      ['pageview 3', ['n', '8', '9'], 'A1:A3'],
    ]);
  });

  test('of no rows has the header only; without columns it is empty', async () => {
    const { path } = await written([], ['country']);
    expect(readWorkbook(path)[0]?.rows.map(row => row[0]?.value)).toEqual(['country']);
    expect(readWorkbook((await written([], [])).path)).toMatchObject([{ rows: [], filter: undefined }]);
  });

  test('has the columns that any row has, where the request names none', async () => {
    const { path } = await written(['{"a":1}', '{"b":"x","a":2}'], []);
    expect(readWorkbook(path)[0]?.rows.map(row => row.map(cell => cell?.value))).toEqual([
      ['a', 'b'],
      ['1'],
      ['2', 'x'],
    ]);
  });

  test('of the same rows has the same bytes, in any time zone', async () => {
    const zone = process.env.TZ;
    const bytes: Buffer[] = [];
    try {
      for (const name of ['UTC', 'Pacific/Auckland']) {
        process.env.TZ = name;
        bytes.push(readFileSync((await written(['{"a":1}'], ['a'])).path));
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
    expect(bytes[0]?.equals(bytes[1] ?? Buffer.of())).toBe(true);
  });

  test.each([
    ['a/b:c[1]*?', 'a b c 1'],
    ["'quoted'", 'quoted'],
    ['x'.repeat(40), 'x'.repeat(31)],
    ['\u0001', 'rows'],
  ])('of the data set %j has a sheet name that spreadsheets accept', async (sheetName, name) => {
    const { path } = await written(['{"a":1}'], ['a'], { sheetName });
    expect(readWorkbook(path)[0]?.name).toBe(name);
  });

  test('for a disk that is full fails with the error of the disk', async () => {
    const full = new FileError('no space left', { path: 'rows.xlsx' });
    const rows = Array.from({ length: 50_000 }, (_, at) => `{"n":${at * 7919}}`);
    let bytes = 0;
    const file = {
      path: 'rows.xlsx',
      write: async (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes > 60_000) throw full;
      },
    } as unknown as WritableFile;
    await expect(written(rows, ['n'], { file })).rejects.toBe(full);
  });
});

test('each table of a workbook has a name of its own for formulas', () => {
  const names = ['Top countries', 'top-countries', '2026', '日本', '!'];
  const sheets = names.map(name => ({ name, filter: '$A$1:$B$2' }));
  const found = [...workbook(sheets).matchAll(/<definedName name="(Table_[^"]*)">/g)].map(([, name]) => name);
  expect(found).toEqual([
    'Table_Top_countries',
    'Table_top_countries_2',
    'Table_2026',
    'Table_日本',
    'Table_5',
  ]);
});

describe('a printed sheet', () => {
  const column = fc.record({ width: fc.integer({ min: 8, max: 60 }), hasNumbers: fc.boolean() });
  const most = 235;

  test('is split where it is wider than a page that can be read, into pages that can', () => {
    fc.assert(
      fc.property(fc.array(column, { maxLength: 40 }), fc.constantFrom(0, 110), (columns, graphics) => {
        const widths = [...columns.map(({ width }) => width), ...(graphics > 0 ? [graphics] : [])];
        const sum = (some: readonly number[]) => some.reduce((total, width) => total + width, 0);
        const split = printSplit(columns, graphics);
        expect(split === undefined).toBe(sum(widths) <= most);
        if (split === undefined) return;
        const { repeated, breaks } = split;
        expect(columns.slice(0, repeated).every(({ hasNumbers }) => !hasNumbers)).toBe(true);
        const titles = sum(widths.slice(0, repeated));
        const starts = [0, ...breaks];
        for (const [at, start] of starts.entries()) {
          const own = sum(widths.slice(start, starts[at + 1]));
          expect(own).toBeGreaterThan(0);
          expect(own + (at === 0 ? 0 : titles)).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('of thirty columns repeats the names of its rows, and begins a page before a column', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `figure_${at}`);
    const row = { country: 'DE', ...Object.fromEntries(names.map((name, at) => [name, at])) };
    const { path } = await written([JSON.stringify(row)], Object.keys(row));
    const files = unzipSync(readFileSync(path));
    const text = (name: string) => strFromU8(files[name] ?? new Uint8Array());
    const sheet = text('xl/worksheets/sheet1.xml');
    expect(sheet).toContain('<pageSetUpPr fitToPage="0"/>');
    expect(sheet).toContain('<pageSetup paperSize="9" scale="60" orientation="landscape"/>');
    expect(sheet).toMatch(/<colBreaks count="1" manualBreakCount="1"><brk id="\d+" max="1048575" man="1"\/>/);
    expect(text('xl/workbook.xml')).toContain("'pageview'!$A:$A,'pageview'!$1:$1</definedName>");
  });
});
