import { AGAINST_MANGLING, mangledByGitBash } from '../files/git-bash.ts';
import { isLoopbackHost } from '../http/loopback-host.ts';

/** A value that passed its check, or what is wrong with it and what to type instead. */
export type Checked<Value> = { readonly value: Value } | { readonly problem: string; readonly hint: string };

const BASE_URL_HINT = 'type the root of the gateway, such as https://gateway.example.com';

/**
 * A gateway root: `http` or `https`, a host, perhaps a path; no user, query or fragment. The value has no trailing slash.
 * Whether plain `http` may be used is asked apart: see `isPlainRemote`.
 */
export function checkBaseUrl(text: string): Checked<string> {
  if (/[\s\p{Cc}]/u.test(text)) return { problem: 'has a blank in it', hint: BASE_URL_HINT };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined)
    return { problem: 'has no scheme', hint: `type https://${text.replace(/^\/+/, '')}` };
  if (scheme !== 'https' && scheme !== 'http')
    return { problem: 'is not an https address', hint: BASE_URL_HINT };
  if (!URL.canParse(text)) return { problem: 'is not a valid address', hint: BASE_URL_HINT };
  const url = new URL(text);
  const root = url.origin + url.pathname.replace(/\/+$/, '');
  if (url.username || url.password) return { problem: 'holds a user name or password', hint: `type ${root}` };
  if (/[?#]/.test(text)) return { problem: 'holds a query or fragment', hint: `type ${root}` };
  return { value: root };
}

/** True when a key sent to this base URL would cross a network unencrypted. */
export function isPlainRemote(baseUrl: string): boolean {
  const url = new URL(baseUrl);
  return url.protocol === 'http:' && !isLoopbackHost(url.hostname);
}

/** A bare domain, as the gateway requires it: no scheme, `www.`, port or path, no IP address. The value is lower-case and in its ASCII form. */
export function checkDomain(text: string): Checked<string> {
  const host = text
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/, '')
    .replace(/:\d*$/, '')
    .replace(/\.$/, '');
  const bare = host.replace(/^www\.(?=.+\.)/i, '');
  const ascii = URL.canParse(`http://${bare}`) ? new URL(`http://${bare}`).hostname : '';
  const hint = 'type a bare domain, such as news.example.com';
  // A parsed URL writes every IPv4 address with four numbers, and IPv6 in brackets.
  if (/^\d+(?:\.\d+){3}$/.test(ascii) || ascii.startsWith('['))
    return { problem: 'is an IP address, not a domain', hint };
  const labels = /^(?=.{1,253}$)(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)+[a-z0-9-]{2,63}$/;
  if (ascii !== 'localhost' && !labels.test(ascii)) return { problem: 'is not a domain', hint };
  if (bare !== text) return { problem: `is more than a bare domain`, hint: `type ${ascii}` };
  return { value: ascii };
}

/** A domain that passed its check, with a note where it is not what was typed; or what is wrong with it. */
export type CheckedDomain =
  | Exclude<Checked<string>, { readonly value: string }>
  | { readonly value: string; readonly note?: string };

/** The bare domain that a web address or host name stands for: `example.com` of `https://www.example.com/news`. */
export function domainOf(text: string): CheckedDomain {
  const checked = checkDomain(text);
  if ('value' in checked || !WEB_ADDRESS.test(text)) return checked;
  const host = text
    .replace(/^https?:\/\//i, '')
    .replace(/[:/?#].*$/s, '')
    .replace(/\.$/, '')
    .replace(/^www\.(?=.+\.)/i, '');
  const bare = checkDomain(host);
  return 'value' in bare ? { ...bare, note: `using the domain ${bare.value} of ${text}` } : checked;
}

/** Nothing but a host, or an http or https URL without a user; an e-mail address is neither. */
const WEB_ADDRESS = /^(?:https?:\/\/)?[^\s@/:?#\\]+(?::\d*)?(?:[/?#][^\s@\\]*)?$/i;

/** A domain as Subscriptions accept it: bare, or with the `www.` that was typed. The value is as typed, or the domain of a URL. */
export function queriedDomainOf(text: string): CheckedDomain {
  const bare = text.replace(/^www\.(?=.+\.)/i, '');
  const checked = checkDomain(bare);
  return bare !== text && 'value' in checked ? { value: text } : domainOf(text);
}

/** The word that the service's header names carry: letters, digits and hyphens, a letter first. */
export function checkBrand(text: string): Checked<string> {
  if (/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(text)) return { value: text };
  return {
    problem: 'is not a brand word',
    hint: 'type letters, digits and hyphens, a letter first, such as service',
  };
}

/** A name as the API lists it: no blanks at its ends, no control characters. */
export function checkName(text: string): Checked<string> {
  if (text !== '' && text === text.trim() && !/\p{Cc}/u.test(text)) return { value: text };
  return { problem: 'is not a name', hint: 'type it as the API lists it, without blanks around it' };
}

/** One word out of a few. */
export function checkChoice<Choice extends string>(
  text: string,
  choices: readonly Choice[],
): Checked<Choice> {
  const value = choices.find(choice => choice === text.toLowerCase());
  if (value !== undefined) return { value };
  return { problem: 'is not one of the values allowed', hint: `type one of ${choices.join(', ')}` };
}

/** A number within limits, both inclusive, in plain decimal notation. */
export function checkNumber(
  text: string,
  limits: { min: number; max: number; whole: boolean },
): Checked<number> {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= limits.min && value <= limits.max && (!limits.whole || Number.isInteger(value)))
    return { value };
  const kind = limits.whole ? 'a whole number' : 'a number';
  return { problem: `is not ${kind} in range`, hint: `type ${kind} from ${limits.min} to ${limits.max}` };
}

/** A time zone by its looks: an area and a place, or an abbreviation such as UTC. Cheap; `checkTimeZone` knows whether it exists. */
export function checkTimeZoneForm(text: string): Checked<string> {
  if (/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(text)) return { value: text };
  return { problem: 'is not a time zone', hint: 'type an IANA name, such as Europe/Madrid or UTC' };
}

/** A time zone that exists, in its usual spelling. Costs as much as starting Node, since it loads the zone tables: ask only when it matters. */
export function checkTimeZone(text: string): Checked<string> {
  const form = checkTimeZoneForm(text);
  if ('problem' in form) return form;
  try {
    return { value: new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone };
  } catch {
    return {
      problem: 'is not a time zone that this machine knows',
      hint: 'type an IANA name, such as Europe/Madrid or UTC',
    };
  }
}

/** The path below the base URL where a family answers; the value has no trailing slash, and is empty for the root. */
export function checkPrefix(text: string): Checked<string> {
  if (mangledByGitBash(text) !== undefined)
    return {
      problem: 'is a path that Git Bash made of what you typed',
      hint: AGAINST_MANGLING,
    };
  const value = text.replace(/\/+$/, '');
  if (value === '' || /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~%!$&'()*+,;=:@-]+)+$/.test(value)) return { value };
  return {
    problem: 'is not a path',
    hint: 'type a path that starts with a slash, such as /gateway/cdnservices',
  };
}

/** A path to a local file; whether it exists is found out when it is read. */
export function checkPath(text: string): Checked<string> {
  if (text.trim() !== '' && !text.includes('\0')) return { value: text };
  return { problem: 'is not a path', hint: 'type the path of a file' };
}
