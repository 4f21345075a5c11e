import { closeNames } from '../../apis/bda/catalogue.ts';
import type { KnownName } from '../../apis/bda/listing-cache.ts';
import { UsageError } from '../../errors/index.ts';
import type { Site } from '../rows/requested-rows.ts';
import type { Analytics } from './analytics.ts';
import { cacheListedNames, domainNames, listingCache } from './listed-names.ts';
import { listingOf } from './listings.ts';

/**
 * The sites with these names, in order and each once, from the cached listing of domains or else from the gateway. Throws UsageError for
 * an unknown name, and where `maySend` forbids the listing.
 */
export async function sitesNamed(
  typed: readonly string[],
  api: 'v1' | 'v2',
  analytics: Analytics,
  { maySend }: { readonly maySend: boolean },
): Promise<readonly Site[]> {
  const cache = await listingCache(analytics);
  const cached = (await cache?.readNames('domain')) ?? [];
  const unknown = typed.find(name => siteIn(cached, name) === undefined);
  if (unknown !== undefined && !maySend)
    throw new UsageError(`the id of ${unknown} is not cached, and no request is sent to look it up`, {
      code: 'unknown_name',
      reason: 'site_not_cached',
    });
  const names = unknown === undefined ? cached : await listedDomains(api, analytics);
  const sites = typed.map(name => {
    const site = siteIn(names, name) ?? siteIn(cached, name);
    if (site === undefined) throw unknownSite(name, names);
    if (site.name !== name) analytics.log.note(`using the domain ${site.name} of ${name}`);
    return site;
  });
  return sites.filter(({ id }, at) => sites.findIndex(site => site.id === id) === at);
}

async function listedDomains(api: 'v1' | 'v2', analytics: Analytics): Promise<readonly KnownName[]> {
  const listing = await listingOf('domains', api, analytics);
  await cacheListedNames('domain', listing, domainNames, analytics);
  return domainNames(listing.body);
}

function unknownSite(name: string, names: readonly KnownName[]): UsageError {
  const close = closeNames(
    names.map(known => known.name),
    bare(name),
  );
  return new UsageError(`the account has no site ${name}`, {
    code: 'unknown_name',
    reason: { name: 'unknown_site', close },
  });
}

function siteIn(names: readonly KnownName[], domain: string): Site | undefined {
  const found =
    names.find(({ name }) => name === domain) ?? names.find(({ name }) => bare(name) === bare(domain));
  const id = found?.id === undefined ? Number.NaN : Number(found.id);
  return found !== undefined && Number.isSafeInteger(id) ? { name: found.name, id } : undefined;
}

/** `https://www.Example.com/news` and `example.com` name the same site. */
function bare(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^www\.(?=.+\.)/, '');
}
