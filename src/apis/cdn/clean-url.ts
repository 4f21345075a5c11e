import { convertedByGitBash, PATH_CONVERTED } from '../../files/git-bash.ts';

/** A URL as it will be sent, or why it cannot be. */
export type CleanUrl =
  | {
      readonly url: string;
      readonly droppedFragment: boolean;
    }
  | {
      readonly problem: string;
      /** True where only the domain is the problem. */
      readonly elsewhere?: boolean;
    };

/** A list in one word: `https://example.com/a,https://example.com/b`, or `…/a,//example.com/b`. */
const SEVERAL_URLS = /[,;|](?:https?:\/\/|\/\/[^/?#,]+\.)/i;
/** Perhaps a list of paths: `https://example.com/a,/b`. A path may hold that, too. */
const SEVERAL_PATHS = /,\//;

/** Whether a URL may be a list of paths that somebody joined with commas. */
export function mayBeSeveral(url: string): boolean {
  return SEVERAL_PATHS.test(url);
}

/** An asterisk in the host or the path, or at the end of the query; elsewhere in a query it is a value. */
const WILDCARD = /^[^?]*\*|\*$/;
const WILDCARD_PROBLEM =
  'contains a wildcard, but URLs match exactly: use --key for a group of pages, --all for a domain, or %2A for an asterisk';

/**
 * Makes a URL ready to be cleared: absolute http or https, a bare origin with its slash, the host in ASCII, the fragment
 * (which no server ever sees) dropped. Path and query keep their spelling. `domain`, where given, is the only one, with
 * its subdomains, that the URL may be on.
 */
export function cleanUrl(text: string, domain: string | undefined): CleanUrl {
  if (convertedByGitBash(text) !== undefined) return { problem: `${PATH_CONVERTED}: type the full URL` };
  if (/[\s\p{Cc}]/u.test(text)) return { problem: 'contains a space or a control character' };
  const parts = /^(https?):\/\/([^/?#]*)([^#]*)(#.*)?$/i.exec(text);
  if (parts === null) {
    const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
    if (scheme) return { problem: 'is not an http or https URL' };
    return { problem: WILDCARD.test(text) ? WILDCARD_PROBLEM : NOT_ABSOLUTE };
  }
  const [, scheme = '', authority = '', rest = '', fragment] = parts;
  if (SEVERAL_URLS.test(text))
    return { problem: 'is more than one URL: pass one per line or argument, or use %2C for a comma' };
  if (text.includes('*') && WILDCARD.test(authority + rest)) return { problem: WILDCARD_PROBLEM };
  // `URL` reads it as a slash, but what follows it would be lost, and the whole site's front page cleared instead.
  if (authority.includes('\\')) return { problem: 'has a backslash after its host: use a slash' };
  const before = `${scheme}://${authority}`;
  const site = siteOf(before);
  if (site === undefined) return { problem: 'is not a valid URL' };
  const { origin, hostname, hasUser } = site;
  if (hasUser) return { problem: 'contains a user name or password' };
  if (domain !== undefined && hostname !== domain && !hostname.endsWith(`.${domain}`)) {
    return { problem: `is not on ${domain}`, elsewhere: true };
  }
  const droppedFragment = fragment !== undefined;
  const isCleanAlready = before === origin && rest.startsWith('/') && !droppedFragment;
  if (isCleanAlready) return { url: text, droppedFragment };
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return { url: `${origin}${path}`, droppedFragment };
}

const NOT_ABSOLUTE = 'is not absolute: it must begin with https://';
/** A host and a path, perhaps. */
const HOST_AND_PATH = /^([^\s/:?#@\\]+\.[^\s/:?#@\\]+)(\/.*)?$/;

/** Whether an entry may be a URL whose scheme was left out: neither a path nor with a scheme of its own. */
export function hasNoScheme(text: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|\/|\.)/i.test(text);
}

/**
 * Cleans a URL without a scheme as an https URL, where it begins with a host. A host alone is refused: it may stand for the
 * front page or for the whole domain.
 */
export function assumedHttps(
  text: string,
  domain: string | undefined,
  isHost: (host: string) => boolean,
): CleanUrl {
  const [, host = '', path] = HOST_AND_PATH.exec(text) ?? [];
  if (!isHost(host.toLowerCase())) return cleanUrl(text, domain);
  if (path === undefined)
    return { problem: `is a domain: type https://${host}/ for its front page, or --all for all of it` };
  return cleanUrl(`https://${text}`, domain);
}

/** What comes before the path, as `URL` reads it. */
interface Site {
  /** With its port. */
  readonly origin: string;
  readonly hostname: string;
  readonly hasUser: boolean;
}

/** The site of the previous URL: most URLs of a list share it, and parsing takes as long as everything else. */
let last: { readonly text: string; readonly site: Site | undefined } = { text: '', site: undefined };

function siteOf(text: string): Site | undefined {
  if (text !== last.text) last = { text, site: read(text) };
  return last.site;
}

function read(text: string): Site | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, hostname, username, password } = new URL(text);
  return { origin, hostname, hasUser: username !== '' || password !== '' };
}
