import { describe, expect, test } from 'vitest';
import { jsonNumber } from '../../src/json/index.ts';
import {
  DEFINITIONS,
  migrateRequest,
  onlyQuery,
  REQUEST,
  refs,
  shownChanges,
  shownNotes,
  shownRefusals,
} from './fixtures.ts';

const filter = (fields: Record<string, unknown>) => ({
  Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '3', ...fields }],
});

const PLAIN = {
  data_set: 'pageview',
  date_range: { start_date: '2026-01-01', end_date: '2026-01-31' },
  dimensions: ['country'],
  metrics: ['visits'],
  limit: 50,
};

describe('what v2 cannot express is rejected, or omitted when losses are allowed', () => {
  test.each<[string, Record<string, unknown>, string, string, Record<string, unknown>]>([
    [
      'a filter that excludes',
      filter({ Type: 'EXCLUDE' }),
      'Filters[0].Type: v2 documents no way to exclude what a filter matches',
      'the query also counts rows that the filter excluded',
      {},
    ],
    [
      'an unknown operation',
      filter({ OperationId: 'CONTAINS' }),
      'Filters[0].OperationId: no v2 operator is documented for the operation CONTAINS; supported: GREATER, GREATER_OR_EQUAL',
      'the query also counts rows that the filter excluded',
      {},
    ],
    [
      'a filter on a column that v2 lacks',
      filter({ FilterKey: 'visit' }),
      'Filters[0].FilterKey: v2 has no column "visit"; did you mean "visits"?',
      'the query also counts rows that the filter excluded',
      {},
    ],
    [
      'a dimension that v2 lacks',
      { DimensionColumns: refs('country', 'countries') },
      'DimensionColumns[1]: v2 has no column "countries"; did you mean "country"?',
      'the column is missing',
      {},
    ],
    [
      'a metric that v2 lacks',
      { MetricColumns: refs('visits', 'zzz') },
      'MetricColumns[1]: v2 has no column "zzz"',
      'the column is missing',
      {},
    ],
    [
      'a field that v1 does not document',
      { startDate: '2026-02-01' },
      'startDate: is not a member of a data request; did you mean "StartDate"?',
      'its effect is lost',
      {},
    ],
  ])('%s', (_, fields, refusal, consequence, expected) => {
    expect(shownRefusals(migrateRequest(fields))).toEqual([refusal]);
    const lossy = migrateRequest(fields, { lossy: true });
    expect(onlyQuery(lossy)).toEqual({ ...PLAIN, ...expected });
    expect(shownNotes(lossy, 'lost')).toEqual([`lost: ${refusal}; omitted, so ${consequence}`]);
  });

  test('an order by a column that is omitted goes with it', () => {
    const fields = {
      MetricColumns: refs('visits', 'vists'),
      Order: { ColumnNumber: 2, Direction: 'DESC' },
    };
    expect(shownRefusals(migrateRequest(fields))).toEqual([
      'MetricColumns[1]: v2 has no column "vists"; did you mean "visits"?',
      'Order.ColumnNumber: it refers to a column that v2 lacks',
    ]);
    expect(onlyQuery(migrateRequest(fields, { lossy: true }))).toEqual(PLAIN);
  });

  test('a grouping whose time column v2 lacks is omitted completely', () => {
    const columnsV2 = ['country', 'visits', 'report_day'];
    const input = { definitions: { columnsV2 }, lossy: true };
    const fields = { DateGrouping: 'WEEKLY', DimensionColumns: refs('report_day', 'country') };
    const migration = migrateRequest(fields, input);
    expect(onlyQuery(migration)).toEqual(PLAIN);
    expect(shownNotes(migration, 'lost')).toHaveLength(2);
  });

  test('one that filters on several things loses only what v2 lacks', () => {
    const Filters = [...filter({ Type: 'EXCLUDE' }).Filters, ...filter({ FilterValue: '9' }).Filters];
    expect(onlyQuery(migrateRequest({ Filters }, { lossy: true })).filters).toEqual([
      { column: 'visits', operator: 'greater_than', value: 9 },
    ]);
  });
});

