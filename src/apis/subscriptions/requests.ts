import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn, undocumentedFailure } from '../../http/error-body.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import {
  type ErrorReader,
  type GatewayRequest,
  type KeyPlacement,
  LISTING_RESPONSE,
  SMALL_RESPONSE,
} from '../../http/request.ts';
import { isRecord, type Json } from '../../json/index.ts';
import type { BrandNames } from '../../wire/brand.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER, type KeyPlace } from '../../wire/key.ts';
import type { Reader } from './reader.ts';

/** The site of a request, where the Subscriptions API is, and how to authenticate to it. */
export interface Site {
  /** One of the account's domains. */
  readonly domain: string;
  /** Path prefix of the endpoints. */
  readonly prefix: string;
  readonly brand: BrandNames;
  readonly keyIn: KeyPlace;
}

/** The target of an access check: a product handle or a one-time item key. */
export type AccessTarget = { readonly product: string } | { readonly item: string };

/** GET access: `data` is a decision (spec, Endpoints A). */
export function accessRequest(site: Site, reader: Reader, target: AccessTarget): GatewayRequest {
  const parameter =
    'product' in target ? (['product', target.product] as const) : (['item', target.item] as const);
  return { ...readerRequest(site, reader, '/access', [parameter]), responseLimit: SMALL_RESPONSE };
}

/** GET products: `data` is a list of product handles. */
export function productsRequest(site: Site, reader: Reader): GatewayRequest {
  return readerRequest(site, reader, '/products', []);
}

/** GET purchases: `data` is a list of purchase entries. */
export function purchasesRequest(site: Site, reader: Reader): GatewayRequest {
  return readerRequest(site, reader, '/purchases', []);
}

/** POST identity-token: without a reader header, never retried. */
export function identityTokenRequest(site: Site, email: string): GatewayRequest {
  return {
    api: 'subscriptions',
    method: 'POST',
    path: `${site.prefix}/identity-token`,
    query: [['domain', site.domain]],
    body: JSON.stringify({ email }),
    key: keyPlacement(site),
    effect: 'irreversible',
    idempotent: false,
    responseLimit: SMALL_RESPONSE,
    readError,
  };
}

function readerRequest(
  site: Site,
  reader: Reader,
  path: string,
  query: readonly (readonly [string, string])[],
): GatewayRequest {
  const readerHeaders: Record<string, string> =
    reader.kind === 'email'
      ? { [site.brand.readerEmailHeader]: reader.email }
      : { [site.brand.readerTokenHeader]: reader.token };
  return {
    api: 'subscriptions',
    method: 'GET',
    path: `${site.prefix}${path}`,
    query: [['domain', site.domain], ...query],
    readerHeaders,
    key: keyPlacement(site),
    effect: 'read',
    idempotent: true,
    responseLimit: LISTING_RESPONSE,
    readError,
  };
}

function keyPlacement(site: Site): KeyPlacement {
  return site.keyIn === 'header'
    ? { in: 'header', name: API_KEY_HEADER }
    : { in: 'query', name: API_KEY_PARAMETER };
}

/** Reads the error envelope of the Subscriptions API (spec, Errors). */
export const readError: ErrorReader = body => {
  if (!isRecord(body) || body.success !== false) return undocumentedFailure(body);
  return { message: typeof body.message === 'string' ? body.message : '', isOwn: true };
};

/** Returns `data` of the envelope. Throws InvalidResponseError if it is missing. */
export function unwrap(response: JsonResponse): Json {
  const { body, request } = response;
  if (!isRecord(body) || body.success !== true || body.data === undefined) {
    throw new InvalidResponseError(`the response lacks "success" and "data"${saidIn(body)}`, {
      request,
      code: 'unexpected_shape',
    });
  }
  return body.data;
}
