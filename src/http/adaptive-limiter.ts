import type { Clock } from './clock.ts';

/** How many requests may be in flight at first, and at most. */
const START = 4;
export const MOST_IN_FLIGHT = 64;

/** Maximum pause to wait for, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000;

/** The longest that a response may keep requests from the server, in milliseconds; then one shows whether it accepts them again. */
const MOST_PAUSE_MS = 300_000;

/** Minimum number of latencies for a meaningful median. */
const SMALLEST_WINDOW = 4;
/** A median up to this multiple of the best one counts as unchanged, because clocks round to milliseconds. */
const STEADY = 1.25;
const STEADY_MS = 2;
/** A median of this multiple of the best one, twice in a row, shows an overloaded server. */
const OVERLOADED = 2;
/** A higher limit must multiply the requests per second by at least this. */
const WORTHWHILE = 1.1;
/** How fast the best median decays, because the amount of data and the load of the server change. */
const FORGET = 0.1;

/** Responses and failures by which a limit is judged, and the fewest of them. */
const SAMPLE = 16;
const SMALLEST_SAMPLE = 8;
/** A server that fails more than this share of the requests, and responds to others, has too many in flight. */
const FAILING = 1 / 4;
/** The same under a limit that was just raised, with at least two failures: the previous one had less. */
const FAILING_RAISED = 1 / 8;
const SMALLEST_SAMPLE_RAISED = 4;

/** Growth beyond a limit that once proved too high; a smaller step could not be measured. */
const CAREFUL_GROWTH = 1.25;
/** While a request waits for more than this multiple of the median, and this long, the limit does not grow. */
const OVERDUE = 8;
const OVERDUE_MS = 100;

/** How long to avoid a limit that proved too high, the first time and repeatedly. */
const CEILING_MS = 30_000;
const CEILING_MAX_MS = 600_000;

export interface LimiterOptions {
  readonly start?: number;
  readonly most?: number;
}

/** Allows one request in flight, until it is released. */
export interface Permit {
  /** The epoch of the limit that granted it; latencies of different epochs are not compared. */
  readonly epoch: number;
  /** Cancels a request that was sent ahead of its turn; returns false if its turn has come. */
  readonly revoke: (() => boolean) | undefined;
}

interface Waiter {
  /** Whether its caller waits for a limited time. */
  readonly hasDeadline: boolean;
  readonly grant: () => void;
  readonly refuse: (error: Error) => void;
}

/** The error of a request that is not sent during a pause, with the milliseconds that are left of it. */
export type Refusal = (leftMs: number) => Error;

/** Whether a pause is too long to wait for: requests fail during it instead. */
export function isTooLong(pauseMs = 0): boolean {
  return pauseMs > LONGEST_PAUSE_MS;
}

/** Responses and failures under the current limit, since the last complete sample. */
interface Sample {
  total: number;
  failures: number;
}

/** Rate limit responses, or failures, under one limit that was then lowered. */
interface Refusals {
  /** The first epoch after them. */
  readonly epoch: number;
  readonly inFlight: number;
  count: number;
}

interface Level {
  readonly limit: number;
  readonly median: number;
}

/**
 * Decides how many requests to one server may be in flight. The limit doubles as long as the median latency does not rise, and
 * decreases if a higher limit did not raise the throughput. A rate limit response pauses all requests, and unless its request was
 * alone, halves the limit and sets a ceiling at what the server accepted. So do failures of a part of the requests, without the pause:
 * many servers and proxies refuse a request too many with a 503, or close its connection. Ceilings expire, and then the limit grows
 * slowly. Waiting requests are served in order, those with a deadline the newest first. During a pause that is too long to wait for, all
 * requests are refused, for five minutes at most.
 */
