import { BULK_CLEAR_LIMIT, CDN_PREFIX, type CdnAnswer } from '../../wire/cdn.ts';
import { isBareDomain } from '../fixtures/checks.ts';
import { HttpError } from '../http-error.ts';
import { json, type Route, type SandboxReply, type SandboxRequest } from '../routing.ts';
import type { Addresses } from './addresses.ts';
import type { Cache, CacheKey } from './cache.ts';
import type { Downstream } from './downstream.ts';
import type { PurgeLog } from './purge-log.ts';

/** Clearing a URL whose path contains this fails, and so does its batch. */
const POISON = '/poisoned';

interface CdnState {
  /** The account's domains, lower-case. */
  readonly domains: readonly string[];
  readonly addresses: Addresses;
  readonly cache: Cache;
  readonly purges: PurgeLog;
  readonly now: () => number;
  /** A cache that is purged as well, where there is one. */
  readonly downstream: Downstream | undefined;
}

/** What one request clears. */
interface ClearRequest {
  readonly domain?: string;
  readonly targets: readonly string[];
  /** Clears the targets; returns the number of entries removed, or the error as text. */
  readonly clear: () => number | string;
  /** Clears the targets in the cache in front; each call resolves to the problem, if any. */
  readonly forward: (downstream: Downstream) => readonly Promise<string | undefined>[];
}

/** The CDN API (spec, Endpoints B). */
export function cdnRoutes(state: CdnState): readonly Route[] {
  const { domains, addresses, cache, purges, now, downstream } = state;

  const clearUrls = (urls: readonly string[]): number | string => {
    const keys = urls.map(url => addresses.ofUrl(url));
    const rejected = keys.find(key => typeof key === 'string');
    if (rejected !== undefined) return rejected;
    const cleared = keys.filter((key): key is CacheKey => typeof key !== 'string');
    if (cleared.some(({ target }) => target.includes(POISON))) return 'a URL could not be cleared';
    return cache.clearUrls(cleared);
  };

  /** Batches before a failed one stay cleared. */
  const clearInBatches = (urls: readonly string[]): number | string => {
    let cleared = 0;
    for (let from = 0; from < urls.length; from += BULK_CLEAR_LIMIT) {
      const outcome = clearUrls(urls.slice(from, from + BULK_CLEAR_LIMIT));
      if (typeof outcome === 'string') return outcome;
      cleared += outcome;
    }
    return cleared;
  };

  const pagesOf = (urls: readonly string[]) => (front: Downstream) =>
    urls
      .map(url => addresses.ofUrl(url))
      .filter((key): key is CacheKey => typeof key !== 'string')
      .map(key => front.purgePage(key));

  const clearing = (endpoint: string, read: (body: Record<string, unknown>) => ClearRequest): Route =>
    route(endpoint, async request => {
      const { clear, forward, ...what } = read(bodyFields(request));
      const cleared = clear();
      const problems =
        downstream === undefined || typeof cleared === 'string' ? [] : await Promise.all(forward(downstream));
      const outcome = problems.find(problem => problem !== undefined) ?? cleared;
      const success = typeof outcome === 'number';
      purges.add({ at: now(), endpoint, ...what, cleared: success ? outcome : 0, success });
      return cdnReply(success ? '' : outcome);
    });

  return [
    { ...route('/ping/', () => cdnReply('')), ignoresBody: true },
    clearing('/clearcache', body => {
      const url = textOf(body, 'url');
      return { targets: [url], clear: () => clearUrls([url]), forward: pagesOf([url]) };
    }),
    clearing('/bulkclearcache', body => {
      const urls = textList(body, 'urls');
      return { targets: urls, clear: () => clearInBatches(urls), forward: pagesOf(urls) };
    }),
    clearing('/clearbysurrogatekeys', body => {
      const keys = keyList(textOf(body, 'keys'));
      const domain = ownDomain(body, domains);
      return {
        domain,
        targets: keys,
        clear: () => cache.clearSurrogateKeys(domain, keys),
        forward: front => keys.map(key => front.ban(domain, key)),
      };
    }),
    clearing('/purgecache', body => {
      const domain = ownDomain(body, domains);
      return {
        domain,
        targets: [],
        clear: () => cache.clearDomain(domain),
        forward: front => [front.ban(domain)],
      };
    }),
  ];
}

function route(
  path: string,
  reply: (request: SandboxRequest) => SandboxReply | Promise<SandboxReply>,
): Route {
  return { api: 'cdn', method: 'POST', path: CDN_PREFIX + path, key: 'either', handle: reply };
}

function cdnReply(error: string): SandboxReply {
  return json(200, { Success: error === '', Error: error } satisfies CdnAnswer);
}

/** The fields of a JSON body. @throws HttpError 400 for anything but an object. */
function bodyFields({ body }: SandboxRequest): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpError(400, 'the body is not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new HttpError(400, 'the body must be a JSON object');
  }
  return { ...parsed };
}

/** @throws HttpError 400 unless the field is a non-empty string. */
function textOf(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value !== 'string' || value === '') throw new HttpError(400, `${field} is required`);
  return value;
}

/** @throws HttpError 400 unless the field is a non-empty list of strings. */
function textList(body: Record<string, unknown>, field: string): string[] {
  const value = body[field];
  if (!Array.isArray(value) || value.length === 0)
    throw new HttpError(400, `${field} must be a list of strings`);
  return value.map((element: unknown) => {
    if (typeof element !== 'string') throw new HttpError(400, `${field} must be a list of strings`);
    return element;
  });
}

/** Splits surrogate keys at commas. @throws HttpError 400 for an empty key and for one that contains a space. */
function keyList(text: string): string[] {
  const keys = text.split(',').map(key => key.trim());
  for (const key of keys) {
    if (key === '') throw new HttpError(400, 'keys contains an empty key');
    if (/\s/.test(key)) throw new HttpError(400, `the surrogate key '${key}' contains a space`);
  }
  return keys;
}

/** @throws HttpError 400 unless it is a bare domain, 403 for a domain of another account. */
function ownDomain(body: Record<string, unknown>, domains: readonly string[]): string {
  const named = textOf(body, 'domain');
  if (!isBareDomain(named)) {
    throw new HttpError(400, `${named} is not a bare domain: omit scheme, www., port and path`);
  }
  const domain = named.toLowerCase();
  if (!domains.includes(domain)) throw new HttpError(403, `${named} does not belong to this account`);
  return domain;
}
