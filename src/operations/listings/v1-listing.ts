import type { KnownName, NamedKind } from '../../apis/bda/listing-cache.ts';
import { namedReports, namedSegments } from '../../apis/bda-v1/definition.ts';
import { fetchV1Listing } from '../../apis/bda-v1/listings.ts';
import type { V1Listing } from '../../apis/bda-v1/requests.ts';
import type { Json } from '../../json/index.ts';
import { type Analytics, bdaV1Site } from './analytics.ts';
import { cacheListedNames } from './listed-names.ts';

/** Fetches a v1 listing, unchanged. Caches the names of reports and segments for completion. */
export async function v1Listing(listing: V1Listing, analytics: Analytics): Promise<Json> {
  const response = await fetchV1Listing(await analytics.gateway(), await bdaV1Site(analytics), listing);
  const cached = CACHED[listing];
  if (cached !== undefined) await cacheListedNames(cached.kind, response, cached.namesIn, analytics);
  return response.body;
}

const CACHED: Partial<Record<V1Listing, { kind: NamedKind; namesIn: (body: Json) => readonly KnownName[] }>> =
  {
    getreports: { kind: 'report', namesIn: body => namedReports(body).map(({ name }) => ({ name })) },
    getcustomreports: { kind: 'custom-report', namesIn: namedReports },
    getsegments: { kind: 'segment', namesIn: namedSegments },
  };
