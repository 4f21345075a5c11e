/**
 * Every known prefix of an API, the configured one first: gateways put the same API below `/gateway` or
 * not, whatever is documented.
 */
export function knownPrefixes(used: string, documented: string): readonly string[] {
  const other = documented.startsWith('/gateway/')
    ? documented.slice('/gateway'.length)
    : `/gateway${documented}`;
  return [...new Set([used, documented, other])];
}
