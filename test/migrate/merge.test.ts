import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import { parseJson } from '../../src/json/index.ts';
import { mergeRows, pageOfPart, type RowPlan, withPage } from '../../src/migrate/merge.ts';
import type { MigratedQuery, PlanPart } from '../../src/migrate/migration.ts';

const query = (page: object = {}) => ({ query: page }) as unknown as MigratedQuery;
const ALL = { offset: 0, limit: 100 };

/** The values of a column in the merged rows of queries that return these. */
function merged(lists: readonly (readonly Json[])[], merge: RowPlan['merge'], column = 'visits'): unknown[] {
  const results = lists.map(values => ({ query: query(), rows: values.map(value => ({ [column]: value })) }));
  return mergeRows({ queries: [], ...(merge && { merge }) }, results).map(({ row }) => row[column]);
}

const by = (direction: 'asc' | 'desc', column = 'visits') => ({ ...ALL, sort: { column, direction } });

describe('the rows of several queries', () => {
  test('are those of one after the other where nothing is merged', () => {
    expect(merged([[3, 1], [2]], undefined)).toEqual([3, 1, 2]);
    expect(merged([[3, 1], [2]], ALL)).toEqual([3, 1, 2]);
  });

  test('are merged by value in the direction of the sort', () => {
    expect(merged([['9', '10'], ['9.5']], by('asc'))).toEqual(['9', '9.5', '10']);
    expect(
      merged(
        [
          ['10', '9'],
          ['9.5', '-1'],
        ],
        by('desc'),
      ),
    ).toEqual(['10', '9.5', '9', '-1']);
    expect(merged([['a', 'c'], ['b']], by('asc'))).toEqual(['a', 'b', 'c']);
    expect(merged([['c', 'a'], ['b'], []], by('desc'))).toEqual(['c', 'b', 'a']);
    // A text is compared as text, also with a number.
    expect(merged([['10'], ['9a']], by('asc'))).toEqual(['10', '9a']);
    expect(merged([['9a'], ['10']], by('asc'))).toEqual(['10', '9a']);
  });

  test('are compared with all of their digits', () => {
    const [one, other] = parseJson('["12345678901234567891","12345678901234567890"]') as [Json, Json];
    expect(merged([[one], [other]], by('asc'))).toEqual([other, one]);
  });

  test('have null below all values', () => {
    expect(merged([[1], [null]], by('asc'))).toEqual([null, 1]);
    expect(merged([[null], [1]], by('asc'))).toEqual([null, 1]);
    expect(merged([[null], [1]], by('desc'))).toEqual([1, null]);
    expect(merged([[1], [null]], by('desc'))).toEqual([1, null]);
  });

  test('are those of the earlier query first where values are equal, and of one query in its order', () => {
    const rows = (from: string, ...values: readonly string[]) => ({
      query: query(),
      rows: values.map((visits, at) => ({ visits, from: `${from}${at}` })),
    });
    const found = mergeRows({ queries: [], merge: by('asc') }, [
      rows('a', '1', '2', '1'),
      rows('b', '1', '2.0'),
    ]);
    expect(found.map(({ row }) => row.from)).toEqual(['a0', 'b0', 'a1', 'a2', 'b1']);
  });

  test('are sorted by a column whatever its spelling', () => {
    expect(merged([[2], [1]], by('asc', 'page_url'), 'PageUrl')).toEqual([1, 2]);
  });

  test('are cut to the page, and name their query', () => {
    expect(
      merged(
        [
          [1, 4],
          [2, 3],
        ],
        { ...by('asc'), offset: 1, limit: 2 },
      ),
    ).toEqual([2, 3]);
    expect(
      merged(
        [
          [1, 4],
          [2, 3],
        ],
        { offset: 3, limit: 2 },
      ),
    ).toEqual([3]);
    const [one, other] = [query(), query()];
    const results = [one, other].map((query, at) => ({ query, rows: [{ visits: 2 - at }] }));
    expect(mergeRows({ queries: [], merge: by('asc') }, results).map(each => each.query === other)).toEqual([
      true,
      false,
    ]);
  });
});

describe('another page', () => {
  const part = (merge?: PlanPart['merge']) =>
    ({
      queries: [query({ limit: 10 }), query({ limit: 10 })],
      ...(merge && { merge }),
    }) as unknown as PlanPart;
  const pages = ({ queries }: PlanPart) => queries.map(({ query }) => query);

  test('of one query is its own page', () => {
    const page = { offset: 20, limit: 5 };
    const paged = withPage(part(), page);
    expect(pages(paged)).toEqual([page, page]);
    expect(pageOfPart(paged)).toEqual(page);
  });

  test('of merged queries is cut from all rows up to its end, of as many as a query may return', () => {
    const paged = withPage(part(by('asc')), { offset: 20, limit: 5 });
    expect(pages(paged)).toEqual([{ limit: 25 }, { limit: 25 }]);
    expect(paged.merge).toEqual({ ...by('asc'), offset: 20, limit: 5 });
    expect(pageOfPart(paged)).toEqual({ offset: 20, limit: 5 });
    expect(pages(withPage(part(by('asc')), { offset: 100_000, limit: 1 }))).toEqual([
      { limit: 100_000 },
      { limit: 100_000 },
    ]);
  });

  test('is the first one of the size that v2 has where a query names none', () => {
    expect(pageOfPart({ queries: [query()] })).toEqual({ offset: 0, limit: 100 });
    expect(pageOfPart({ queries: [] })).toEqual({ offset: 0, limit: 100 });
  });
});
