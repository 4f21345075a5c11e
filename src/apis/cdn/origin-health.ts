/** One fetched page. */
interface FetchOutcome {
  /** Undefined where there was no response. */
  readonly status: number | undefined;
  /** Milliseconds to the last byte. */
  readonly ms: number;
}

/** Fetches that are looked back on. */
const WINDOW = 20;
/** Failures among them after which an origin is left alone. */
const MAX_FAILURES = 4;
/** An origin that takes so many times as long as at first, and longer than this, is slowing down. */
const SLOWER = 4;
const NOTABLE_MS = 500;

/** Decides from the responses of an origin whether it suffers. */
export class OriginHealth {
  readonly #recent: FetchOutcome[] = [];
  /** Times of the first fetches that succeeded. */
  readonly #first: number[] = [];

  /** Adds a fetch. Returns why no more should follow; undefined where nothing is wrong. */
  add(outcome: FetchOutcome): string | undefined {
    this.#recent.push(outcome);
    if (this.#recent.length > WINDOW) this.#recent.shift();
    if (!isFailure(outcome) && this.#first.length < WINDOW) this.#first.push(outcome.ms);
    const failures = this.#recent.filter(isFailure);
    if (failures.length >= MAX_FAILURES)
      return `${failures.length} of the last ${this.#recent.length} requests failed (${namesOf(failures)})`;
    if (this.#first.length < WINDOW || this.#recent.length < WINDOW) return undefined;
    const [before, now] = [median(this.#first), median(this.#recent.map(({ ms }) => ms))];
    if (now <= NOTABLE_MS || now <= before * SLOWER) return undefined;
    return `pages take ${Math.round(now)} ms, after ${Math.round(before)} ms at first`;
  }
}

/** A response of a server that fails, or that limits the rate of requests. */
function isFailure({ status }: FetchOutcome): boolean {
  return status === undefined || status >= 500 || status === 429;
}

function namesOf(failures: readonly FetchOutcome[]): string {
  const names = failures.map(({ status }) => (status === undefined ? 'no response' : `status ${status}`));
  return [...new Set(names)].join(', ');
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
