import { describe, expect, test } from 'vitest';
import { type MigrationInput, readinessOf } from '../../src/migrate/index.ts';
import {
  DEFINITIONS,
  migrateRequest,
  onlyQuery,
  queriesByLabel,
  refs,
  shownChanges,
  shownNotes,
  shownRefusals,
} from './fixtures.ts';

const REQUEST = { MaxItems: 10, StartDate: '2026-01-01', EndDate: '2026-01-31' };

const chart = (Name: string, fields: object = {}) => ({
  Name,
  DimensionColumns: refs('country'),
  MetricColumns: refs('visits'),
  Segments: [],
  ...fields,
});

const report = (...Charts: object[]) => ({
  ReportTitle: 'Traffic',
  ReportDateRange: { BaseSelectId: 'BASE_NOT_SELECTED' },
  Charts,
});

const migrateReport = (customReport: unknown, request: object = {}, input: Partial<MigrationInput> = {}) =>
  migrateRequest({}, { request: { ...REQUEST, ...request }, customReport, ...input });

describe('custom reports', () => {
  test('each chart is a query under its name, with the paths of its fields in the notes', () => {
    const migration = migrateReport(
      report(
        chart('Countries', { Order: { ColumnNumber: 1, Direction: 'DESC' } }),
        chart('Devices', { DimensionColumns: refs('device') }),
      ),
    );
    const queries = queriesByLabel(migration);
    expect(queries.Countries).toMatchObject({
      dimensions: ['country'],
      sort: [{ column: 'visits', direction: 'desc' }],
    });
    expect(queries.Devices).toMatchObject({ dimensions: ['device'], limit: 10 });
    expect(queries.Devices).not.toHaveProperty('sort');
    expect(shownNotes(migration)).toEqual(
      expect.arrayContaining([
        'changed: Charts: the report "Traffic" has 2 charts: one query for each; v1 does not document whether it returns the rows of all',
        'lossless: Charts[0].Order: visits desc, as sort',
        'lossless: Charts[1].DimensionColumns: device, as dimensions',
      ]),
    );
  });

  test('charts and segments multiply, and a label names both', () => {
    const migration = migrateReport(report(chart('A', { Segments: [1, 11] }), chart('B')));
    expect(Object.keys(queriesByLabel(migration))).toEqual(['A / All users', 'A / North America', 'B']);
  });

  test('the segments that the report embeds are used', () => {
    expect(onlyQuery(migrateReport(report(chart('A', { Segments: [11] })))).filters).toEqual([
      { column: 'country', operator: 'in', values: ['US', 'CA'] },
    ]);
  });

  test("the request's segments go before them", () => {
    const migration = migrateReport(report(chart('A', { Segments: [11] })), { SegmentIds: [1] });
    expect(queriesByLabel(migration)['All users']?.filters).toBeUndefined();
    expect(shownNotes(migration)).toContain(
      'lossless: SegmentIds: override the segments of the report, as in v1',
    );
  });

  test('a segment that the report contains needs no listing, and v1 cannot apply it', () => {
    const whole = { SegmentName: 'Own', SegmentMultiFilters: { '7': { FilterValues: ['DE'] } } };
    const migration = migrateReport(report(chart('A', { Segments: [whole] })));
    expect(queriesByLabel(migration)).toMatchObject({ Own: { filters: [{ values: ['DE'] }] } });
    expect(migration).not.toHaveProperty('queries.0.v1');
  });

  test('a chart without a name is called by the report', () => {
    expect(Object.keys(queriesByLabel(migrateReport(report(chart('')))))).toEqual(['Traffic']);
  });

  test('the request may omit what the report sets', () => {
    const definition = { ...report(chart('A', { DateGrouping: 'DAILY' })), Platform: 'Orig', DomainId: 4 };
    const migration = migrateReport(definition, { DomainId: 5 });
    expect(onlyQuery(migration)).toMatchObject({
      dimensions: ['report_day', 'country'],
      platform: 'original',
      domain_id: 5,
    });
    expect(shownNotes(migration)).toContain(
      'lossless: Platform: taken from the report: the request omits it',
    );
  });

  test("the request's own columns are rejected together with the report's, or ignored", () => {
    const request = { DimensionColumns: refs('device'), Filters: [] };
    expect(shownRefusals(migrateReport(report(chart('A')), request))).toEqual([
      'DimensionColumns: the report "Traffic" has its own columns, and getdata does not document DimensionColumns',
      'Filters: the report "Traffic" has its own columns, and getdata does not document Filters',
    ]);
    expect(onlyQuery(migrateReport(report(chart('A')), request, { lossy: true })).dimensions).toEqual([
      'country',
    ]);
  });

  test.each<[string, object]>([
    ['Segments', { Segments: [11] }],
    ['SegmentIds', { SegmentIds: [11] }],
    ['Filters', { Filters: [{ FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '1' }] }],
    ['Order', { Order: { ColumnNumber: 0, Direction: 'ASC' } }],
  ])('unknown members next to the charts are never skipped: %s', (field, fields) => {
    const definition = { ...report(chart('A')), ...fields };
    expect(shownRefusals(migrateReport(definition))).toEqual([
      `${field}: the report "Traffic" has charts, and ${field} outside of them is not documented`,
    ]);
    expect(migrateReport(definition, {}, { lossy: true }).ok).toBe(true);
  });

  test.each([{ 11: {} }, '11', 11, [null], [true]])(
    'segments of another shape are rejected: %j',
    Segments => {
      const [refusal, ...others] = shownRefusals(migrateReport(report(chart('A', { Segments }))));
      expect(refusal).toMatch(/^Charts\[0\]\.Segments(\[0\])?: /);
      expect(others).toEqual([]);
      const own = migrateReport(report(chart('A', { Segments })), { SegmentIds: [11] });
      expect(onlyQuery(own).filters).toHaveLength(1);
    },
  );

  test('a definition without charts may call its segments SegmentIds', () => {
    const { Charts: _, ...flat } = report();
    const migration = migrateReport({ ...flat, MetricColumns: refs('visits'), SegmentIds: [11] });
    expect(onlyQuery(migration).filters).toHaveLength(1);
    expect(shownNotes(migration, 'lost')).toEqual([]);
  });

  test('an unknown part of the report blocks the migration; its id and who wrote it do not', () => {
    const definition = {
      ...report(chart('A', { Pivot: { by: 'site' } })),
      id: 3,
      created_by: 'ann',
      Tags: null,
    };
    expect(shownRefusals(migrateReport(definition))).toEqual(['Charts[0].Pivot: is not a member of a chart']);
    const lost = (input: object) => shownNotes(migrateReport(definition, {}, input), 'lost');
    expect(lost({ lossy: true })).toEqual([
      'lost: Charts[0].Pivot: is not a member of a chart; omitted, so its effect is lost',
    ]);
    expect(lost({ allowUnknown: ['Pivot'] })).toEqual([
      'lost: Charts[0].Pivot: is not documented; ignored, as requested',
    ]);
  });

  test.each<[string, unknown, string]>([
    ['no charts', report(), 'Charts: the report "Traffic" has no charts'],
    ['a chart that is none', report('A' as never), 'Charts[0]: a chart must be a JSON object'],
    [
      'a chart without columns',
      report({ Name: 'A' }),
      'Charts[0].DimensionColumns: the request names no columns',
    ],
    ['no object', 'Traffic', 'customReport: the definition of a custom report must be a JSON object'],
    [
      'a listing entry alone',
      { CustomReportId: 4, Name: 'Traffic' },
      'DimensionColumns: the definition of the report "Traffic" has no columns: add DimensionColumns and MetricColumns to the request',
    ],
  ])('a report with %s is rejected', (_, customReport, refusal) => {
    expect(shownRefusals(migrateReport(customReport))).toEqual([refusal]);
  });

  test.each<[string, unknown]>([
    ['a number', 4],
    ['text', '4'],
    ['its title', 'Traffic'],
  ])('a report is found in the listing by %s', (_, customReportId) => {
    const customReports = { reports: [{ CustomReportId: 4, ...report(chart('A')) }] };
    const input = {
      customReportId: customReportId as number,
      definitions: { ...DEFINITIONS, customReports },
    };
    expect(onlyQuery(migrateReport(undefined, {}, input)).dimensions).toEqual(['country']);
  });

  test('a report that is missing is requested', () => {
    const migration = migrateReport(undefined, {}, { customReportId: 9 });
    expect(shownRefusals(migration)).toEqual(['customReportId: the definition of the report "9" is missing']);
    expect(migration).toMatchObject({ missing: [{ what: 'custom report', id: '9' }] });
  });

  test('a request runs one report', () => {
    const migration = migrateReport(report(chart('A')), {}, { reportName: 'X' });
    expect(shownRefusals(migration)).toEqual([
      'reportName: a request runs one report, and several are named',
    ]);
  });
});

