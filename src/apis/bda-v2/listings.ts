import type { JsonResponse } from '../../http/gateway.ts';
import type { Sender } from '../../http/sender.ts';
import type { Json } from '../../json/index.ts';
import { type BdaV2Site, type Listing, listingRequest } from './requests.ts';

/** Fetches a listing, unchanged. */
export async function fetchListing(sender: Sender, site: BdaV2Site, listing: Listing): Promise<JsonResponse> {
  return await sender.send(listingRequest(site, listing));
}

/** Fetches the days with data for a note: without retries, and with a short timeout. */
export async function fetchDateRange(sender: Sender, site: BdaV2Site): Promise<Json> {
  const request = listingRequest(site, 'date-range');
  const { body } = await sender.send({ ...request, idempotent: false, timeoutMs: DATE_RANGE_TIMEOUT_MS });
  return body;
}

const DATE_RANGE_TIMEOUT_MS = 5_000;
