import { getDomain, parse } from 'tldts';

/** Whether a host is below a public suffix that exists, such as `www.example.com`; file names such as `news.html` are not. */
export function isRegisteredHost(host: string): boolean {
  const { domain, isIcann } = parse(host);
  return domain !== null && isIcann === true;
}

/** Whether two hosts have one owner: equal, or below the same registrable domain, such as `www.` and `cdn.example.com`. */
export function isSameSite(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map(host => getDomain(host, { allowPrivateDomains: true }));
  return first !== null && first === second;
}
