import type { JsonResponse } from '../../http/gateway.ts';
import type { Sender } from '../../http/sender.ts';
import type { Json } from '../../json/index.ts';
import { onlyBriefly } from '../bda/only-briefly.ts';
import { type BdaV1Site, reportRequest, type V1Listing, v1ListingRequest } from './requests.ts';

/** Fetches a listing, unchanged. */
export async function fetchV1Listing(
  sender: Sender,
  site: BdaV1Site,
  listing: V1Listing,
): Promise<JsonResponse> {
  return await sender.send(v1ListingRequest(site, listing));
}

/** Fetches the columns for the headings of rows: without retries, and with a short timeout. */
export async function fetchV1ColumnsBriefly(sender: Sender, site: BdaV1Site): Promise<JsonResponse> {
  return await sender.send(onlyBriefly(v1ListingRequest(site, 'getcolumns')));
}

/** Fetches the definition of a report, unchanged. Throws ApiError for an unknown name. */
export async function fetchReport(sender: Sender, site: BdaV1Site, reportName: string): Promise<Json> {
  const { body } = await sender.send(reportRequest(site, reportName));
  return body;
}
