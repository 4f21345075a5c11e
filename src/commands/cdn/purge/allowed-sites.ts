import type { Context } from '../../framework/context.ts';
import type { PurgeFlags } from './flags.ts';

/** Decides whether a URL that a page or a sitemap named may be fetched. */
export type AllowedSites = (url: URL) => boolean;

/**
 * Accepts URLs on the site of `start`, where that is given, and on the domain of the purge; any with `--any-domain`. What
 * came over the network must not choose other hosts.
 */
export async function allowedSites(
  start: string | undefined,
  flags: Pick<PurgeFlags, 'domain' | 'anyDomain'>,
  context: Context,
): Promise<AllowedSites> {
  if (flags.anyDomain) return () => true;
  const { isSameSite } = await import('../../../apis/cdn/public-suffixes.ts');
  const domain = flags.domain ?? (await context.settings()).domain.value;
  const sites = [
    ...(start === undefined ? [] : [new URL(start).hostname]),
    ...(domain === undefined ? [] : [domain]),
  ];
  return ({ hostname }) => sites.some(site => isSameSite(site, hostname));
}
