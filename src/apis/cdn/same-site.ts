import { getDomain } from 'tldts';

/** Whether two hosts belong to one owner: equal, or below the same registrable domain, such as `www.` and `cdn.example.com`. */
export function isSameSite(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map(host => getDomain(host, { allowPrivateDomains: true }));
  return first !== null && first === second;
}
