import { InvalidResponseError, RateLimitError } from '../errors/index.ts';
import type { Clock } from '../http/clock.ts';
import type { RowStream } from '../http/gateway.ts';
import { backoffMs } from '../http/retry.ts';
import { groupDigits } from '../terminal/numbers.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { ExportAudit, type ExportStats } from './export-audit.ts';
import { type Encoding, isRefetchable, type OnRows, PageRun, type Written } from './page-run.ts';
import {
  afterPage,
  likelyNextPage,
  mostRows,
  NOTHING_REACHED,
  nextPage,
  type Page,
  type Plan,
  type Reached,
} from './plan.ts';
import { PrefetchedPage } from './prefetched-page.ts';
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
  readonly remarks: ExportStats;
}

/**
 * Brings rows from an API to a sink, page by page, while at most one page is asked for ahead. A page that is cut or broken is
 * taken back and asked for again. Throws RepeatedPageError, and what asking, reading and writing throw; the whole pages until then were reported.
 */
export async function exportRows(options: ExportOptions): Promise<ExportResult> {
  const { source, plan, encoding, signal } = options;
  const asking = new Asking(options);
  try {
    let reached = options.resume?.reached ?? NOTHING_REACHED;
    let page = nextPage(plan, reached);
    if (page !== undefined) await asking.begin(page);
    const sink = await options.openSink();
    const run = new PageRun(source, encoding, sink, options.resume?.written, options.onRows);
    const findings = new ExportAudit(plan, source.hasTotal, options.resume);
    for (; page !== undefined; page = nextPage(plan, reached)) {
      signal.throwIfAborted();
      const end = await writePage(page, reached, run, asking, options);
      const total = source.total(end.metadata);
      reached = afterPage(reached, end.rows, total);
      findings.add(end, total);
      if (findings.repeatsPage) throw new RepeatedPageError(page);
      await options.onPage({ reached, written: run.written, firstTotal: findings.firstTotal });
    }
    await run.end();
    const progress = { reached, written: run.written, firstTotal: findings.firstTotal };
    return { progress, remarks: findings.remarks(reached) };
  } finally {
    asking.drop();
  }
}

async function writePage(
  page: Page,
  reached: Reached,
  run: PageRun,
  asking: Asking,
  { plan, clock, signal, retries }: ExportOptions,
): Promise<PageOfRows> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await asking.answer(page);
    const following = likelyNextPage(plan, reached, page);
    if (following !== undefined) asking.ahead(following);
    try {
      const end = await run.write(answer, mostRows(plan, page));
      if (end.surplus > 0 && mostRows(plan, page) > page.limit) throw tooManyRows(page, answer);
      return end;
    } catch (error) {
      const limited = error instanceof RateLimitError;
      if (signal.aborted) throw signal.reason;
      if (attempt >= retries || !(limited || isRefetchable(error))) throw error;
      await run.takeBack();
      await clock.sleep(backoffMs(attempt, limited, clock.random), signal);
    }
  }
}

/** Where all rows are wanted, none can be dropped: whether the next page brings them again is not known. */
function tooManyRows({ limit }: Page, { request }: RowStream): InvalidResponseError {
  const most = groupDigits(Math.max(limit, QUERY_LIMIT_MAX));
  return new InvalidResponseError(`more than ${most} rows came where ${groupDigits(limit)} were requested`, {
    request,
    code: 'too_many_rows',
  });
}

/** Asks for pages, at most one of them ahead. */
class Asking {
  readonly #source: RowSource;
  #ahead: PrefetchedPage | undefined;
  #mayAskAhead = true;

  constructor({ source }: ExportOptions) {
    this.#source = source;
  }

  /** Asks for the first page and waits for its answer to begin. Throws what asking throws. */
  async begin(page: Page): Promise<void> {
    this.#ahead = new PrefetchedPage(page, this.#source.open(page));
    await this.#ahead.take();
  }

  ahead(page: Page): void {
    if (!this.#mayAskAhead || this.#ahead?.is(page)) return;
    this.drop();
    this.#ahead = new PrefetchedPage(page, this.#source.open(page));
  }

  async answer(page: Page): Promise<RowStream> {
    const ahead = this.#ahead;
    if (ahead?.is(page) !== true) {
      // A page that comes again leaves the one after it alone; after a page that came short, that one begins too late.
      if (ahead?.follows(page) !== true) this.drop();
      return await this.#source.open(page);
    }
    this.#ahead = undefined;
    try {
      return await ahead.take();
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      // Two at once were too many for this account: from here on one after the other.
      this.#mayAskAhead = false;
      return await this.#source.open(page);
    }
  }

  drop(): void {
    this.#ahead?.drop();
    this.#ahead = undefined;
  }
}
