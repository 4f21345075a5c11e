import { expect, test } from 'vitest';
import { openBda } from '../calling.ts';

const bda = openBda();

test('the thirteen endpoints are there, at these paths, with the key in the query', async () => {
  const routes = (await bda.routes).filter(({ api }) => api === 'bda-v1');
  expect(routes.every(({ key }) => key === 'query')).toBe(true);
  expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'GET /bdaservices/getcolumns/',
    'GET /bdaservices/getcustomreports/',
    'GET /bdaservices/getdomains/',
    'GET /bdaservices/getfilters/',
    'GET /bdaservices/getmultifilters/',
    'GET /bdaservices/getmultifiltertypes/',
    'GET /bdaservices/getreport/',
    'GET /bdaservices/getreports/',
    'GET /bdaservices/getsegments/',
    'POST /bdaservices/createcustomreport/',
    'POST /bdaservices/createsegment/',
    'POST /bdaservices/getCustomData/',
    'POST /bdaservices/getdata/',
  ]);
});

test("v2's five endpoints accept the key in the header", async () => {
  const routes = (await bda.routes).filter(({ api }) => api === 'bda-v2');
  expect(routes.map(({ method, path, key }) => `${method} ${path} ${key}`)).toEqual([
    'GET /gateway/bdaservices/v2/domains header',
    'GET /gateway/bdaservices/v2/columns header',
    'GET /gateway/bdaservices/v2/data-sets header',
    'GET /gateway/bdaservices/v2/date-range header',
    'POST /gateway/bdaservices/v2/query header',
  ]);
});

test('predefined reports are listed by name, and each has a definition with a date base', async () => {
  const { json: names } = await bda.v1('GET', '/getreports/');
  expect(names).toEqual([
    'Pages',
    'Countries',
    'Devices',
    'Daily Revenue',
    'Engagement',
    'Traffic Sources',
    'Sites',
  ]);
  for (const name of names) {
    const { json } = await bda.v1('GET', `/getreport/?reportName=${encodeURIComponent(name)}`);
    expect(json.ReportName).toBe(name);
    expect(['BASE_LAST_7', 'BASE_NOT_SELECTED']).toContain(json.DateBaseSelectId);
  }
});

test('a definition names its columns and its order', async () => {
  const { json } = await bda.v1('GET', '/getreport/?reportName=Countries');
  expect(json).toEqual({
    ReportName: 'Countries',
    DateBaseSelectId: 'BASE_NOT_SELECTED',
    Charts: [
      {
        Name: 'Countries',
        DimensionColumns: [{ Data: 'country', Type: 'string' }],
        MetricColumns: [
          { Data: 'visits', Type: 'number' },
          { Data: 'pageviews', Type: 'number' },
          { Data: 'revenue', Type: 'number' },
          { Data: 'epmv', Type: 'number' },
        ],
        Segments: [],
        Order: { ColumnNumber: 1, Direction: 'DESC' },
      },
    ],
  });
});

test('a custom report shows its definition under its title', async () => {
  const { json } = await bda.v1('GET', '/getreport/?reportName=Depth%20by%20Device');
  expect(json).toMatchObject({ ReportName: 'Depth by Device', DateBaseSelectId: 'BASE_NOT_SELECTED' });
});

test('a report that does not exist is rejected, the near one named', async () => {
  const unknown = await bda.v1('GET', '/getreport/?reportName=page');
  expect([unknown.status, unknown.json]).toEqual([
    404,
    { Success: false, Error: "there is no report 'page'; did you mean 'Pages'?" },
  ]);
  const none = await bda.v1('GET', '/getreport/');
  expect([none.status, none.json]).toEqual([400, { Success: false, Error: 'reportName is required' }]);
});

test('columns are column references, every documented one among them, and one that only v1 has', async () => {
  const { json } = await bda.v1('GET', '/getcolumns/');
  expect(json[0]).toEqual({
    Data: 'report_day',
    Type: 'string',
    Title: 'Day',
    Kind: 'dimension',
    Description: 'Day in UTC, YYYY-MM-DD',
  });
  const names = json.map(({ Data }: { Data: string }) => Data);
  expect(names).toEqual(
    expect.arrayContaining([
      'report_day',
      'report_week',
      'report_month',
      'visits',
      'pageviews',
      'engaged_page_pageviews',
      'engaged_pageviews_per_visit',
      'engaged_time',
      'bounce_rate',
      'revenue',
      'epmv',
      'copy_paste_per_pageview',
      'country',
      'pageviews_per_visit',
    ]),
  );
  expect(names).not.toContain('row_id');
});

