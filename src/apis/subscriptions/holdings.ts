import { InvalidResponseError } from '../../errors/index.ts';
import { nearest } from '../../errors/nearest.ts';
import type { Sender } from '../../http/sender.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import type { Reader } from './reader.ts';
import { identityTokenRequest, productsRequest, purchasesRequest, type Site, unwrap } from './requests.ts';

/** A purchase entry with whatever fields the API sent. */
export type PurchaseEntry = JsonRecord;

/** The product handles a reader holds now; an unknown reader holds none. One-time items are not among them. */
export async function listProducts(sender: Sender, site: Site, reader: Reader): Promise<readonly string[]> {
  const answer = await sender.send(productsRequest(site, reader));
  const data = unwrap(answer);
  if (Array.isArray(data) && data.every(handle => typeof handle === 'string')) return data;
  throw new InvalidResponseError('the answer holds no list of products', {
    request: answer.request,
    code: 'unexpected_shape',
  });
}

/** The held handle that was probably meant by a mistyped one; undefined where none is close. */
export function nearestHandle(handle: string, held: readonly string[]): string | undefined {
  return nearest(handle, held);
}

/** A reader's purchases, one-time items included. */
export async function listPurchases(
  sender: Sender,
  site: Site,
  reader: Reader,
): Promise<readonly PurchaseEntry[]> {
  const answer = await sender.send(purchasesRequest(site, reader));
  const data = unwrap(answer);
  if (Array.isArray(data) && data.every(isRecord)) return data;
  throw new InvalidResponseError('the answer holds no list of purchases', {
    request: answer.request,
    code: 'unexpected_shape',
  });
}

/** True for an entitlement that gives access now: `active` is the one status that the spec shows. */
export function isActive(purchase: PurchaseEntry): boolean {
  return purchase.status === 'active';
}

/** Mints an identity token for an address. Sent once; valid for an hour; never kept by gatectl. */
export async function mintIdentityToken(
  sender: Sender,
  site: Site,
  email: string,
): Promise<JsonRecord & { readonly token: string }> {
  const answer = await sender.send(identityTokenRequest(site, email));
  const data = unwrap(answer);
  if (isRecord(data) && typeof data.token === 'string') return { ...data, token: data.token };
  throw new InvalidResponseError('the answer holds no token', {
    request: answer.request,
    code: 'unexpected_shape',
  });
}
