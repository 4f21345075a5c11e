import { describe, expect, test } from 'vitest';
import { endpointOf, V1_ENDPOINTS } from '../../src/migrate/index.ts';
import {
  INPUT,
  migrateRequest,
  NO_ORDER,
  onlyQuery,
  queriesByLabel,
  REQUEST,
  refs,
  shownChanges,
  shownNotes,
} from './fixtures.ts';

const PLAIN = {
  data_set: 'pageview',
  date_range: { start_date: '2026-01-01', end_date: '2026-01-31' },
  dimensions: ['country'],
  metrics: ['visits'],
  limit: 50,
};

const REPORT = {
  ReportTitle: 'Traffic',
  ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
  Charts: [
    { Name: 'By country', DimensionColumns: refs('country'), MetricColumns: refs('visits'), Segments: [] },
  ],
};

describe('what differs between the versions', () => {
  test('a query holds no key, whatever the request held', () => {
    const migration = migrateRequest({ developerKey: 'k-123' });
    expect(onlyQuery(migration)).toEqual(PLAIN);
    expect(JSON.stringify(migration)).not.toContain('k-123');
  });

  test('every field of a query is in snake case', () => {
    const migration = migrateRequest({ StartItem: 10, DomainId: 3, Platform: 'ALL', UrlParams: 'include' });
    const names = JSON.stringify(onlyQuery(migration)).match(/"\w+"(?=:)/g) ?? [];
    expect(names).toHaveLength(12);
    expect(names.filter(name => name !== name.toLowerCase())).toEqual([]);
  });

  test('the definition of a saved report is sent inline', () => {
    const request = { MaxItems: 50, StartDate: '2026-01-01', EndDate: '2026-01-31' };
    const migration = migrateRequest({}, { request, customReport: REPORT });
    expect(queriesByLabel(migration)).toEqual({ 'By country': PLAIN });
  });
});

describe('v1 endpoints', () => {
  test.each([
    ['getdomains', 'GET /domains'],
    ['getcolumns', 'GET /columns'],
    ['getdata', 'POST /query'],
    ['getCustomData', 'POST /query'],
    ['getreports', undefined],
    ['getreport', undefined],
    ['getcustomreports', undefined],
    ['createcustomreport', undefined],
    ['getsegments', undefined],
    ['createsegment', undefined],
    ['getfilters', 'GET /columns'],
    ['getmultifilters', 'GET /columns'],
    ['getmultifiltertypes', 'GET /columns'],
  ])('%s becomes %s', (name, v2) => {
    expect(V1_ENDPOINTS[name]?.v2).toBe(v2);
    expect(V1_ENDPOINTS[name]?.text).toMatch(v2 === undefined ? /v2 stores no/ : new RegExp(v2));
    expect(endpointOf(`/bdaservices/${name}/`)).toBe(name);
  });

  test('there are thirteen of them', () => {
    expect(Object.keys(V1_ENDPOINTS)).toHaveLength(13);
  });
});

