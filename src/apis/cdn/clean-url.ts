import { convertedByGitBash, PATH_CONVERTED } from '../../files/git-bash.ts';

/** A URL to clear, as it was typed or listed. */
export interface UrlEntry {
  /** Its position, for messages: the number of its line, or `argument 7`. */
  readonly place: number | string;
  readonly text: string;
  /** Why it cannot be cleared, where that is known already. */
  readonly problem?: string;
  /** True where only its domain is the problem. */
  readonly elsewhere?: boolean;
}

/** A normalized URL, or the reason why it is invalid. */
export type CleanUrl =
  | {
      readonly url: string;
      readonly droppedFragment: boolean;
    }
  | {
      readonly problem: string;
      /** Whether only the domain is the problem. */
      readonly elsewhere?: boolean;
    };

/** Several URLs without spaces: `https://example.com/a,https://example.com/b`, or `…/a,//example.com/b`. */
const SEVERAL_URLS = /[,;|](?:https?:\/\/|\/\/[^/?#,]+\.)/i;
/** Possibly a list of paths, `https://example.com/a,/b`, although a path may contain this. */
const SEVERAL_PATHS = /,\//;

/** Whether a URL is probably a list of paths, joined with commas. */
export function mayBeSeveral(url: string): boolean {
  return SEVERAL_PATHS.test(url);
}

/** An asterisk in host or path, or at the end of the query; elsewhere in the query it is data. */
const WILDCARD = /^[^?]*\*|\*$/;

const WILDCARD_PROBLEM =
  'contains a wildcard, but URLs match exactly: purge a surrogate key for a group of pages, or the whole domain, or use %2A for an asterisk';

/**
 * Normalizes a URL to clear: absolute http or https, ASCII host, `/` after a bare origin, no fragment. Path and query are not
 * changed. `domain`, if set, restricts the URL to it and its subdomains.
 */
export function cleanUrl(text: string, domain: string | undefined): CleanUrl {
  if (convertedByGitBash(text) !== undefined) return { problem: `${PATH_CONVERTED}: type the full URL` };
  if (/[\s\p{Cc}]/u.test(text)) return { problem: 'contains a space or a control character' };
  const parts = /^(https?):\/\/([^/?#]*)([^#]*)(#.*)?$/i.exec(text);
  if (parts === null) {
    const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
    if (scheme) return { problem: 'is not an http or https URL' };
    if (WILDCARD.test(text)) return { problem: WILDCARD_PROBLEM };
    return { problem: /^\/(?!\/)/.test(text) ? pathProblem(text, domain) : NOT_ABSOLUTE };
  }
  const [, scheme = '', authority = '', rest = '', fragment] = parts;
  if (SEVERAL_URLS.test(text))
    return { problem: 'is more than one URL: pass one per line or argument, or use %2C for a comma' };
  if (text.includes('*') && WILDCARD.test(authority + rest)) return { problem: WILDCARD_PROBLEM };
  // `URL` parses a backslash as a slash, so the path would be lost and the front page cleared instead.
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

const NOT_ABSOLUTE = 'is not absolute: it must start with https://';

/** A path is not completed with the domain: pages are often on a subdomain, and clearing another host would succeed without effect. */
function pathProblem(path: string, domain: string | undefined): string {
  return `is a path: type the full URL, such as https://${domain ?? 'www.example.com'}${path}`;
}

/** A host and an optional path. */
const HOST_AND_PATH = /^([^\s/:?#@\\]+\.[^\s/:?#@\\]+)(\/.*)?$/;

/** Whether an entry may be a URL without a scheme: neither a path nor a scheme. */
export function hasNoScheme(text: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|\/|\.)/i.test(text);
}

/**
 * Normalizes a URL without a scheme to https, if it starts with a host. Rejects a bare host, which may mean the front page or
 * the whole domain.
 */
export function assumedHttps(
  text: string,
  domain: string | undefined,
  isHost: (host: string) => boolean,
): CleanUrl {
  const [, host = '', path] = HOST_AND_PATH.exec(text) ?? [];
  if (!isHost(host.toLowerCase())) return cleanUrl(text, domain);
  if (path === undefined)
    return { problem: `is a domain: type https://${host}/ for its front page, or --all to purge everything` };
  return cleanUrl(`https://${text}`, domain);
}

/** The part of a URL before the path. */
interface Site {
  /** With its port. */
  readonly origin: string;
  readonly hostname: string;
  readonly hasUser: boolean;
}

/** Cache of the last parsed site: most URLs of a list share it, and parsing takes half of the time. */
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
