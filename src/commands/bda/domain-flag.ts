import { closeNames } from '../../apis/bda/catalogue.ts';
import { type KnownName, namesPath, readNames } from '../../apis/bda/listing-cache.ts';
import { cacheFolder } from '../../config/platform.ts';
import { UsageError } from '../../errors/index.ts';
import type { Context } from '../framework/context.ts';
import { string } from '../framework/define-command.ts';
import { cacheListedNames, domainNames } from './listed-names.ts';
import { listingOf } from './listings.ts';

/** The flag that selects a site by its name. */
export const DOMAIN_FLAG = {
  domain: string('--domain <name>', 'one site only, by name; gatectl bda domains lists them', {
    completes: 'domain',
    isPasted: true,
  }),
};

interface DomainFlags {
  readonly domain: string | undefined;
  readonly domainId: number | undefined;
}

/**
 * The id of the site that `--domain` names, from the cached listing of domains or else from the gateway; undefined without the
 * flag. Throws UsageError for an unknown name, for one together with `--domain-id`, and where `maySend` forbids the listing.
 */
export async function domainIdFromFlags(
  { domain, domainId }: DomainFlags,
  api: 'v1' | 'v2',
  context: Context,
  { maySend }: { readonly maySend: boolean },
): Promise<number | undefined> {
  if (domain === undefined) return undefined;
  if (domainId !== undefined)
    throw new UsageError("--domain and --domain-id don't go together", {
      code: 'conflicting_options',
      hints: ['select the site in one way'],
    });
  const cached = idIn(await cachedDomains(context), domain);
  if (cached !== undefined) return cached;
  if (!maySend)
    throw new UsageError(`the number of ${domain} is not known, and nothing is sent to look it up`, {
      code: 'unknown_name',
      hints: ['run gatectl bda domains once to cache the numbers, or type --domain-id N'],
    });
  const listing = await listingOf('domains', api, context);
  await cacheListedNames('domain', listing, domainNames, context);
  const names = domainNames(listing.body);
  const listed = idIn(names, domain);
  if (listed !== undefined) return listed;
  const close = closeNames(
    names.map(({ name }) => name),
    bare(domain),
  );
  throw new UsageError(`the account has no site ${domain}`, {
    code: 'unknown_name',
    hints: [
      ...(close.length === 0 ? [] : [`did you mean ${close.join(' or ')}?`]),
      'gatectl bda domains lists the sites',
    ],
  });
}

async function cachedDomains(context: Context): Promise<readonly KnownName[]> {
  if (context.globals.sandbox) return [];
  const { baseUrl, profile } = await context.settings();
  const folder = cacheFolder(context.io);
  if (folder === undefined || baseUrl.value === undefined) return [];
  const owner = { baseUrl: baseUrl.value, profile: profile.value };
  return (await readNames(namesPath(folder, 'domain', owner))) ?? [];
}

function idIn(names: readonly KnownName[], domain: string): number | undefined {
  const found =
    names.find(({ name }) => name === domain) ?? names.find(({ name }) => bare(name) === bare(domain));
  const id = found?.id === undefined ? Number.NaN : Number(found.id);
  return Number.isSafeInteger(id) ? id : undefined;
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
