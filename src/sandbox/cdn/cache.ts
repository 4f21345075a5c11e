import { createHash } from 'node:crypto';
import type { Origin } from './origin.ts';

/** Maximum number of entries; the oldest is evicted first. */
const CAPACITY = 10_000;
/** Seconds after which an entry is stale. */
export const MAX_AGE_S = 3600;

/** The cache key of a URL, without scheme, fragment and default port. */
export interface CacheKey {
  /** One of the account's domains. */
  readonly domain: string;
  /** The domain itself or a subdomain of it. */
  readonly host: string;
  /** Path and query. */
  readonly target: string;
}

interface CachedPage extends CacheKey {
  readonly html: string;
  /** The media type, where it is not HTML. */
  readonly type?: string;
  readonly keys: readonly string[];
  readonly etag: string;
  /** Time in milliseconds. */
  readonly storedAt: number;
}

export interface Cache {
  /** The page and whether it was cached; undefined if the origin has no such page. */
  fetch(key: CacheKey): { page: CachedPage; hit: boolean } | undefined;
  /** Stores a page with an earlier time (ms). */
  warm(key: CacheKey, storedAt: number): void;
  /** These return the number of entries removed. */
  clearUrls(keys: readonly CacheKey[]): number;
  clearSurrogateKeys(domain: string, keys: readonly string[]): number;
  clearDomain(domain: string): number;
}

/** Creates an in-memory cache in front of an origin; `now` is in ms. */
export function createCache(origin: Origin, now: () => number): Cache {
  const pages = new Map<string, CachedPage>();
  const idOf = ({ host, target }: CacheKey) => host + target;

  const store = (key: CacheKey, storedAt: number): CachedPage | undefined => {
    const found = origin(key.host, key.target);
    if (found === undefined) return undefined;
    const etag = `"${createHash('sha256').update(found.html).digest('hex').slice(0, 16)}"`;
    const page = { ...key, ...found, etag, storedAt };
    pages.delete(idOf(key));
    pages.set(idOf(key), page);
    const [oldest] = pages.keys();
    if (pages.size > CAPACITY && oldest !== undefined) pages.delete(oldest);
    return page;
  };

  const clearWhere = (matches: (page: CachedPage) => boolean): number => {
    const before = pages.size;
    for (const [id, page] of pages) if (matches(page)) pages.delete(id);
    return before - pages.size;
  };

  return {
    fetch(key) {
      const cached = pages.get(idOf(key));
      if (cached !== undefined && now() - cached.storedAt < MAX_AGE_S * 1000)
        return { page: cached, hit: true };
      const page = store(key, now());
      return page === undefined ? undefined : { page, hit: false };
    },
    warm(key, storedAt) {
      store(key, storedAt);
    },
    clearUrls: keys => keys.filter(key => pages.delete(idOf(key))).length,
    clearSurrogateKeys: (domain, keys) =>
      clearWhere(page => page.domain === domain && page.keys.some(key => keys.includes(key))),
    clearDomain: domain => clearWhere(page => page.domain === domain),
  };
}
