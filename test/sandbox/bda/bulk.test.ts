import { isLosslessNumber, parse } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { FIRST_DAY, LAST_DAY, openBda } from './calling.ts';

const bda = openBda();
const DIMENSIONS = ['row_id', 'report_day', 'page_url', 'country'];
const METRICS = ['visits', 'pageviews', 'revenue', 'engaged_time', 'adjustment'];

async function bulk(fields: Record<string, unknown>) {
  const { status, text } = await bda.query({
    data_set: 'bulk',
    dimensions: DIMENSIONS,
    metrics: METRICS,
    ...fields,
  });
  expect(status, text.slice(0, 300)).toBe(200);
  const document = parse(text) as { rows: Record<string, unknown>[]; total_rows: { value: string } };
  const rows = document.rows.map(row =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [name, isLosslessNumber(cell) ? cell.value : String(cell)]),
    ),
  );
  return { rows, total: Number(document.total_rows.value), text };
}

async function refused(fields: Record<string, unknown>) {
  const { status, json } = await bda.query({ data_set: 'bulk', dimensions: ['row_id'], ...fields });
  expect(status).toBe(400);
  return json.error.details.map(({ field }: { field: string }) => field);
}

describe('the bulk data set', () => {
  test('holds ten million rows, 25,000 a day', async () => {
    expect((await bulk({ limit: 1 })).total).toBe(10_000_000);
    expect(
      (await bulk({ limit: 1, date_range: { start_date: '2026-03-01', end_date: '2026-03-02' } })).total,
    ).toBe(50_000);
    const wider = { start_date: '2000-01-01', end_date: '2100-01-01' };
    expect((await bulk({ limit: 1, date_range: wider })).total).toBe(10_000_000);
    const before = { start_date: '2000-01-01', end_date: '2000-01-02' };
    expect(await bulk({ limit: 1, date_range: before })).toMatchObject({ rows: [], total: 0 });
  });

  test('numbers its rows with 20 digits that a double would confuse', async () => {
    const { rows } = await bulk({ limit: 1000 });
    const ids = rows.map(row => row.row_id ?? '');
    expect(ids.every(id => /^\d{20}$/.test(id))).toBe(true);
    expect(ids.every((id, index) => BigInt(id) === BigInt(ids[0] ?? '') + BigInt(index))).toBe(true);
    expect(new Set(ids.map(Number)).size).toBeLessThan(10);
  });

  test('writes revenue with 23 digits, and every form of number', async () => {
    const { rows } = await bulk({ limit: 1000 });
    expect(rows.every(({ revenue = '' }) => /^[1-9]\.\d{22}$/.test(revenue))).toBe(true);
    expect(new Set(rows.map(({ revenue }) => revenue)).size).toBeGreaterThan(900);
    const forms = new Set(rows.map(({ adjustment }) => adjustment));
    expect([...forms]).toEqual(expect.arrayContaining(['-0', '1.0E+3', '1E400', '12345678901234567890']));
  });

  test('mixes plain and escaped text', async () => {
    const { rows, text } = await bulk({ limit: 1000 });
    expect(text).toContain('\\ud83d\\ude80');
    expect(text).toContain('🚀');
    expect(text).toContain('\\/');
    expect(text).toContain('\\"');
    expect(rows.some(({ page_url = '' }) => page_url.includes('🚀'))).toBe(true);
  });

  test('has a row of about 220 bytes', async () => {
    const { text } = await bulk({ limit: 10_000, metrics: METRICS.slice(0, 4) });
    expect(text.length / 10_000).toBeGreaterThan(190);
    expect(text.length / 10_000).toBeLessThan(240);
  });

  test('turns to the next day after 25,000 rows', async () => {
    const { rows } = await bulk({ offset: 24_998, limit: 4 });
    expect(rows.map(row => row.report_day)).toEqual([FIRST_DAY, FIRST_DAY, '2025-02-05', '2025-02-05']);
  });

  test('by pages equals one page, to the last byte of each row', async () => {
    const whole = await bulk({ limit: 2500, offset: 23_000 });
    expect(whole.rows).toHaveLength(2500);
    const pages = [];
    for (const [offset, limit] of [
      [23_000, 1],
      [23_001, 999],
      [24_000, 1500],
    ]) {
      pages.push(...(await bulk({ offset, limit })).rows);
    }
    expect(pages).toEqual(whole.rows);
  });

  test('is the same in another server, whatever is requested with a column', async () => {
    const { text } = await bulk({ limit: 500 });
    const again = await openBda().query({
      data_set: 'bulk',
      dimensions: DIMENSIONS,
      metrics: METRICS,
      limit: 500,
    });
    expect(again.text).toBe(text);
    const narrow = await bulk({ limit: 500, dimensions: ['row_id'], metrics: ['revenue'] });
    const wide = await bulk({ limit: 500 });
    expect(narrow.rows).toEqual(wide.rows.map(({ row_id, revenue }) => ({ row_id, revenue })));
  });

  test('ends at its last row', async () => {
    const { rows } = await bulk({ offset: 9_999_999, limit: 10 });
    expect(rows.map(row => row.report_day)).toEqual([LAST_DAY]);
    expect((await bulk({ offset: 10_000_000, limit: 10 })).rows).toEqual([]);
  });

  test('is only returned in its own order, even if the sort names all dimensions', async () => {
    const sort = (...columns: string[]) => columns.map(column => ({ column, direction: 'asc' }));
    const whole = await bulk({ limit: 5 });
    for (const columns of [['row_id'], ['report_day', 'row_id'], DIMENSIONS]) {
      expect((await bulk({ limit: 5, sort: sort(...columns) })).text).toBe(whole.text);
    }
    expect(await refused({ sort: [{ column: 'row_id', direction: 'desc' }] })).toEqual(['sort[0]']);
    expect(await refused({ dimensions: ['country', 'row_id'], sort: sort('country', 'row_id') })).toEqual([
      'sort[0]',
    ]);
  });

  test('is filtered by any column, with a total of the rows that match', async () => {
    const day = { date_range: { start_date: '2026-03-01', end_date: '2026-03-01' } };
    const { rows } = await bulk({ ...day, limit: 25_000 });
    const filters = [
      { column: 'country', operator: 'in', values: ['US', 'DE'] },
      { column: 'revenue', operator: 'greater_than', value: 4.5 },
      {
        any_of: [
          { column: 'adjustment', operator: 'equals', value: 1000 },
          { column: 'row_id', operator: 'less_than_or_equal', value: Number.MAX_SAFE_INTEGER },
          { column: 'page_url', operator: 'contains', value: '/news' },
        ],
      },
    ];
    const expected = rows.filter(
      row =>
        ['US', 'DE'].includes(row.country ?? '') &&
        Number(row.revenue) > 4.5 &&
        (row.adjustment === '1.0E+3' || row.page_url?.includes('/news')),
    );
    expect(expected.length).toBeGreaterThan(100);
    const all = await bulk({ ...day, filters, limit: 25_000 });
    expect(all.rows).toEqual(expected);
    expect(all.total).toBe(expected.length);
    const page = await bulk({ ...day, filters, offset: 40, limit: 30 });
    expect(page).toMatchObject({ rows: expected.slice(40, 70), total: expected.length });
    const days = { date_range: { start_date: '2026-02-27', end_date: '2026-03-02' } };
    const oneDay = [{ column: 'report_day', operator: 'equals', value: '2026-03-01' }];
    expect((await bulk({ ...days, filters: oneDay, limit: 1 })).total).toBe(25_000);
  });

  test('rejects what it would have to group for', async () => {
    expect(await refused({ dimensions: ['country'], metrics: ['visits'] })).toEqual(['dimensions']);
    expect(await refused({ domain_id: 1001 })).toEqual(['domain_id']);
    expect(await refused({ platform: 'original' })).toEqual(['platform']);
    expect(await refused({ url_options: { fragments: 'exclude' } })).toEqual(['url_options']);
  });
});
