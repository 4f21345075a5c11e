import { getDomain, parse } from 'tldts';

/** What is wrong with the domain of keys or of --all, and the bare domain of a subdomain. */
interface DomainProblem {
  readonly problem: string;
  readonly bare?: string;
}

/** Undefined for a bare domain: one below a public suffix, without a subdomain (spec, Endpoints B). */
export function domainProblem(domain: string): DomainProblem | undefined {
  const { isIp, publicSuffix, domain: bare } = parse(domain);
  if (isIp) return { problem: 'is an IP address, not a domain' };
  if (publicSuffix === domain) return { problem: 'is a public suffix, not a domain of an account' };
  // Below a suffix such as github.io, each name has a different owner.
  if (bare === null || bare === domain || getDomain(domain, { allowPrivateDomains: true }) === domain)
    return undefined;
  return { problem: 'is a subdomain, and the CDN requires the bare domain', bare };
}