describe('v1 request fields', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    [
      'StartDate and EndDate are the date range',
      { StartDate: '2026-02-01', EndDate: '2026-02-01' },
      { date_range: { start_date: '2026-02-01', end_date: '2026-02-01' } },
      [],
    ],
    [
      'DimensionColumns are plain names',
      { DimensionColumns: refs('country', 'device') },
      { dimensions: ['country', 'device'] },
      [],
    ],
    [
      'MetricColumns are plain names',
      { MetricColumns: refs('visits', 'pageviews') },
      { metrics: ['visits', 'pageviews'] },
      [],
    ],
    ['no dimensions at all is a total', { DimensionColumns: [] }, { dimensions: undefined }, []],
    [
      'DateGrouping DAILY adds the day',
      { DateGrouping: 'DAILY' },
      { dimensions: ['report_day', 'country'] },
      ['changed: DateGrouping: the dimension report_day is added as the first column'],
    ],
    [
      'DateGrouping WEEKLY adds the week',
      { DateGrouping: 'WEEKLY' },
      { dimensions: ['report_week', 'country'] },
      ['changed: DateGrouping: the dimension report_week is added as the first column'],
    ],
    [
      'DateGrouping MONTHLY replaces another time column, where that one was',
      { DateGrouping: 'MONTHLY', DimensionColumns: refs('country', 'report_day') },
      { dimensions: ['country', 'report_month'] },
      ['changed: DateGrouping: the dimension report_month replaces report_day'],
    ],
    [
      'DateGrouping that is a dimension already adds nothing',
      { DateGrouping: 'DAILY', DimensionColumns: refs('report_day') },
      { dimensions: ['report_day'] },
      [],
    ],
    [
      'DateGrouping never doubles a time column',
      { DateGrouping: 'WEEKLY', DimensionColumns: refs('report_day', 'country', 'report_week') },
      { dimensions: ['report_week', 'country'] },
      [
        'changed: DimensionColumns[2]: report_week is listed already; v2 accepts each column once',
        'changed: DateGrouping: the dimension report_week replaces report_day',
      ],
    ],
    [
      'SegmentIds are filters',
      { SegmentIds: [11] },
      { filters: [{ column: 'country', operator: 'in', values: ['US', 'CA'] }] },
      [],
    ],
    [
      'a segment with plain filters and multifilters is filters that must all match',
      { SegmentIds: [12] },
      {
        filters: [
          { column: 'pageviews', operator: 'greater_than', value: 5 },
          { column: 'device', operator: 'in', values: ['mobile'] },
        ],
      },
      [],
    ],
    ['a segment without filters adds none', { SegmentIds: [1] }, {}, []],
    ['no SegmentIds is no filter', { SegmentIds: [] }, {}, []],
    [
      'Filters GREATER is greater_than, with a number for a number column',
      { Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '3' }] },
      { filters: [{ column: 'visits', operator: 'greater_than', value: 3 }] },
      [],
    ],
    [
      'Filters GREATER_OR_EQUAL is greater_than_or_equal, with text for a text column',
      {
        Filters: [
          { Type: 'INCLUDE', FilterKey: 'country', OperationId: 'GREATER_OR_EQUAL', FilterValue: '3' },
        ],
      },
      { filters: [{ column: 'country', operator: 'greater_than_or_equal', value: '3' }] },
      [],
    ],
    [
      'Filters on a boolean column are true or false',
      {
        Filters: [{ Type: 'INCLUDE', FilterKey: 'logged_in', OperationId: 'GREATER', FilterValue: 'False' }],
      },
      { data_set: 'visit', filters: [{ column: 'logged_in', operator: 'greater_than', value: false }] },
      [
        'changed: dataSet: visit, as data_set: v1 has no data sets, and pageview lacks a column that this one has',
      ],
    ],
    [
      'Order counts the dimensions first',
      { Order: { ColumnNumber: 0, Direction: 'DESC' } },
      { sort: [{ column: 'country', direction: 'desc' }] },
      [],
    ],
    [
      'Order counts the metrics after the dimensions',
      { Order: { ColumnNumber: 1, Direction: 'ASC' } },
      { sort: [{ column: 'visits', direction: 'asc' }] },
      [],
    ],
    [
      'Order counts columns before a time column is added',
      { DateGrouping: 'DAILY', Order: { ColumnNumber: 1, Direction: 'DESC' } },
      { dimensions: ['report_day', 'country'], sort: [{ column: 'visits', direction: 'desc' }] },
      ['changed: DateGrouping: the dimension report_day is added as the first column'],
    ],
    [
      'Order by a time column that was exchanged follows it',
      {
        DateGrouping: 'WEEKLY',
        DimensionColumns: refs('report_day'),
        Order: { ColumnNumber: 0, Direction: 'DESC' },
      },
      { dimensions: ['report_week'], sort: [{ column: 'report_week', direction: 'desc' }] },
      ['changed: DateGrouping: the dimension report_week replaces report_day'],
    ],
    ['StartItem is the offset', { StartItem: 200 }, { offset: 200 }, []],
    ['MaxItems is the limit', { MaxItems: 100_000 }, { limit: 100_000 }, []],
    [
      'MaxItems over the maximum is capped',
      { MaxItems: 100_001 },
      { limit: 100_000 },
      [
        'changed: MaxItems: 100,001 rows exceed the maximum of one v2 query; limit is 100,000, and gatectl bda query --all fetches the rest page by page',
      ],
    ],
    ['DomainId is domain_id', { DomainId: 12 }, { domain_id: 12 }, []],
    ['Platform Service is service', { Platform: 'Service' }, { platform: 'service' }, []],
    ['Platform SERVICE is service', { Platform: 'SERVICE' }, { platform: 'service' }, []],
    ['Platform Orig is original', { Platform: 'Orig' }, { platform: 'original' }, []],
    ['Platform ORIG is original', { Platform: 'ORIG' }, { platform: 'original' }, []],
    ['Platform ALL is all', { Platform: 'ALL' }, { platform: 'all' }, []],
    ['UrlParams is query_params', { UrlParams: 'include' }, { url_options: { query_params: 'include' } }, []],
    ['UrlFragments is fragments', { UrlFragments: 'exclude' }, { url_options: { fragments: 'exclude' } }, []],
    [
      'RevenueDecimalPlaces is lost',
      { RevenueDecimalPlaces: 2, MetricColumns: refs('revenue') },
      { metrics: ['revenue'] },
      ['lost: RevenueDecimalPlaces: v2 returns full precision and cannot round revenue: round the output'],
    ],
    [
      "v1's own rounding of revenue is said",
      { MetricColumns: refs('revenue', 'visits', 'epmv') },
      { metrics: ['revenue', 'visits', 'epmv'] },
      [
        'changed: RevenueDecimalPlaces: v1 rounds revenue, epmv to its own number of decimals; v2 returns full precision',
      ],
    ],
  ])('%s', (_, fields, expected, notes) => {
    const migration = migrateRequest(fields);
    expect(onlyQuery(migration)).toEqual({ ...PLAIN, ...expected });
    expect(shownChanges(migration)).toEqual(notes);
  });

  test.each([
    ['a table without an order', {}, [NO_ORDER]],
    ['a table with an order', { Order: { ColumnNumber: 0, Direction: 'ASC' } }, []],
    ['a total', { DimensionColumns: [] }, []],
  ])('whether other rows may be on a page: %s', (_, fields, notes) => {
    expect(shownNotes(migrateRequest(fields), 'changed')).toEqual(notes);
  });

  test('the platform follows the brand word', () => {
    const platform = (word: string) =>
      onlyQuery(migrateRequest({ Platform: word }, { brand: 'Acme' })).platform;
    expect(['ACME', 'Acme', 'Orig'].map(platform)).toEqual(['acme', 'acme', 'original']);
  });

  test('each field of the request has a note on its equivalent', () => {
    const migration = migrateRequest({
      StartItem: 0,
      Platform: 'ALL',
      DomainId: 4,
      DateGrouping: 'DAILY',
      DimensionColumns: refs('report_day', 'country'),
      SegmentIds: [11],
      UrlParams: 'include',
      UrlFragments: 'exclude',
      RevenueDecimalPlaces: 1,
      Order: { ColumnNumber: 0, Direction: 'DESC' },
      Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '3' }],
    });
    expect(shownNotes(migration)).toEqual([
      'lossless: StartDate: 2026-01-01, as date_range.start_date',
      'lossless: EndDate: 2026-01-31, as date_range.end_date',
      'lossless: dataSet: pageview, as data_set: v1 has no data sets, and most of its reports correspond to this one',
      'lossless: DateGrouping: the dimension report_day, which the request lists already',
      'lossless: DimensionColumns: report_day, country, as dimensions',
      'lossless: MetricColumns: visits, as metrics',
      'changed: SegmentIds: the segment "North America" becomes filters of the query; the rows of v2 do not name it',
      'lossless: Order: report_day desc, as sort',
      'lossless: Filters[0]: visits greater_than 3, as filter',
      'lossless: StartItem: 0 rows skipped, as offset',
      'lossless: MaxItems: up to 50 rows, as limit',
      'lossless: DomainId: site 4, as domain_id',
      'lossless: Platform: all, as platform',
      'lossless: UrlParams: include, as url_options.query_params',
      'lossless: UrlFragments: exclude, as url_options.fragments',
      'lost: RevenueDecimalPlaces: v2 returns full precision and cannot round revenue: round the output',
      'lossless: Segment[11].SegmentMultiFilters[7]: country in "US", "CA", as filter',
    ]);
  });
});

