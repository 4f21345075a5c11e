import { describe, expect, test } from 'vitest';
import { brandNames } from '../../../../src/wire/brand.ts';
import { openBda } from '../calling.ts';

const bda = openBda();
const FEBRUARY = { StartDate: '2026-02-01', EndDate: '2026-02-28' };
const FEBRUARY_V2 = { start_date: '2026-02-01', end_date: '2026-02-28' };

type Row = Record<string, string | number | null>;

const refs = (Type: string, ...names: string[]) => names.map(Data => ({ Data, Type }));

function columns(dimensions: string[], metrics: string[]) {
  return { DimensionColumns: refs('string', ...dimensions), MetricColumns: refs('number', ...metrics) };
}

async function rowsOf(target: string, body: Record<string, unknown>): Promise<Row[]> {
  const { status, text, json } = await bda.v1('POST', target, { MaxItems: 100_000, ...body });
  expect(status, text).toBe(200);
  expect(Object.keys(json)).toEqual(['Data']);
  return json.Data;
}

const custom = (body: Record<string, unknown>) => rowsOf('/getCustomData/', { ...FEBRUARY, ...body });

async function v2Rows(fields: Record<string, unknown>): Promise<Row[]> {
  return (await bda.query({ date_range: FEBRUARY_V2, limit: 100_000, ...fields })).json.rows;
}

async function errorOf(target: string, body: unknown): Promise<[number, string]> {
  const { status, json } = await bda.v1('POST', target, body);
  expect(json.Success).toBe(false);
  return [status, json.Error];
}

describe('a report', () => {
  test('returns the columns and the order of its definition', async () => {
    const rows = await rowsOf('/getdata/?reportName=Countries', FEBRUARY);
    expect(Object.keys(rows[0] ?? {})).toEqual(['country', 'visits', 'pageviews', 'revenue', 'epmv']);
    const visits = rows.map(row => Number(row.visits));
    expect(visits).toEqual([...visits].sort((a, b) => b - a));
  });

  test('without a range of its own requires dates', async () => {
    expect(await errorOf('/getdata/?reportName=Countries', { MaxItems: 10 })).toEqual([
      400,
      'StartDate and EndDate are required: the report has no default date range',
    ]);
    expect(await errorOf('/getCustomData/', { MaxItems: 10, ...columns(['country'], ['visits']) })).toEqual([
      400,
      'StartDate and EndDate are required: the report has no default date range',
    ]);
  });

  test('of the last seven days covers those that end yesterday, in UTC', async () => {
    const rows = await rowsOf('/getdata/?reportName=Engagement', {});
    expect(rows.map(row => row.report_day)).toEqual([
      '2026-03-03',
      '2026-03-04',
      '2026-03-05',
      '2026-03-06',
      '2026-03-07',
      '2026-03-08',
      '2026-03-09',
    ]);
    const dated = await rowsOf('/getdata/?reportName=Engagement', {
      StartDate: '2026-03-05',
      EndDate: '2026-03-06',
    });
    expect(dated).toEqual(rows.slice(2, 4));
  });

  test('of the account is found by its id', async () => {
    const rows = await rowsOf('/getdata/?customReportId=103', FEBRUARY);
    expect(Object.keys(rows[0] ?? {})).toEqual(['device', 'visits', 'pageviews_per_visit']);
    expect(await errorOf('/getdata/?customReportId=999', { MaxItems: 1 })).toEqual([
      404,
      'there is no custom report 999',
    ]);
  });

  test('is named exactly once', async () => {
    const message = 'send either reportName or customReportId';
    expect(await errorOf('/getdata/', { MaxItems: 1 })).toEqual([400, message]);
    expect(await errorOf('/getdata/?reportName=Pages&customReportId=101', { MaxItems: 1 })).toEqual([
      400,
      message,
    ]);
    expect(await errorOf('/getdata/?reportName=Depth%20by%20Device', { MaxItems: 1 })).toEqual([
      404,
      "there is no report 'Depth by Device'",
    ]);
  });

  test('ignores columns of the request', async () => {
    const body = { MaxItems: 1, ...columns(['country'], ['visits']) };
    expect(await errorOf('/getdata/?reportName=Pages', body)).toEqual([
      400,
      'getdata does not accept DimensionColumns: the report defines its columns',
    ]);
  });
});

