import { fetchV1Listing } from '../../apis/bda-v1/listings.ts';
import { fetchListing } from '../../apis/bda-v2/listings.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import type { Json } from '../../json/index.ts';
import { type Analytics, bdaV1Site, bdaV2Site } from './analytics.ts';
import { cacheListedNames, namesInListing } from './listed-names.ts';

/** A listing that both APIs have; of v2 by default. */
export async function listingOf(
  name: 'columns' | 'domains',
  api: 'v1' | 'v2' | undefined,
  analytics: Analytics,
): Promise<JsonResponse> {
  const gateway = await analytics.gateway();
  if (api === 'v1') return await fetchV1Listing(gateway, await bdaV1Site(analytics), `get${name}`);
  return await fetchListing(gateway, await bdaV2Site(analytics), name);
}

/** The data sets, whose names are cached. */
export async function dataSetListing(analytics: Analytics): Promise<Json> {
  const listing = await fetchListing(await analytics.gateway(), await bdaV2Site(analytics), 'data-sets');
  const namesIn = (body: Json) => namesInListing(body, ['name', 'dataSet', 'id'], []);
  await cacheListedNames('data-set', listing, namesIn, analytics);
  return listing.body;
}
