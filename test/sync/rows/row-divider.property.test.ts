import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ColumnProfile } from '../../../src/export/parquet/column-profile.ts';
import { utf8Bytes } from '../../../src/export/transcode/utf8.ts';
import { runs } from '../../support/runs.ts';
import { tableOf } from '../tables.ts';
import { decodedCsv, decodedTsv, divide, type TestPage } from './dividing.ts';

const Exact = Decimal.clone({ precision: 400, toExpNeg: -400, toExpPos: 400 });

/** A JSON number; most have few digits. */
const number = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.bigInt({ min: -(10n ** 6n), max: 10n ** 6n }) },
      fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
    ),
    fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 3 }) }, fc.integer({ min: 0, max: 17 })),
    fc.oneof({ weight: 8, arbitrary: fc.constant('') }, fc.constantFrom('e0', 'E+2', 'e-7')),
  )
  .map(([value, scale, exponent]) => {
    const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
    const whole = digits.slice(0, digits.length - scale).replace(/^0+(?=\d)/, '');
    return `${value < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}${exponent}`;
  });
const metric = fc.option(
  fc
    .tuple(number, fc.boolean())
    .map(([value, isQuoted]) => ({ value, json: isQuoted ? `"${value}"` : value })),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('\\', '\t', '\n', '\r', '"', ',', ' ', 'N', 'a', '\u2028', '😀', '\ufeff'),
  }),
  fc.constantFrom('', '\\N', '\\.', 'null', '/news/articles/000123'),
);
const page = fc.option(text);
const day = fc
  .integer({ min: 0, max: 70 })
  .map(days => new Date(Date.UTC(2026, 0, 1 + days)).toISOString().slice(0, 10));

const row = fc.record(
  { day, page, viewed: fc.option(day), visits: metric, revenue: metric },
  { requiredKeys: ['day'] },
);
type TestRow = typeof row extends fc.Arbitrary<infer Value> ? Value : never;

const TABLE = tableOf({ dimensions: ['page', 'viewed'], metrics: ['visits', 'revenue'] });
const COLUMNS = ['report_day', 'page', 'viewed', 'visits', 'revenue'];

function valuesOf({ day, page, viewed, visits, revenue }: TestRow): (string | undefined)[] {
  const texts = [page, viewed].map(value => (value === undefined ? undefined : JSON.stringify(value)));
  const metrics = [visits, revenue].map(value => (value === null ? 'null' : value?.json));
  return [`"${day}"`, ...texts, ...metrics];
}

function jsonOf(row: TestRow, blank: string, isReversed: boolean): string {
  const members = valuesOf(row).flatMap((value, column) =>
    value === undefined ? [] : [`"${COLUMNS[column]}":${blank}${value}`],
  );
  return `{${(isReversed ? members.reverse() : members).join(`${blank},`)}}`;
}

/** Pages with the rows in order, in chunks of some size; those that break off are repeated. */
function pagesOf(
  rows: readonly string[],
  sizes: readonly number[],
  breaks: readonly number[],
  chunk: number,
): TestPage[] {
  const pages: TestPage[] = [];
  for (let at = 0, page = 0; at < rows.length; page++) {
    const size = sizes[page % sizes.length] ?? 1;
    const body = `[\n${rows.slice(at, at + size).join(',\n')}\n]`;
    const chunks: string[] = [];
    const characters = [...body];
    for (let from = 0; from < characters.length; from += chunk)
      chunks.push(characters.slice(from, from + chunk).join(''));
    const broken = breaks[page];
    if (broken !== undefined)
      pages.push({ chunks: chunks.slice(0, broken % (chunks.length + 1)), breaksOff: true });
    pages.push({ chunks });
    at += size;
  }
  return pages;
}

const cases = fc.record({
  rows: fc.array(row, { maxLength: 40 }),
  blank: fc.constantFrom('', '', ' ', '\n'),
  isReversed: fc.boolean(),
  form: fc.constantFrom('tsv' as const, 'csv' as const, 'json' as const),
  sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 }),
  breaks: fc.array(fc.nat(), { maxLength: 3 }),
  chunk: fc.constantFrom(1, 7, 100, 100_000),
});