describe('what v1 rejects is rejected even when losses are allowed', () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      'a filter of an unknown type',
      filter({ Type: 'MAYBE' }),
      'Filters[0].Type: the only documented filter type is INCLUDE',
    ],
    [
      'a filter without an operation',
      filter({ OperationId: undefined }),
      'Filters[0].OperationId: the operation is missing; supported: GREATER, GREATER_OR_EQUAL',
    ],
    [
      'a filter without a column',
      filter({ FilterKey: undefined }),
      'Filters[0]: a filter must be an object with a column name (FilterKey)',
    ],
    ['filters that are no list', { Filters: 'visits > 3' }, 'Filters: filters must be a list'],
    [
      'a filter value that is no number, for a number column',
      filter({ FilterValue: '1,000' }),
      'Filters[0].FilterValue: the column is numeric, and "1,000" is not a number',
    ],
    [
      'a number that no one can read',
      filter({ FilterValue: '1e999' }),
      'Filters[0].FilterValue: the column is numeric, and "1e999" is not a number',
    ],
    [
      'a filter value that is neither text nor number',
      filter({ FilterValue: ['3'] }),
      'Filters[0].FilterValue: the value must be text or a number',
    ],
    [
      'a column without a name',
      { MetricColumns: [...refs('visits'), { Type: 'number' }] },
      'MetricColumns[1]: the column has no name (Data)',
    ],
    [
      'an unknown grouping',
      { DateGrouping: 'HOURLY' },
      'DateGrouping: valid groupings are DAILY, WEEKLY and MONTHLY',
    ],
    [
      'an order index past the last column',
      { Order: { ColumnNumber: 2, Direction: 'DESC' } },
      'Order.ColumnNumber: the index must be one of the dimensions, then the metrics: 0 to 1',
    ],
    [
      'an order index below zero',
      { Order: { ColumnNumber: -1, Direction: 'DESC' } },
      'Order.ColumnNumber: the index must be one of the dimensions, then the metrics: 0 to 1',
    ],
    [
      'an order without a direction',
      { Order: { ColumnNumber: 1 } },
      'Order.Direction: valid directions are ASC and DESC',
    ],
    [
      'an order of another shape',
      { Order: 'visits' },
      'Order: an order must be an object with ColumnNumber and Direction',
    ],
    ['a page size below nothing', { MaxItems: -1 }, 'MaxItems: a page size must be an integer from 1'],
    [
      'a page size that is no whole number',
      { MaxItems: 10.5 },
      'MaxItems: a page size must be an integer from 1',
    ],
    ['a first row below zero', { StartItem: -1 }, 'StartItem: the offset must be an integer from 0'],
    ['a domain by its name', { DomainId: 'example.com' }, 'DomainId: a domain id is an integer from 1'],
    [
      'an unknown platform',
      { Platform: 'Mobile' },
      'Platform: must be Service, SERVICE, Orig, ORIG or ALL, where Service is the brand word of the profile',
    ],
    ['an unknown URL option', { UrlFragments: 'yes' }, 'UrlFragments: valid values are include and exclude'],
  ])('%s', (_, fields, refusal) => {
    expect(shownRefusals(migrateRequest(fields))).toEqual([refusal]);
    expect(shownRefusals(migrateRequest(fields, { lossy: true }))).toHaveLength(1);
  });
});

describe('what no query can do without is rejected even when losses are allowed', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    [
      'no dates',
      { StartDate: undefined, EndDate: undefined },
      ['StartDate: v2 always requires dates: add StartDate and EndDate'],
    ],
    ['one date', { EndDate: null }, ['EndDate: v2 requires both dates, and one is missing']],
    [
      'a day that the calendar lacks',
      { EndDate: '2026-02-30' },
      ['EndDate: a date must be a valid day, YYYY-MM-DD'],
    ],
    [
      'a day of the year 0000',
      { StartDate: '0000-01-01' },
      ['StartDate: a date must be a valid day, YYYY-MM-DD'],
    ],
    [
      'a date in another form',
      { StartDate: '01/01/2026' },
      ['StartDate: a date must be a valid day, YYYY-MM-DD'],
    ],
    [
      'a range that ends before it starts',
      { StartDate: '2026-03-01' },
      ['StartDate: the range ends before it starts: 2026-03-01 is after 2026-01-31'],
    ],
    [
      'columns that are no list',
      { DimensionColumns: 'country' },
      ['DimensionColumns: columns must be a list of objects with Data and Type'],
    ],
    [
      'no columns',
      { DimensionColumns: [], MetricColumns: null },
      ['DimensionColumns: the request names no columns'],
    ],
    [
      'metrics that v2 has none of',
      { MetricColumns: refs('zzz') },
      ['MetricColumns: v2 has none of the metrics'],
    ],
    ['segments that are no list', { SegmentIds: 11 }, ['SegmentIds: segments must be a list of ids']],
    ['a segment that is no id', { SegmentIds: [true] }, ['SegmentIds[0]: a segment requires an id']],
  ])('%s', (_, fields, blockers) => {
    expect(shownRefusals(migrateRequest(fields, { lossy: true }))).toEqual(blockers);
  });

  test.each([[undefined], [null], ['text'], [[REQUEST]], [42]])('a request that is %j', request => {
    expect(shownRefusals(migrateRequest({}, { request }))).toEqual([
      'request: a v1 data request must be a JSON object',
    ]);
  });

  test('everything that is wrong is reported at once', () => {
    const fields = { Platform: 'x', MaxItems: -1, StartDate: 'soon', Order: { ColumnNumber: 7 }, Nope: 1 };
    expect(shownRefusals(migrateRequest(fields)).map(line => line.split(':')[0])).toEqual([
      'Nope',
      'StartDate',
      'Order.ColumnNumber',
      'Order.Direction',
      'MaxItems',
      'Platform',
    ]);
  });
});

