import type { Pair } from './pair.ts';

const HEADERS = { 'x-api-key': 'sandbox-key-0000-not-a-secret' };
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' };
const BASE = '/gateway/bdaservices/v2';
const DAYS = { start_date: '2026-03-01', end_date: '2026-03-07' };
const DAY_FLAGS = ['--from', '2026-03-01', '--to', '2026-03-07'];

function listing(title: string, command: string, body: unknown): Pair {
  return {
    title,
    args: ['bda', command],
    request: { method: 'GET', target: `${BASE}/${command}`, headers: HEADERS },
    response: { status: 200, body },
    exit: 0,
  };
}

function refused(
  title: string,
  flags: readonly string[],
  query: unknown,
  status: number,
  error: unknown,
): Pair {
  return {
    title,
    args: ['bda', 'query', '--data-set', 'pageview', ...flags, ...DAY_FLAGS],
    request: { method: 'POST', target: `${BASE}/query`, headers: JSON_HEADERS, body: query },
    response: { status, body: { error } },
    exit: 5,
  };
}

/** Spec, Endpoints D. The shapes of the listings, the statuses and the any_of group are assumptions of the sandbox. */
export const bdaV2Pairs: readonly Pair[] = [
  listing('the sites of the account', 'domains', {
    domains: [
      { domain_id: 1001, domain: 'example.com' },
      { domain_id: 1002, domain: 'example.org' },
      { domain_id: 1003, domain: 'example.net' },
    ],
  }),
  listing('the days with data', 'date-range', { earliest_date: '2025-02-08', latest_date: '2026-03-14' }),
  {
    title: 'a query with everything',
    args: [
      ...['bda', 'query', '--data-set', 'pageview', '-d', 'device', '-m', 'visits', ...DAY_FLAGS],
      ...['--filter', 'visits>=10', '--any-of', 'device=desktop', '--sort', 'visits:desc'],
      ...['--limit', '3', '--offset', '0', '--domain-id', '1001', '--platform', 'service'],
      ...['--query-params', 'exclude', '--fragments', 'include'],
    ],
    request: {
      method: 'POST',
      target: `${BASE}/query`,
      headers: JSON_HEADERS,
      body: {
        data_set: 'pageview',
        date_range: DAYS,
        dimensions: ['device'],
        metrics: ['visits'],
        filters: [
          { column: 'visits', operator: 'greater_than_or_equal', value: 10 },
          { any_of: [{ column: 'device', operator: 'in', values: ['desktop'] }] },
        ],
        sort: [{ column: 'visits', direction: 'desc' }],
        limit: 3,
        offset: 0,
        domain_id: 1001,
        platform: 'service',
        url_options: { query_params: 'exclude', fragments: 'include' },
      },
    },
    response: {
      status: 200,
      body: { rows: [{ device: 'desktop', visits: 1 }], total_rows: 1 },
      varying: ['visits'],
    },
    exit: 0,
  },
  {
    ...refused(
      'a metric that is misspelled',
      ['-m', 'pagviews'],
      { data_set: 'pageview', date_range: DAYS, metrics: ['pagviews'], limit: 100000, offset: 0 },
      400,
      {
        code: 'validation_error',
        message: 'the query has 1 invalid field',
        details: [{ field: 'metrics[0]', message: "unknown column 'pagviews'; did you mean 'pageviews'?" }],
      },
    ),
    looksUp: 1,
  },
  refused(
    'an unknown site',
    ['-m', 'visits', '--domain-id', '99'],
    { data_set: 'pageview', date_range: DAYS, metrics: ['visits'], domain_id: 99, limit: 100000, offset: 0 },
    404,
    { code: 'not_found', message: 'there is no domain 99' },
  ),
];
