import { parse } from 'tldts';
import { AGAINST_MANGLING, mangledByGitBash } from '../../files/git-bash.ts';

/** What is wrong with a surrogate key, or undefined. Keys travel in one comma-separated text. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (mangledByGitBash(key)?.typed !== undefined)
    return `is a path that Git Bash made of what you typed: ${AGAINST_MANGLING}`;
  if (key.includes(',')) return 'holds a comma';
  if (/[\s\p{Cc}]/u.test(key)) return 'holds a blank or a control character';
  if (/^https?:\/\//i.test(key)) return 'is a URL, not a surrogate key';
  return undefined;
}

/** What is wrong with a name that passed for a bare domain, or undefined: a public suffix belongs to nobody. */
export function domainProblem(domain: string): string | undefined {
  const { isIp, publicSuffix } = parse(domain);
  if (isIp) return 'is an IP address, not a domain';
  if (publicSuffix === domain) return 'is a public suffix: it belongs to no account';
  return undefined;
}
