import { pageOf, withTotalOrder } from '../../apis/bda-v2/query.ts';
import type { Plan } from '../../export/plan.ts';
import { integerOf, type JsonRecord } from '../../json/index.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX } from '../../wire/bda-v2.ts';

/** How all rows of a query are requested. */
export interface Paging extends Pick<Plan, 'pagesInFlight' | 'expectsPages'> {
  /** Rows per request; by default as many as the API allows. */
  readonly pageSize?: number | undefined;
}

/** A v2 query that is ready to be sent. */
export interface PlannedQuery {
  /** The query as the API takes it; with all rows, in a total order and without a limit. */
  readonly sent: JsonRecord;
  /** The body of its first request. */
  readonly first: JsonRecord;
  readonly plan: Plan;
  readonly paging: Paging;
  /** Whether all rows are requested, page by page. */
  readonly isPaged: boolean;
}

/**
 * Which rows of a query are requested, and in which order: all rows in pages, whose order ends in all dimensions so that pages neither
 * overlap nor leave gaps; or else one page, of the API's default size without a limit (spec, Endpoints D).
 */
export function planQuery(query: JsonRecord, isPaged: boolean, paging: Paging): PlannedQuery {
  const start = integerOf(query.offset) ?? 0;
  const limit = integerOf(query.limit);
  if (!isPaged) {
    const plan: Plan =
      limit === undefined
        ? { start, pageSize: QUERY_LIMIT_DEFAULT, single: true, endsByItself: true }
        : { start, pageSize: limit, single: true };
    return { sent: query, first: query, plan, paging, isPaged };
  }
  const { limit: _, ...unlimited } = query;
  const sent = withTotalOrder(unlimited);
  const plan = allRows(start, paging);
  return { sent, first: pageOf(sent, { offset: start, limit: plan.pageSize }), plan, paging, isPaged };
}

/** A plan for all rows, from an offset. */
export function allRows(start: number, { pageSize = QUERY_LIMIT_MAX, ...rest }: Paging): Plan {
  return { start, pageSize, ...rest };
}
