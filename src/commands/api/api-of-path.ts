import { BDA_V1_PREFIX } from '../../contract/bda-v1.ts';
import { BDA_V2_PREFIX } from '../../contract/bda-v2.ts';
import { CDN_PREFIX } from '../../contract/cdn.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER } from '../../contract/key.ts';
import { SUBSCRIPTIONS_PREFIX } from '../../contract/subscriptions.ts';
import { readFaultV1 } from '../../families/bda/v1/requests.ts';
import { readFault as readFaultV2 } from '../../families/bda/v2/requests.ts';
import { readFault as readCdnFault } from '../../families/cdn/requests.ts';
import { readFault as readSubscriptionsFault } from '../../families/subscriptions/requests.ts';
import type { FaultReader, KeyPlacement } from '../../gateway/request.ts';
import type { Settings } from '../../profile/resolve.ts';
import { knownPrefixes } from '../known-prefixes.ts';

/** How the API that a path belongs to is asked. */
export interface ApiOfPath {
  readonly name: 'subscriptions' | 'cdn' | 'bda-v1' | 'bda-v2' | 'unknown';
  readonly key: KeyPlacement;
  readonly readFault: FaultReader;
  /** Endpoints, without slashes, whose POST may be sent again: it reads, or clears what is cleared. */
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
  return found?.api ?? { name: 'unknown', key: HEADER, readFault: () => undefined, repeatablePosts: [] };
}

function apis(settings: Settings): readonly { api: ApiOfPath; prefixes: readonly string[] }[] {
  const eitherKey = settings.keyIn.value === 'query' ? QUERY : HEADER;
  return [
    {
      api: { name: 'subscriptions', key: eitherKey, readFault: readSubscriptionsFault, repeatablePosts: [] },
      prefixes: knownPrefixes(settings.prefixSubscriptions.value, SUBSCRIPTIONS_PREFIX),
    },
    {
      api: {
        name: 'cdn',
        key: eitherKey,
        readFault: readCdnFault,
        repeatablePosts: ['ping', 'clearcache', 'bulkclearcache', 'clearbysurrogatekeys', 'purgecache'],
      },
      prefixes: knownPrefixes(settings.prefixCdn.value, CDN_PREFIX),
    },
    {
      api: {
        name: 'bda-v1',
        key: QUERY,
        readFault: readFaultV1,
        repeatablePosts: ['getdata', 'getCustomData'],
      },
      prefixes: knownPrefixes(settings.prefixBdaV1.value, BDA_V1_PREFIX),
    },
    {
      api: { name: 'bda-v2', key: HEADER, readFault: readFaultV2, repeatablePosts: ['query'] },
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
