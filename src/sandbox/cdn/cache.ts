import { createHash } from 'node:crypto';
import type { Origin } from './origin.ts';

/** Entries that the cache holds at most; the one stored first goes first. */
const CAPACITY = 10_000;
/** Seconds after which an entry is fetched anew. */
export const MAX_AGE_S = 3600;

/** What a URL is cached under: scheme, fragment and default port don't count. */
export interface CacheKey {
  /** One of the account's domains. */
  readonly domain: string;
  /** The domain itself or a subdomain of it. */
  readonly host: string;
  /** Path and query. */
  readonly target: string;
}

export interface CachedPage extends CacheKey {
  readonly html: string;
  readonly keys: readonly string[];
  readonly etag: string;
  /** Milliseconds of the sandbox's clock. */
  readonly storedAt: number;
}

export interface Cache {
  /** The page and whether it came from the cache; undefined when the origin has none. */
  fetch(key: CacheKey): { page: CachedPage; hit: boolean } | undefined;
  /** Fetches a page as though at an earlier time (ms). */
  warm(key: CacheKey, storedAt: number): void;
  /** Each way of clearing answers how many entries went. */
  clearUrls(keys: readonly CacheKey[]): number;
  clearSurrogateKeys(domain: string, keys: readonly string[]): number;
  clearDomain(domain: string): number;
}

/** A cache before an origin, held in memory; ages go by `now` (ms). */
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
      const held = pages.get(idOf(key));
      if (held !== undefined && now() - held.storedAt < MAX_AGE_S * 1000) return { page: held, hit: true };
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
