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

/** What an export has done, in whole pages: enough to go on from there. */
export interface Progress {
  readonly reached: Reached;
  readonly written: Written;
  /** The total that came with the first page. */
  readonly firstTotal: number | undefined;
}

export interface ExportOptions {
  readonly source: RowSource;
  readonly plan: Plan;
  readonly encoding: Encoding;
  /** Called once the first answer is there, so that a refused request touches nothing. */
  readonly openSink: () => Promise<RowSink>;
  readonly resume?: Progress | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How often a page that broke on the way is asked for again. */
  readonly retries: number;
  /** Rows and bytes made so far, those of an unfinished page included; may step back when a page comes again. */
  readonly onRows: OnRows;
  /** After each whole page; the next is written once it resolves. */
  readonly onPage: (progress: Progress) => Promise<void>;
}

export interface ExportResult {
  readonly progress: Progress;
  readonly stats: ExportStats;
}

/**
 * Brings rows from an API to a sink, page by page, in their order, while the next pages are on their way. A page that is cut
 * or broken is taken back and requested again. Throws RepeatedPageError, and what asking, reading and writing throw; the whole
 * pages until then were reported.
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
      // A response that waited for its turn may be cut for that alone: the page has all its attempts before it.
      if (isPrefetched) attempt -= 1;
      if (limited || !isPrefetched)
        await clock.sleep(backoffMs(Math.max(0, attempt), limited, clock.random), signal);
    }
  }
}

/** Where all rows are wanted, none can be dropped: whether the next page brings them again is not known. */
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
