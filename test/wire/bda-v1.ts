import type { Pair } from './pair.ts';

const KEY = 'developerKey=sandbox-key-0000-not-a-secret';
const WITHOUT = ['x-api-key'];
const JSON_HEADERS = { 'content-type': 'application/json' };
const DAYS = { StartDate: '2026-03-01', EndDate: '2026-03-07' };
const DAY_FLAGS = ['--from', '2026-03-01', '--to', '2026-03-07'];

function listing(args: readonly string[], endpoint: string, body: unknown, varying: string[] = []): Pair {
  return {
    title: `${endpoint}: ${args.join(' ')}`,
    args: ['bda', ...args],
    request: { method: 'GET', target: `/bdaservices/${endpoint}/?${KEY}`, headers: {}, without: WITHOUT },
    response: { status: 200, body, varying },
    exit: 0,
  };
}

/** Spec, Endpoints C. The shapes of all answers, and what a refusal looks like, are assumptions of the sandbox. */
export const bdaV1Pairs: readonly Pair[] = [
  listing(['multifilter', 'list'], 'getmultifilters', [
    { FilterName: 'country', MultiFilterId: 11, MultiFilterTypeId: 1 },
    { FilterName: 'device', MultiFilterId: 12, MultiFilterTypeId: 2 },
    { FilterName: 'gender', MultiFilterId: 13, MultiFilterTypeId: 3 },
    { FilterName: 'site', MultiFilterId: 14, MultiFilterTypeId: 4 },
  ]),
  listing(['domains', '--api', 'v1'], 'getdomains', [
    { DomainId: 1001, Domain: 'example.com' },
    { DomainId: 1002, Domain: 'example.org' },
    { DomainId: 1003, Domain: 'example.net' },
  ]),
  {
    title: 'a definition',
    args: ['bda', 'report', 'show', 'Daily Revenue'],
    request: {
      method: 'GET',
      target: `/bdaservices/getreport/?${KEY}&reportName=Daily+Revenue`,
      headers: {},
      without: WITHOUT,
    },
    response: {
      status: 200,
      body: {
        ReportName: 'Daily Revenue',
        DateBaseSelectId: 'BASE_NOT_SELECTED',
        Charts: [
          {
            Name: 'Daily Revenue',
            DimensionColumns: [{ Data: 'report_day', Type: 'string' }],
            MetricColumns: [],
            Segments: [],
          },
        ],
      },
      varying: ['MetricColumns'],
    },
    exit: 0,
  },
  {
    title: 'a predefined report with everything',
    args: [
      ...['bda', 'report', 'run', 'Devices', ...DAY_FLAGS, '--group-by', 'month', '--segment', '2'],
      ...['--domain-id', '1001', '--platform', 'service', '--query-params', 'exclude'],
      ...['--fragments', 'include', '--revenue-decimals', '3', '--limit', '5', '--offset', '0'],
    ],
    request: {
      method: 'POST',
      target: `/bdaservices/getdata/?${KEY}&reportName=Devices`,
      headers: JSON_HEADERS,
      without: WITHOUT,
      body: {
        ...DAYS,
        DateGrouping: 'MONTHLY',
        SegmentIds: [2],
        Platform: 'SERVICE',
        DomainId: 1001,
        UrlParams: 'exclude',
        UrlFragments: 'include',
        RevenueDecimalPlaces: 3,
        StartItem: 0,
        MaxItems: 5,
      },
    },
    response: {
      status: 200,
      body: {
        Data: [
          {
            segment: 'Desktop Traffic',
            report_month: '2026-03',
            device: 'desktop',
            visits: 1,
            bounce_rate: 1,
            epmv: 1,
          },
        ],
      },
      varying: ['visits', 'bounce_rate', 'epmv'],
    },
    exit: 0,
  },
  {
    title: 'a custom report',
    args: ['bda', 'report', 'run', '--id', '102', ...DAY_FLAGS, '--platform', 'original'],
    request: {
      method: 'POST',
      target: `/bdaservices/getdata/?${KEY}&customReportId=102`,
      headers: JSON_HEADERS,
      without: WITHOUT,
      body: { ...DAYS, Platform: 'ORIG', StartItem: 0, MaxItems: 10000 },
    },
    response: {
      status: 200,
      body: {
        Data: [
          { segment: 'Desktop Traffic', report_month: '2026-03', visits: 1, pageviews: 1, revenue: 1 },
          { segment: 'North America', report_month: '2026-03', visits: 1, pageviews: 1, revenue: 1 },
        ],
      },
      varying: ['visits', 'pageviews', 'revenue'],
    },
    exit: 0,
  },
  {
    title: 'columns named inline',
    args: [
      ...['bda', 'report', 'run', '-d', 'device', '-m', 'visits,revenue', ...DAY_FLAGS],
      ...['--filter', 'visits>=10', '--filter', 'device:starts_with:desk', '--sort', 'revenue:desc'],
      ...['--platform', 'all'],
    ],
    request: {
      method: 'POST',
      target: `/bdaservices/getCustomData/?${KEY}`,
      headers: JSON_HEADERS,
      without: WITHOUT,
      body: {
        ...DAYS,
        Platform: 'ALL',
        DimensionColumns: [{ Data: 'device', Type: 'string' }],
        MetricColumns: [
          { Data: 'visits', Type: 'number' },
          { Data: 'revenue', Type: 'number' },
        ],
        Filters: [
          { Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER_OR_EQUAL', FilterValue: '10' },
          { Type: 'INCLUDE', FilterKey: 'device', OperationId: 'STARTS_WITH', FilterValue: 'desk' },
        ],
        Order: { ColumnNumber: 2, Direction: 'DESC' },
        StartItem: 0,
        MaxItems: 10000,
      },
    },
    response: {
      status: 200,
      body: { Data: [{ device: 'desktop', visits: 1, revenue: 1 }] },
      varying: ['visits', 'revenue'],
    },
    exit: 0,
  },
  {
    title: 'an unknown column',
    args: ['bda', 'report', 'run', '-m', 'vists', ...DAY_FLAGS],
    request: {
      method: 'POST',
      target: `/bdaservices/getCustomData/?${KEY}`,
      headers: JSON_HEADERS,
      without: WITHOUT,
      body: { ...DAYS, MetricColumns: [{ Data: 'vists', Type: 'number' }], StartItem: 0, MaxItems: 10000 },
    },
    response: { status: 400, body: { Success: false, Error: 'any' }, varying: ['Error'] },
    exit: 5,
  },
];