describe('columns and data sets', () => {
  test('without a listing, names do not change, with a note that they are not checked', () => {
    const migration = migrateRequest({ MetricColumns: refs('anything') }, { definitions: {} });
    expect(onlyQuery(migration).metrics).toEqual(['anything']);
    expect(shownNotes(migration)[0]).toBe(
      'lossless: columns: unchanged and unchecked: the v2 column listing is missing',
    );
  });

  test('a listing of unknown shape is reported', () => {
    const migration = migrateRequest({}, { definitions: { columnsV2: { answer: 42 } } });
    expect(shownNotes(migration)[0]).toMatch('the v2 column listing is unreadable');
  });

  test.each<[string, unknown]>([
    ['a list of names', ['country', 'visits']],
    ['a list of objects', [{ Name: 'country' }, { Name: 'visits' }]],
    [
      'an object with two lists',
      { dimensions: ['country'], metrics: [{ column: 'visits', type: 'number' }] },
    ],
    ['an object by name', { a: { name: 'country' }, b: { name: 'visits' } }],
  ])('a listing may be %s', (_, columnsV2) => {
    expect(onlyQuery(migrateRequest({}, { definitions: { columnsV2 } }))).toEqual(PLAIN);
    expect(migrateRequest({ MetricColumns: refs('vists') }, { definitions: { columnsV2 } }).ok).toBe(false);
  });

  test('the data set that was requested is used', () => {
    const migration = migrateRequest({}, { dataSet: 'visit' });
    expect(onlyQuery(migration).data_set).toBe('visit');
    expect(shownNotes(migration)).toContain(
      'lossless: dataSet: visit, as data_set, as requested; v1 has no data sets',
    );
  });

  test('a column of another data set than the requested one is rejected', () => {
    const migration = migrateRequest({ DimensionColumns: refs('page_url') }, { dataSet: 'visit' });
    expect(shownRefusals(migration)).toEqual([
      'DimensionColumns[0]: the data set visit has no column "page_url", which is in pageview',
    ]);
  });

  test('columns that no data set has together are rejected', () => {
    const migration = migrateRequest({ DimensionColumns: refs('page_url', 'logged_in') });
    expect(shownRefusals(migration)).toEqual([
      'DimensionColumns[1]: the data set pageview has no column "logged_in", which is in visit',
    ]);
  });
});