describe('segments', () => {
  test('filter and split: each row names its segment', async () => {
    const [desktop, ...more] = await v2Rows({
      metrics: ['visits'],
      filters: [{ column: 'device', operator: 'in', values: ['desktop'] }],
    });
    const [all] = await v2Rows({ metrics: ['visits'] });
    expect(more).toEqual([]);
    expect(await custom({ ...columns([], ['visits']), SegmentIds: [2, 1] })).toEqual([
      { segment: 'Desktop Traffic', visits: desktop?.visits },
      { segment: 'All Users', visits: all?.visits },
    ]);
  });

  test('of a report apply where the request names none, and give way where it does', async () => {
    const target = '/getdata/?customReportId=102';
    const segments = (rows: Row[]) => [...new Set(rows.map(row => row.segment))];
    expect(segments(await rowsOf(target, FEBRUARY))).toEqual(['Desktop Traffic', 'North America']);
    expect(segments(await rowsOf(target, { ...FEBRUARY, SegmentIds: [] }))).toEqual([
      'Desktop Traffic',
      'North America',
    ]);
    expect(segments(await rowsOf(target, { ...FEBRUARY, SegmentIds: [3] }))).toEqual(['Mobile Traffic']);
    expect(segments(await rowsOf('/getdata/?reportName=Sites', FEBRUARY))).toEqual([undefined]);
  });

  test('are sorted and paged together', async () => {
    const asked = {
      ...columns(['country', 'device'], ['visits']),
      SegmentIds: [1, 201],
      Order: { ColumnNumber: 2, Direction: 'DESC' },
    };
    const whole = await custom(asked);
    const visits = whole.map(row => Number(row.visits));
    expect(visits).toEqual([...visits].sort((a, b) => b - a));
    const pages = [];
    for (let StartItem = 0; StartItem < whole.length; StartItem += 7) {
      pages.push(...(await custom({ ...asked, StartItem, MaxItems: 7 })));
    }
    expect(pages).toEqual(whole);
  });

  test('with plain filters compare the grouped row', async () => {
    const rows = await custom({ ...columns(['report_day', 'country'], ['pageviews']), SegmentIds: [202] });
    expect(rows).toEqual(
      (
        await v2Rows({
          dimensions: ['report_day', 'country'],
          metrics: ['pageviews'],
          filters: [
            { column: 'pageviews', operator: 'greater_than_or_equal', value: 100 },
            { column: 'device', operator: 'in', values: ['desktop'] },
          ],
        })
      ).map(row => ({ segment: 'Well Read on Desktop', ...row })),
    );
    expect(rows.length).toBeGreaterThan(0);
  });

  test('may use an operation that v2 has no word for', async () => {
    const rows = await rowsOf('/getdata/?customReportId=104', {});
    expect(rows.map(row => row.page_title)).toEqual(['The long read', 'The long read, page 2']);
  });

  test('that do not exist are rejected', async () => {
    const body = { MaxItems: 1, ...FEBRUARY, ...columns([], ['visits']) };
    expect(await errorOf('/getCustomData/', { ...body, SegmentIds: [1, 999] })).toEqual([
      404,
      'there is no segment 999',
    ]);
    expect(await errorOf('/getCustomData/', { ...body, SegmentIds: ['All Users'] })).toEqual([
      400,
      'SegmentIds: an id must be an integer from 0',
    ]);
  });
});

