import { describe, expect, test } from 'vitest';
import { openBda } from '../calling.ts';

const bda = openBda();
const FIXED = { dimensions: ['country'], metrics: ['visits'] };
const OPERATORS =
  'greater_than, greater_than_or_equal, in, less_than, less_than_or_equal, equals, not_equals, contains';

async function detailsOf(fields: Record<string, unknown>) {
  const { status, json } = await bda.query({ ...FIXED, ...fields });
  expect(status).toBe(400);
  expect(json.error.code).toBe('validation_error');
  return json.error.details.map(({ field, message }: { field: string; message: string }) => [field, message]);
}

describe('a query that is wrong is rejected with the field', () => {
  test.each<[string, Record<string, unknown>, [string, string][]]>([
    ['no data set', { data_set: undefined }, [['data_set', 'is required']]],
    [
      'an unknown data set',
      { data_set: 'pageviews' },
      [['data_set', "must be one of pageview, visit, bulk; did you mean 'pageview'?"]],
    ],
    ['no dates', { date_range: undefined }, [['date_range', 'is required, with start_date and end_date']]],
    [
      'half a date range',
      { date_range: { start_date: '2026-01-01' } },
      [['date_range.end_date', 'is required']],
    ],
    [
      'a day that does not exist',
      { date_range: { start_date: '2026-02-30', end_date: '2026-3-1' } },
      [
        ['date_range.start_date', 'must be a day as YYYY-MM-DD'],
        ['date_range.end_date', 'must be a day as YYYY-MM-DD'],
      ],
    ],
    [
      'dates the wrong way round',
      { date_range: { start_date: '2026-02-02', end_date: '2026-02-01' } },
      [['date_range', 'start_date must not be after end_date']],
    ],
    ['a date range that is no object', { date_range: 'last week' }, [['date_range', 'must be an object']]],
    [
      'a misspelt metric',
      { metrics: ['pagevews', 'visits'] },
      [['metrics[0]', "unknown column 'pagevews'; did you mean 'pageviews'?"]],
    ],
    ['a metric like nothing else', { metrics: ['zzzzzzzz'] }, [['metrics[0]', "unknown column 'zzzzzzzz'"]]],
    [
      'a column of v1 alone',
      { metrics: ['pageviews_per_visit'] },
      [['metrics[0]', "unknown column 'pageviews_per_visit'"]],
    ],
    [
      'a metric among the dimensions',
      { dimensions: ['contry', 'visits'] },
      [
        ['dimensions[0]', "unknown column 'contry'; did you mean 'country'?"],
        ['dimensions[1]', "'visits' is a metric: move it to metrics"],
      ],
    ],
    [
      'a dimension among the metrics',
      { metrics: ['device'] },
      [['metrics[0]', "'device' is a dimension: move it to dimensions"]],
    ],
    ['a column twice', { metrics: ['visits', 'visits'] }, [['metrics[1]', "duplicate column 'visits'"]]],
    ['a column that is no name', { metrics: [7] }, [['metrics[0]', 'must be a column name']]],
    ['columns that are no list', { metrics: 'visits' }, [['metrics', 'must be a list']]],
    [
      'no column at all',
      { dimensions: [], metrics: [] },
      [['metrics', 'at least one dimension or metric is required']],
    ],
    [
      'unknown fields, with the near one',
      { dimension: [], url_options: { fragment: 'exclude' } },
      [
        ['dimension', "unknown field; did you mean 'dimensions'?"],
        ['url_options.fragment', "unknown field; did you mean 'fragments'?"],
      ],
    ],
    ['a limit of 0', { limit: 0 }, [['limit', 'must be an integer from 1 to 100000']]],
    ['a limit of 100001', { limit: 100_001 }, [['limit', 'must be an integer from 1 to 100000']]],
    ['half a row', { limit: 1.5 }, [['limit', 'must be an integer from 1 to 100000']]],
    ['a limit in quotes', { limit: '10' }, [['limit', 'must be an integer from 1 to 100000']]],
    ['a negative offset', { offset: -1 }, [['offset', 'must be an integer from 0']]],
    ['a domain name as id', { domain_id: 'example.com' }, [['domain_id', 'must be an integer from 0']]],
    [
      'v1’s platform',
      { platform: 'ALL' },
      [['platform', "must be one of service, original, all; did you mean 'all'?"]],
    ],
    [
      'unknown words in url_options',
      { url_options: { query_params: 'drop', case_normalization: true } },
      [
        ['url_options.query_params', 'must be one of include, exclude'],
        ['url_options.case_normalization', 'must be one of none, lower'],
      ],
    ],
    [
      'a sort by a column that is not asked for',
      { sort: [{ column: 'revenue', direction: 'desc' }] },
      [['sort[0].column', "'revenue' is not one of the requested dimensions and metrics"]],
    ],
    [
      'a sort without direction',
      { sort: [{ column: 'visits' }] },
      [['sort[0].direction', 'is required: asc or desc']],
    ],
    [
      'an upper-case direction',
      { sort: [{ column: 'visits', direction: 'DESC' }] },
      [['sort[0].direction', "must be one of asc, desc; did you mean 'desc'?"]],
    ],
    [
      'a sort by the same column twice',
      {
        sort: [
          { column: 'visits', direction: 'desc' },
          { column: 'visits', direction: 'asc' },
        ],
      },
      [['sort[1].column', "duplicate column 'visits'"]],
    ],
    [
      'a filter with an unknown operator',
      { filters: [{ column: 'visits', operator: 'greater', value: 1 }] },
      [['filters[0].operator', `must be one of ${OPERATORS}`]],
    ],
    [
      'a filter without operator and column',
      { filters: [{ value: 1 }] },
      [
        ['filters[0].column', 'must be a column name'],
        ['filters[0].operator', 'is required'],
      ],
    ],
    [
      'text for a number',
      { filters: [{ column: 'visits', operator: 'equals', value: '3' }] },
      [['filters[0].value', "must be a number, the type of 'visits'"]],
    ],
    [
      'a number for text',
      { filters: [{ column: 'country', operator: 'in', values: ['US', 3] }] },
      [['filters[0].values[1]', "must be a string, the type of 'country'"]],
    ],
    [
      'a value for in',
      { filters: [{ column: 'country', operator: 'in', value: 'US' }] },
      [['filters[0].value', "operator 'in' requires 'values'"]],
    ],
    [
      'values for another operator',
      { filters: [{ column: 'country', operator: 'equals', values: ['US'] }] },
      [['filters[0].values', "operator 'equals' requires 'value'"]],
    ],
    [
      'an empty list of values',
      { filters: [{ column: 'country', operator: 'in', values: [] }] },
      [['filters[0].values', 'must be a non-empty list']],
    ],
    [
      'a number that contains',
      { filters: [{ column: 'visits', operator: 'contains', value: 1 }] },
      [['filters[0].operator', "'contains' requires a text column, and 'visits' is numeric"]],
    ],
    [
      'an empty group',
      { filters: [{ any_of: [] }] },
      [['filters[0].any_of', 'must be a list of 1 to 100 filters']],
    ],
    [
      'a group in a group',
      { filters: [{ any_of: [{ any_of: [] }] }] },
      [
        ['filters[0].any_of[0].any_of', 'unknown field'],
        ['filters[0].any_of[0].column', 'must be a column name'],
        ['filters[0].any_of[0].operator', 'is required'],
      ],
    ],
    [
      'a group of a metric and a dimension that is not asked for',
      {
        filters: [
          {
            any_of: [
              { column: 'visits', operator: 'equals', value: 1 },
              { column: 'device', operator: 'equals', value: 'tablet' },
            ],
          },
        ],
      },
      [
        [
          'filters[0].any_of',
          "with a metric in the group, the dimension 'device' must be one of the requested dimensions",
        ],
      ],
    ],
  ])('%s', async (_, fields, details) => {
    expect(await detailsOf(fields)).toEqual(details);
  });

  test('101 filters are too many', async () => {
    const filters = Array.from({ length: 101 }, () => ({
      column: 'visits',
      operator: 'greater_than',
      value: 0,
    }));
    expect(await detailsOf({ filters })).toEqual([['filters', 'must be at most 100 filters']]);
    expect((await bda.query({ ...FIXED, filters: filters.slice(1) })).status).toBe(200);
  });

  test.each(['', '{', '[1]', '"text"', '{"limit":1,"limit":2}', '['.repeat(200_000), '\ufeff{}', 'null'])(
    'a body that is no JSON object, or names a field twice: %#',
    async body => {
      const { status, json } = await bda.v2('POST', '/query', body);
      expect(status).toBe(400);
      expect(json.error.code).toBe('validation_error');
      expect(json.error.details[0].field).toBe('body');
    },
  );

  test('numbers that no double holds are rejected, not read as infinity', async () => {
    const { json } = await bda.v2(
      'POST',
      '/query',
      '{"data_set":"pageview","date_range":{"start_date":"2026-01-01","end_date":"2026-01-02"},"metrics":["visits"],"filters":[{"column":"visits","operator":"less_than","value":1e999}]}',
    );
    expect(json.error.details).toEqual([
      { field: 'filters[0].value', message: "must be a number, the type of 'visits'" },
    ]);
  });

  test('fields of an object’s prototype are unknown fields', async () => {
    const { json } = await bda.v2(
      'POST',
      '/query',
      '{"data_set":"constructor","metrics":["toString"],"__proto__":{"limit":5},"date_range":{"start_date":"2026-01-01","end_date":"2026-01-02"}}',
    );
    expect(json.error.details.map(({ field }: { field: string }) => field)).toEqual([
      '__proto__',
      'data_set',
      'metrics[0]',
    ]);
  });
});

describe('a site that cannot be queried', () => {
  test('is forbidden when another account owns it', async () => {
    const { status, json } = await bda.query({ ...FIXED, domain_id: 9001 });
    expect([status, json]).toEqual([
      403,
      { error: { code: 'forbidden', message: 'domain 9001 belongs to another account' } },
    ]);
  });

  test('is not found when no file has it', async () => {
    const { status, json } = await bda.query({ ...FIXED, domain_id: 77 });
    expect([status, json]).toEqual([404, { error: { code: 'not_found', message: 'there is no domain 77' } }]);
  });
});
