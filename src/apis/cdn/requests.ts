import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn, undocumentedFailure } from '../../http/error-body.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import { type ErrorReader, type GatewayRequest, SMALL_RESPONSE } from '../../http/request.ts';
import { isRecord, textOf } from '../../json/index.ts';
import { shortened } from '../../text/shortened.ts';
import type {
  ClearKeysRequest,
  ClearUrlRequest,
  ClearUrlsRequest,
  PurgeDomainRequest,
} from '../../wire/cdn.ts';
import type { Effect } from '../../wire/effect.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER, type KeyPlace } from '../../wire/key.ts';

/** Where the CDN API is, and how to authenticate to it. */
export interface CdnSite {
  /** Path prefix of the endpoints. */
  readonly prefix: string;
  readonly keyIn: KeyPlace;
  /** Timeout of one request in milliseconds. */
  readonly timeoutMs: number;
}

/** The API documents no limit for keys, but servers limit the size of a request. */
export const KEYS_PER_REQUEST = 1000;

/** POST ping, without a body: checks that the CDN API responds. */
export function pingRequest(site: CdnSite): GatewayRequest {
  return request(site, '/ping/', 'read');
}

/** The same without a trailing slash, for gateways that require it. */
export function pingWithoutSlash(site: CdnSite): GatewayRequest {
  return request(site, '/ping', 'read');
}

/** Clears URLs: `clearcache` for one, `bulkclearcache` for several, at most 100. */
export function clearUrlsRequest(site: CdnSite, urls: readonly string[]): GatewayRequest {
  const [only] = urls;
  if (urls.length === 1 && only !== undefined)
    return request(site, '/clearcache', 'write', { url: only } satisfies ClearUrlRequest);
  return request(site, '/bulkclearcache', 'write', { urls: [...urls] } satisfies ClearUrlsRequest);
}

/** Clears surrogate keys of one bare domain, sent as one comma-separated string. */
export function clearKeysRequest(site: CdnSite, keys: readonly string[], domain: string): GatewayRequest {
  return request(site, '/clearbysurrogatekeys', 'write', {
    keys: keys.join(','),
    domain,
  } satisfies ClearKeysRequest);
}

/** Purges everything of one bare domain. */
export function purgeDomainRequest(site: CdnSite, domain: string): GatewayRequest {
  return request(site, '/purgecache', 'irreversible', { domain } satisfies PurgeDomainRequest);
}

function request(site: CdnSite, path: string, effect: Effect, body?: object): GatewayRequest {
  return {
    api: 'cdn',
    method: 'POST',
    path: `${site.prefix}${path}`,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    key:
      site.keyIn === 'header'
        ? { in: 'header', name: API_KEY_HEADER }
        : { in: 'query', name: API_KEY_PARAMETER },
    effect,
    // Clearing is idempotent.
    idempotent: true,
    timeoutMs: site.timeoutMs,
    responseLimit: SMALL_RESPONSE,
    readError,
  };
}

/** `Success` and `Error` report failures, with any status (spec, Errors). */
export const readError: ErrorReader = body => {
  if (!isRecord(body) || body.Success !== false) return undocumentedFailure(body);
  return { message: typeof body.Error === 'string' ? body.Error : '', isOwn: true };
};

/**
 * Throws InvalidResponseError unless the response reports success. Calls `onErrorText` with the error text of a successful response,
 * ready to print.
 */
export function assertSuccess(
  { body, request: info }: JsonResponse,
  onErrorText: (text: string) => void,
): void {
  if (isRecord(body) && body.Success === true) {
    const { Error: remark = '' } = body;
    if (remark !== '' && remark !== null) onErrorText(shortened(textOf(remark)));
    return;
  }
  throw new InvalidResponseError(`the response does not report success or failure${saidIn(body)}`, {
    request: info,
    code: 'unexpected_shape',
  });
}
