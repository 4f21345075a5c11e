const BASE_MS = 100;
const LIMITED_BASE_MS = 500;
const CAP_MS = 20_000;

/** A server that asks for a longer pause than this is taken at its word: the call fails instead of waiting. */
export const RETRY_AFTER_CAP_MS = 60_000;

/**
 * Milliseconds to wait before the attempt after `attempt` (0 for the first): full jitter over a doubling ceiling, which
 * starts higher after a rate or concurrency answer.
 */
export function backoffMs(attempt: number, limited: boolean, random: () => number): number {
  const ceiling = Math.min(CAP_MS, (limited ? LIMITED_BASE_MS : BASE_MS) * 2 ** attempt);
  return Math.round(ceiling * random());
}

/** Reads `Retry-After` (seconds or an HTTP date) as milliseconds from `now`; undefined when absent or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Retries that the whole process may still spend. It drains with each retry and fills slowly with each success, so that
 * ten thousand requests do not multiply an outage, while one failure in five is ridden out for ever.
 */
export class RetryBudget {
  static readonly #CAPACITY = 50;
  static readonly #REFILL = 0.25;
  #tokens = RetryBudget.#CAPACITY;

  succeeded(): void {
    this.#tokens = Math.min(RetryBudget.#CAPACITY, this.#tokens + RetryBudget.#REFILL);
  }

  /** Takes one retry; false when none is left. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
