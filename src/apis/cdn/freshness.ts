/** Status, headers and body hash of a fetched page. */
export interface Observation {
  readonly status: number;
  /** Seconds in a cache, by the `Age` header. */
  readonly age: number | undefined;
  readonly etag: string | undefined;
  /** `HIT`, `MISS` and the like, from `X-Cache`, `CF-Cache-Status` or `Cache-Status`. */
  readonly cacheStatus: string | undefined;
  /** Where it redirects to, as the server has it. */
  readonly location: string | undefined;
  /** SHA-256 of the body, hexadecimal. */
  readonly bodyHash: string;
}

export type Freshness = 'fresh' | 'stale' | 'unknown';

export interface FreshnessResult {
  readonly verdict: Freshness;
  /** The header or fact that decides. */
  readonly reason: string;
}

/**
 * Decides from two fetches whether a page was fetched from its origin after the purge. `secondsSincePurge` is the time from the
 * confirmation of the purge to the second fetch. The verdict is `unknown` if the headers do not show it.
 */
export function judgeFreshness(
  before: Observation,
  after: Observation,
  secondsSincePurge: number,
): FreshnessResult {
  if (after.age !== undefined) {
    if (after.age > secondsSincePurge + 1)
      return { verdict: 'stale', reason: `Age is ${after.age} s, older than the purge` };
    if (before.age !== undefined && before.age > after.age)
      return { verdict: 'fresh', reason: `Age fell from ${before.age} s to ${after.age} s` };
  }
  if (after.cacheStatus !== undefined && /\b(?:miss|expired|bypass|dynamic|fwd=)/i.test(after.cacheStatus)) {
    return { verdict: 'fresh', reason: `the cache status is ${after.cacheStatus}` };
  }
  if (before.etag !== undefined && after.etag !== undefined && before.etag !== after.etag) {
    return { verdict: 'fresh', reason: 'the ETag changed' };
  }
  if (before.location !== after.location) return { verdict: 'fresh', reason: 'the redirect changed' };
  if (before.bodyHash !== after.bodyHash) return { verdict: 'fresh', reason: 'the content changed' };
  return { verdict: 'unknown', reason: 'Age, cache status, ETag and content are unchanged or missing' };
}

/** Creates an observation from status, headers (lower-case names) and body hash. */
export function observe(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  bodyHash: string,
): Observation {
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : undefined;
  const cacheStatus = headers['x-cache'] ?? headers['cf-cache-status'] ?? headers['cache-status'];
  return { status, age, etag: headers.etag, cacheStatus, location: headers.location, bodyHash };
}
