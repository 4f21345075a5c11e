import { describe, expect, test } from 'vitest';
import { Gateway } from '../../src/client/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';

const KEY = 'a-key-of-the-tests';
const DOMAIN = 'example.com';
const READER = { email: 'reader@example.com' };
const TOKEN = 'aaaa.bbbb.cccc';
const DAYS = { start_date: '2026-03-01', end_date: '2026-03-07' };
const URLS = Array.from({ length: 230 }, (_, index) => `https://example.com/news/${index}?a=b&c=%20d`);
const QUERY = {
  data_set: 'pageview',
  date_range: DAYS,
  dimensions: ['report_day', 'country'],
  metrics: ['visits', 'revenue'],
  filters: [
    { column: 'visits', operator: 'greater_than', value: 10 },
    { any_of: [{ column: 'country', operator: 'in', values: ['US', 'Ünited'] }] },
  ],
  sort: [{ column: 'visits', direction: 'desc' }],
  domain_id: 1001,
  platform: 'service',
  url_options: { query_params: 'exclude' },
} as const;
const SEGMENT = { SegmentName: 'Readers', SegmentMultiFilters: { '4': { FilterValues: ['US', 'CA'] } } };
const REPORT = {
  ReportTitle: 'By day',
  ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
  Charts: [
    {
      Name: 'By day',
      DimensionColumns: [{ Data: 'report_day', Type: 'string' }],
      MetricColumns: [{ Data: 'revenue', Type: 'number' }],
      Segments: [1],
      Order: { ColumnNumber: 1, Direction: 'DESC' },
    },
  ],
};
const REQUEST = {
  StartDate: DAYS.start_date,
  EndDate: DAYS.end_date,
  Platform: 'ALL',
  DimensionColumns: [{ Data: 'country', Type: 'string' }],
  MetricColumns: [{ Data: 'visits', Type: 'number' }],
  Order: { ColumnNumber: 1, Direction: 'DESC' },
  Filters: [],
};

interface Case {
  /** A command line, and what it reads on stdin. */
  readonly command: readonly string[];
  readonly input?: unknown;
  readonly call: (gateway: Gateway) => Promise<unknown>;
  /** The paths that the call sends; other requests of the command are its own, for checks and notes. */
  readonly paths: RegExp;
}

const CASES: readonly Case[] = [
  {
    command: ['access', READER.email, '--product', 'gold & more'],
    call: ({ subscriptions }) => subscriptions.access(READER, { product: 'gold & more' }),
    paths: /\/access\?/,
  },
  {
    command: ['access', '--reader-token', TOKEN, '--item', 'https://example.com/a?b=c'],
    call: ({ subscriptions }) =>
      subscriptions.access({ token: TOKEN }, { item: 'https://example.com/a?b=c' }),
    paths: /\/access\?/,
  },
  {
    command: ['products', READER.email],
    call: ({ subscriptions }) => subscriptions.products(READER),
    paths: /\/products\?/,
  },
  {
    command: ['purchases', READER.email, '--domain', 'www.example.com'],
    call: ({ subscriptions }) => subscriptions.purchases(READER, { domain: 'www.example.com' }),
    paths: /\/purchases\?/,
  },
  {
    command: ['token', READER.email],
    call: ({ subscriptions }) => subscriptions.identityToken(READER.email),
    paths: /\/identity-token/,
  },
  { command: ['cdn', 'ping'], call: ({ cdn }) => cdn.ping(), paths: /\/ping/ },
  {
    command: ['cdn', 'purge', 'https://example.com'],
    call: ({ cdn }) => cdn.purge(['https://example.com']),
    paths: /\/clearcache/,
  },
  {
    command: ['cdn', 'purge', '--file', '-', '--concurrency', '1'],
    input: URLS,
    call: ({ cdn }) => cdn.purge(URLS, { concurrency: 1 }),
    paths: /\/bulkclearcache/,
  },
  {
    command: ['cdn', 'purge', '--key', 'news,front', '--domain', DOMAIN],
    call: ({ cdn }) => cdn.purgeKeys(['news', 'front']),
    paths: /\/clearbysurrogatekeys/,
  },
  {
    command: ['cdn', 'purge', '--all', '--domain', DOMAIN, '--yes'],
    call: ({ cdn }) => cdn.purgeDomain(DOMAIN),
    paths: /\/purgecache/,
  },
  {
    command: ['bda', 'query', '-', '--concurrency', '1', '--page-size', '3', '-o', 'ndjson'],
    input: QUERY,
    call: ({ bda }) => bda.query(QUERY, { pagesInFlight: 1, pageSize: 3 }).toArray(),
    paths: /\/query/,
  },
  {
    command: ['bda', 'query', '-', '-o', 'ndjson'],
    input: { ...QUERY, limit: 2, offset: 1 },
    call: ({ bda }) => bda.query({ ...QUERY, limit: 2, offset: 1 }).toArray(),
    paths: /\/query/,
  },
  ...(['domains', 'columns', 'data-sets', 'date-range'] as const).map(name => ({
    command: ['bda', name, '--json'],
    call: ({ bda }: Gateway) => {
      if (name === 'data-sets') return bda.dataSets();
      return name === 'date-range' ? bda.dateRange() : bda[name]();
    },
    paths: /\/v2\//,
  })),
  {
    command: ['bda', 'report', 'run', 'Countries', '--request', '-', '--concurrency', '1', '-o', 'ndjson'],
    input: { StartDate: DAYS.start_date, EndDate: DAYS.end_date, SegmentIds: [1, 2], DateGrouping: 'DAILY' },
    call: ({ bdaV1 }) =>
      bdaV1
        .data(
          { reportName: 'Countries' },
          { StartDate: DAYS.start_date, EndDate: DAYS.end_date, SegmentIds: [1, 2], DateGrouping: 'DAILY' },
          { pagesInFlight: 1 },
        )
        .toArray(),
    paths: /\/getdata\//,
  },
  {
    command: ['bda', 'report', 'run', '--id', '101', '--request', '-', '--limit', '5', '-o', 'ndjson'],
    input: { StartDate: DAYS.start_date, EndDate: DAYS.end_date },
    call: ({ bdaV1 }) =>
      bdaV1
        .data({ customReportId: 101 }, { StartDate: DAYS.start_date, EndDate: DAYS.end_date, MaxItems: 5 })
        .toArray(),
    paths: /\/getdata\//,
  },
  {
    command: ['bda', 'report', 'run', '--request', '-', '--concurrency', '1', '-o', 'ndjson'],
    input: REQUEST,
    call: ({ bdaV1 }) => bdaV1.data('columns', REQUEST, { pagesInFlight: 1 }).toArray(),
    paths: /\/getCustomData\//,
  },
  {
    command: ['bda', 'report', 'show', 'Countries', '--json'],
    call: ({ bdaV1 }) => bdaV1.report('Countries'),
    paths: /\/getreport\//,
  },
  {
    command: ['bda', 'domains', '--api', 'v1', '--json'],
    call: ({ bdaV1 }) => bdaV1.domains(),
    paths: /\/getdomains\//,
  },
  {
    command: ['bda', 'segment', 'list', '--json'],
    call: ({ bdaV1 }) => bdaV1.segments(),
    paths: /\/getsegments\//,
  },
  {
    command: ['bda', 'segment', 'create', '-'],
    input: SEGMENT,
    call: ({ bdaV1 }) => bdaV1.createSegment(SEGMENT),
    paths: /\/createsegment\//,
  },
  {
    command: ['bda', 'report', 'create', '-'],
    input: REPORT,
    call: ({ bdaV1 }) => bdaV1.createCustomReport(REPORT),
    paths: /\/createcustomreport\//,
  },
];