describe('default date ranges', () => {
  const withoutDates = {
    ...REQUEST,
    StartDate: undefined,
    EndDate: undefined,
    DimensionColumns: undefined,
    MetricColumns: undefined,
  };
  const migrateBase = (BaseSelectId: string, today = INPUT.today) =>
    migrateRequest(
      {},
      { request: withoutDates, today, customReport: { ...REPORT, ReportDateRange: { BaseSelectId } } },
    );

  test('BASE_LAST_7 is the seven days that end yesterday, with a note', () => {
    const migration = migrateBase('BASE_LAST_7');
    expect(onlyQuery(migration).date_range).toEqual({ start_date: '2026-03-03', end_date: '2026-03-09' });
    expect(shownChanges(migration)).toEqual([
      'changed: ReportDateRange.BaseSelectId: v2 has no default ranges: BASE_LAST_7 becomes the seven days up to yesterday (Europe/Berlin), 2026-03-03 to 2026-03-09; they are fixed in the query, so update them for each later run',
    ]);
  });

  test.each([
    ['2024-03-04', '2024-02-26', '2024-03-03'],
    ['2026-01-01', '2025-12-25', '2025-12-31'],
    ['2026-03-30', '2026-03-23', '2026-03-29'],
  ])('BASE_LAST_7 on %s starts on %s and ends on %s', (today, start, end) => {
    expect(onlyQuery(migrateBase('BASE_LAST_7', today)).date_range).toEqual({
      start_date: start,
      end_date: end,
    });
  });

  test("the request's dates go before the default range", () => {
    const migration = migrateRequest(
      {},
      { request: { ...withoutDates, StartDate: '2026-01-01', EndDate: '2026-01-02' }, customReport: REPORT },
    );
    expect(onlyQuery(migration).date_range).toEqual({ start_date: '2026-01-01', end_date: '2026-01-02' });
  });

  test.each([
    [
      'BASE_NOT_SELECTED',
      'the report has no default range (BASE_NOT_SELECTED): add StartDate and EndDate to the request',
    ],
    [
      'BASE_LAST_30',
      'the default range BASE_LAST_30 is not documented: add StartDate and EndDate to the request',
    ],
  ])('%s without dates is rejected', (base, reason) => {
    expect(migrateBase(base)).toMatchObject({
      ok: false,
      blockers: [{ field: 'ReportDateRange.BaseSelectId', reason }],
      missing: [],
    });
  });
});
