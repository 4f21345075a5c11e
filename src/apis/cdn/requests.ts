import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn, shortened, undocumentedFault } from '../../http/error-body.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import type { ErrorReader, GatewayRequest } from '../../http/request.ts';
import { SMALL_RESPONSE } from '../../http/response-limit.ts';
import { isRecord, textOf } from '../../json/index.ts';
import { printable } from '../../terminal/printable.ts';
import type {
  ClearKeysRequest,
  ClearUrlRequest,
  ClearUrlsRequest,
  PurgeDomainRequest,
} from '../../wire/cdn.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER } from '../../wire/key.ts';

/** How this account's CDN API wants to be asked. */
export interface CdnSite {
  /** What comes before `/ping/` and the others. */
  readonly prefix: string;
  readonly keyIn: 'header' | 'query';
  /** Milliseconds for one call: a purge of a whole domain takes long. */
  readonly timeoutMs: number;
}

/** POST ping, without a body: does the CDN API respond? */
export function pingRequest(site: CdnSite): GatewayRequest {
  return request(site, '/ping/');
}

/** The same at the path without its last slash, where some gateways have it. */
export function pingWithoutSlash(site: CdnSite): GatewayRequest {
  return request(site, '/ping');
}

/** Clears URLs with the narrowest endpoint: `clearcache` for one, `bulkclearcache` for several, at most 100. */
export function clearUrlsRequest(site: CdnSite, urls: readonly string[]): GatewayRequest {
  const [only] = urls;
  if (urls.length === 1 && only !== undefined)
    return request(site, '/clearcache', { url: only } satisfies ClearUrlRequest);
  return request(site, '/bulkclearcache', { urls: [...urls] } satisfies ClearUrlsRequest);
}

/** Clears surrogate keys of one bare domain; they travel as one comma-separated text. */
export function clearKeysRequest(site: CdnSite, keys: readonly string[], domain: string): GatewayRequest {
  return request(site, '/clearbysurrogatekeys', { keys: keys.join(','), domain } satisfies ClearKeysRequest);
}

/** Purges everything of one bare domain. */
export function purgeDomainRequest(site: CdnSite, domain: string): GatewayRequest {
  return request(site, '/purgecache', { domain } satisfies PurgeDomainRequest);
}

function request(site: CdnSite, path: string, body?: object): GatewayRequest {
  return {
    api: 'cdn',
    method: 'POST',
    path: `${site.prefix}${path}`,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    key:
      site.keyIn === 'header'
        ? { in: 'header', name: API_KEY_HEADER }
        : { in: 'query', name: API_KEY_PARAMETER },
    // Clearing twice does no harm.
    idempotent: true,
    timeoutMs: site.timeoutMs,
    responseLimit: SMALL_RESPONSE,
    readError,
  };
}

/** Failures are told by `Success` and `Error`, under whatever status (spec, Errors). */
export const readError: ErrorReader = body => {
  if (!isRecord(body) || body.Success !== false) return undocumentedFault(body);
  return { message: typeof body.Error === 'string' ? body.Error : '', isOwn: true };
};

/**
 * Throws InvalidResponseError unless the response says that it succeeded. `onRemark` receives an error text that stands beside
 * the success, ready to print.
 */
export function assertSuccess(
  { body, request: facts }: JsonResponse,
  onRemark: (text: string) => void,
): void {
  if (isRecord(body) && body.Success === true) {
    const { Error: remark = '' } = body;
    if (remark !== '' && remark !== null) onRemark(printable(shortened(textOf(remark))));
    return;
  }
  throw new InvalidResponseError(`the answer does not say whether it succeeded${saidIn(body)}`, {
    request: facts,
    code: 'unexpected_shape',
  });
}
