const MINUTE_MS = 60_000;

export interface QueryLimits {
  /** Queries in flight at once, each from its arrival to the last byte of its answer. */
  readonly concurrent: number;
  /** Queries begun within any 60 seconds. */
  readonly perMinute: number;
}

export const DEFAULT_LIMITS: QueryLimits = { concurrent: 8, perMinute: 600 };

export type Entry =
  | { readonly release: () => void }
  | {
      readonly refused: 'concurrent_request_limit' | 'rate_limit_exceeded';
      /** Seconds. */
      readonly retryAfter: number;
    };

/** Lets queries in while both limits hold. A refused query counts for neither. */
export function queryGate(limits: QueryLimits, now: () => number): () => Entry {
  const begun: number[] = [];
  let inFlight = 0;
  return () => {
    const time = now();
    while (begun[0] !== undefined && begun[0] <= time - MINUTE_MS) begun.shift();
    if (begun.length >= limits.perMinute) {
      const wait = (begun[0] ?? time) + MINUTE_MS - time;
      return { refused: 'rate_limit_exceeded', retryAfter: Math.max(1, Math.ceil(wait / 1000)) };
    }
    if (inFlight >= limits.concurrent) return { refused: 'concurrent_request_limit', retryAfter: 1 };
    begun.push(time);
    inFlight += 1;
    let held = true;
    return {
      release: () => {
        if (held) inFlight -= 1;
        held = false;
      },
    };
  };
}
