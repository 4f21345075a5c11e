import { mangledByGitBash } from '../../files/git-bash.ts';

/** A URL as it will be sent, or why it can't be. */
export type CleanUrl =
  | { readonly url: string; readonly droppedFragment: boolean }
  | {
      readonly problem: string;
      /** True where nothing but the domain is in the way. */
      readonly elsewhere?: boolean;
    };

/**
 * Makes a URL ready to be cleared: absolute http or https, a bare origin with its slash, the host in ASCII, the fragment
 * (which no server ever sees) dropped. Path and query keep their spelling. `domain`, where given, is the only one, with
 * its subdomains, that the URL may be on.
 */
export function cleanUrl(text: string, domain: string | undefined): CleanUrl {
  if (mangledByGitBash(text) !== undefined)
    return { problem: 'is a path that Git Bash made of a word with a slash in front: type the whole URL' };
  if (/[\s\p{Cc}]/u.test(text)) return { problem: 'holds a blank or a control character' };
  const parts = /^(https?):\/\/([^/?#]*)([^#]*)(#.*)?$/i.exec(text);
  if (parts === null) {
    const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
    return {
      problem: scheme ? 'is not an http or https URL' : 'is not absolute: it must begin with https://',
    };
  }
  const parsed = parse(text);
  if (parsed === undefined) return { problem: 'is not a valid URL' };
  const { protocol, host, hostname, username, password } = parsed;
  if (username !== '' || password !== '') return { problem: 'holds a user name or password' };
  if (domain !== undefined && hostname !== domain && !hostname.endsWith(`.${domain}`)) {
    return { problem: `is not on ${domain}`, elsewhere: true };
  }
  const [, , , rest = '', fragment] = parts;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return { url: `${protocol}//${host}${path}`, droppedFragment: fragment !== undefined };
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
