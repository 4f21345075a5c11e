import { plainText, type Route, type SandboxReply, type SandboxRequest } from '../routing.ts';
import { type Addresses, accountAddresses, CACHE_PREFIX, ORIGIN_PREFIX } from './addresses.ts';
import { type Cache, createCache, MAX_AGE_S } from './cache.ts';
import { createDownstream } from './downstream.ts';
import { createOrigin, type Origin, SEEDED_PATHS } from './origin.ts';
import { createPurgeLog, type PurgeLog } from './purge-log.ts';
import { cdnRoutes } from './routes.ts';

interface Cdn {
  readonly routes: readonly Route[];
  readonly purges: PurgeLog;
  /** A page below `/__cache` or `/__origin`, undefined elsewhere. */
  page(request: SandboxRequest): SandboxReply | undefined;
}

/**
 * Creates the CDN of an account: one cache for its domains (lower-case), filled with the seeded pages. `now` is in ms. What is cleared is
 * purged at `purgeTo` as well.
 */
export function createCdn(domains: readonly string[], now: () => number, purgeTo?: URL): Cdn {
  const addresses = accountAddresses(domains);
  const origin = createOrigin(now, domains);
  const cache = createCache(origin, now);
  const downstream = purgeTo === undefined ? undefined : createDownstream(purgeTo);
  warmCache(cache, domains, now());
  const purges = createPurgeLog();
  return {
    routes: cdnRoutes({ domains, addresses, cache, purges, now, downstream }),
    purges,
    page: request => originPage(request, addresses, origin) ?? cachedPage(request, { addresses, cache, now }),
  };
}

/** Serves `/__cache/<host>/<path>` as an edge of the CDN would; undefined elsewhere. `now` is in ms. */
function cachedPage(
  { method, path, query }: SandboxRequest,
  { addresses, cache, now }: { addresses: Addresses; cache: Cache; now: () => number },
): SandboxReply | undefined {
  if (!path.startsWith(`${CACHE_PREFIX}/`)) return undefined;
  if (method !== 'GET' && method !== 'HEAD') return plainText(405, 'send a GET\n', { allow: 'GET, HEAD' });
  const key = addresses.ofPage(path, `${query}`);
  const found = key === undefined ? undefined : cache.fetch(key);
  if (found === undefined) return plainText(404, `the origin has no page for ${path}\n`);
  const { page, hit } = found;
  return {
    status: 200,
    headers: {
      'content-type': `${page.type ?? 'text/html'}; charset=utf-8`,
      'cache-control': `public, max-age=${MAX_AGE_S}`,
      age: String(Math.max(0, Math.floor((now() - page.storedAt) / 1000))),
      etag: page.etag,
      'surrogate-key': page.keys.join(' '),
      'x-cache': hit ? 'HIT' : 'MISS',
    },
    body: page.html,
  };
}

/** Serves `/__origin/<host>/<path>` as the origin of the CDN would; undefined elsewhere. */
function originPage(
  { method, path, query }: SandboxRequest,
  addresses: Addresses,
  origin: Origin,
): SandboxReply | undefined {
  if (!path.startsWith(`${ORIGIN_PREFIX}/`)) return undefined;
  if (method !== 'GET' && method !== 'HEAD') return plainText(405, 'send a GET\n', { allow: 'GET, HEAD' });
  const key = addresses.ofPage(path, `${query}`, ORIGIN_PREFIX);
  const page = key === undefined ? undefined : origin(key.host, key.target);
  if (page === undefined) return plainText(404, `the origin has no page for ${path}\n`);
  return {
    status: 200,
    headers: {
      'content-type': `${page.type ?? 'text/html'}; charset=utf-8`,
      'cache-control': `public, max-age=${MAX_AGE_S}`,
      'surrogate-key': page.keys.join(' '),
    },
    body: page.html,
  };
}

/** Fills the cache with each domain's seeded pages, aged two minutes, three minutes and so on. */
function warmCache(cache: Cache, domains: readonly string[], now: number): void {
  for (const domain of domains) {
    for (const [index, target] of SEEDED_PATHS.entries()) {
      cache.warm({ domain, host: domain, target }, now - (index + 2) * 60_000);
    }
  }
}
