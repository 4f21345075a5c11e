import { v1ListingRequest } from '../../apis/bda-v1/requests.ts';
import { listingRequest } from '../../apis/bda-v2/requests.ts';
import { pingRequest, pingWithoutSlash } from '../../apis/cdn/requests.ts';
import { readerByEmail } from '../../apis/subscriptions/reader.ts';
import { productsRequest } from '../../apis/subscriptions/requests.ts';
import type { Settings } from '../../config/resolve.ts';
import { knownPrefixes } from '../../config/settings.ts';
import type { GatewayRequest } from '../../http/request.ts';
import { BDA_V1_PREFIX } from '../../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../../wire/bda-v2.ts';
import { brandNames } from '../../wire/brand.ts';
import { CDN_PREFIX } from '../../wire/cdn.ts';
import { SUBSCRIPTIONS_PREFIX } from '../../wire/subscriptions.ts';

/** The gateway's APIs, as the settings for their prefixes name them. */
export const API_NAMES = ['subscriptions', 'cdn', 'bda-v1', 'bda-v2'] as const;
export type ApiName = (typeof API_NAMES)[number];

/** One of the gateway's APIs, with a call that changes nothing. */
export interface ApiCheck {
  readonly name: ApiName;
  /** The configured path of the API. */
  readonly prefix: string;
  /** All paths where gateways may have this API, the configured one first. */
  readonly prefixes: readonly string[];
  /** What the call requests, for messages. */
  readonly requests: string;
  /** The call at a path; undefined if it requires a domain and none is set. */
  readonly call: (prefix: string) => GatewayRequest | undefined;
  /** An alternative call, for gateways that support only that one. */
  readonly otherForm?: (prefix: string) => GatewayRequest;
  /** Whether the documentation leaves open if the call checks the key. */
  readonly mayIgnoreKey: boolean;
}

/** A reader that does not exist: the API responds with an empty list. */
const NOBODY = 'gatectl-doctor@example.com';

/** The checks of the four APIs. For the CDN, only ping is free of side effects. */
export function apiChecks(settings: Settings, domain: string | undefined): readonly ApiCheck[] {
  const { brand, keyIn, timeout } = settings;
  const timeoutMs = timeout.value * 1000;
  const common = { mayIgnoreKey: false };
  return [
    {
      ...common,
      name: 'subscriptions',
      ...prefixes(settings.prefixSubscriptions.value, SUBSCRIPTIONS_PREFIX),
      requests: `products of an unknown reader at ${domain}`,
      call: prefix =>
        domain === undefined
          ? undefined
          : productsRequest(
              { prefix, domain, brand: brandNames(brand.value), keyIn: keyIn.value },
              readerByEmail(NOBODY),
            ),
    },
    {
      name: 'cdn',
      ...prefixes(settings.prefixCdn.value, CDN_PREFIX),
      requests: 'ping',
      call: prefix => pingRequest({ prefix, keyIn: keyIn.value, timeoutMs }),
      otherForm: prefix => pingWithoutSlash({ prefix, keyIn: keyIn.value, timeoutMs }),
      mayIgnoreKey: true,
    },
    {
      ...common,
      name: 'bda-v1',
      ...prefixes(settings.prefixBdaV1.value, BDA_V1_PREFIX),
      requests: 'names of the reports',
      call: prefix => v1ListingRequest({ prefix }, 'getreports'),
    },
    {
      ...common,
      name: 'bda-v2',
      ...prefixes(settings.prefixBdaV2.value, BDA_V2_PREFIX),
      requests: 'columns',
      call: prefix => listingRequest({ prefix }, 'columns'),
    },
  ];
}

function prefixes(used: string, documented: string): Pick<ApiCheck, 'prefix' | 'prefixes'> {
  return { prefix: used, prefixes: knownPrefixes(used, documented) };
}
