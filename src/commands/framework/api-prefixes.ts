/**
 * Every known prefix of an API, the configured one first: some gateways serve an API below `/gateway`
 * and others do not, regardless of the documentation.
 */
export function knownPrefixes(used: string, documented: string): readonly string[] {
  const other = documented.startsWith('/gateway/')
    ? documented.slice('/gateway'.length)
    : `/gateway${documented}`;
  return [...new Set([used, documented, other])];
}
