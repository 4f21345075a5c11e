import { wholeNumberOf } from '../../../apis/bda/fields.ts';
import { completenessOf, PAGE_REPEATED } from '../../../export/export-audit.ts';
import { afterPage, NO_PROGRESS, nextPage, type Plan } from '../../../export/plan.ts';
import type { RowSource } from '../../../export/row-source.ts';
import { type JsonRecord, stringifyJson } from '../../../json/index.ts';
import { collectRows, recordsOf } from '../../../operations/rows/collect-rows.ts';
import { QUERY_LIMIT_DEFAULT } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { rowWork } from '../output/row-work.ts';

/** All rows that a limited request selects, however many pages the server makes of them. */
export interface FetchedRows {
  readonly rows: readonly JsonRecord[];
  /** Total number of matching rows; undefined if the response has none. */
  readonly total: number | undefined;
  /** Why rows may be missing, one sentence each. */
  readonly flaws: readonly string[];
}

/** At most `limit` rows from `start`. */
export function limitedPlan(start: number, limit: number): Plan {
  return { start, pageSize: limit, single: true };
}

/** Fetches the rows of a source. */
export async function fetchAllRows(
  part: { readonly source: RowSource; readonly plan: Plan },
  context: Context,
): Promise<FetchedRows> {
  const { rows, stats, total } = await collectRows(part, await rowWork(context), () => {});
  // A column that no row has is a difference, which the comparison names.
  const { flaws } = completenessOf({ ...stats, missing: new Map() });
  return { rows: recordsOf(rows), total, flaws };
}

/** Fetches the rows of a v1 request, whose shape may be any, page by page: its own limit may be more than the server returns at once. */
export async function fetchPagesV1(
  request: JsonRecord,
  fetchPage: (page: { StartItem: number; MaxItems: number }) => Promise<readonly JsonRecord[]>,
): Promise<FetchedRows> {
  const start = wholeNumberOf(request.StartItem) ?? 0;
  const plan = limitedPlan(start, wholeNumberOf(request.MaxItems) ?? QUERY_LIMIT_DEFAULT);
  const rows: JsonRecord[] = [];
  const flaws: string[] = [];
  let before = '';
  let reached = NO_PROGRESS;
  for (let page = nextPage(plan, reached); page !== undefined; page = nextPage(plan, reached)) {
    const found = await fetchPage({ StartItem: page.offset, MaxItems: page.limit });
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
