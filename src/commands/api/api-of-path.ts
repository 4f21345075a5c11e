import { readV1Error } from '../../apis/bda-v1/requests.ts';
import { readError as readFaultV2 } from '../../apis/bda-v2/requests.ts';
import { readError as readCdnFault } from '../../apis/cdn/requests.ts';
import { readError as readSubscriptionsFault } from '../../apis/subscriptions/requests.ts';
import type { Settings } from '../../config/resolve.ts';
import { knownPrefixes } from '../../config/settings.ts';
import type { ErrorReader, KeyPlacement } from '../../http/request.ts';
import { BDA_V1_PREFIX } from '../../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../../wire/bda-v2.ts';
import { CDN_PREFIX } from '../../wire/cdn.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER } from '../../wire/key.ts';
import { SUBSCRIPTIONS_PREFIX } from '../../wire/subscriptions.ts';

/** The API of a path, and how to send requests to it. */
export interface ApiOfPath {
  readonly name: 'subscriptions' | 'cdn' | 'bda-v1' | 'bda-v2' | 'unknown';
  readonly key: KeyPlacement;
  readonly readError: ErrorReader;
  /** Endpoints, without slashes, whose POST is idempotent: it reads or purges. */
  readonly repeatablePosts: readonly string[];
}

const HEADER: KeyPlacement = { in: 'header', name: API_KEY_HEADER };
const QUERY: KeyPlacement = { in: 'query', name: API_KEY_PARAMETER };

/** Finds the API by the longest prefix that the path has. A path of no API carries the key in the header. */
export function apiOfPath(path: string, settings: Settings): ApiOfPath {
  const candidates = apis(settings).flatMap(({ api, prefixes }) => prefixes.map(prefix => ({ api, prefix })));
  const found = candidates
    .filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
    .sort((one, other) => other.prefix.length - one.prefix.length)[0];
  return found?.api ?? { name: 'unknown', key: HEADER, readError: () => undefined, repeatablePosts: [] };
}

function apis(settings: Settings): readonly { api: ApiOfPath; prefixes: readonly string[] }[] {
  const eitherKey = settings.keyIn.value === 'query' ? QUERY : HEADER;
  return [
    {
      api: { name: 'subscriptions', key: eitherKey, readError: readSubscriptionsFault, repeatablePosts: [] },
      prefixes: knownPrefixes(settings.prefixSubscriptions.value, SUBSCRIPTIONS_PREFIX),
    },
    {
      api: {
        name: 'cdn',
        key: eitherKey,
        readError: readCdnFault,
        repeatablePosts: ['ping', 'clearcache', 'bulkclearcache', 'clearbysurrogatekeys', 'purgecache'],
      },
      prefixes: knownPrefixes(settings.prefixCdn.value, CDN_PREFIX),
    },
    {
      api: {
        name: 'bda-v1',
        key: QUERY,
        readError: readV1Error,
        repeatablePosts: ['getdata', 'getCustomData'],
      },
      prefixes: knownPrefixes(settings.prefixBdaV1.value, BDA_V1_PREFIX),
    },
    {
      api: { name: 'bda-v2', key: HEADER, readError: readFaultV2, repeatablePosts: ['query'] },
      prefixes: knownPrefixes(settings.prefixBdaV2.value, BDA_V2_PREFIX),
    },
  ];
}

/** Whether a call may be sent again by itself: never a create, nor a POST of which nothing is known. */
export function isRepeatable(method: string, path: string, api: ApiOfPath): boolean {
  if (method !== 'POST' && method !== 'PATCH') return true;
  const endpoint = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return method === 'POST' && api.repeatablePosts.includes(endpoint);
}
