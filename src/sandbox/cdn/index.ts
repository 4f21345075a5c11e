import type { Route, SandboxReply, SandboxRequest } from '../routing.ts';
import { accountAddresses } from './addresses.ts';
import { createCache } from './cache.ts';
import { createOrigin } from './origin.ts';
import { cachedPage, warmCache } from './pages.ts';
import { createPurgeRecord, type PurgeRecord } from './purge-record.ts';
import { cdnRoutes } from './routes.ts';

export interface Cdn {
  readonly routes: readonly Route[];
  readonly purges: PurgeRecord;
  /** A page below `/__cache`, undefined elsewhere. */
  page(request: SandboxRequest): SandboxReply | undefined;
}

/** The CDN of an account: one cache for its domains (lower-case), with the seeded pages in it. `now` is in ms. */
export function createCdn(domains: readonly string[], now: () => number): Cdn {
  const addresses = accountAddresses(domains);
  const cache = createCache(createOrigin(), now);
  warmCache(cache, domains, now());
  const purges = createPurgeRecord();
  return {
    routes: cdnRoutes({ domains, addresses, cache, purges, now }),
    purges,
    page: request => cachedPage(request, { addresses, cache, now }),
  };
}