test('rows in any pages and pieces are divided by month, with exact totals', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, blank, isReversed, form, sizes, breaks, chunk }) => {
      rows.sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0));
      const texts = rows.map(each => jsonOf(each, blank, isReversed));
      const parts = await divide(pagesOf(texts, sizes, breaks, chunk), { form, table: TABLE });
      expect([...parts.keys()]).toEqual([...new Set(rows.map(each => each.day.slice(0, 7)))]);
      for (const [key, part] of parts) {
        const own = rows.filter(each => each.day.startsWith(key));
        const file = readFileSync(part.path);
        expect(part.rows).toBe(own.length);
        expect(part.bytes).toBe(file.length);
        expect(part.sha256).toBe(
          form === 'json' ? undefined : createHash('sha256').update(file).digest('hex'),
        );
        expectCells(file.toString(), form, own);
        expectTotals(part.days, own);
        for (const [column, profile] of part.profiles.entries()) {
          const values = own.map(each => valuesOf(each)[column]);
          const alone = new ColumnProfile();
          for (const value of values) {
            const bare = utf8Bytes((column >= 3 ? value?.replaceAll('"', '') : value) ?? 'null');
            alone.addValue(bare, 0, bare.byteLength);
          }
          expect(profile.typeFound(false)).toEqual(alone.typeFound(false));
          expect(profile.dayRange).toEqual(profile.isDays ? alone.dayRange : profile.dayRange);
        }
      }
    }),
    { numRuns: runs(300) },
  );
});

test('many rows of the same shape are divided the same way', async () => {
  const rows: TestRow[] = Array.from({ length: 6_000 }, (_, index) => ({
    day: new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 100))).toISOString().slice(0, 10),
    page: `/news/articles/${index}${index % 1000 === 7 ? '"\t' : ''}`,
    viewed: '2026-03-01',
    visits: { value: `${index}`, json: index % 777 === 0 ? `"${index}"` : `${index}` },
    revenue: index % 5 === 0 ? null : { value: `${index}.0${index % 10}`, json: `${index}.0${index % 10}` },
  }));
  const texts = rows.map(each => jsonOf(each, '', false));
  for (const form of ['tsv', 'csv', 'json'] as const) {
    const parts = await divide(pagesOf(texts, [4_000], [3], 100_000), { form, table: TABLE });
    expect([...parts.keys()]).toEqual(['2026-01', '2026-02', '2026-03']);
    for (const [key, part] of parts) {
      const own = rows.filter(each => each.day.startsWith(key));
      expectCells(readFileSync(part.path, 'utf8'), form, own);
      expectTotals(part.days, own);
    }
  }
});

test.each([
  ['lack a day', '{"visits":1}', 'a row of pages has no report_day'],
  [
    'have something else as a day',
    '{"report_day":"2026/03/15"}',
    'report_day is "2026/03/15" in a row of pages, which is not a valid date',
  ],
  [
    'have a number as a day',
    '{"report_day":20260315}',
    'report_day is 20260315 in a row of pages, which is not a valid date',
  ],
  [
    'have a day that does not exist',
    '{"report_day":"2026-03-32"}',
    'report_day is "2026-03-32" in a row of pages, which is not a valid date',
  ],
  [
    'are of a day that was not requested',
    '{"report_day":"2027-01-01"}',
    'pages has rows of 2027-01-01, which were not requested',
  ],
  ['are not sorted', '{"report_day":"2026-03-13"}', 'the rows of pages are not sorted by report_day'],
  [
    'have a text as a metric',
    '{"report_day":"2026-03-14","visits":"many"}',
    'visits on 2026-03-14 is "many" in a row of pages, which is not a number',
  ],
  [
    'have a flag as a metric',
    '{"report_day":"2026-03-14","visits":true}',
    'visits on 2026-03-14 is true in a row of pages, which is not a number',
  ],
])('rows that %s are rejected', async (_, row, message) => {
  const good = '{"report_day":"2026-03-14","visits":1}';
  for (const rows of [
    [good, row],
    [good, good, row, good],
  ])
    await expect(
      divide([{ chunks: [`[${rows.join(',')}]`] }], { form: 'tsv', table: TABLE }),
    ).rejects.toThrow(message);
  const parts = await divide(
    [{ chunks: [`[${good},${row}`], breaksOff: true }, { chunks: [`[${good},${good}]`] }],
    { form: 'tsv', table: TABLE },
  );
  expect(parts.get('2026-03')?.rows).toBe(2);
});

