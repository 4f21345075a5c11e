import type { Clock } from '../http/clock.ts';
import { NoCapacityError, type RowStream } from '../http/gateway.ts';
import {
  type FetchProgress,
  likelyPages,
  PAGES_IN_FLIGHT,
  type Page,
  type Plan,
  plausibleTotal,
} from './plan.ts';
import type { RowSource } from './row-source.ts';

/** A page requested before its turn. Its bytes wait in the socket until they are read. */
interface PrefetchedPage {
  readonly page: Page;
  readonly response: Promise<RowStream>;
  /** Whether it is the first page, which was requested with all retries. */
  readonly isInTurn: boolean;
  /** Ends a response that is no longer needed. */
  drop(): void;
}

/** The response of the current page. */
interface OpenPage {
  readonly response: RowStream;
  /** Whether it was requested before its turn: a failure then does not count as an attempt. */
  readonly isPrefetched: boolean;
}

interface WindowOptions {
  readonly source: RowSource;
  readonly plan: Plan;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** With a faster server, pages that may not exist are not requested, because the gain would be small. */
const SLOW_MS = 50;

/**
 * Requests the current page and those that are likely to follow. A page ahead of its turn is requested once, and only if the
 * server accepts more requests. If that fails for any reason, it is requested again in its turn, so that the result is the same
 * as with one page after the other.
 */
export class PageWindow {
  readonly #options: WindowOptions;
  #ahead: PrefetchedPage[] = [];
  /** Offsets of pages ahead whose request failed. */
  readonly #failed = new Set<number>();
  /** Maximum pages ahead. */
  readonly #room: number;
  /** How many pages ahead may turn out not to exist while the total is unknown. */
  #guesses = 0;
  /** Whether the first response took so long that guessing further pages pays off. */
  #isSlow = false;
  /** Requests pages after the current one, as many as may be in flight. */
  #fillAgain: () => void = () => {};

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#room = (options.plan.pagesInFlight ?? PAGES_IN_FLIGHT) - 1;
  }

  /**
   * Requests the first page and, while a slow server prepares it, those that are known or likely to follow. Resolves when the
   * first response begins. Throws the errors of its request.
   */
  async begin(page: Page, reached: FetchProgress): Promise<void> {
    const { source, plan, clock } = this.#options;
    const began = clock.now();
    const isSlow = () => clock.now() - began >= SLOW_MS;
    const response = source.open(page);
    this.#ahead = [{ page, response, isInTurn: true, drop: () => dropLater(response) }];
    const hasBegun = new AbortController();
    const fillWhenSlow = () => {
      if (!isSlow()) return;
      if (plan.expectsPages === true) this.#guesses = this.#room;
      this.#fillAfter(page, reached);
      this.#fillAgain();
    };
    // Timers and clocks round to milliseconds, in either direction.
    clock.sleep(SLOW_MS + 2, hasBegun.signal).then(fillWhenSlow, () => {});
    try {
      await response;
    } finally {
      hasBegun.abort();
    }
    this.#isSlow = isSlow();
  }

  /**
   * The response of the page whose turn it is, requested now unless it was ahead; the pages after it are requested, too, as many as
   * may be in flight. `reached` is what was written before it. With `isAlone`, no pages are requested ahead until it is written: the
   * server refused it while others were in flight. Throws what the request throws.
   */
  async take(page: Page, reached: FetchProgress, isAlone = false): Promise<OpenPage> {
    const { source, plan, signal } = this.#options;
    const taken = this.#ahead.find(one => isSame(one.page, page));
    // After a page of unexpected length, the prefetched pages start at the wrong rows.
    const likely = likelyPages(plan, reached, page, this.#ahead.length + 1);
    const isLikely = (one: PrefetchedPage) => likely.some(other => isSame(one.page, other));
    const rest = this.#ahead.filter(one => one !== taken);
    this.#ahead = rest.filter(isLikely);
    const unlikely = rest.filter(one => !isLikely(one));
    for (const one of unlikely) one.drop();
    this.#failed.delete(page.offset);
    if (isAlone) this.#fillAgain = () => {};
    else this.#fillAfter(page, reached);
    // Guesses can wait for the response in turn; and what was dropped may be in flight for another moment.
    const fillNow = () => {
      if (plausibleTotal(plan, reached) !== undefined && unlikely.length === 0) this.#fillAgain();
    };
    if (taken !== undefined) {
      fillNow();
      try {
        const response = await taken.response;
        this.#fillAgain();
        return { response, isPrefetched: !taken.isInTurn };
      } catch {
        if (signal.aborted) throw signal.reason;
      }
    }
    const opening = source.open(page);
    fillNow();
    const response = await opening;
    this.#fillAgain();
    return { response, isPrefetched: false };
  }

  /** From now on, `#fillAgain` requests the pages after this one. */
  #fillAfter(page: Page, reached: FetchProgress): void {
    const { plan } = this.#options;
    this.#fillAgain = () => {
      const isKnown = plausibleTotal(plan, reached) !== undefined;
      const most = isKnown ? this.#room : Math.min(this.#guesses, this.#room);
      for (const next of likelyPages(plan, reached, page, most)) {
        if (this.#ahead.filter(({ isInTurn }) => !isInTurn).length >= most) return;
        const wasRequested = this.#failed.has(next.offset) || this.#ahead.some(one => isSame(one.page, next));
        if (!wasRequested) this.#prefetch(next);
      }
    };
  }

  /** Counts rows of the current page: the more there are, the more likely it is full and has pages after it. */
  onRows(rows: number, { limit }: Page): void {
    if (!this.#isSlow) return;
    const guesses = rows >= 0.75 * limit ? this.#room : rows >= 0.5 * limit ? 1 : 0;
    if (guesses <= this.#guesses) return;
    this.#guesses = guesses;
    this.#fillAgain();
  }

  /** The current page was written: if the total is unknown, the next one may be followed by more pages. */
  written(): void {
    this.#guesses = Math.max(1, 2 * this.#guesses);
    this.#fillAgain = () => {};
  }

  /** Ends all prefetched responses. */
  drop(): void {
    this.#fillAgain = () => {};
    for (const one of this.#ahead.splice(0)) one.drop();
  }

  #prefetch(page: Page): void {
    const dropped = new AbortController();
    const revoke = () => {
      const index = this.#ahead.indexOf(prefetched);
      if (index < 0) return false;
      this.#ahead.splice(index, 1);
      prefetched.drop();
      return true;
    };
    const response = this.#options.source.open(page, { signal: dropped.signal, revoke });
    const prefetched: PrefetchedPage = {
      page,
      response,
      isInTurn: false,
      drop() {
        dropped.abort(new Error('the page is no longer needed'));
        dropLater(response);
      },
    };
    this.#ahead.push(prefetched);
    response.then(
      () => this.#fillAgain(),
      error => {
        const index = this.#ahead.indexOf(prefetched);
        if (index < 0) return;
        this.#ahead.splice(index, 1);
        if (!(error instanceof NoCapacityError)) this.#failed.add(page.offset);
      },
    );
  }
}

function isSame(one: Page, other: Page): boolean {
  return one.offset === other.offset && one.limit === other.limit;
}

function dropLater(response: Promise<RowStream>): void {
  response.then(stream => stream.drop?.()).catch(() => {});
}
