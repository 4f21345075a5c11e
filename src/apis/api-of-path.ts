import type { Settings } from '../config/resolve.ts';
import { knownPrefixes } from '../config/settings.ts';
import type { ErrorReader, KeyPlacement } from '../http/request.ts';
import { BDA_V1_PREFIX } from '../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../wire/bda-v2.ts';
import { CDN_PREFIX } from '../wire/cdn.ts';
import type { Effect } from '../wire/effect.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER } from '../wire/key.ts';
import { SUBSCRIPTIONS_PREFIX } from '../wire/subscriptions.ts';
import { readV1Error } from './bda-v1/requests.ts';
import { readError as readFaultV2 } from './bda-v2/requests.ts';
import { readError as readCdnFault } from './cdn/requests.ts';
import { readError as readSubscriptionsFault } from './subscriptions/requests.ts';

import { writeEndpoint } from './write-endpoints.ts';

/** The API of a path, and how to send requests to it. */
export interface ApiOfPath {
  readonly name: 'subscriptions' | 'cdn' | 'bda-v1' | 'bda-v2' | 'unknown';
  readonly key: KeyPlacement;
  readonly readError: ErrorReader;
  /** The path below the prefix, without slashes at its ends. */
  readonly endpoint: string;
  /** The documented reads, such as `GET access`. */
  readonly reads: readonly string[];
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
  const endpoint = path.slice(found?.prefix.length ?? 0).replaceAll(/^\/+|\/+$/g, '');
  return { ...(found?.api ?? UNKNOWN), endpoint };
}

type KnownApi = Omit<ApiOfPath, 'endpoint'>;

const UNKNOWN: KnownApi = {
  name: 'unknown',
  key: HEADER,
  readError: () => undefined,
  reads: [],
  repeatablePosts: [],
};

function apis(settings: Settings): readonly { api: KnownApi; prefixes: readonly string[] }[] {
  const eitherKey = settings.keyIn.value === 'query' ? QUERY : HEADER;
  return [
    {
      api: {
        name: 'subscriptions',
        key: eitherKey,
        readError: readSubscriptionsFault,
        reads: ['GET access', 'GET products', 'GET purchases'],
        repeatablePosts: [],
      },
      prefixes: knownPrefixes(settings.prefixSubscriptions.value, SUBSCRIPTIONS_PREFIX),
    },
    {
      api: {
        name: 'cdn',
        key: eitherKey,
        readError: readCdnFault,
        reads: ['POST ping'],
        repeatablePosts: ['ping', 'clearcache', 'bulkclearcache', 'clearbysurrogatekeys', 'purgecache'],
      },
      prefixes: knownPrefixes(settings.prefixCdn.value, CDN_PREFIX),
    },
    {
      api: {
        name: 'bda-v1',
        key: QUERY,
        readError: readV1Error,
        reads: [...V1_READS.map(name => `GET ${name}`), 'POST getdata', 'POST getCustomData'],
        repeatablePosts: ['getdata', 'getCustomData'],
      },
      prefixes: knownPrefixes(settings.prefixBdaV1.value, BDA_V1_PREFIX),
    },
    {
      api: {
        name: 'bda-v2',
        key: HEADER,
        readError: readFaultV2,
        reads: ['GET domains', 'GET columns', 'GET data-sets', 'GET date-range', 'POST query'],
        repeatablePosts: ['query'],
      },
      prefixes: knownPrefixes(settings.prefixBdaV2.value, BDA_V2_PREFIX),
    },
  ];
}

const V1_READS = [
  ...['getreports', 'getreport', 'getcolumns', 'getcustomreports', 'getsegments'],
  ...['getmultifilters', 'getmultifiltertypes', 'getdomains', 'getfilters'],
];

/** The effect of a call: what is not documented as a read is a write. */
export function effectOf(method: string, path: string, { endpoint, reads }: ApiOfPath): Effect {
  return reads.includes(`${method} ${endpoint}`) ? 'read' : (writeEndpoint(method, path)?.effect ?? 'write');
}

/** Whether a call may be sent again by itself: never a create, nor a POST of which nothing is known. */
export function isRepeatable(method: string, { endpoint, repeatablePosts }: ApiOfPath): boolean {
  if (method !== 'POST' && method !== 'PATCH') return true;
  return method === 'POST' && repeatablePosts.includes(endpoint.split('/').at(-1) ?? '');
}
