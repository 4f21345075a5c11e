import { describe, expect, test } from 'vitest';
import { migrate } from '../../../../src/migrate/index.ts';
import { type Replay, verifyMigration } from '../../../../src/operations/migrate/verify-migration.ts';
import { openBda } from '../../../sandbox/bda/calling.ts';
import { fileWith, migrateQuery, REQUEST, refs } from './requests.ts';
import { embeddedDefinitions, embeddedVersions, replayOf } from './versions.ts';

const ROOT = 'https://gw.example.com/bdaservices';

describe('the v2 equivalent of each v1 endpoint', () => {
  test.each([
    ['getdata/?reportName=Devices', { data_set: 'pageview', dimensions: ['device'] }],
    ['getdata/?customReportId=101', { data_set: 'pageview', dimensions: ['report_day', 'country'] }],
    ['getCustomData/', { data_set: 'pageview', dimensions: ['country'] }],
  ])('%s is a query', async (path, query) => {
    const body = path.startsWith('getdata') ? { MaxItems: 10 } : REQUEST;
    const { code, stdout } = await migrateQuery([
      '--url',
      `${ROOT}/${path}`,
      fileWith(body),
      '--sandbox',
      '-q',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject(query);
  });

  test.each([
    ['getdomains', 'GET /domains lists the domains'],
    ['getcolumns', 'GET /columns lists the columns'],
    ['getfilters', 'every column that GET /columns lists can be filtered on'],
    ['getmultifilters', 'every column that GET /columns lists can be filtered on'],
    ['getmultifiltertypes', 'every column that GET /columns lists can be filtered on'],
    ['getreports', 'v2 stores no reports: each query names its columns'],
    ['getreport', 'v2 stores no reports: each query names its columns'],
    ['getcustomreports', 'v2 stores no reports: each query names its columns'],
    ['createcustomreport', 'Its body is a definition that can be migrated'],
    ['getsegments', 'v2 stores no segments: each query carries its filters'],
    ['createsegment', 'Its body is a definition that can be migrated'],
  ])('%s is not a data request; the error names its replacement', async (endpoint, instead) => {
    const { code, stderr } = await migrateQuery(['--url', `${ROOT}/${endpoint}/?developerKey=key-0001`]);
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot read --url: ${endpoint} is not a data request; `);
    expect(stderr).toContain(instead);
  });
});

describe('the v2 equivalent of each field of a v1 request, verified on both versions', () => {
  const bda = openBda();
  const versions = embeddedVersions(bda);
  const PLAIN = {
    MaxItems: 500,
    StartDate: '2026-02-02',
    EndDate: '2026-02-24',
    DimensionColumns: refs('string', 'country'),
    MetricColumns: refs('number', 'visits', 'revenue'),
  };
  const filter = (OperationId: string) => ({
    Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId, FilterValue: '2250' }],
  });

  async function migrated(fields: object): Promise<Replay> {
    const request = { ...PLAIN, ...fields };
    const migration = migrate({
      request,
      definitions: await embeddedDefinitions(bda),
      today: '2026-03-10',
      timeZone: 'UTC',
      brand: 'service',
      lossy: false,
    });
    return replayOf(request, migration);
  }

  test.each<[string, object, object]>([
    [
      'first and last day: the date range',
      { StartDate: '2026-02-10', EndDate: '2026-02-11' },
      { date_range: { start_date: '2026-02-10', end_date: '2026-02-11' } },
    ],
    [
      'dimension columns: dimensions',
      { DimensionColumns: refs('string', 'device', 'site') },
      { dimensions: ['device', 'site'] },
    ],
    ['metric columns: metrics', { MetricColumns: refs('number', 'epmv') }, { metrics: ['epmv'] }],
    ['grouping by day: a dimension', { DateGrouping: 'DAILY' }, { dimensions: ['report_day', 'country'] }],
    ['grouping by week: a dimension', { DateGrouping: 'WEEKLY' }, { dimensions: ['report_week', 'country'] }],
    [
      'grouping by month: a dimension, in the place of another time',
      { DateGrouping: 'MONTHLY', DimensionColumns: refs('string', 'country', 'report_day') },
      { dimensions: ['country', 'report_month'] },
    ],
    [
      'a segment: filters, its multifilter a list of values',
      { SegmentIds: [202] },
      {
        filters: [
          { column: 'pageviews', operator: 'greater_than_or_equal', value: 100 },
          { column: 'device', operator: 'in', values: ['desktop'] },
        ],
      },
    ],
    [
      'a filter for more: greater_than',
      filter('GREATER'),
      { filters: [{ column: 'visits', operator: 'greater_than', value: 2250 }] },
    ],
    [
      'a filter for as much or more: greater_than_or_equal',
      filter('GREATER_OR_EQUAL'),
      { filters: [{ column: 'visits', operator: 'greater_than_or_equal', value: 2250 }] },
    ],
    [
      'the number of the column to order by: its name',
      { Order: { ColumnNumber: 2, Direction: 'DESC' } },
      { sort: [{ column: 'revenue', direction: 'desc' }] },
    ],
    ['the first item: offset', { StartItem: 3, Order: { ColumnNumber: 0, Direction: 'ASC' } }, { offset: 3 }],
    [
      'the number of items: limit',
      { MaxItems: 4, Order: { ColumnNumber: 0, Direction: 'ASC' } },
      { limit: 4 },
    ],
    ['the site: domain_id', { DomainId: 1002 }, { domain_id: 1002 }],
    ['the platform of the service: its word', { Platform: 'SERVICE' }, { platform: 'service' }],
    ['the original platform: original', { Platform: 'Orig' }, { platform: 'original' }],
    ['both platforms: all', { Platform: 'ALL' }, { platform: 'all' }],
    [
      'parameters in addresses: an option',
      { UrlParams: 'exclude', DimensionColumns: refs('string', 'page_url') },
      { url_options: { query_params: 'exclude' } },
    ],
    [
      'fragments in addresses: an option',
      { UrlFragments: 'exclude', DimensionColumns: refs('string', 'page_url') },
      { url_options: { fragments: 'exclude' } },
    ],
    [
      'decimals of revenue: nothing, full precision',
      { RevenueDecimalPlaces: 3 },
      { metrics: ['visits', 'revenue'] },
    ],
  ])('%s', async (_, fields, expected) => {
    const replay = await migrated(fields);
    expect(replay.parts[0]?.queries[0]?.query).toMatchObject(expected);
    const verification = await verifyMigration(replay, versions);
    expect(verification, JSON.stringify(verification)).toMatchObject({ outcome: 'parity' });
    // The segment, which v1 names in each row, is a note of the migration.
    expect(verification.note).toBe(
      Object.hasOwn(fields, 'SegmentIds') ? 'v1 also returned segment' : undefined,
    );
  });

  test('default days: worked out here, the same as those of v1', async () => {
    const { code, stderr } = await migrateQuery(['--report', 'Engagement', '--verify', '--sandbox']);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'changed: DateBaseSelectId: v2 has no default ranges: BASE_LAST_7 becomes the seven days up to yesterday (UTC), 2026-03-07 to 2026-03-13; they are fixed in the query, so update them for each later run',
    );
  });
});
