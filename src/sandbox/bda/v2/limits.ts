const MINUTE_MS = 60_000;

export interface QueryLimits {
  /** Concurrent queries, each from its arrival to the last byte of its response. */
  readonly concurrent: number;
  /** Queries started within any 60 seconds. */
  readonly perMinute: number;
}

export const DEFAULT_LIMITS: QueryLimits = { concurrent: 8, perMinute: 600 };

type Admission =
  | { readonly release: () => void }
  | {
      readonly rejected: 'concurrent_request_limit' | 'rate_limit_exceeded';
      /** Seconds. */
      readonly retryAfter: number;
    };

/** Returns a function that admits a query or rejects it. Rejected queries do not count towards the limits. */
export function createQueryLimiter(limits: QueryLimits, now: () => number): () => Admission {
  const started: number[] = [];
  let inFlight = 0;
  return () => {
    const time = now();
    while (started[0] !== undefined && started[0] <= time - MINUTE_MS) started.shift();
    if (started.length >= limits.perMinute) {
      const wait = (started[0] ?? time) + MINUTE_MS - time;
      return { rejected: 'rate_limit_exceeded', retryAfter: Math.max(1, Math.ceil(wait / 1000)) };
    }
    if (inFlight >= limits.concurrent) return { rejected: 'concurrent_request_limit', retryAfter: 1 };
    started.push(time);
    inFlight += 1;
    let active = true;
    return {
      release: () => {
        if (active) inFlight -= 1;
        active = false;
      },
    };
  };
}
