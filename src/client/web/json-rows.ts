import { columnsOf, pageOf } from '../../apis/bda-v2/query.ts';
import { fetchRows } from '../../apis/bda-v2/query-rows.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import { UsageError } from '../../errors/index.ts';
import type { ExportStats } from '../../export/export-audit.ts';
import { afterPage, expectedRows, leavesRows, mostRows, NO_PROGRESS, nextPage } from '../../export/plan.ts';
import { type JsonRecord, stringifyJson } from '../../json/index.ts';
import type { PlannedQuery } from '../../operations/query/plan-query.ts';
import { BatchedRows, type Limits } from '../batched-rows.ts';
import type { QueryRows } from '../bda.ts';
import type { Connection } from '../connection.ts';
import { conversionOf, withNumbers } from '../numbers.ts';
import type { RowsOptions } from '../rows.ts';

/** Rows of a page in memory: a tenth of what the API allows, for runtimes with 128 MB. */
const PAGE_ROWS = 10_000;

/** Rows of a v2 query, one JSON document after the other. */
class JsonRows<Row> extends BatchedRows<Row> {
  readonly #site: BdaV2Site;
  readonly #query: PlannedQuery;
  readonly #options: RowsOptions;

  constructor(connection: Connection, site: BdaV2Site, query: PlannedQuery, options: RowsOptions) {
    super(connection, options);
    this.#site = site;
    this.#query = query;
    this.#options = options;
  }

  protected override async *read({ sender }: Limits) {
    const { sent, plan, isPaged } = this.#query;
    const convert = conversionOf(this.#options.numbers ?? 'string');
    const counts = new RowCounts(this.#query);
    let reached = NO_PROGRESS;
    for (let page = nextPage(plan, reached); page !== undefined; page = nextPage(plan, reached)) {
      const body = !isPaged && reached.pages === 0 ? sent : pageOf(sent, page);
      const { rows, total } = await fetchRows(sender, this.#site, body);
      const kept = rows.slice(0, mostRows(plan, page));
      const surplus = rows.length - kept.length;
      if (counts.add(kept, total, surplus)) return counts.stats(reached.rows, reached.total);
      reached = afterPage(reached, kept.length, total);
      if (kept.length > 0) yield kept.map(row => withNumbers(row, convert) as Row);
    }
    return counts.stats(reached.rows, reached.total);
  }
}

/** What shows whether rows are complete. Rows of different pages are not compared with each other, except whole pages. */
class RowCounts {
  readonly #query: PlannedQuery;
  readonly #missing: Map<string, number>;
  #firstTotal: number | undefined;
  #otherTotal: number | undefined;
  #surplus = 0;
  #lastPage = '';
  #repeatsPage = false;

  constructor(query: PlannedQuery) {
    this.#query = query;
    this.#missing = new Map(columnsOf(query.sent).map(column => [column, 0]));
  }

  /** Returns true, and counts nothing, for a page that is the same as the one before it. */
  add(rows: readonly JsonRecord[], total: number | undefined, surplus: number): boolean {
    const page = stringifyJson([...rows]);
    this.#repeatsPage = rows.length > 0 && page === this.#lastPage;
    if (this.#repeatsPage) return true;
    this.#lastPage = page;
    this.#firstTotal ??= total;
    if (total !== this.#firstTotal) this.#otherTotal = total ?? this.#otherTotal;
    this.#surplus += surplus;
    for (const [column, count] of this.#missing)
      this.#missing.set(column, count + rows.filter(row => !Object.hasOwn(row, column)).length);
    return false;
  }

  stats(rows: number, total: number | undefined): ExportStats {
    const { plan } = this.#query;
    return {
      rows,
      expected: expectedRows(plan, total),
      firstTotal: this.#firstTotal,
      lastTotal: total,
      otherTotal: this.#otherTotal,
      isUncounted: total === undefined && rows !== plan.rowLimit,
      repeated: 0,
      sawAll: false,
      missing: new Map([...this.#missing].filter(([, count]) => count > 0)),
      extra: new Map(),
      surplus: this.#surplus,
      isCut: false,
      hasMoreRows: leavesRows(plan, { rows, total }),
      repeatsPage: this.#repeatsPage,
      dropped: false,
    };
  }
}

/** The rows of a v2 query, where bytes cannot be converted by WebAssembly. */
export const JSON_ROWS: QueryRows = {
  pageSize: PAGE_ROWS,
  open: (connection, site, query, options) => {
    if (options.pagesInFlight !== undefined)
      throw new UsageError('pagesInFlight is for Node only: here, one page is requested after the other', {
        code: 'invalid_value',
      });
    return new JsonRows(connection, site, query, options);
  },
};