describe('what v1 rejects, the migration rejects', () => {
  test.each<[Record<string, unknown>, string]>([
    [{ DomainId: 0 }, 'DomainId: a domain id is an integer from 1'],
    [{ DomainId: '12' }, 'DomainId: must be an integer from 1'],
    [{ MaxItems: '10' }, 'MaxItems: must be an integer from 1'],
    [{ MaxItems: 0 }, 'MaxItems: a page size must be an integer from 1'],
    [{ MaxItems: undefined }, 'MaxItems: v1 requires a page size'],
    [{ StartItem: '0' }, 'StartItem: must be an integer from 0'],
    [{ RevenueDecimalPlaces: 12 }, 'RevenueDecimalPlaces: must be an integer from 0 to 6'],
    [{ DateGrouping: 'daily' }, 'DateGrouping: must be DAILY, WEEKLY or MONTHLY'],
    [{ Platform: 'all' }, 'Platform: must be Service, SERVICE, Orig, ORIG or ALL'],
    [{ UrlParams: 'Include' }, 'UrlParams: must be include or exclude'],
    [{ EndDate: '' }, 'EndDate: a date must be a valid day, YYYY-MM-DD'],
    [{ SegmentIds: ['11'] }, 'SegmentIds[0]: must be an integer from 0'],
    [{ Order: { ColumnNumber: 1, Direction: 'desc' } }, 'Order.Direction: must be ASC or DESC'],
    [
      { Order: { ColumnNumber: '1', Direction: 'DESC' } },
      'Order.ColumnNumber: must be an integer from 0 to 1',
    ],
    [
      { Order: { ColumnNumber: 2, Direction: 'DESC' } },
      'Order.ColumnNumber: the index must be one of the dimensions, then the metrics: 0 to 1',
    ],
    [filter({ OperationId: 'greater' }), 'Filters[0].OperationId: must be GREATER'],
    ...[' 50 ', '+5', '.5', '05'].map((FilterValue): [Record<string, unknown>, string] => [
      filter({ FilterValue }),
      `Filters[0].FilterValue: the column is numeric, and ${JSON.stringify(FilterValue)} is not a number`,
    ]),
    [
      { Filters: Array.from({ length: 101 }, () => filter({}).Filters[0]) },
      'Filters: must be a list of at most 100 items',
    ],
    [filter({ Type: undefined }), 'Filters[0].Type: must be INCLUDE or EXCLUDE'],
    [filter({ FilterValue: 3 }), 'Filters[0].FilterValue: must be a text'],
    [{ DimensionColumns: [{ Data: 'country' }] }, 'DimensionColumns[0].Type: must be string or number'],
    [{ DimensionColumns: ['country'] }, 'DimensionColumns[0]: must be an object'],
    [
      { DimensionColumns: refs('country', 'country') },
      'DimensionColumns[1].Data: names "country" a second time',
    ],
    [{ DimensionColumns: refs('country', 'revenue') }, 'DimensionColumns[1].Data: "revenue" is a metric'],
    [{ MetricColumns: refs('visits', 'device') }, 'MetricColumns[1].Data: "device" is a dimension'],
  ])('%j', (fields, refusal) => {
    expect(shownRefusals(migrateRequest(fields))).toEqual([refusal]);
  });

  test('columns that only v2 has', () => {
    const definitions = {
      ...DEFINITIONS,
      columnsV1: [
        { Data: 'country', Type: 'string' },
        { Data: 'visits', Type: 'number' },
      ],
    };
    const fields = {
      DimensionColumns: refs('country', 'page_url'),
      ...filter({ FilterKey: 'page_url', FilterValue: 'a' }),
    };
    expect(shownRefusals(migrateRequest(fields, { definitions }))).toEqual([
      'Filters[0].FilterKey: v1 has no column "page_url"',
      'DimensionColumns[1].Data: v1 has no column "page_url"',
    ]);
  });

  test.each([
    ['3.0', 3],
    ['1e2', 100],
  ])('%s is an integer', (digits, limit) => {
    expect(onlyQuery(migrateRequest({ MaxItems: jsonNumber(digits) })).limit).toBe(limit);
  });

  test('a member that is null is absent', () => {
    const fields = {
      StartItem: null,
      DomainId: null,
      Platform: null,
      Order: null,
      Filters: null,
      SegmentIds: null,
    };
    expect(onlyQuery(migrateRequest(fields))).toEqual(PLAIN);
  });
});

