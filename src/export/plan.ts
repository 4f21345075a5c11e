import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';

/** Default maximum of pages in flight: each page is a query of up to 100,000 rows. */
export const PAGES_IN_FLIGHT = 4;

/** The rows to request, and the size of pages. Offsets and counts are in rows. */
export interface Plan {
  /** The offset of the first row. */
  readonly start: number;
  readonly pageSize: number;
  /** Maximum number of rows; all rows by default. */
  readonly rowLimit?: number;
  /** `pageSize` is the maximum number of rows too: one request, and more only if the server returns fewer rows than there are. */
  readonly single?: boolean;
  /** One response has all rows, because it is not that of a server. */
  readonly isWhole?: boolean;
  /** How many matching rows come before those of that response. */
  readonly skipped?: number;
  /** Maximum pages in flight, including the current one; 1 requests one page after the other. */
  readonly pagesInFlight?: number | undefined;
  /** Whether several pages are likely before any response shows it; if so, they are requested together with the first. */
  readonly expectsPages?: boolean;
  /** Whether only a default limit ends the export, not one that the user set. */
  readonly endsByItself?: boolean;
}

/** How many matching rows come before those of a plan. */
export function skippedRows({ start, skipped = 0 }: Plan): number {
  return start + skipped;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The position after the pages so far. */
export interface FetchProgress {
  readonly pages: number;
  readonly rows: number;
  /** Rows of the previous page. */
  readonly lastRows: number;
  /** Total number of matching rows, including those before the start; undefined if no response has one. */
  readonly total: number | undefined;
}

export const NO_PROGRESS: FetchProgress = { pages: 0, rows: 0, lastRows: 0, total: undefined };

/** The position after a page of `rows` rows, with the total in its response. */
export function afterPage(reached: FetchProgress, rows: number, total: number | undefined): FetchProgress {
  return {
    pages: reached.pages + 1,
    rows: reached.rows + rows,
    lastRows: rows,
    total: total ?? reached.total,
  };
}

/**
 * The next page; undefined at the end. Its offset counts received rows, not requested ones, so that shortened pages leave no gap.
 */
export function nextPage(plan: Plan, reached: FetchProgress): Page | undefined {
  if (reached.pages > 0 && (plan.isWhole || !hasMore(plan, reached))) return undefined;
  const most = plan.rowLimit ?? (plan.single ? plan.pageSize : undefined);
  const left = most === undefined ? plan.pageSize : most - reached.rows;
  const limit = Math.min(plan.pageSize, left);
  return limit > 0 ? { offset: plan.start + reached.rows, limit } : undefined;
}

/**
 * How many rows of a response may be written. If all rows are requested, a server may send some rows of the next page early, but
 * at most one page of the largest size.
 */
export function mostRows({ rowLimit, single }: Plan, { limit }: Page): number {
  return rowLimit === undefined && single !== true ? Math.max(limit, QUERY_LIMIT_MAX) : limit;
}

/**
 * The pages that follow if the current one is as long as requested, or as the server's limit on the previous page; in order, at
 * most `most`. Without a plausible total there may be fewer.
 */
export function likelyPages(plan: Plan, reached: FetchProgress, current: Page, most: number): Page[] {
  const pages: Page[] = [];
  const total = plausibleTotal(plan, reached) ?? Number.POSITIVE_INFINITY;
  let after = reached;
  for (let page: Page | undefined = current; page !== undefined && pages.length <= most; ) {
    pages.push(page);
    const left = Math.max(0, total - page.offset);
    after = afterPage(after, Math.min(left, likelyRows(plan, after, page)), after.total);
    page = nextPage(plan, after);
  }
  return pages.slice(1, most + 1);
}

/** A page with a round number of rows was probably limited by the server, which will limit the next one too. */
function likelyRows({ rowLimit }: Plan, { lastRows }: FetchProgress, { limit }: Page): number {
  if (lastRows === 0 || !isLikelyCap(lastRows)) return limit;
  return rowLimit === undefined ? lastRows : Math.min(lastRows, limit);
}

/** The number of rows that the plan yields if the total is right; undefined without a total. */
export function expectedRows(plan: Plan, total: number | undefined): number | undefined {
  if (total === undefined) return undefined;
  const there = Math.max(0, total - plan.start);
  return Math.min(there, plan.rowLimit ?? (plan.single ? plan.pageSize : there));
}

/** Whether rows are announced after those so far, by the total of an empty response or by an earlier one. */
export function announcesMore(plan: Plan, reached: FetchProgress, total: number | undefined): boolean {
  return Math.max(total ?? 0, reached.total ?? 0) > plan.start + reached.rows;
}

/**
 * Whether rows are left out without the user's intention. Without a total, this is assumed if as many rows as requested were
 * received.
 */
export function leavesRows(plan: Plan, { rows, total }: Pick<FetchProgress, 'rows' | 'total'>): boolean {
  if (plan.endsByItself !== true) return false;
  return total === undefined ? rows >= (plan.rowLimit ?? plan.pageSize) : plan.start + rows < total;
}

/** The total; undefined also if it is smaller than what was received, and therefore wrong. */
export function plausibleTotal(plan: Plan, { rows, total }: FetchProgress): number | undefined {
  return total !== undefined && rows > 0 && plan.start + rows > total ? undefined : total;
}

function hasMore(plan: Plan, reached: FetchProgress): boolean {
  const { rows, lastRows } = reached;
  if (lastRows === 0) return false;
  const total = plausibleTotal(plan, reached);
  if (total !== undefined) return plan.start + rows < total;
  // Without a total, only a page without rows shows the end: a short one may be a limit of the server.
  return true;
}

/** A round number or a power of two may be a limit of the server. */
function isLikelyCap(rows: number): boolean {
  return rows % 50 === 0 || (rows >= 128 && Number.isInteger(Math.log2(rows)));
}