export class AdaptiveLimiter {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #waiting: Waiter[] = [];
  readonly #issued = new Set<Permit>();
  /** When the requests without a response were sent, oldest first. */
  readonly #unanswered = new Map<Permit, number>();
  /** Held permits that were revoked and not yet released. */
  readonly #revoked = new Set<Permit>();
  #limit: number;
  #epoch = 0;
  /** A clock may show a time before 1970. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** The error of requests during a pause that is too long to wait for. */
  #refusal: (() => Error) | undefined;
  #pause: AbortController | undefined;
  #latencies: number[] = [];
  /** Maximum in flight under the current limit: an unused limit cannot be judged by latencies. */
  #peak = 0;
  #best = Number.POSITIVE_INFINITY;
  /** Consecutive windows with the latency of an overloaded server. */
  #overloads = 0;
  /** The previous limit, while the effect of the change is not measured yet. */
  #before: Level | undefined;
  #ceiling: { readonly limit: number; readonly until: number; readonly lasts: number } | undefined;
  #refusals: Refusals | undefined;
  #sample: Sample = { total: 0, failures: 0 };
  /** The limit before the last increase; undefined once the current one has served a sample. */
  #proven: number | undefined;
  /** Whether the current limit has not served a sample yet. */
  #isUnproven = true;

  constructor(clock: Clock, { start = START, most = MOST_IN_FLIGHT }: LimiterOptions = {}) {
    this.#clock = clock;
    this.#limit = Math.min(start, most);
    this.#most = most;
  }

  /** How many requests may be in flight now. */
  get limit(): number {
    return this.#limit;
  }

