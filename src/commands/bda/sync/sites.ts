import { InvalidResponseError, UsageError } from '../../../errors/index.ts';
import type { JsonResponse } from '../../../http/gateway.ts';
import { cacheListedNames, domainNames } from '../../../operations/listings/listed-names.ts';
import { listingOf } from '../../../operations/listings/listings.ts';
import { hintNearest, problemAt, type SyncConfig } from '../../../sync/config.ts';
import type { SyncDomain } from '../../../sync/plan.ts';
import type { Context } from '../../framework/context.ts';
import { firstSites } from '../../framework/sync-status.ts';
import { splitNames } from '../flags/request-flags.ts';

const VALID_IDS = `ids must be integers up to ${Number.MAX_SAFE_INTEGER}`;

/** The sites of an account. */
interface ListedSites {
  readonly sites: readonly SyncDomain[];
  /** The ids of others, which no query can name, by site: `id "2b"`. */
  readonly invalidIds: ReadonlyMap<string, string>;
}

/** The sites of a sync. */
interface SyncSites extends ListedSites {
  /** Those that the sync file and `--domain` choose. */
  readonly domains: readonly SyncDomain[];
}

/** The sites of the account, and those to synchronise. Warns of sites that cannot be. Throws UsageError and the gateway's typed errors. */
export async function syncSites(
  config: SyncConfig,
  given: readonly string[],
  context: Context,
): Promise<SyncSites> {
  const listing = await listingOf('domains', 'v2', context);
  await cacheListedNames('domain', listing, domainNames, context);
  const listed = listedSites(listing);
  const { sites, invalidIds } = listed;
  const { distinct, duplicates } = distinctSites(sitesOfFile(config, listed));
  const chosen = splitNames('--domain', given);
  if (config.domains === 'all' && chosen === undefined && invalidIds.size > 0)
    context.log.warn(`skipping ${shown(invalidIds)}: ${VALID_IDS}`);
  for (const [name, first] of duplicates)
    if (chosen === undefined || chosen.includes(first.name))
      context.log.warn(`skipping ${name}: its id ${first.id} is also that of ${first.name}`);
  if (chosen === undefined) return { ...listed, domains: distinct };
  const names = distinct.map(({ name }) => name);
  for (const name of chosen) {
    if (names.includes(name)) continue;
    const duplicated = duplicates.get(name);
    if (duplicated !== undefined)
      throw new UsageError(
        `${name} is not in the sync: its id ${duplicated.id} is also that of ${duplicated.name}`,
        { code: 'unknown_name', hints: [`pass --domain ${duplicated.name}`] },
      );
    const id = config.domains === 'all' ? invalidIds.get(name) : undefined;
    throw new UsageError(id === undefined ? `the sync has no site ${name}` : cannotRequest(name, id), {
      code: 'unknown_name',
      hints: id === undefined ? hintNearest(name, names) : [VALID_IDS],
    });
  }
  return { sites, invalidIds, domains: distinct.filter(({ name }) => chosen.includes(name)) };
}

function listedSites({ body }: JsonResponse): ListedSites {
  const sites: SyncDomain[] = [];
  const invalidIds = new Map<string, string>();
  for (const { name, id } of domainNames(body)) {
    const number = id === undefined ? Number.NaN : Number(id);
    if (Number.isSafeInteger(number)) sites.push({ name, id: number });
    else
      invalidIds.set(name, id === undefined ? 'no id' : `id ${/^\d+$/.test(id) ? id : JSON.stringify(id)}`);
  }
  return { sites, invalidIds };
}

/** The sites that a sync file names. Throws UsageError and InvalidResponseError. */
function sitesOfFile(config: SyncConfig, { sites, invalidIds }: ListedSites): readonly SyncDomain[] {
  const { domains } = config;
  if (domains === 'all') {
    if (sites.length > 0) return sites;
    throw new InvalidResponseError(
      invalidIds.size === 0
        ? 'the gateway lists no sites'
        : `the gateway lists no sites but ${shown(invalidIds)}: ${VALID_IDS}`,
      { code: 'unexpected_shape' },
    );
  }
  const names = sites.map(({ name }) => name);
  for (const name of domains) {
    if (names.includes(name)) continue;
    const id = invalidIds.get(name);
    throw id === undefined
      ? problemAt(config, `domains:${name}`, `the account has no site ${name}`, hintNearest(name, names))
      : problemAt(config, `domains:${name}`, cannotRequest(name, id), [VALID_IDS]);
  }
  return sites.filter(({ name }) => domains.includes(name));
}

/** The first site with each id, and by name those with the id of another one. */
function distinctSites(sites: readonly SyncDomain[]): {
  readonly distinct: readonly SyncDomain[];
  readonly duplicates: ReadonlyMap<string, SyncDomain>;
} {
  const byId = new Map<number, SyncDomain>();
  const duplicates = new Map<string, SyncDomain>();
  for (const site of sites) {
    const first = byId.get(site.id);
    if (first === undefined) byId.set(site.id, site);
    else if (first.name !== site.name) duplicates.set(site.name, first);
  }
  return { distinct: [...byId.values()], duplicates };
}

/** `two.example.com (id "2b"), three.example.com (no id) and 4 more` */
function shown(invalidIds: ListedSites['invalidIds']): string {
  return firstSites([...invalidIds].map(([name, id]) => `${name} (${id})`));
}

function cannotRequest(name: string, id: string): string {
  return `cannot request ${name}, which has ${id} at the gateway`;
}
