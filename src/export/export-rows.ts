import { InvalidResponseError, RateLimitError } from '../errors/index.ts';
import type { Clock } from '../http/clock.ts';
import type { RowStream } from '../http/gateway.ts';
import { backoffMs } from '../http/retry.ts';
import { groupDigits } from '../terminal/numbers.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { ExportAudit, type ExportStats } from './export-audit.ts';
import { type Encoding, isRefetchable, type OnRows, PageRun, type Written } from './page-run.ts';
import { PageWindow } from './page-window.ts';
import {
  afterPage,
  mostRows,
  NOTHING_REACHED,
  nextPage,
  type Page,
  type Plan,
  type Reached,
} from './plan.ts';
import { RepeatedPageError } from './repeated-page-error.ts';
import type { RowSource } from './row-source.ts';
import type { RowSink } from './sink.ts';
import type { PageOfRows } from './transcode/transcoder.ts';

/** The progress of an export in complete pages: what is needed to resume. */
export interface Progress {
  readonly reached: Reached;
  readonly written: Written;
  /** The total in the first response. */
  readonly firstTotal: number | undefined;
}

export interface ExportOptions {
  readonly source: RowSource;
  readonly plan: Plan;
  readonly encoding: Encoding;
  /** Called after the first response began, so that a rejected request changes no file. */
  readonly openSink: () => Promise<RowSink>;
  readonly resume?: Progress | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Maximum retries of a page that broke off. */
  readonly retries: number;
  /** Rows and bytes written, including those of an incomplete page; may decrease when a page is requested again. */
  readonly onRows: OnRows;
  /** Called after each complete page; the next one is written once it resolves. */
  readonly onPage: (progress: Progress) => Promise<void>;
}

export interface ExportResult {
  readonly progress: Progress;
  readonly stats: ExportStats;
}

/**
 * Exports the rows of an API to a sink, page by page, in order, while the next pages are requested. A page that breaks off is
 * rolled back and requested again. Throws RepeatedPageError, and the errors of requesting, reading and writing; the complete
 * pages until then have been reported.
 */
export async function exportRows(options: ExportOptions): Promise<ExportResult> {
  const { source, plan, encoding, signal } = options;
  const pages = new PageWindow(options);
  try {
    let reached = options.resume?.reached ?? NOTHING_REACHED;
    let page = nextPage(plan, reached);
    if (page !== undefined) await pages.begin(page, reached);
    const sink = await options.openSink();
    const run = new PageRun(source, encoding, sink, options.resume?.written, (rows, bytes, received) => {
      if (page !== undefined) pages.rowsCame(rows - reached.rows, page);
      options.onRows(rows, bytes, received);
    });
    const findings = new ExportAudit(plan, source.hasTotal, options.resume);
    for (; page !== undefined; page = nextPage(plan, reached)) {
      signal.throwIfAborted();
      const end = await writePage(page, reached, run, pages, options);
      const total = source.total(end.metadata);
      reached = afterPage(reached, end.rows, total);
      pages.written();
      findings.add(end, total);
      if (findings.repeatsPage) throw new RepeatedPageError(page);
      await options.onPage({ reached, written: run.written, firstTotal: findings.firstTotal });
    }
    await run.end();
    const progress = { reached, written: run.written, firstTotal: findings.firstTotal };
    return { progress, stats: findings.stats(reached) };
  } finally {
    pages.drop();
  }
}

async function writePage(
  page: Page,
  reached: Reached,
  run: PageRun,
  pages: PageWindow,
  { plan, clock, signal, retries }: ExportOptions,
): Promise<PageOfRows> {
  for (let attempt = 0; ; attempt += 1) {
    const { response, isPrefetched } = await pages.take(page, reached);
    try {
      const end = await run.write(response, mostRows(plan, page));
      if (end.surplus > 0 && mostRows(plan, page) > page.limit) throw tooManyRows(page, response);
      return end;
    } catch (error) {
      const limited = error instanceof RateLimitError;
      if (signal.aborted) throw signal.reason;
      if (!(limited || isRefetchable(error)) || (attempt >= retries && !isPrefetched)) throw error;
      await run.takeBack();
      // A prefetched response may break off only because it waited, so it does not count as an attempt.
      if (isPrefetched) attempt -= 1;
      if (limited || !isPrefetched)
        await clock.sleep(backoffMs(Math.max(0, attempt), limited, clock.random), signal);
    }
  }
}

/** If all rows are requested, surplus rows must not be dropped: whether the next page has them again is unknown. */
function tooManyRows({ limit }: Page, { request }: RowStream): InvalidResponseError {
  const most = groupDigits(Math.max(limit, QUERY_LIMIT_MAX));
  return new InvalidResponseError(
    `more than ${most} rows received where ${groupDigits(limit)} were requested`,
    {
      request,
      code: 'too_many_rows',
    },
  );
}