  /** A permit if a request may be sent now. Throws the signal's reason if it was aborted, and the refusal during a long pause. */
  tryAcquire(signal: AbortSignal): Permit | undefined {
    signal.throwIfAborted();
    const left = this.#pausedUntil - this.#clock.now();
    if (this.#refusal !== undefined && isTooLong(left)) throw this.#refusal();
    return this.#isFree ? this.#grant(undefined) : undefined;
  }

  /**
   * Waits until a request may be sent; every permit must be released. Rejects with the signal's reason when it aborts first, and with
   * the refusal when a long pause begins. Of requests with a deadline the newest is sent first: with more of them than the server
   * accepts, those that waited longest would have no time left for their response, and in the end none would.
   */
  async acquire(signal: AbortSignal, hasDeadline = false): Promise<Permit> {
    const free = this.tryAcquire(signal);
    if (free !== undefined) return free;
    return await new Promise((resolve, reject) => {
      const waiter: Waiter = {
        hasDeadline,
        grant: () => {
          signal.removeEventListener('abort', leave);
          resolve(this.#grant(undefined));
        },
        refuse: error => {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        if (this.#waiting.length === 0) this.#pause?.abort();
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const place = hasDeadline ? this.#waiting.findIndex(each => each.hasDeadline) : -1;
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, waiter);
      this.#serve();
    });
  }

  /**
   * A permit for a request ahead of its turn; undefined if another request waits. `revoke` is called when another request needs
   * the permit: it returns whether the request was cancelled, and the permit must then be released.
   */
  acquireAhead(revoke: () => boolean): Permit | undefined {
    return this.#isFree ? this.#grant(revoke) : undefined;
  }

  release(permit: Permit): void {
    this.#revoked.delete(permit);
    this.#unanswered.delete(permit);
    if (this.#issued.delete(permit)) this.#serve();
  }

  /** Records the latency of a successful response. */
  succeeded(permit: Permit, latencyMs: number): void {
    const { epoch } = permit;
    this.#unanswered.delete(permit);
    if (epoch !== this.#epoch) return;
    this.#count(0);
    this.#latencies.push(latencyMs);
    if (this.#latencies.length < Math.max(SMALLEST_WINDOW, this.#limit)) return;
    const median = medianOf(this.#latencies);
    this.#latencies = [];
    this.#adjust(median);
    this.#serve();
  }

  /**
   * Records a failure that may be due to the number of requests in flight: a 5xx, or a connection that broke. Call it before
   * `release`. If all requests fail, the server is down, and fewer of them would only delay the error.
   */
  failed({ epoch }: Permit): void {
    const known = this.#refusals;
    if (known !== undefined && epoch === known.epoch - 1) {
      known.count += 1;
      this.#lowerCeiling(known);
    }
    if (epoch !== this.#epoch) return;
    const sample = this.#count(1);
    const tooMany = this.#isUnproven ? sample.total * FAILING_RAISED : sample.total * FAILING;
    const least = this.#isUnproven ? SMALLEST_SAMPLE_RAISED : SMALLEST_SAMPLE;
    const isOverloaded = sample.total >= least && sample.failures >= 2 && sample.failures > tooMany;
    const isDown = this.#proven === undefined && sample.failures === sample.total;
    if (!isOverloaded || isDown || this.#limit === 1) return;
    this.#lower(this.#proven ?? Math.floor(this.#limit / 2), this.#issued.size, sample.failures);
  }

  /**
   * Records a request that hung while others were answered, as with a server that accepts more connections than it serves: fewer
   * are in flight afterwards. Call it before `release`.
   */
  hung({ epoch }: Permit): void {
    const inFlight = this.#issued.size;
    const limit = Math.max(1, Math.min(this.#limit, inFlight) - 1);
    const known = this.#refusals;
    if (known === undefined || epoch >= known.epoch || this.#ceiling === undefined) {
      this.#lower(limit, inFlight, 1);
      return;
    }
    // It was sent together with others that hung.
    this.#setLimit(limit);
    this.#ceiling = { ...this.#ceiling, limit };
  }

  /**
   * Records a rate limit response: no request is sent for `ms` milliseconds, or five minutes if that is less, and fewer are in flight
   * afterwards. If that is too long to wait for, requests that wait and later ones fail with `refusal`. Call it before `release`.
   */
  backOff({ epoch }: Permit, ms: number, refusal?: Refusal): void {
    const now = this.#clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(ms, MOST_PAUSE_MS));
    if (refusal !== undefined && isTooLong(ms)) {
      this.#refusal = () => refusal(now + ms - this.#clock.now());
      for (const waiter of this.#waiting.splice(0)) waiter.refuse(refusal(ms));
      this.#pause?.abort();
    }
    const known = this.#refusals;
    if (known !== undefined && epoch < known.epoch) {
      // It was sent before the limit was lowered, so it only shows how many requests the server accepted.
      known.count += 1;
      this.#lowerCeiling(known);
      return;
    }
    const inFlight = this.#issued.size;
    // Alone, it shows that they came too fast, and not how many at once are too many.
    if (inFlight <= 1 && this.#limit > 1) return;
    this.#lower(Math.max(1, Math.floor(Math.min(this.#limit, inFlight) / 2)), inFlight, 1);
  }

  /** Ends a pause; requests that wait for it are sent. */
  endPause(): void {
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
    this.#refusal = undefined;
    this.#pause?.abort();
  }

  /** Lowers the limit because the server refused `count` of the requests in flight. */
  #lower(limit: number, inFlight: number, count: number): void {
    this.#setLimit(limit);
    this.#best = Number.POSITIVE_INFINITY;
    this.#before = undefined;
    this.#refusals = { epoch: this.#epoch, inFlight, count };
    this.#setCeiling(Math.max(limit, inFlight - count));
  }

  /** Adds a response or a failure to the sample, and begins another one when it is complete. */
  #count(failures: 0 | 1): Sample {
    if (this.#sample.total >= Math.max(SAMPLE, this.#limit)) {
      this.#sample = { total: 0, failures: 0 };
      this.#isUnproven = false;
      this.#proven = undefined;
    }
    this.#sample.total += 1;
    this.#sample.failures += failures;
    return this.#sample;
  }

  get #isFree(): boolean {
    return (
      this.#waiting.length === 0 &&
      this.#issued.size < this.#limit &&
      this.#clock.now() >= this.#pausedUntil &&
      this.#pause === undefined
    );
  }

  #grant(revoke: (() => boolean) | undefined): Permit {
    const permit = { epoch: this.#epoch, revoke };
    this.#issued.add(permit);
    this.#unanswered.set(permit, this.#clock.now());
    this.#peak = Math.max(this.#peak, this.#issued.size);
    return permit;
  }

  #serve(): void {
    if (this.#waiting.length === 0 || this.#pause !== undefined) return;
    const pause = this.#pausedUntil - this.#clock.now();
    if (pause > 0) {
      this.#serveAfter(pause);
      return;
    }
    while (this.#issued.size < this.#limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next.grant();
    }
    this.#revokeNewest();
  }

  async #serveAfter(ms: number): Promise<void> {
    const until = this.#pausedUntil;
    const pause = new AbortController();
    this.#pause = pause;
    await this.#clock.sleep(ms, pause.signal).catch(() => {});
    this.#pause = undefined;
    // The pause ends with its sleep, even if the clock was set back meanwhile.
    if (this.#pausedUntil === until && !pause.signal.aborted) this.#pausedUntil = Number.NEGATIVE_INFINITY;
    this.#serve();
  }

  /** Waiting requests need the permits of those sent ahead; the newest have made the least progress. */
  #revokeNewest(): void {
    const needed = Math.min(this.#waiting.length, this.#limit);
    for (const permit of [...this.#issued].reverse()) {
      if (this.#issued.size - this.#revoked.size + needed <= this.#limit) return;
      if (permit.revoke === undefined || this.#revoked.has(permit)) continue;
      // It may release the permit now or shortly.
      this.#revoked.add(permit);
      if (!permit.revoke()) this.#revoked.delete(permit);
    }
  }

  #adjust(median: number): void {
    const before = this.#before;
    this.#before = undefined;
    if (before !== undefined && this.#hadNoBenefit(before, median)) {
      const grew = before.limit < this.#limit;
      this.#best = grew ? before.median : median;
      this.#setLimit(before.limit);
      if (grew) this.#setCeiling(before.limit);
      return;
    }
    if (before !== undefined && before.limit > this.#limit) this.#best = median;
    if (median > this.#best * OVERLOADED + STEADY_MS) {
      this.#overloads += 1;
      if (this.#overloads < 2 || this.#limit === 1) return;
      this.#before = { limit: this.#limit, median };
      this.#setLimit(Math.ceil(this.#limit / 2));
      return;
    }
    this.#overloads = 0;
    const isSteady = median <= this.#best * STEADY + STEADY_MS;
    this.#best = median < this.#best ? median : this.#best + (median - this.#best) * FORGET;
    if (!isSteady || this.#peak < this.#limit || this.#hasOverdue(median)) return;
    if (this.#sample.failures > this.#sample.total * FAILING_RAISED) return;
    const next = this.#nextLimit();
    if (next <= this.#limit) return;
    this.#before = { limit: this.#limit, median };
    const proven = this.#limit;
    this.#setLimit(next);
    this.#proven = proven;
  }

  /** Whether the oldest request without a response may hang. */
  #hasOverdue(median: number): boolean {
    for (const sentAt of this.#unanswered.values())
      return this.#clock.now() - sentAt > median * OVERDUE + OVERDUE_MS;
    return false;
  }

  /** Whether the previous limit is better: growing gained too little, or shrinking cost too much. */
  #hadNoBenefit(before: Level, median: number): boolean {
    const perSecond = (this.#limit / Math.max(1, median)) * (Math.max(1, before.median) / before.limit);
    return before.limit < this.#limit ? perSecond < WORTHWHILE : perSecond < 1 / WORTHWHILE;
  }

  #nextLimit(): number {
    const ceiling = this.#ceiling;
    if (ceiling === undefined) return Math.min(this.#most, this.#limit * 2);
    if (this.#limit < ceiling.limit) return Math.min(ceiling.limit, this.#limit * 2);
    if (this.#clock.now() < ceiling.until) return this.#limit;
    return Math.min(this.#most, Math.ceil(this.#limit * CAREFUL_GROWTH));
  }

  #setLimit(limit: number): void {
    this.#limit = limit;
    this.#epoch += 1;
    this.#latencies = [];
    this.#peak = this.#issued.size;
    this.#overloads = 0;
    this.#sample = { total: 0, failures: 0 };
    this.#isUnproven = true;
    this.#proven = undefined;
  }

  #setCeiling(limit: number): void {
    const last = this.#ceiling;
    const isAgain = last !== undefined && limit <= last.limit;
    const lasts = isAgain ? Math.min(CEILING_MAX_MS, last.lasts * 2) : CEILING_MS;
    this.#ceiling = { limit, until: this.#clock.now() + lasts, lasts };
  }

  #lowerCeiling({ inFlight, count }: Refusals): void {
    if (this.#ceiling === undefined) return;
    this.#ceiling = { ...this.#ceiling, limit: Math.max(this.#limit, inFlight - count) };
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