describe('members that no document declares', () => {
  const COLUMN = { Data: 'visits', Type: 'number' };
  const ORDER = { ColumnNumber: 0, Direction: 'ASC' };

  test.each<[Record<string, unknown>, string]>([
    [filter({ Negate: true }), 'Filters[0].Negate: is not a member of a filter'],
    [
      { MetricColumns: [{ ...COLUMN, Aggregation: 'max' }] },
      'MetricColumns[0].Aggregation: is not a member of a column',
    ],
    [{ Order: { ...ORDER, Then: ORDER } }, 'Order.Then: is not a member of an order'],
    [{ Exclude: ['US'] }, 'Exclude: is not a member of a data request'],
  ])('of a request: %j', (fields, refusal) => {
    expect(shownRefusals(migrateRequest(fields))).toEqual([refusal]);
  });

  const chart = { Name: 'A', DimensionColumns: refs('country'), MetricColumns: [COLUMN] };
  test.each<[Record<string, unknown>, string]>([
    [{ MaxItems: 3 }, 'Charts[0].MaxItems: is not a member of a chart'],
    [{ Order: { ...ORDER, Then: ORDER } }, 'Charts[0].Order.Then: is not a member of an order'],
    [
      { MetricColumns: [{ ...COLUMN, Aggregation: 'max' }] },
      'Charts[0].MetricColumns[0].Aggregation: is not a member of a column',
    ],
    [
      { Filters: [{ ...filter({}).Filters[0], Negate: true }] },
      'Charts[0].Filters[0].Negate: is not a member of a filter',
    ],
  ])('of a saved report: %j', (fields, refusal) => {
    const request = { MaxItems: 50, StartDate: '2026-01-01', EndDate: '2026-01-31' };
    const customReport = { ReportTitle: 'T', Charts: [{ ...chart, ...fields }] };
    expect(shownRefusals(migrateRequest({}, { request, customReport }))).toEqual([refusal]);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ SegmentOperator: 'OR' }, 'Segment[5].SegmentOperator: is not a member of a segment'],
    [{ Exclude: true }, 'Segment[5].Exclude: is not a member of a segment'],
    [
      { SegmentMultiFilters: { '7': { FilterValues: ['US'], Negate: true } } },
      'Segment[5].SegmentMultiFilters.7.Negate: is not a member of a segment multifilter',
    ],
    [
      { SegmentFilters: { '3': { FilterIntOperationId: 'GREATER', FilterValue: '5', Not: true } } },
      'Segment[5].SegmentFilters.3.Not: is not a member of a segment filter',
    ],
  ])('of a saved segment: %j', (fields, refusal) => {
    const definitions = { ...DEFINITIONS, segments: [{ id: 5, SegmentName: 'Five', ...fields }] };
    const shown = shownRefusals(migrateRequest({ SegmentIds: [5] }, { definitions }));
    expect(shown.map(text => text.replace(/; did you mean .*/, ''))).toContain(refusal);
    expect(shown).toHaveLength(1);
  });

  test('those that are allowed by name are lost, and never called lossless', () => {
    const migration = migrateRequest({ Exclude: ['US'] }, { allowUnknown: ['Exclude'] });
    expect(onlyQuery(migration)).toEqual(PLAIN);
    expect(shownNotes(migration, 'lost')).toEqual([
      'lost: Exclude: is not documented; ignored, as requested',
    ]);
  });
});

describe('filter values', () => {
  const typedFilter = (FilterValue: unknown, definitions: object = DEFINITIONS, FilterKey = 'visits') => {
    const migration = migrateRequest(filter({ FilterValue, FilterKey }), { definitions });
    return { query: onlyQuery(migration), changed: shownChanges(migration) };
  };

  test.each([
    ['3', 3],
    ['-0.25', -0.25],
    ['1e3', 1000],
    ['3.0', 3],
  ])('%j is the number %d', (text, number) => {
    expect(typedFilter(text).query.filters).toEqual([
      { column: 'visits', operator: 'greater_than', value: number },
    ]);
  });

  test.each([
    ['12345678901234567890', '12345678901234567890'],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['-7.00000000000000000001', '-7.00000000000000000001'],
    ['1e-400', '1e-400'],
  ])('%s keeps every digit', (text, digits) => {
    expect(typedFilter(text).query.filters).toMatchObject([
      { value: { isLosslessNumber: true, value: digits } },
    ]);
  });

  test("v2's type goes before v1's, and v1's before the request's", () => {
    const columnsV1 = [
      { Data: 'country', Type: 'string' },
      { Data: 'visits', Type: 'number' },
      { Data: 'device', Type: 'number' },
      { Data: 'zone', Type: 'number' },
    ];
    const typed = (definitions: object, key: string) => typedFilter('3', definitions, key).query.filters;
    expect(typed({ columnsV1, columnsV2: DEFINITIONS.columnsV2 }, 'device')).toMatchObject([{ value: '3' }]);
    expect(typed({ columnsV1 }, 'zone')).toMatchObject([{ value: 3 }]);
    expect(typed({}, 'country')).toMatchObject([{ value: '3' }]);
  });

  test('a value of unknown type that looks like a number is sent as one, with a note', () => {
    const { query, changed } = typedFilter('3', {}, 'scroll_depth');
    expect(query.filters).toMatchObject([{ value: 3 }]);
    expect(changed).toEqual([
      'changed: Filters[0].FilterValue: sent as a number, because it looks like one: the type of scroll_depth is unknown',
    ]);
  });

  test('a value of unknown type that does not look like a number is sent as text', () => {
    expect(typedFilter('3 pages', {}, 'scroll_depth')).toMatchObject({
      query: { filters: [{ value: '3 pages' }] },
      changed: [],
    });
  });
});
