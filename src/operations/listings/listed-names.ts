import { anyFieldOf, idOf, listOf, scalarText } from '../../apis/bda/fields.ts';
import { type KnownName, ListingCache, type NamedKind } from '../../apis/bda/listing-cache.ts';
import { cacheFolder } from '../../config/platform.ts';
import { FileError } from '../../errors/index.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import { isRecord, type Json } from '../../json/index.ts';
import type { Analytics } from './analytics.ts';

/**
 * The cache of listings for this gateway and profile; undefined with --sandbox, whose listings are not those of the profile, and
 * without a base URL or a cache folder.
 */
export async function listingCache(analytics: Analytics): Promise<ListingCache | undefined> {
  if (analytics.globals.sandbox) return undefined;
  const { baseUrl, profile } = await analytics.settings();
  const folder = cacheFolder(analytics.io);
  if (folder === undefined || baseUrl.value === undefined) return undefined;
  return new ListingCache(folder, { baseUrl: baseUrl.value, profile: profile.value });
}

/**
 * Caches the names of a listing for shell completion. A listing without a readable name, or one marked `no-store`, leaves the cache as
 * it is. A cache that cannot be written is ignored: the listing itself must work.
 */
export async function cacheListedNames(
  kind: NamedKind,
  { body, storable }: JsonResponse,
  namesIn: (body: Json) => readonly KnownName[],
  analytics: Analytics,
): Promise<void> {
  const names = storable ? namesIn(body) : [];
  if (names.length === 0) return;
  const cache = await listingCache(analytics);
  try {
    await cache?.writeNames(kind, names, analytics.clock.now());
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
}

/** The names in a listing of undocumented shape: strings, or objects with one of these fields. */
export function namesInListing(
  listing: Json,
  nameFields: readonly string[],
  idFields: readonly string[],
): KnownName[] {
  return listOf(listing).flatMap(item => {
    if (!isRecord(item)) {
      const name = scalarText(item);
      return name === undefined ? [] : [{ name }];
    }
    const name = scalarText(anyFieldOf(item, ...nameFields));
    if (name === undefined) return [];
    const id = idOf(anyFieldOf(item, ...idFields));
    const about = scalarText(anyFieldOf(item, 'description'));
    return [{ name, ...(id !== undefined && { id }), ...(about !== undefined && { about }) }];
  });
}

/** The names and ids in a listing of domains. */
export function domainNames(listing: Json): KnownName[] {
  return namesInListing(listing, ['domain', 'name'], ['domainId', 'id']);
}
