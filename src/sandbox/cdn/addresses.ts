import { isLoopbackHost } from '../loopback.ts';
import type { CacheKey } from './cache.ts';

/** Cached pages are served below this prefix, as `/__cache/<host>/<path>`. */
export const CACHE_PREFIX = '/__cache';
/** Pages of the origin, without the cache, are served below this prefix, for another cache in front of it. */
export const ORIGIN_PREFIX = '/__origin';

/** Finds cache keys. */
export interface Addresses {
  /** The key of a URL, or the error as text. */
  ofUrl(url: string): CacheKey | string;
  /** The key of a request path below a prefix; `search` is its query, without the question mark. */
  ofPage(path: string, search: string, prefix?: string): CacheKey | undefined;
}

/** The addresses of an account: its domains and all their subdomains. */
export function accountAddresses(domains: readonly string[]): Addresses {
  const keyOf = ({ hostname, pathname, searchParams }: URL): CacheKey | undefined => {
    const domain = domains.find(own => hostname === own || hostname.endsWith(`.${own}`));
    const search = searchParams.size === 0 ? '' : `?${searchParams}`;
    return domain === undefined ? undefined : { domain, host: hostname, target: pathname + search };
  };

  const ofPage = (path: string, search: string, prefix = CACHE_PREFIX): CacheKey | undefined => {
    const url = `http://${path.slice(prefix.length + 1)}?${search}`;
    return URL.canParse(url) ? keyOf(new URL(url)) : undefined;
  };

  return {
    ofPage,
    ofUrl(text) {
      if (/[\s\p{Cc}]/u.test(text)) return `${JSON.stringify(text)} contains a space or a control character`;
      if (!URL.canParse(text)) return `${text} is not an absolute URL`;
      const url = new URL(text);
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${text} is neither http nor https`;
      if (url.username !== '' || url.password !== '')
        return `${url.host}: a URL must not contain a user name or password`;
      const own = isLoopbackHost(url.host) && url.pathname.startsWith(`${CACHE_PREFIX}/`);
      const key = own ? ofPage(url.pathname, `${url.searchParams}`) : keyOf(url);
      return key ?? `${text} is not on a domain of this account`;
    },
  };
}
