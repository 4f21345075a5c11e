import type { JsonResponse } from '../../http/gateway.ts';
import type { Sender } from '../../http/sender.ts';
import type { Json } from '../../json/index.ts';
import { type BdaV1Site, reportRequest, type V1Listing, v1ListingRequest } from './requests.ts';

/** A listing as the API sent it, whatever its shape. */
export async function fetchV1Listing(
  sender: Sender,
  site: BdaV1Site,
  listing: V1Listing,
): Promise<JsonResponse> {
  return await sender.send(v1ListingRequest(site, listing));
}

/** The definition of a report as the API sent it. Throws ApiError for a name that no report has. */
export async function fetchReport(sender: Sender, site: BdaV1Site, reportName: string): Promise<Json> {
  const { body } = await sender.send(reportRequest(site, reportName));
  return body;
}
