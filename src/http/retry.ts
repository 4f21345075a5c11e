import { RateLimitError } from '../errors/index.ts';
import { isTooLong, MOST_IN_FLIGHT } from './adaptive-limiter.ts';
import type { FailureKind } from './network-errors.ts';

const BASE_MS = 100;
const RATE_LIMIT_BASE_MS = 500;
const CAP_MS = 20_000;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Milliseconds to wait before the retry after `attempt` (0 for the first): full jitter below a ceiling that doubles each time and
 * starts higher after a rate limit.
 */
export function backoffMs(attempt: number, rateLimited: boolean, random: () => number): number {
  const ceiling = Math.min(CAP_MS, (rateLimited ? RATE_LIMIT_BASE_MS : BASE_MS) * 2 ** attempt);
  return Math.round(ceiling * random());
}

/**
 * Whether to retry after a failed attempt: a transient failure (429, 408, 5xx, a timeout, a broken connection) of an idempotent
 * request, or of any request of which no byte was sent, unless the server asks for a pause that is too long to wait for.
 */
export function isRetryable(
  { idempotent }: { readonly idempotent: boolean },
  { kind, retryAfter }: { readonly kind: FailureKind; readonly retryAfter?: number | undefined },
): boolean {
  return (kind === 'unsent' || (kind !== 'final' && idempotent)) && !isTooLong(retryAfter);
}

/** Whether a rate limit response asked for a pause that is too long to wait for, during which no request is sent. */
export function isLongPause(error: unknown): boolean {
  return error instanceof RateLimitError && isTooLong(error.request?.retryAfterMs);
}

/** Parses `Retry-After` (seconds or an HTTP date) as milliseconds from `now`; undefined if absent or invalid. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Date.parse takes many texts for dates: "in 7" for July 2001.
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * The retries left to one API. Each retry takes one and each success adds a quarter, so that ten thousand requests do not
 * multiply an outage, while occasional failures can always be retried. It lasts for three retries of all requests in flight: a server
 * that restarts breaks them all at once.
 */
export class RetryBudget {
  static readonly #CAPACITY = 3 * MOST_IN_FLIGHT;
  static readonly #REFILL = 0.25;
  #tokens = RetryBudget.#CAPACITY;

  succeeded(): void {
    this.#tokens = Math.min(RetryBudget.#CAPACITY, this.#tokens + RetryBudget.#REFILL);
  }

  refill(): void {
    this.#tokens = RetryBudget.#CAPACITY;
  }

  /** Takes one retry; false if none is left. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
