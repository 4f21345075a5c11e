/** Header that carries the API key (spec, Authentication). */
export const API_KEY_HEADER = 'X-API-Key';
/** Query parameter for the API key: required by v1, accepted by Subscriptions and CDN, rejected by v2. */
export const API_KEY_PARAMETER = 'developerKey';
/** Where Subscriptions and CDN accept the key. */
export const KEY_PLACES = ['header', 'query'] as const;
export type KeyPlace = (typeof KEY_PLACES)[number];
/** Plain-text body of the 503 that a gateway sends if it received no key. */
export const EMPTY_KEY_BODY = 'Developer key is empty.';
