/** Wire types of the CDN API (spec, Endpoints B). */

export const CDN_PREFIX = '/cdnservices';

/** URLs that one `bulkclearcache` request may carry. */
export const BULK_CLEAR_LIMIT = 100;

export interface CdnAnswer {
  Success: boolean;
  /** Empty on success. */
  Error: string;
}

export interface ClearUrlRequest {
  url: string;
}

export interface ClearUrlsRequest {
  urls: string[];
}

export interface ClearKeysRequest {
  /** Comma-separated surrogate keys. */
  keys: string;
  /** Bare domain: no scheme, no `www.`, no path. */
  domain: string;
}

export interface PurgeDomainRequest {
  /** Bare domain: no scheme, no `www.`, no path. */
  domain: string;
}
