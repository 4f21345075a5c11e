import { v1ListingRequest } from '../../apis/bda-v1/requests.ts';
import { listingRequest } from '../../apis/bda-v2/requests.ts';
import { pingRequest, pingWithoutSlash } from '../../apis/cdn/requests.ts';
import { readerByEmail } from '../../apis/subscriptions/reader.ts';
import { productsRequest } from '../../apis/subscriptions/requests.ts';
import type { Settings } from '../../config/resolve.ts';
import type { GatewayRequest } from '../../http/request.ts';
import { BDA_V1_PREFIX } from '../../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../../wire/bda-v2.ts';
import { brandNames } from '../../wire/brand.ts';
import { CDN_PREFIX } from '../../wire/cdn.ts';
import { SUBSCRIPTIONS_PREFIX } from '../../wire/subscriptions.ts';
import { knownPrefixes } from '../framework/api-prefixes.ts';
import type { ApiName } from './api-names.ts';

/** One of the gateway's APIs, and a call of it that changes nothing. */
export interface ApiCheck {
  readonly name: ApiName;
  /** The prefix in use. */
  readonly prefix: string;
  /** Every prefix under which gateways are known to answer, the one in use first. */
  readonly prefixes: readonly string[];
  /** What is asked, in words. */
  readonly asks: string;
  /** The call below a prefix; undefined where something is missing for it. */
  readonly call: (prefix: string) => GatewayRequest | undefined;
  /** The same call in another form, for gateways that know no other; tried where the first is not there. */
  readonly otherForm?: (prefix: string) => GatewayRequest;
  /** True where the documentation leaves open whether the call looks at the key. */
  readonly keyMayNotMatter: boolean;
}

/** A reader who can't exist, which the API calls a normal question with an empty answer. */
const NOBODY = 'gatectl-doctor@example.com';

/** The four surfaces. Of the CDN's calls the ping alone clears nothing. */
export function apiChecks(settings: Settings, domain: string | undefined): readonly ApiCheck[] {
  const { brand, keyIn, timeout } = settings;
  const timeoutMs = timeout.value * 1000;
  const common = { keyMayNotMatter: false };
  return [
    {
      ...common,
      name: 'subscriptions',
      ...prefixes(settings.prefixSubscriptions.value, SUBSCRIPTIONS_PREFIX),
      asks: `products of a reader nobody knows at ${domain}`,
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
      asks: 'ping',
      call: prefix => pingRequest({ prefix, keyIn: keyIn.value, timeoutMs }),
      otherForm: prefix => pingWithoutSlash({ prefix, keyIn: keyIn.value, timeoutMs }),
      keyMayNotMatter: true,
    },
    {
      ...common,
      name: 'bda-v1',
      ...prefixes(settings.prefixBdaV1.value, BDA_V1_PREFIX),
      asks: 'names of the reports',
      call: prefix => v1ListingRequest({ prefix }, 'getreports'),
    },
    {
      ...common,
      name: 'bda-v2',
      ...prefixes(settings.prefixBdaV2.value, BDA_V2_PREFIX),
      asks: 'columns',
      call: prefix => listingRequest({ prefix }, 'columns'),
    },
  ];
}

function prefixes(used: string, documented: string): Pick<ApiCheck, 'prefix' | 'prefixes'> {
  return { prefix: used, prefixes: knownPrefixes(used, documented) };
}
