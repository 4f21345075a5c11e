import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';

/** Maximum pages in flight where a plan says nothing: each is a query of up to 100,000 rows. */
export const PAGES_IN_FLIGHT = 4;

/** Which rows are asked for, and in what portions. Offsets and counts are rows. */
export interface Plan {
  /** The first row. */
  readonly start: number;
  readonly pageSize: number;
  /** Ends after so many rows; without it, with the last one there is. */
  readonly wanted?: number;
  /** Asks once, whatever comes. */
  readonly single?: boolean;
  /** Maximum pages in flight, the current one included; 1 for one after the other. */
  readonly pagesInFlight?: number | undefined;
  /** Several pages are likely, before any response shows it: those after the first are requested together with it. */
  readonly expectsPages?: boolean;
  /** It ends where nobody asked it to: after a number of rows that is only the usual one. */
  readonly endsByItself?: boolean;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** How far the pages have come. */
export interface Reached {
  readonly pages: number;
  readonly rows: number;
  /** Rows of the page before. */
  readonly lastRows: number;
  /** Rows that match in all, those before the start included; undefined where no answer said so. */
  readonly total: number | undefined;
}

export const NOTHING_REACHED: Reached = { pages: 0, rows: 0, lastRows: 0, total: undefined };

/** After a page of so many rows, with the total that came with it. */
export function afterPage(reached: Reached, rows: number, total: number | undefined): Reached {
  return {
    pages: reached.pages + 1,
    rows: reached.rows + rows,
    lastRows: rows,
    total: total ?? reached.total,
  };
}

/**
 * The page to ask for now; undefined when there is none. It begins after the rows that came, not after those that were asked
 * for: a server that cuts pages short leaves no gap.
 */
export function nextPage(plan: Plan, reached: Reached): Page | undefined {
  if (reached.pages > 0 && (plan.single || !hasMore(plan, reached))) return undefined;
  const left = plan.wanted === undefined ? plan.pageSize : plan.wanted - reached.rows;
  const limit = Math.min(plan.pageSize, left);
  return limit > 0 ? { offset: plan.start + reached.rows, limit } : undefined;
}

/**
 * How many rows of a response may be written. Where all rows are wanted, a server may send some of the next page early, but not more
 * than the largest page that the API has.
 */
export function mostRows({ wanted, single }: Plan, { limit }: Page): number {
  return wanted === undefined && single !== true ? Math.max(limit, QUERY_LIMIT_MAX) : limit;
}

/**
 * The pages that follow when the current one is as long as requested, or as the server cut the page before; in order, at most
 * `most`. Without a total there may be fewer.
 */
export function likelyPages(plan: Plan, reached: Reached, current: Page, most: number): Page[] {
  const pages: Page[] = [];
  let after = reached;
  for (let page: Page | undefined = current; page !== undefined && pages.length <= most; ) {
    pages.push(page);
    after = afterPage(after, likelyRows(plan, after, page), after.total);
    page = nextPage(plan, after);
  }
  return pages.slice(1, most + 1);
}

/** A page that ended at a round number was cut by the server, which will cut the next one there, too. */
function likelyRows({ wanted }: Plan, { lastRows }: Reached, { limit }: Page): number {
  if (lastRows === 0 || !isLikelyCap(lastRows)) return limit;
  return wanted === undefined ? lastRows : Math.min(lastRows, limit);
}

/** How many rows the plan brings when the total holds; undefined where no answer said how many there are. */
export function expectedRows(plan: Plan, total: number | undefined): number | undefined {
  if (total === undefined) return undefined;
  const there = Math.max(0, total - plan.start);
  return Math.min(there, plan.wanted ?? (plan.single ? plan.pageSize : there));
}

/**
 * Whether rows stay behind that nobody meant to leave. Without a total that is not known where as many came as were asked for, and
 * then it counts as so.
 */
export function leavesRows(plan: Plan, { rows, total }: Pick<Reached, 'rows' | 'total'>): boolean {
  if (plan.endsByItself !== true) return false;
  return total === undefined ? rows >= (plan.wanted ?? plan.pageSize) : plan.start + rows < total;
}

function hasMore(plan: Plan, { rows, lastRows, total }: Reached): boolean {
  if (lastRows === 0) return false;
  if (total !== undefined) return plan.start + rows < total;
  return lastRows >= plan.pageSize || isLikelyCap(lastRows);
}

/**
 * Without a total a short page is the last one. One that ends at a round number, or at a power of two, may as well be cut by a
 * server that hands out no more at once, and one more request tells.
 */
function isLikelyCap(rows: number): boolean {
  return rows % 50 === 0 || (rows >= 128 && Number.isInteger(Math.log2(rows)));
}