describe('predefined reports', () => {
  const definition = {
    DateBaseSelectId: 'BASE_LAST_7',
    DimensionColumns: refs('country'),
    MetricColumns: refs('visits'),
  };
  const migrateNamed = (reports: unknown, request: object = REQUEST, reportName = 'Page Views') =>
    migrateRequest({}, { request, reportName, definitions: { ...DEFINITIONS, reports } });

  test.each<[string, unknown]>([
    ['the definition alone', definition],
    ['the definition in an envelope', { Report: definition }],
    ['an object by name', { 'Page Views': definition, Other: {} }],
    ['a list', [{ ReportName: 'Other' }, { ReportName: 'Page Views', ...definition }]],
    ['charts', { DateBaseSelectId: 'BASE_LAST_7', Charts: [chart('')] }],
  ])('a definition may be %s', (_, reports) => {
    const migration = migrateNamed(reports, { MaxItems: 10 });
    expect(onlyQuery(migration)).toEqual({
      data_set: 'pageview',
      date_range: { start_date: '2026-03-03', end_date: '2026-03-09' },
      dimensions: ['country'],
      metrics: ['visits'],
      limit: 10,
    });
    expect(Object.keys(queriesByLabel(migration))).toEqual(['Page Views']);
  });

  test('one whose definition has no columns uses those of the request', () => {
    const request = { ...REQUEST, DimensionColumns: refs('device'), MetricColumns: refs('visits') };
    const migration = migrateNamed({ DateBaseSelectId: 'BASE_NOT_SELECTED' }, request);
    expect(onlyQuery(migration).dimensions).toEqual(['device']);
    expect(shownChanges(migration)).toEqual([
      'changed: DimensionColumns: the definition of the report "Page Views" has no columns, so those of the request are used',
    ]);
  });

  test('one that is missing is requested, with the close names', () => {
    const migration = migrateNamed([{ ReportName: 'Page View' }, { ReportName: 'Revenue' }]);
    expect(shownRefusals(migration)).toEqual([
      'reportName: the definition of the report "Page Views" is missing; did you mean "Page View"?',
    ]);
    expect(migration).toMatchObject({ missing: [{ what: 'report', id: 'Page Views' }] });
  });

  test('the definition of another report is not used', () => {
    const migration = migrateNamed({ ReportName: 'Other', ...definition });
    expect(migration).toMatchObject({ ok: false, missing: [{ what: 'report', id: 'Page Views' }] });
  });
});

