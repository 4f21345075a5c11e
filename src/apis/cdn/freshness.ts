/** What a fetch of a page showed. */
export interface Observation {
  readonly status: number;
  /** Seconds in a cache, by the `Age` header. */
  readonly age: number | undefined;
  readonly etag: string | undefined;
  /** `HIT`, `MISS` and the like, from `X-Cache`, `CF-Cache-Status` or `Cache-Status`. */
  readonly cacheStatus: string | undefined;
  /** SHA-256 of the body, hexadecimal. */
  readonly bodyHash: string;
}

export type Freshness = 'fresh' | 'stale' | 'unknown';

export interface Judgement {
  readonly verdict: Freshness;
  /** The header or fact that decided. */
  readonly because: string;
}

/**
 * Says from two fetches whether a page came anew from its origin after the purge. `secondsSincePurge` is how long ago the
 * purge was confirmed when the second fetch was made. Where the headers don't tell, the verdict is `unknown`.
 */
export function judgeFreshness(
  before: Observation,
  after: Observation,
  secondsSincePurge: number,
): Judgement {
  if (after.age !== undefined) {
    if (after.age > secondsSincePurge + 1)
      return { verdict: 'stale', because: `Age is ${after.age} s, older than the purge` };
    if (before.age !== undefined && before.age > after.age)
      return { verdict: 'fresh', because: `Age fell from ${before.age} s to ${after.age} s` };
  }
  if (after.cacheStatus !== undefined && /\b(?:miss|expired|bypass|dynamic|fwd=)/i.test(after.cacheStatus)) {
    return { verdict: 'fresh', because: `the cache says ${after.cacheStatus}` };
  }
  if (before.etag !== undefined && after.etag !== undefined && before.etag !== after.etag) {
    return { verdict: 'fresh', because: 'the ETag changed' };
  }
  if (before.bodyHash !== after.bodyHash) return { verdict: 'fresh', because: 'the content changed' };
  return { verdict: 'unknown', because: 'neither Age, cache status, ETag nor content tells' };
}

/** Reads an observation from a page's status, headers (lower-case names) and body hash. */
export function observe(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  bodyHash: string,
): Observation {
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : undefined;
  const cacheStatus = headers['x-cache'] ?? headers['cf-cache-status'] ?? headers['cache-status'];
  return { status, age, etag: headers.etag, cacheStatus, bodyHash };
}