/** An answer that every call accepts: rows in pages of three, seven in all. */
function reply({ target, body }: Received): Reply {
  if (target.includes('/query')) {
    const { offset = 0, limit = 100 } = JSON.parse(body);
    const rows = Array.from({ length: Math.max(0, Math.min(limit, 7 - offset)) }, (_, index) => ({
      report_day: '2026-03-01',
      country: `C${offset + index}`,
      visits: 1,
      revenue: 0.5,
    }));
    return { body: JSON.stringify({ rows, total_rows: 7 }) };
  }
  if (/get(custom)?data/i.test(target)) return { body: '[{"country":"US","visits":1}]' };
  if (target.includes('/cdnservices/')) return { body: '{"Success":true,"Error":""}' };
  if (target.includes('/access')) return granted({ decision: 'allowed', reasonCode: 'allowed' });
  if (target.includes('/identity-token'))
    return granted({ token: 'a.b.c', expiresAt: '2026-03-01T13:00:00Z' });
  if (target.includes('/subscriptions/')) return granted([]);
  if (/\/create/.test(target)) return { body: '{"id":7}' };
  return { body: '[{"name":"revenue","Data":"revenue","id":1,"Name":"report_day"},{"name":"report_day"}]' };
}

const granted = (data: unknown): Reply => ({ body: JSON.stringify({ success: true, data }) });

const PLACES = [
  { keyIn: 'header', brand: 'service' },
  { keyIn: 'query', brand: 'acme' },
] as const;

describe.each(PLACES)('with the key in the $keyIn and the brand $brand', ({ keyIn, brand }) => {
  test.each(CASES)(
    'gatectl $command and the client send the same bytes',
    async ({ command, input, call, paths }) => {
      const server = await wireServer(reply);
      try {
        const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
        const profile = [
          '--base-url',
          `${server.baseUrl}/root`,
          '--domain',
          DOMAIN,
          '--key-in',
          keyIn,
          '--brand',
          brand,
        ];
        await run(['profile', 'add', 'test', ...profile, '--api-key-stdin'], { env, input: `${KEY}\n` });
        const stdin = Array.isArray(input) ? input.join('\n') : JSON.stringify(input ?? null);
        const { code, stderr } = await run([...command], { env, input: stdin });
        const sent = server.received.filter(({ target }) => paths.test(target)).map(withoutAgent);
        expect({ code, stderr, requests: sent.length > 0 }).toMatchObject({ code: 0, requests: true });

        const before = server.received.length;
        const gateway = new Gateway({
          baseUrl: `${server.baseUrl}/root`,
          apiKey: KEY,
          domain: DOMAIN,
          keyIn,
          brand,
        });
        await call(gateway);
        await gateway.close();
        expect(server.received.slice(before).map(withoutAgent)).toEqual(sent);
      } finally {
        await server.close();
      }
    },
  );
});

/** A request without the name of the program that sent it. */
function withoutAgent({ headers, rawHeaders, ...request }: Received) {
  const { 'user-agent': agent, ...others } = headers;
  return { ...request, headers: others, rawHeaders: rawHeaders.filter(word => word !== agent) };
}