describe('the equivalent v1 request', () => {
  test('is one body for getCustomData with all segments', () => {
    const customReport = report(
      chart('A', {
        DimensionColumns: refs('report_day', 'country'),
        MetricColumns: refs('visits', 'revenue'),
        Segments: [1, 11],
        Order: { ColumnNumber: 0, Direction: 'ASC' },
      }),
    );
    const request = {
      MaxItems: 200_000,
      DateGrouping: 'WEEKLY',
      RevenueDecimalPlaces: 3,
      Platform: 'ALL',
      StartDate: '2026-01-01',
      EndDate: '2026-01-31',
    };
    const migration = migrateReport(customReport, request);
    expect(migration.ok && migration.parts[0]?.v1).toEqual({
      request: {
        MaxItems: 200_000,
        StartDate: '2026-01-01',
        EndDate: '2026-01-31',
        DateGrouping: 'WEEKLY',
        Platform: 'ALL',
        RevenueDecimalPlaces: 3,
        DimensionColumns: refs('report_day', 'country'),
        MetricColumns: refs('visits', 'revenue'),
        Order: { ColumnNumber: 0, Direction: 'ASC' },
        SegmentIds: [1, 11],
      },
      columns: { report_week: 'report_day' },
      decimals: { revenue: 3 },
      rounded: ['revenue'],
    });
  });

  test('holds what lossy omitted of the query', () => {
    const Filters = [{ Type: 'EXCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '3' }];
    const migration = migrateRequest({ Filters, MetricColumns: refs('visits', 'vists') }, { lossy: true });
    expect(migration).toMatchObject({
      parts: [{ v1: { request: { Filters, MetricColumns: refs('visits', 'vists') } } }],
    });
  });
});

describe('readiness', () => {
  const Order = { ColumnNumber: 1, Direction: 'DESC' };

  test('a report that means the same in v2 is ready', () => {
    expect(readinessOf(migrateReport(report(chart('A', { Order }))))).toEqual({
      state: 'ready',
      reasons: [],
    });
  });

  test('one that changes or loses something is ready with notes', () => {
    expect(readinessOf(migrateReport(report(chart('A', { Order })), { RevenueDecimalPlaces: 2 }))).toEqual({
      state: 'ready with notes',
      reasons: [
        'lost: RevenueDecimalPlaces: v2 returns full precision and cannot round revenue: round the output',
      ],
    });
  });

  test('one that is rejected is blocked, and by what', () => {
    expect(readinessOf(migrateReport(report(chart('A', { Segments: [13] }))))).toEqual({
      state: 'blocked',
      reasons: ['Segment[13].SegmentMultiFilters[9]: v2 has no column "gender"'],
    });
  });
});
