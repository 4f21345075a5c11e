import type { JsonResponse } from '../../http/gateway.ts';
import type { Sender } from '../../http/sender.ts';
import type { Json } from '../../json/index.ts';
import { onlyBriefly } from '../bda/only-briefly.ts';
import { type BdaV2Site, type Listing, listingRequest } from './requests.ts';

/** Fetches a listing, unchanged. */
export async function fetchListing(sender: Sender, site: BdaV2Site, listing: Listing): Promise<JsonResponse> {
  return await sender.send(listingRequest(site, listing));
}

/** Fetches the columns for the headings of rows: without retries, and with a short timeout. */
export async function fetchColumnsBriefly(sender: Sender, site: BdaV2Site): Promise<JsonResponse> {
  return await sender.send(onlyBriefly(listingRequest(site, 'columns')));
}

/** Fetches the days with data for a note: without retries, and with a short timeout. */
export async function fetchDateRange(sender: Sender, site: BdaV2Site): Promise<Json> {
  const { body } = await sender.send(onlyBriefly(listingRequest(site, 'date-range')));
  return body;
}
