import { wholeNumberOf } from '../../apis/bda/fields.ts';
import { queryRows } from '../../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import { completenessOf, PAGE_REPEATED } from '../../export/export-audit.ts';
import { afterPage, NO_PROGRESS, nextPage, type Plan } from '../../export/plan.ts';
import type { Sender } from '../../http/sender.ts';
import { type JsonRecord, stringifyJson } from '../../json/index.ts';
import {
  type MergedRow,
  type MigratedQuery,
  mergeRows,
  queryRecord,
  type RowPlan,
} from '../../migrate/index.ts';
import { QUERY_LIMIT_DEFAULT, type Query } from '../../wire/bda-v2.ts';
import { collectRows, recordsOf } from '../rows/collect-rows.ts';
import type { RowWork } from '../rows/row-progress.ts';

/** All rows that a limited request selects, however many pages the server makes of them. */
export interface FetchedRows {
  readonly rows: readonly JsonRecord[];
  /** Total number of matching rows; undefined if the response has none. */
  readonly total: number | undefined;
  /** Why rows may be missing, one sentence each. */
  readonly flaws: readonly string[];
}

/** The rows of a part of a plan, merged. */
export interface PlannedRows {
  readonly rows: readonly MergedRow[];
  /** Total number of matching rows of all queries; undefined if one of them states none. */
  readonly total: number | undefined;
  /** Why rows may be missing, and of which query. */
  readonly flaws: readonly { readonly query: MigratedQuery; readonly flaw: string }[];
}

/** Fetches the rows of a v2 query within its limit. */
export type QueryFetcher = (query: Query) => Promise<FetchedRows>;

/** At most `limit` rows from `start`. */
function limitedPlan(start: number, limit: number): Plan {
  return { start, pageSize: limit, single: true };
}

/** Fetches rows of v2 from a gateway. */
export function queryFetcher(sender: Sender, site: BdaV2Site, work: RowWork): QueryFetcher {
  return async query => {
    const { limit = QUERY_LIMIT_DEFAULT, offset = 0 } = query;
    const source = queryRows(sender, site, queryRecord(query), { paged: false });
    const plan = limitedPlan(offset, limit);
    const { rows, stats, total } = await collectRows({ source, plan }, work, () => {});
    // A column that no row has is a difference, which the comparison names.
    const { flaws } = completenessOf({ ...stats, missing: new Map() });
    return { rows: recordsOf(rows), total, flaws };
  };
}

/** Runs the queries of a part of a plan and merges their rows as it says. */
export async function fetchPart(part: RowPlan, fetchQuery: QueryFetcher): Promise<PlannedRows> {
  const results: { query: MigratedQuery; found: FetchedRows }[] = [];
  for (const query of part.queries) results.push({ query, found: await fetchQuery(query.query) });
  const totals = results.map(({ found }) => found.total);
  return {
    rows: mergeRows(
      part,
      results.map(({ query, found }) => ({ query, rows: found.rows })),
    ),
    total: totals.every(total => total !== undefined)
      ? totals.reduce<number>((sum, total) => sum + (total ?? 0), 0)
      : undefined,
    flaws: results.flatMap(({ query, found }) => found.flaws.map(flaw => ({ query, flaw }))),
  };
}

/** A page of a v1 request: the members that it sends, if any, of `StartItem` and `MaxItems`. */
type PageV1 = Partial<Readonly<Record<'StartItem' | 'MaxItems', number>>>;

/**
 * Fetches the rows of a v1 request, whose shape may be any. It is sent as it is first; if the server returns fewer rows than its limit,
 * the next page shows whether they are all. A request without a limit is sent once.
 */
export async function fetchPagesV1(
  request: JsonRecord,
  fetchPage: (page: PageV1) => Promise<readonly JsonRecord[]>,
): Promise<FetchedRows> {
  const limit = wholeNumberOf(request.MaxItems) ?? 0;
  if (limit === 0) return { rows: await fetchPage({}), total: undefined, flaws: [] };
  const start = wholeNumberOf(request.StartItem) ?? 0;
  const plan = limitedPlan(start, limit);
  const rows: JsonRecord[] = [];
  const flaws: string[] = [];
  let before = '';
  let reached = NO_PROGRESS;
  for (let page = nextPage(plan, reached); page !== undefined; page = nextPage(plan, reached)) {
    const isFirst = page.offset === start;
    const found = await fetchPage(isFirst ? {} : { StartItem: page.offset, MaxItems: page.limit });
    const text = found.map(row => stringifyJson(row)).join();
    if (found.length > 0 && text === before) {
      flaws.push(PAGE_REPEATED);
      break;
    }
    before = text;
    if (found.length > page.limit) flaws.push('received more rows than requested');
    rows.push(...found.slice(0, page.limit));
    reached = afterPage(reached, Math.min(found.length, page.limit), undefined);
  }
  return { rows, total: undefined, flaws };
}
