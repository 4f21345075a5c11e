import { InvalidResponseError, PartialError, RateLimitError } from '../errors/index.ts';
import type { Clock } from '../http/clock.ts';
import type { RowStream } from '../http/gateway.ts';
import { backoffMs } from '../http/retry.ts';
import { groupDigits, pluralize } from '../terminal/numbers.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { ExportAudit, type ExportStats, mergedStats } from './export-audit.ts';
import { type Encoding, isRefetchable, type OnRows, PageRun, type Written } from './page-run.ts';
import { PageWindow } from './page-window.ts';
import {
  afterPage,
  announcesMore,
  type FetchProgress,
  mostRows,
  NO_PROGRESS,
  nextPage,
  type Page,
  type Plan,
} from './plan.ts';
import type { RowSource } from './row-source.ts';
import type { ReceivingSink, RowSink } from './sink.ts';
import type { PageOfRows } from './transcode/transcoder.ts';

/** The progress of an export in complete pages: what is needed to resume. */
export interface Progress {
  /** How many parts before the current one are complete; undefined for none. */
  readonly partsDone?: number;
  /** How far the current part has come. */
  readonly reached: FetchProgress;
  readonly written: Written;
  /** The total in the first response. */
  readonly firstTotal: number | undefined;
}

/** Rows of one source. */
export interface Part {
  readonly source: RowSource;
  readonly plan: Plan;
}

export interface ExportOptions extends Part {
  /** Parts that follow the first one in the same document. Their sources have the same API and columns. */
  readonly otherParts?: readonly Part[] | undefined;
  /** How rows are written to a sink that does not take them itself. */
  readonly encoding: Encoding;
  /** Called after the first response began, so that a rejected request changes no file. */
  readonly openSink: () => Promise<RowSink | ReceivingSink>;
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
  /** Of all parts that this run exported. */
  readonly stats: ExportStats;
  /** Of each part; undefined for one that an earlier run completed. */
  readonly partStats: readonly (ExportStats | undefined)[];
}

/**
 * Exports the rows of an API to a sink, page by page, in order, and part after part, while the next pages are requested. A page that
 * breaks off is rolled back and requested again; so is a page without rows although more are announced, once. Throws RepeatedPageError,
 * and the errors of requesting, reading and writing; the complete pages until then have been reported.
 */
export async function exportRows(options: ExportOptions): Promise<ExportResult> {
  const { source, plan, otherParts = [], encoding, resume } = options;
  const parts: readonly Part[] = [{ source, plan }, ...otherParts];
  let onRows: OnRows = options.onRows;
  let run: PageRun | undefined;
  const openRun = async (): Promise<PageRun> => {
    run ??= new PageRun(source, encoding, await options.openSink(), resume?.written, (...counts) =>
      onRows(...counts),
    );
    return run;
  };
  const partStats: (ExportStats | undefined)[] = [];
  const totals = { areTooHigh: false };
  let reached = NO_PROGRESS;
  let firstTotal: number | undefined;
  for (const [index, part] of parts.entries()) {
    if (index < (resume?.partsDone ?? 0)) {
      partStats.push(undefined);
      continue;
    }
    const isResumed = index === (resume?.partsDone ?? 0);
    const done = await exportPart(
      { ...options, ...part, resume: isResumed ? resume : undefined },
      { openRun, onRows: listener => (onRows = listener), totals },
      index,
    );
    ({ reached, firstTotal } = done);
    partStats.push(done.stats);
  }
  const lastRun = await openRun();
  await lastRun.end();
  const { written } = lastRun;
  const done = parts.length - 1;
  const progress = { ...(done > 0 && { partsDone: done }), reached, written, firstTotal };
  return { progress, stats: mergedStats(partStats, written.position.rows), partStats };
}

interface PartRun {
  /** Opens the sink when it is first called. */
  readonly openRun: () => Promise<PageRun>;
  readonly onRows: (listener: OnRows) => void;
  readonly totals: Totals;
}

/** What the pages so far say about the totals of all parts. */
interface Totals {
  /** Whether a page was empty twice before the announced end: then the next empty page is the end. */
  areTooHigh: boolean;
}

