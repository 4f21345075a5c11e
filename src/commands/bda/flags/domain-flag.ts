import { closeNames } from '../../../apis/bda/catalogue.ts';
import type { KnownName } from '../../../apis/bda/listing-cache.ts';
import { UsageError } from '../../../errors/index.ts';
import type { Site } from '../../../operations/rows/requested-rows.ts';
import type { Context } from '../../framework/context.ts';
import { list } from '../../framework/define-command.ts';
import { cacheListedNames, domainNames, listingCache } from '../listed-names.ts';
import { listingOf } from '../listings.ts';
import { splitNames } from './request-flags.ts';

/** The flag that selects sites by their names. */
export const DOMAIN_FLAG = {
  domain: list('--domain <names>', 'only these sites, comma-separated or repeated', {
    completes: 'domain',
    isPasted: true,
  }),
};

interface DomainFlags {
  readonly domain: readonly string[];
  readonly domainId: number | undefined;
}

/**
 * The sites that `--domain` names, in order and each once, from the cached listing of domains or else from the gateway; empty without
 * the flag. Throws UsageError for an unknown name, for one together with `--domain-id`, and where `maySend` forbids the listing.
 */
export async function sitesFromFlags(
  { domain, domainId }: DomainFlags,
  api: 'v1' | 'v2',
  context: Context,
  { maySend }: { readonly maySend: boolean },
): Promise<readonly Site[]> {
  const typed = splitNames('--domain', domain) ?? [];
  const [first] = typed;
  if (first === undefined) return [];
  if (domainId !== undefined)
    throw new UsageError('--domain and --domain-id cannot be combined', {
      code: 'conflicting_options',
      hints: ['pass one of them'],
    });
  const cache = await listingCache(context);
  const cached = (await cache?.readNames('domain')) ?? [];
  const unknown = typed.find(name => siteIn(cached, name) === undefined);
  if (unknown !== undefined && !maySend)
    throw new UsageError(`the id of ${unknown} is not cached, and no request is sent to look it up`, {
      code: 'unknown_name',
      hints: ['run gatectl bda domains to cache the ids, or pass --domain-id N'],
    });
  const names = unknown === undefined ? cached : await listedDomains(api, context);
  const sites = typed.map(name => {
    const site = siteIn(names, name) ?? siteIn(cached, name);
    if (site === undefined) throw unknownSite(name, names);
    if (site.name !== name) context.log.note(`using the domain ${site.name} of ${name}`);
    return site;
  });
  return sites.filter(({ id }, at) => sites.findIndex(site => site.id === id) === at);
}

async function listedDomains(api: 'v1' | 'v2', context: Context): Promise<readonly KnownName[]> {
  const listing = await listingOf('domains', api, context);
  await cacheListedNames('domain', listing, domainNames, context);
  return domainNames(listing.body);
}

function unknownSite(name: string, names: readonly KnownName[]): UsageError {
  const close = closeNames(
    names.map(known => known.name),
    bare(name),
  );
  return new UsageError(`the account has no site ${name}`, {
    code: 'unknown_name',
    hints: [
      ...(close.length === 0 ? [] : [`did you mean ${close.join(' or ')}?`]),
      'gatectl bda domains lists the sites',
    ],
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