describe('the fields of a request', () => {
  test('DateGrouping replaces a time dimension, or is first', async () => {
    const weekly = await v2Rows({ dimensions: ['report_week', 'country'], metrics: ['visits'] });
    const exchanged = await custom({
      ...columns(['report_day', 'country'], ['visits']),
      DateGrouping: 'WEEKLY',
    });
    expect(exchanged).toEqual(weekly);
    expect(await custom({ ...columns(['country'], ['visits']), DateGrouping: 'WEEKLY' })).toEqual(weekly);
    const both = await custom({
      ...columns(['report_day', 'report_month'], ['visits']),
      DateGrouping: 'MONTHLY',
    });
    expect(both).toEqual(await v2Rows({ dimensions: ['report_month'], metrics: ['visits'] }));
    const daily = await custom({ ...columns([], ['visits']), DateGrouping: 'DAILY' });
    expect(daily).toHaveLength(28);
  });

  test('Order counts the columns as they were named, dimensions first', async () => {
    const asked = { ...columns(['country'], ['pageviews', 'visits']), DateGrouping: 'MONTHLY' };
    for (const [ColumnNumber, column] of [
      [0, 'country'],
      [2, 'visits'],
    ] as const) {
      const rows = await custom({ ...asked, Order: { ColumnNumber, Direction: 'ASC' } });
      const values = rows.map(row => row[column] as string | number);
      expect(values).toEqual([...values].sort((a, b) => (a < b ? -1 : 1)));
    }
  });

  test('Filters include and exclude', async () => {
    const filter = (Type: string, FilterKey: string, OperationId: string, FilterValue: string) => ({
      Type,
      FilterKey,
      OperationId,
      FilterValue,
    });
    const asked = columns(['country'], ['visits']);
    const all = await custom(asked);
    const kept = await custom({
      ...asked,
      Filters: [filter('INCLUDE', 'visits', 'GREATER', '3000'), filter('EXCLUDE', 'country', 'EQUALS', 'US')],
    });
    expect(kept).toEqual(all.filter(row => Number(row.visits) > 3000 && row.country !== 'US'));
    expect(kept.length).toBeGreaterThan(0);
    const authors = await custom({
      ...columns(['author'], []),
      Filters: [filter('EXCLUDE', 'author', 'STARTS_WITH', 'B')],
    });
    expect(authors.map(row => row.author)).toEqual([
      null,
      'Ada Marsh',
      'Chidi Okafor',
      "Dara O'Neill",
      'null',
      'Émile Zäh',
      '山田 花子',
    ]);
  });

  test('Platform is accepted in both case forms of the brand word', async () => {
    const visits = async (Platform?: string) =>
      (await custom({ ...columns([], ['visits']), Platform }))[0]?.visits;
    const [served, original, all] = await Promise.all([visits('Service'), visits('Orig'), visits('ALL')]);
    expect(await visits('SERVICE')).toBe(served);
    expect(await visits('ORIG')).toBe(original);
    expect(await visits()).toBe(all);
    expect(Number(served) + Number(original)).toBe(all);
    const branded = openBda({ brand: brandNames('acme') });
    for (const [Platform, status] of [
      ['Acme', 200],
      ['ACME', 200],
      ['acme', 400],
      ['Service', 400],
    ] as const) {
      const body = { MaxItems: 1, ...FEBRUARY, ...columns([], ['visits']), Platform };
      expect((await branded.v1('POST', '/getCustomData/', body)).status, Platform).toBe(status);
    }
  });

  test('UrlParams and UrlFragments merge pages', async () => {
    const merged = await custom({
      ...columns(['page_url'], ['visits']),
      UrlParams: 'exclude',
      UrlFragments: 'exclude',
    });
    expect(merged.some(row => /[?#]/.test(String(row.page_url)))).toBe(false);
    const whole = await custom({ ...columns(['page_url'], ['visits']), UrlParams: 'include' });
    expect(whole.length).toBeGreaterThan(merged.length);
  });

  test('RevenueDecimalPlaces rounds every revenue column, to two decimals where it is absent', async () => {
    const { text } = await bda.query({ date_range: FEBRUARY_V2, metrics: ['revenue', 'epmv'] });
    const [, exact = '', epmv = ''] = /"revenue":([\d.]+),"epmv":([\d.]+)/.exec(text) ?? [];
    const [whole = '', fraction = ''] = exact.split('.');
    const body = { MaxItems: 1, ...FEBRUARY, ...columns([], ['revenue', 'epmv']) };
    for (const places of [undefined, 0, 1, 2, 5, 6]) {
      const v1 = await bda.v1('POST', '/getCustomData/', { ...body, RevenueDecimalPlaces: places });
      const kept = places ?? 2;
      const units = BigInt(whole + fraction.padEnd(14, '0').slice(0, kept + 1));
      const expected = String((units + 5n) / 10n);
      const written = /"revenue":([\d.]+)/.exec(v1.text)?.[1] ?? '';
      const [left = '', right = ''] = written.split('.');
      expect(left + right.padEnd(kept, '0'), `${places} places`).toBe(expected);
      expect(v1.text).toContain(`"epmv":${Number(epmv).toFixed(kept)}`);
    }
  });

  test('DomainId keeps one site, which must be the account’s', async () => {
    const asked = columns(['site'], ['visits']);
    expect((await custom({ ...asked, DomainId: 1002 })).map(row => row.site)).toEqual(['example.org']);
    const body = { MaxItems: 1, ...FEBRUARY, ...asked };
    expect(await errorOf('/getCustomData/', { ...body, DomainId: 9001 })).toEqual([
      403,
      'domain 9001 belongs to another account',
    ]);
    expect(await errorOf('/getCustomData/', { ...body, DomainId: 5 })).toEqual([404, 'there is no domain 5']);
  });

  test('StartItem and MaxItems page: 2,500 rows by pages equal one page of 2,500', async () => {
    const asked = {
      ...columns(['page_url', 'country', 'report_day'], ['visits', 'revenue']),
      StartDate: '2026-01-01',
      EndDate: '2026-03-09',
      Order: { ColumnNumber: 3, Direction: 'DESC' },
    };
    const whole = await custom({ ...asked, MaxItems: 2500 });
    expect(whole).toHaveLength(2500);
    const pages: Row[] = [];
    for (let StartItem = 0; StartItem < 2500; StartItem += 500) {
      pages.push(...(await custom({ ...asked, StartItem, MaxItems: 500 })));
    }
    expect(pages).toEqual(whole);
    expect(await custom({ ...asked, StartItem: 10_000_000 })).toEqual([]);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ MaxItems: -1 }, 'MaxItems must be an integer from 1'],
    [{ MaxItems: '10' }, 'MaxItems must be an integer from 1'],
    [{ StartItem: -1 }, 'StartItem must be an integer from 0'],
    [{ Platform: 'all' }, 'Platform must be Service, SERVICE, Orig, ORIG or ALL'],
    [{ DateGrouping: 'HOURLY' }, 'DateGrouping must be DAILY, WEEKLY or MONTHLY'],
    [{ UrlParams: 'EXCLUDE' }, 'UrlParams must be include or exclude'],
    [{ RevenueDecimalPlaces: 7 }, 'RevenueDecimalPlaces must be an integer from 0 to 6'],
    [{ StartDate: '2026-02-30' }, 'StartDate must be a day as YYYY-MM-DD'],
    [{ EndDate: undefined }, 'StartDate and EndDate must be sent together'],
    [{ EndDate: '2026-01-01' }, 'StartDate must not be after EndDate'],
    [
      { DimensionColumns: refs('string', 'contry') },
      "DimensionColumns[0].Data: unknown column 'contry'; did you mean 'country'?",
    ],
    [{ DimensionColumns: ['country'] }, 'DimensionColumns[0] must be an object with Data and Type'],
    [
      { DimensionColumns: [{ Data: 'country', Type: 'text' }] },
      'DimensionColumns[0].Type must be string or number',
    ],
    [{ DimensionColumns: refs('string', 'visits') }, 'DimensionColumns: visits is a metric'],
    [{ MetricColumns: refs('number', 'device') }, 'MetricColumns: device is a dimension'],
    [{ MetricColumns: refs('number', 'visits', 'visits') }, 'MetricColumns contains visits twice'],
    [{ DimensionColumns: [], MetricColumns: [] }, 'DimensionColumns or MetricColumns must name a column'],
    [{ Order: { ColumnNumber: 2, Direction: 'DESC' } }, 'Order.ColumnNumber must be an integer from 0 to 1'],
    [{ Order: { ColumnNumber: 0, Direction: 'desc' } }, 'Order.Direction must be ASC or DESC'],
    [
      { Filters: [{ Type: 'ONLY', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '1' }] },
      'Filters[0].Type must be INCLUDE or EXCLUDE',
    ],
    [
      { Filters: [{ Type: 'INCLUDE', FilterKey: 'visit', OperationId: 'GREATER', FilterValue: '1' }] },
      "Filters[0].FilterKey: unknown column 'visit'; did you mean 'visits'?",
    ],
    [
      { Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATERR', FilterValue: '1' }] },
      "unknown operation 'GREATERR' for visits: use GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL, EQUALS, NOT_EQUALS; did you mean 'GREATER'?",
    ],
    [
      { Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'CONTAINS', FilterValue: '1' }] },
      "unknown operation 'CONTAINS' for visits: use GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL, EQUALS, NOT_EQUALS",
    ],
    [
      { Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: 'many' }] },
      "FilterValue 'many' is not a number, and visits is numeric",
    ],
    [
      { Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: 1 }] },
      'FilterValue for visits must be a string',
    ],
  ])('that are wrong are rejected: %j', async (change, message) => {
    const body = { MaxItems: 10, ...FEBRUARY, ...columns(['country'], ['visits']), ...change };
    expect(await errorOf('/getCustomData/', body)).toEqual([400, message]);
  });

  test('MaxItems is required', async () => {
    expect(await errorOf('/getdata/?reportName=Sites', FEBRUARY)).toEqual([400, 'MaxItems is required']);
    const body = { ...FEBRUARY, ...columns(['country'], ['visits']) };
    expect(await errorOf('/getCustomData/', body)).toEqual([400, 'MaxItems is required']);
  });

  test.each(['', '{', '[]'])('must be a JSON object, not %j', async body => {
    expect(await errorOf('/getCustomData/', body)).toEqual([400, 'the body must be a JSON object']);
  });
});