test('custom reports are listed with ids, names and definitions', async () => {
  const { json } = await bda.v1('GET', '/getcustomreports/');
  expect(json.map(({ id, ReportTitle }: { id: number; ReportTitle: string }) => [id, ReportTitle])).toEqual([
    [101, 'Revenue by Day and Country'],
    [102, 'Desktop against North America'],
    [103, 'Depth by Device'],
    [104, 'Titles with The'],
  ]);
  expect(json[1]).toMatchObject({
    ReportDateRange: { BaseSelectId: 'BASE_NOT_SELECTED' },
    Charts: [{ Segments: [2, 201] }],
  });
});

test('segments are the premade ones, then the saved ones', async () => {
  const { json } = await bda.v1('GET', '/getsegments/');
  expect(json.slice(0, 4)).toEqual([
    { id: 1, SegmentName: 'All Users', Premade: true },
    {
      id: 2,
      SegmentName: 'Desktop Traffic',
      SegmentMultiFilters: { 12: { FilterValues: ['desktop'] } },
      Premade: true,
    },
    {
      id: 3,
      SegmentName: 'Mobile Traffic',
      SegmentMultiFilters: { 12: { FilterValues: ['mobile'] } },
      Premade: true,
    },
    {
      id: 201,
      SegmentName: 'North America',
      SegmentMultiFilters: { 11: { FilterValues: ['US', 'CA'] } },
      Premade: false,
    },
  ]);
});

test('multifilters and their types give the option keys, country codes among them', async () => {
  const { json: multifilters } = await bda.v1('GET', '/getmultifilters/');
  expect(multifilters[0]).toEqual({ FilterName: 'country', MultiFilterId: 11, MultiFilterTypeId: 1 });
  expect(multifilters.map(({ FilterName }: { FilterName: string }) => FilterName)).toEqual([
    'country',
    'device',
    'gender',
    'site',
  ]);
  const { json: types } = await bda.v1('GET', '/getmultifiltertypes/');
  expect(Object.keys(types)).toEqual(['1', '2', '3', '4']);
  expect(types[1]).toMatchObject({ US: 'United States', CH: 'Switzerland' });
  expect(Object.keys(types[1]).every(code => /^[A-Z]{2}$/.test(code))).toBe(true);
  expect(types[4]).toEqual({ 'example.com': 'example.com', 'example.org': 'example.org' });
});

test("every option key of a multifilter is what the column of its name holds, and all of the column's are there", async () => {
  const { json: multifilters } = await bda.v1('GET', '/getmultifilters/');
  const { json: types } = await bda.v1('GET', '/getmultifiltertypes/');
  for (const { FilterName, MultiFilterTypeId } of multifilters) {
    const { json } = await bda.query({ dimensions: [FilterName], limit: 1000 });
    const held = json.rows.map((row: Record<string, string>) => row[FilterName]);
    expect(Object.keys(types[MultiFilterTypeId]).sort()).toEqual(held);
  }
});

test('domains are listed', async () => {
  expect((await bda.v1('GET', '/getdomains/')).json).toEqual([
    { DomainId: 1001, Domain: 'example.com' },
    { DomainId: 1002, Domain: 'example.org' },
  ]);
});

test('filters show their id, column and operations', async () => {
  const { json } = await bda.v1('GET', '/getfilters/');
  expect(json.find(({ FilterKey }: { FilterKey: string }) => FilterKey === 'pageviews')).toEqual({
    FilterId: 513,
    FilterName: 'Pageviews',
    FilterKey: 'pageviews',
    Type: 'number',
    Operations: ['GREATER', 'GREATER_OR_EQUAL', 'LESS', 'LESS_OR_EQUAL', 'EQUALS', 'NOT_EQUALS'],
  });
  const text = json.find(({ FilterKey }: { FilterKey: string }) => FilterKey === 'page_url');
  expect(text.Operations.slice(-2)).toEqual(['CONTAINS', 'STARTS_WITH']);
});
