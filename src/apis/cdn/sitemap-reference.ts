/** A sitemap in an index: a URL to fetch, a local path, or invalid. */
export type SitemapReference =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'invalid'; readonly problem: string; readonly elsewhere?: boolean };

/** At least two letters: a single one is a Windows drive. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

/**
 * Parses the location of a sitemap. A fetched index may name only http and https URLs that `isAllowed` accepts; a local index
 * may also name local files.
 */
export function sitemapReference(
  location: string,
  isLocal: boolean,
  isAllowed: (url: URL) => boolean,
): SitemapReference {
  if (!/^https?:/i.test(location)) {
    if (!isLocal) return { kind: 'invalid', problem: 'is not an http or https URL' };
    if (SCHEME.test(location) || location === '' || location.includes('\0'))
      return { kind: 'invalid', problem: 'is neither an http or https URL nor the path of a file' };
    return { kind: 'path', path: location };
  }
  if (!/^https?:\/\//i.test(location) || !URL.canParse(location))
    return { kind: 'invalid', problem: 'is not a valid URL' };
  const url = new URL(location);
  if (isAllowed(url)) return { kind: 'url', url };
  return { kind: 'invalid', problem: 'is a sitemap on another site', elsewhere: true };
}
