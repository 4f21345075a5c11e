import { problemsOf } from '../apis/bda-v2/check-query.ts';
import { listOf, record, unknownMembers, VALUE } from '../documents/declaration.ts';
import { integerOf, isList, isRecord, type Json, type JsonRecord } from '../json/index.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX, type Query } from '../wire/bda-v2.ts';
import { queryRecord } from './as-command.ts';
import type { RowPlan } from './merge.ts';
import type { Merge, MigratedQuery } from './migration.ts';

const PLAN = record<{ plan: unknown }>('a plan', {
  plan: listOf(
    record<{ queries: unknown; merge: unknown }>('a part of a plan', {
      queries: listOf(record<{ label: unknown; query: unknown }>('a query', { label: VALUE, query: VALUE })),
      merge: record<Merge>('a merge', {
        sort: record<NonNullable<Merge['sort']>>('a sort', { column: VALUE, direction: VALUE }),
        offset: VALUE,
        limit: VALUE,
      }),
    }),
  ),
});

/** A plan as JSON: the queries of each part with their labels, and what is done with their rows. */
export function planRecord(parts: readonly RowPlan[]): JsonRecord {
  return {
    plan: parts.map(({ queries, merge }) => ({
      queries: queries.map(({ label, query }) => ({ label, query: queryRecord(query) })),
      ...(merge && { merge: { ...merge, ...(merge.sort && { sort: { ...merge.sort } }) } }),
    })),
  };
}

/** Whether a document is a plan, valid or not. */
export function isPlan(document: Json): boolean {
  return isRecord(document) && Object.hasOwn(document, 'plan');
}

/** What is wrong with a document that should be a plan. */
export interface PlanProblem {
  /** `plan[0].merge.limit` */
  readonly field: string;
  readonly message: string;
}

/** Reads a plan as {@link planRecord} writes it. */
export function readPlan(document: Json): { parts: readonly RowPlan[]; problems: readonly PlanProblem[] } {
  const problems: PlanProblem[] = unknownMembers(document, PLAN);
  const check = (isRight: boolean, field: string, message: string) => {
    if (!isRight) problems.push({ field, message });
  };
  const parts = isRecord(document) && isList(document.plan) ? document.plan : [];
  check(parts.length > 0, 'plan', 'must be a list of parts');
  const read = parts.map((part, index): RowPlan => {
    const at = `plan[${index}]`;
    const { queries, merge } = isRecord(part) ? part : {};
    const listed = isList(queries) ? queries : [];
    check(listed.length > 0, `${at}.queries`, 'must be a list of queries');
    check(listed.length < 2 || merge !== undefined, `${at}.merge`, 'is required with several queries');
    const own = listed.map((item, place): MigratedQuery => {
      const { label, query } = isRecord(item) ? item : {};
      check(typeof label === 'string', `${at}.queries[${place}].label`, 'must be text');
      check(isRecord(query), `${at}.queries[${place}].query`, 'must be a v2 query');
      for (const { field, message } of isRecord(query) ? problemsOf(query) : [])
        problems.push({ field: `${at}.queries[${place}].query.${field}`, message });
      return { label: String(label), query: query as unknown as Query };
    });
    if (merge === undefined) return { queries: own };
    const page = readMerge(merge, `${at}.merge`, check);
    // What is wrong with a query by itself may be all that is wrong.
    if (problems.length === 0) checkMergeable(own, page, at, check);
    return { queries: own, merge: page };
  });
  return { parts: read, problems };
}

type Check = (isRight: boolean, field: string, message: string) => void;

/** The rows of queries can be merged if they have the same columns and order, and none of them ends before the page of all does. */
function checkMergeable(
  queries: readonly MigratedQuery[],
  { sort, offset, limit }: Merge,
  at: string,
  check: Check,
): void {
  const rows = Math.min(offset + limit, QUERY_LIMIT_MAX);
  const columnsOf = ({ dimensions, metrics }: Query) => JSON.stringify([dimensions ?? [], metrics ?? []]);
  for (const [place, { query }] of queries.entries()) {
    const field = `${at}.queries[${place}].query`;
    const first = queries[0]?.query ?? query;
    check(columnsOf(query) === columnsOf(first), field, 'must have the columns of the first query');
    check(
      (query.offset ?? 0) === 0,
      `${field}.offset`,
      'must be 0: the rows of all queries are skipped together',
    );
    check(
      (query.limit ?? QUERY_LIMIT_DEFAULT) >= rows,
      `${field}.limit`,
      `must be ${rows}, as the page of all ends there`,
    );
    const [own] = query.sort ?? [];
    const isSorted = sort === undefined || (own?.column === sort.column && own.direction === sort.direction);
    check(
      isSorted,
      `${field}.sort`,
      `must be ${sort?.column} ${sort?.direction}, by which the rows are merged`,
    );
    const known = [...(query.dimensions ?? []), ...(query.metrics ?? [])];
    check(
      sort === undefined || known.includes(sort.column),
      `${at}.merge.sort.column`,
      'is no column of the queries',
    );
  }
}

function readMerge(json: Json, at: string, check: Check): Merge {
  check(isRecord(json), at, 'must be an object');
  const { sort, ...page } = isRecord(json) ? json : {};
  const [offset = -1, limit = -1] = [page.offset, page.limit].map(integerOf);
  check(offset >= 0, `${at}.offset`, 'must be an integer from 0');
  check(limit >= 1, `${at}.limit`, 'must be an integer from 1');
  if (sort === undefined) return { offset, limit };
  const { column, direction } = isRecord(sort) ? sort : {};
  check(typeof column === 'string', `${at}.sort.column`, 'must be the name of a column');
  check(direction === 'asc' || direction === 'desc', `${at}.sort.direction`, 'must be asc or desc');
  return { sort: { column: String(column), direction: String(direction) }, offset, limit };
}
