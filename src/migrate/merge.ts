import { Decimal } from 'decimal.js';
import { ownSpelling, scalarText } from '../apis/bda/fields.ts';
import type { JsonRecord } from '../json/index.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import type { MigratedQuery, PlanPart } from './migration.ts';
import { isNumberText } from './values.ts';

/** A row and the query that returned it. */
export interface MergedRow {
  readonly query: MigratedQuery;
  readonly row: JsonRecord;
}

/** What is run of a part of a plan. */
export type RowPlan = Pick<PlanPart, 'queries' | 'merge'>;

/** The rows of a query, in its order. */
interface QueryRows {
  readonly query: MigratedQuery;
  readonly rows: readonly JsonRecord[];
}

/**
 * The rows of a part of a plan: those of its only query, or the page of those of all its queries, merged by the sort column, else
 * appended. Of rows with equal values, those of the earlier query come first.
 */
export function mergeRows({ merge }: RowPlan, results: readonly QueryRows[]): MergedRow[] {
  const lists = results.map(({ query, rows }) => rows.map(row => ({ query, row })));
  if (merge === undefined) return lists.flat();
  const { sort, offset, limit } = merge;
  const all = sort === undefined ? lists.flat() : inOrder(lists, comparing(sort.column, sort.direction));
  return all.slice(offset, offset + limit);
}

/** Merges lists, each of which stays in its own order. */
function inOrder(
  lists: readonly (readonly MergedRow[])[],
  compare: (one: MergedRow, other: MergedRow) => number,
): MergedRow[] {
  const heads = lists.map(() => 0);
  const merged: MergedRow[] = [];
  for (;;) {
    let first: { readonly item: MergedRow; readonly list: number } | undefined;
    lists.forEach((items, list) => {
      const item = items[heads[list] ?? 0];
      if (item !== undefined && (first === undefined || compare(item, first.item) < 0))
        first = { item, list };
    });
    if (first === undefined) return merged;
    merged.push(first.item);
    heads[first.list] = (heads[first.list] ?? 0) + 1;
  }
}

/** Compares by a column: numbers by value, anything else as text. Null is the lowest value. */
function comparing(column: string, direction: string): (one: MergedRow, other: MergedRow) => number {
  const sign = direction === 'desc' ? -1 : 1;
  const textOf = ({ row }: MergedRow) => {
    const own = ownSpelling(row, column);
    return own === undefined ? undefined : scalarText(row[own]);
  };
  return (one, other) => {
    const [left, right] = [textOf(one), textOf(other)];
    if (left === right) return 0;
    if (left === undefined || right === undefined) return left === undefined ? -sign : sign;
    if (isNumberText(left) && isNumberText(right)) return sign * new Decimal(left).comparedTo(right);
    return left < right ? -sign : sign;
  };
}

/** A part with another page of its rows. */
export function withPage(part: PlanPart, { offset, limit }: { offset: number; limit: number }): PlanPart {
  const { merge, queries } = part;
  const paged = (page: object) => queries.map(one => ({ ...one, query: { ...one.query, ...page } }));
  if (merge === undefined) return { ...part, queries: paged({ offset, limit }) };
  const page = { limit: Math.min(offset + limit, QUERY_LIMIT_MAX) };
  return { ...part, queries: paged(page), merge: { ...merge, offset, limit } };
}

/** The page of rows that a part returns. */
export function pageOfPart({ merge, queries: [only] }: RowPlan): { offset: number; limit: number } {
  if (merge !== undefined) return { offset: merge.offset, limit: merge.limit };
  const { offset = 0, limit = QUERY_LIMIT_DEFAULT } = only?.query ?? {};
  return { offset, limit };
}
