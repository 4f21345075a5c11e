import { BULK_CLEAR_LIMIT, CDN_PREFIX, type CdnAnswer } from '../../wire/cdn.ts';
import { json, type Route, type SandboxReply, type SandboxRequest } from '../routing.ts';
import type { Addresses } from './addresses.ts';
import { bodyFields, keyList, ownDomain, textList, textOf } from './body.ts';
import type { Cache, CacheKey } from './cache.ts';
import type { PurgeRecord } from './purge-record.ts';

/** A URL whose path holds this can't be cleared, and neither can the batch that it is in. */
export const POISON = '/poisoned';

export interface CdnState {
  /** The account's domains, lower-case. */
  readonly domains: readonly string[];
  readonly addresses: Addresses;
  readonly cache: Cache;
  readonly purges: PurgeRecord;
  readonly now: () => number;
}

/** What one request asks to be cleared. */
interface Clearing {
  readonly domain?: string;
  readonly targets: readonly string[];
  /** Clears, and answers how many entries went; a text is the reason why nothing was cleared. */
  readonly clear: () => number | string;
}

/** The CDN API (spec, Endpoints B). */
export function cdnRoutes(state: CdnState): readonly Route[] {
  const { domains, addresses, cache, purges, now } = state;

  const clearUrls = (urls: readonly string[]): number | string => {
    const keys = urls.map(url => addresses.ofUrl(url));
    const refused = keys.find(key => typeof key === 'string');
    if (refused !== undefined) return refused;
    const cleared = keys.filter((key): key is CacheKey => typeof key !== 'string');
    if (cleared.some(({ target }) => target.includes(POISON))) return 'a URL could not be cleared';
    return cache.clearUrls(cleared);
  };

  /** Batches before one that fails stay cleared. */
  const clearInBatches = (urls: readonly string[]): number | string => {
    let cleared = 0;
    for (let from = 0; from < urls.length; from += BULK_CLEAR_LIMIT) {
      const outcome = clearUrls(urls.slice(from, from + BULK_CLEAR_LIMIT));
      if (typeof outcome === 'string') return outcome;
      cleared += outcome;
    }
    return cleared;
  };

  const clearing = (endpoint: string, read: (body: Record<string, unknown>) => Clearing): Route =>
    route(endpoint, request => {
      const { clear, ...what } = read(bodyFields(request));
      const outcome = clear();
      const success = typeof outcome === 'number';
      purges.add({ at: now(), endpoint, ...what, cleared: success ? outcome : 0, success });
      return answer(success ? '' : outcome);
    });

  return [
    { ...route('/ping/', () => answer('')), ignoresBody: true },
    clearing('/clearcache', body => {
      const url = textOf(body, 'url');
      return { targets: [url], clear: () => clearUrls([url]) };
    }),
    clearing('/bulkclearcache', body => {
      const urls = textList(body, 'urls');
      return { targets: urls, clear: () => clearInBatches(urls) };
    }),
    clearing('/clearbysurrogatekeys', body => {
      const keys = keyList(textOf(body, 'keys'));
      const domain = ownDomain(body, domains);
      return { domain, targets: keys, clear: () => cache.clearSurrogateKeys(domain, keys) };
    }),
    clearing('/purgecache', body => {
      const domain = ownDomain(body, domains);
      return { domain, targets: [], clear: () => cache.clearDomain(domain) };
    }),
  ];
}

function route(path: string, reply: (request: SandboxRequest) => SandboxReply): Route {
  return { api: 'cdn', method: 'POST', path: CDN_PREFIX + path, key: 'either', answer: reply };
}

function answer(error: string): SandboxReply {
  return json(200, { Success: error === '', Error: error } satisfies CdnAnswer);
}
