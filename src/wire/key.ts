/** Header that carries the API key (spec, Authentication). */
export const API_KEY_HEADER = 'X-API-Key';
/** Query parameter that carries the API key: v1's only way, an accepted one for Subscriptions and CDN, refused by v2. */
export const API_KEY_PARAMETER = 'developerKey';
/** Plain-text body of the 503 that a gateway sends when it saw no key. */
export const EMPTY_KEY_BODY = 'Developer key is empty.';
