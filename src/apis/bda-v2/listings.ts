import type { JsonResponse } from '../../http/gateway.ts';
import type { Sender } from '../../http/sender.ts';
import type { Json } from '../../json/index.ts';
import { type BdaV2Site, type Listing, listingRequest } from './requests.ts';

/** A listing as the API sent it, whatever its shape. */
export async function fetchListing(sender: Sender, site: BdaV2Site, listing: Listing): Promise<JsonResponse> {
  return await sender.send(listingRequest(site, listing));
}

/** The days that hold data, asked beside something else: once, and without waiting long. */
export async function fetchDateRange(sender: Sender, site: BdaV2Site): Promise<Json> {
  const request = listingRequest(site, 'date-range');
  const { body } = await sender.send({ ...request, idempotent: false, timeoutMs: ASIDE_MS });
  return body;
}

const ASIDE_MS = 5_000;