interface ExportedPart {
  readonly reached: FetchProgress;
  readonly firstTotal: number | undefined;
  readonly stats: ExportStats;
}

async function exportPart(
  options: ExportOptions,
  { openRun, onRows, totals }: PartRun,
  partsDone: number,
): Promise<ExportedPart> {
  const { source, plan, signal } = options;
  const pages = new PageWindow(options);
  try {
    let reached = options.resume?.reached ?? NO_PROGRESS;
    let page = nextPage(plan, reached);
    if (page !== undefined) await pages.begin(page, reached);
    const run = await openRun();
    const earlierRows = run.written.position.rows - reached.rows;
    onRows((rows, bytes, received) => {
      if (page !== undefined) pages.onRows(rows - earlierRows - reached.rows, page);
      options.onRows(rows, bytes, received);
    });
    const findings = new ExportAudit(plan, source.hasTotal, options.resume);
    for (; page !== undefined; page = nextPage(plan, reached)) {
      signal.throwIfAborted();
      const end = await writePage(page, reached, run, pages, totals, options);
      const total = source.total(end.metadata);
      reached = afterPage(reached, end.rows, total);
      pages.written();
      findings.add(end, total);
      if (findings.repeatsPage) throw new RepeatedPageError(page, end);
      const { firstTotal } = findings;
      await options.onPage({
        ...(partsDone > 0 && { partsDone }),
        reached,
        written: run.written,
        firstTotal,
      });
    }
    return {
      reached,
      firstTotal: findings.firstTotal,
      stats: findings.stats(reached, source.repeatsPage?.() ?? false),
    };
  } finally {
    pages.drop();
  }
}

async function writePage(
  page: Page,
  reached: FetchProgress,
  run: PageRun,
  pages: PageWindow,
  totals: Totals,
  { source, plan, clock, signal, retries }: ExportOptions,
): Promise<PageOfRows> {
  let wasLimited = false;
  let wasEmpty = false;
  for (let attempt = 0; ; attempt += 1) {
    const { response, isPrefetched } = await pages.take(page, reached, wasLimited);
    try {
      const end = await run.write(response, mostRows(plan, page));
      if (end.surplus > 0 && mostRows(plan, page) > page.limit) throw tooManyRows(page, response);
      const isEarlyEnd = end.rows === 0 && announcesMore(plan, reached, source.total(end.metadata));
      if (!isEarlyEnd) return end;
      totals.areTooHigh ||= wasEmpty;
      if (totals.areTooHigh || attempt >= retries) return end;
      wasEmpty = true;
      await clock.sleep(backoffMs(attempt, false, clock.random), signal);
    } catch (error) {
      const limited = error instanceof RateLimitError;
      wasLimited = limited;
      if (signal.aborted) throw signal.reason;
      if (!(limited || isRefetchable(error)) || (attempt >= retries && !isPrefetched)) throw error;
      await run.rollback();
      // A prefetched response may break off only because it waited, so it does not count as an attempt.
      if (isPrefetched) attempt -= 1;
      const pause = backoffMs(Math.max(0, attempt), limited, clock.random);
      if (limited) response.onRateLimited?.(pause);
      if (limited || !isPrefetched) await clock.sleep(pause, signal);
    }
  }
}

/** If all rows are requested, surplus rows must not be dropped: whether the next page has them again is unknown. */
function tooManyRows({ limit }: Page, { request }: RowStream): InvalidResponseError {
  const most = groupDigits(Math.max(limit, QUERY_LIMIT_MAX));
  return new InvalidResponseError(
    `more than ${most} rows received where ${groupDigits(limit)} were requested`,
    { request, code: 'too_many_rows' },
  );
}

/** A server that ignores the offset returns the same rows for every page. Nothing is kept, because resuming would repeat them. */
export class RepeatedPageError extends PartialError {
  override readonly name = 'RepeatedPageError';
  constructor({ offset }: Page, { rows }: PageOfRows) {
    super(
      `the page of ${pluralize(rows, 'row')} from offset ${groupDigits(offset)} repeats the page before it: the server ignores the offset`,
      { code: 'page_repeated' },
    );
  }
}