test.each([
  ['arrays', '["2026-03-14", "/a",  null, "5", 1.50]', '5'],
  ['objects with white space', '{ "report_day": "2026-03-14", "page": "/a", "visits": "5" }', '5'],
  ['objects with nested values', '{"report_day":"2026-03-14","page":{ "a": [1, 2] },"visits":5}', '5'],
])('%s become the same rows in each form', async (_, row, visits) => {
  const page = row.includes('"a":') ? '{"a":[1,2]}' : '/a';
  for (const form of ['tsv', 'csv', 'json'] as const) {
    const parts = await divide([{ chunks: [`[${row},${row}]`] }], { form, table: TABLE });
    const file = readFileSync(parts.get('2026-03')?.path ?? '', 'utf8');
    const rows =
      form === 'json'
        ? JSON.parse(`[${file.slice(1)}]`)
        : (form === 'tsv' ? decodedTsv(file) : decodedCsv(file)).map(cells => ({
            page: cells[3],
            visits: Number(cells[5]),
          }));
    expect(rows).toHaveLength(2);
    if (form === 'json' && page !== '/a') expect(file).toContain(`"page":${page}`);
    else expect(rows[1]).toMatchObject({ page, visits: Number(visits) });
  }
});

test('surplus rows of a page are left out', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => `{"report_day":"2026-03-14","visits":${index}}`);
  for (const most of [0, 1, 2, 49, 50, 51]) {
    const parts = await divide([{ chunks: [`[${rows.join(',')}]`], most }], { form: 'csv', table: TABLE });
    const part = parts.get('2026-03');
    expect(part?.rows ?? 0).toBe(Math.min(most, 50));
    expect(part?.sums[0] ?? '0').toBe(String((Math.min(most, 50) * (Math.min(most, 50) - 1)) / 2));
  }
});

function expectCells(file: string, form: 'tsv' | 'csv' | 'json', rows: readonly TestRow[]): void {
  const cells =
    form === 'json'
      ? (JSON.parse(`[${file.slice(1)}]`) as Record<string, string | number>[]).map(each =>
          ['domain_id', 'domain', ...COLUMNS].map(name => each[name] ?? null),
        )
      : form === 'tsv'
        ? decodedTsv(file)
        : decodedCsv(file);
  const got = cells.map(([id, domain, day, page, viewed, ...numbers]) => [
    ...[Number(id), domain, day, page, viewed],
    ...numbers.map(text => (text === null || form === 'json' ? text : plain(String(text)))),
  ]);
  const numberOf = (metric: { readonly value: string } | null | undefined) => {
    if (metric === null || metric === undefined) return null;
    if (form === 'json') return Number(metric.value);
    return /e/i.test(metric.value) ? new Exact(metric.value).toString() : metric.value;
  };
  // Where there is no exponent, the digits are those of the gateway; elsewhere, the number is the same.
  const wanted = rows.map(({ day, page, viewed, visits, revenue }) => [
    ...[7, 'site-7.example.com', day, page ?? null, viewed ?? null],
    ...[visits, revenue].map(numberOf),
  ]);
  for (const [index, { visits, revenue }] of rows.entries())
    for (const [metric, value] of [visits, revenue].entries())
      if (form !== 'json' && /e/i.test(value?.value ?? '')) {
        const cell = got[index]?.[5 + metric];
        if (cell !== null && cell !== undefined)
          (got[index] as unknown[])[5 + metric] = new Exact(cell).toString();
      }
  expect(got).toEqual(wanted);
}

/** The digits of a cell, which has no exponent. */
function plain(digits: string): string {
  if (!/^-?\d+(?:\.\d+)?$/.test(digits)) throw new Error(`${digits} is no plain number`);
  return digits;
}

function expectTotals(
  days: Readonly<Record<string, readonly (number | string | null)[]>>,
  rows: readonly TestRow[],
): void {
  expect(Object.keys(days)).toEqual([...new Set(rows.map(each => each.day))]);
  for (const [day, [count, ...sums]] of Object.entries(days)) {
    const own = rows.filter(each => each.day === day);
    expect(count).toBe(own.length);
    for (const [metric, name] of (['visits', 'revenue'] as const).entries()) {
      const wanted = own.reduce((sum, each) => sum.plus(each[name]?.value ?? 0), new Exact(0));
      expect(new Exact(sums[metric] ?? Number.NaN).eq(wanted)).toBe(true);
    }
  }
}
