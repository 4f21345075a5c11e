import type { Context } from '../../framework/context.ts';
import { effectiveDomain } from './effective-domain.ts';
import type { PurgeFlags } from './flags.ts';

/** Whether a URL from a page or a sitemap may be fetched. */
export type AllowedSites = (url: URL) => boolean;

/**
 * Accepts URLs on the site of `start`, if given, and on the domain of the purge; any with `--any-domain`. Content from the
 * network must not choose other hosts.
 */
export async function allowedSites(
  start: string | undefined,
  flags: Pick<PurgeFlags, 'domain' | 'anyDomain'>,
  context: Context,
): Promise<AllowedSites> {
  if (flags.anyDomain) return () => true;
  const { isSameSite } = await import('../../../apis/cdn/public-suffixes.ts');
  const domain = await effectiveDomain(flags, context);
  const sites = [
    ...(start === undefined ? [] : [new URL(start).hostname]),
    ...(domain === undefined ? [] : [domain]),
  ];
  return ({ hostname }) => sites.some(site => isSameSite(site, hostname));
}
