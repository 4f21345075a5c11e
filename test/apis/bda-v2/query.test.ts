import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../../src/apis/bda-v2/check-query.ts';
import { columnsOf, pageOf, withQueryFields, withTotalOrder } from '../../../src/apis/bda-v2/query.ts';
import { readError } from '../../../src/apis/bda-v2/requests.ts';
import { type Json, type JsonRecord, parseJson, stringifyJson } from '../../../src/json/index.ts';

const whole: JsonRecord = {
  data_set: 'pageview',
  date_range: { start_date: '2026-02-01', end_date: '2026-02-28' },
  dimensions: ['country'],
  metrics: ['visits'],
};

describe('a query from JSON and flags', () => {
  test('flags replace fields in place; unknown fields and digits stay', () => {
    const query = parseJson(
      '{"x_new":{"n":12345678901234567890},"limit":5,"data_set":"visit"}',
    ) as JsonRecord;
    expect(
      stringifyJson(
        withQueryFields(
          query,
          new Map<string, Json>([
            ['metrics', ['visits']],
            ['limit', 7],
            ['data_set', 'pageview'],
          ]),
        ),
      ),
    ).toBe('{"x_new":{"n":12345678901234567890},"limit":7,"data_set":"pageview","metrics":["visits"]}');
  });

  test('one end of the days or one url option can be replaced by itself', () => {
    const query = { ...whole, url_options: { fragments: 'exclude', other: 1 } };
    const fields = new Map([
      ['date_range.start_date', '2026-02-10'],
      ['url_options.case_normalization', 'lower'],
    ]);
    expect(withQueryFields(query, fields)).toEqual({
      ...whole,
      date_range: { start_date: '2026-02-10', end_date: '2026-02-28' },
      url_options: { fragments: 'exclude', other: 1, case_normalization: 'lower' },
    });
  });

  test('without flags nothing changes', () => {
    expect(withQueryFields(whole, new Map())).toEqual(whole);
  });

  test('columns are the dimensions, then the metrics', () => {
    expect(columnsOf({ ...whole, dimensions: ['b', 'a'], metrics: ['z', 'y'] })).toEqual([
      'b',
      'a',
      'z',
      'y',
    ]);
    expect(columnsOf({})).toEqual([]);
  });

  test('a page sets limit and offset and nothing else', () => {
    expect(pageOf({ ...whole, limit: 1 }, { offset: 200, limit: 100 })).toEqual({
      ...whole,
      limit: 100,
      offset: 200,
    });
  });
});

describe('an order in which pages cannot overlap', () => {
  test('the dimensions that are not sorted by follow the user’s own sort', () => {
    const query = {
      ...whole,
      dimensions: ['a', 'b', 'c'],
      sort: [
        { column: 'visits', direction: 'desc' },
        { column: 'b', direction: 'desc' },
      ],
    };
    expect(withTotalOrder(query).sort).toEqual([
      { column: 'visits', direction: 'desc' },
      { column: 'b', direction: 'desc' },
      { column: 'a', direction: 'asc' },
      { column: 'c', direction: 'asc' },
    ]);
  });

  test('a query without dimensions has one row and needs none', () => {
    const query = { ...whole, dimensions: [] };
    expect(withTotalOrder(query)).toBe(query);
  });
});

describe('what can be known before sending', () => {
  test('a complete query has no problem', () => {
    expect(problemsOf({ ...whole, limit: 100_000, offset: 0, anything: 'else' })).toEqual([]);
  });

  test.each<[string, JsonRecord, string, string]>([
    ['no data set', { data_set: undefined }, 'data_set', 'is required'],
    ['no days', { date_range: undefined }, 'date_range', 'is required'],
    ['one day', { date_range: { start_date: '2026-02-01' } }, 'date_range.end_date', 'is required'],
    [
      '30 February',
      { date_range: { start_date: '2026-02-30', end_date: '2026-03-01' } },
      'date_range.start_date',
      'is not a valid day: 2026-02-30',
    ],
    [
      'another form',
      { date_range: { start_date: '1.2.2026', end_date: '2026-03-01' } },
      'date_range.start_date',
      'must be a day, YYYY-MM-DD',
    ],
    [
      'the end first',
      { date_range: { start_date: '2026-03-02', end_date: '2026-03-01' } },
      'date_range',
      'starts on 2026-03-02, after its end on 2026-03-01',
    ],
    ['a metric twice', { metrics: ['visits', 'visits'] }, 'metrics[1]', "is a duplicate of 'visits'"],
    [
      'a dimension that is a metric too',
      { metrics: ['country'] },
      'metrics[0]',
      "is a duplicate of 'country'",
    ],
    ['a dimension that is no name', { dimensions: [7] }, 'dimensions[0]', 'must be a column name'],
    ['metrics that are no list', { metrics: 'visits' }, 'metrics', 'must be a list'],
    ['limit 0', { limit: 0 }, 'limit', 'must be an integer from 1 to 100000'],
    ['limit 100001', { limit: 100_001 }, 'limit', 'must be an integer from 1 to 100000'],
    ['half a row', { limit: 1.5 }, 'limit', 'must be an integer from 1 to 100000'],
    ['limit as text', { limit: '5' }, 'limit', 'must be an integer from 1 to 100000'],
    ['offset -1', { offset: -1 }, 'offset', 'must be an integer from 0'],
  ])('%s', (_, fields, field, message) => {
    expect(problemsOf({ ...whole, ...fields })).toEqual([{ field, message }]);
  });
});

describe('v2’s error envelope', () => {
  test.each([
    ['unauthorized', 'auth'],
    ['forbidden', 'auth'],
    ['not_found', 'rejected'],
    ['validation_error', 'rejected'],
    ['concurrent_request_limit', 'rate_limited'],
    ['rate_limit_exceeded', 'rate_limited'],
    ['upstream_error', 'unavailable'],
    ['internal_error', 'unavailable'],
  ])('%s means %s', (code, kind) => {
    expect(readError({ error: { code, message: 'so' } })).toEqual({ code, kind, message: 'so', isOwn: true });
  });

  test('a code word that is new leaves the meaning to the status', () => {
    expect(readError({ error: { code: 'brand_new', message: 'so' } })).toEqual({
      code: 'brand_new',
      message: 'so',
    });
    expect(readError({ error: { code: 'constructor' } })).toEqual({ code: 'constructor', message: '' });
  });

  test('readable details are included', () => {
    const details = [{ field: 'metrics[0]', message: 'unknown' }, 'odd', { field: 7 }];
    expect(readError({ error: { code: 'validation_error', message: 'no', details } })?.details).toEqual([
      { field: 'metrics[0]', message: 'unknown' },
      { field: '', message: '' },
    ]);
  });

  test('rows are not an error', () => {
    expect(readError({ rows: [], total_rows: 0 })).toBeUndefined();
    expect(readError({ rows: [], error: null })).toBeUndefined();
    expect(readError([])).toBeUndefined();
  });
});
