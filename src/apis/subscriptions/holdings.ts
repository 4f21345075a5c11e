import { InvalidResponseError } from '../../errors/index.ts';
import { nearest } from '../../errors/nearest.ts';
import type { Sender } from '../../http/sender.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import type { Reader } from './reader.ts';
import { identityTokenRequest, productsRequest, purchasesRequest, type Site, unwrap } from './requests.ts';

/** A purchase entry with all fields of the response. */
export type PurchaseEntry = JsonRecord;

/** The product handles that a reader holds, without one-time items; none for an unknown reader. */
export async function listProducts(sender: Sender, site: Site, reader: Reader): Promise<readonly string[]> {
  const response = await sender.send(productsRequest(site, reader));
  const data = unwrap(response);
  if (Array.isArray(data) && data.every(handle => typeof handle === 'string')) return data;
  throw new InvalidResponseError('no list of products in the response', {
    request: response.request,
    code: 'unexpected_shape',
  });
}

/** The held handle that is similar to a mistyped one; undefined if none is. */
export function nearestHandle(handle: string, held: readonly string[]): string | undefined {
  return nearest(handle, held);
}

/** A reader's purchases, one-time items included. */
export async function listPurchases(
  sender: Sender,
  site: Site,
  reader: Reader,
): Promise<readonly PurchaseEntry[]> {
  const response = await sender.send(purchasesRequest(site, reader));
  const data = unwrap(response);
  if (Array.isArray(data) && data.every(isRecord)) return data;
  throw new InvalidResponseError('no list of purchases in the response', {
    request: response.request,
    code: 'unexpected_shape',
  });
}

/** The products of a reader, and the handles that are known from them. */
interface Handles {
  readonly held: readonly string[];
  readonly purchases: readonly PurchaseEntry[];
  /** Those of `purchases`, current or not. */
  readonly bought: readonly string[];
}

/** The product handles that a reader holds or has bought. */
export async function listHandles(sender: Sender, site: Site, reader: Reader): Promise<Handles> {
  const [held, purchases] = await Promise.all([
    listProducts(sender, site, reader),
    listPurchases(sender, site, reader),
  ]);
  const bought = purchases.map(({ productKey }) => productKey).filter(handle => typeof handle === 'string');
  return { held, purchases, bought };
}

/** Whether an entitlement gives access: `active` is the only documented status. */
export function isActive(purchase: PurchaseEntry): boolean {
  return purchase.status === 'active';
}

/** Creates an identity token for an address, valid for an hour. Never retried, cached or logged. */
export async function mintIdentityToken(
  sender: Sender,
  site: Site,
  email: string,
): Promise<JsonRecord & { readonly token: string }> {
  const response = await sender.send(identityTokenRequest(site, email));
  const data = unwrap(response);
  if (isRecord(data) && typeof data.token === 'string') return { ...data, token: data.token };
  throw new InvalidResponseError('no token in the response', {
    request: response.request,
    code: 'unexpected_shape',
  });
}
