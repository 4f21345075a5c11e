import { convertedByGitBash, PATH_CONVERSION_HINT, PATH_CONVERTED } from '../files/git-bash.ts';

/** A valid value, or a problem with a hint. */
export type CheckedValue<Value> =
  | { readonly value: Value }
  | { readonly problem: string; readonly hint: string };

const BASE_URL_HINT = 'type the root of the gateway, such as https://gateway.example.com';

/**
 * A valid base URL: `http` or `https`, a host and an optional path, without user, query or fragment. The value has no trailing
 * slash. `isPlainRemote` checks separately whether it is encrypted.
 */
export function checkBaseUrl(text: string): CheckedValue<string> {
  if (/[\s\p{Cc}]/u.test(text)) return { problem: 'contains a blank', hint: BASE_URL_HINT };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined)
    return { problem: 'has no scheme', hint: `type https://${text.replace(/^\/+/, '')}` };
  if (scheme !== 'https' && scheme !== 'http') return { problem: 'is not an https URL', hint: BASE_URL_HINT };
  if (!URL.canParse(text)) return { problem: 'is not a valid URL', hint: BASE_URL_HINT };
  const url = new URL(text);
  const root = url.origin + url.pathname.replace(/\/+$/, '');
  if (url.username || url.password)
    return { problem: 'contains a user name or password', hint: `type ${root}` };
  if (/[?#]/.test(text)) return { problem: 'contains a query or fragment', hint: `type ${root}` };
  return { value: root };
}

/** Whether a key sent to this base URL would cross a network unencrypted. */
export function isPlainRemote(baseUrl: string): boolean {
  const url = new URL(baseUrl);
  return url.protocol === 'http:' && !isLoopbackHost(url.hostname);
}

/** A valid domain without scheme, `www.`, port or path, as the gateway requires. The value is its lower-case ASCII form. */
export function checkDomain(text: string): CheckedValue<string> {
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
  // URL normalises IPv4 addresses to four decimal numbers, and IPv6 addresses to brackets.
  if (/^\d+(?:\.\d+){3}$/.test(ascii) || ascii.startsWith('['))
    return { problem: 'is an IP address, not a domain', hint };
  const labels = /^(?=.{1,253}$)(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)+[a-z0-9-]{2,63}$/;
  if (ascii !== 'localhost' && !labels.test(ascii)) return { problem: 'is not a domain', hint };
  if (bare !== text) return { problem: `is more than a bare domain`, hint: `type ${ascii}` };
  return { value: ascii };
}

/** A valid domain, with a note if it differs from the typed text; or a problem with a hint. */
type CheckedDomain =
  | Exclude<CheckedValue<string>, { readonly value: string }>
  | { readonly value: string; readonly note?: string };

/** The bare domain of a URL or host name: `example.com` for `https://www.example.com/news`. */
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

/** A host, or an http or https URL without a user; excludes e-mail addresses. */
const WEB_ADDRESS = /^(?:https?:\/\/)?[^\s@/:?#\\]+(?::\d*)?(?:[/?#][^\s@\\]*)?$/i;

/** A domain for the Subscriptions API, which accepts it with or without `www.`. The value is as typed, or the domain of a URL. */
export function subscriptionsDomain(text: string): CheckedDomain {
  const bare = text.replace(/^www\.(?=.+\.)/i, '');
  const checked = checkDomain(bare);
  return bare !== text && 'value' in checked ? { value: text } : domainOf(text);
}

/** A valid brand word: letters, digits and hyphens, starting with a letter. */
export function checkBrand(text: string): CheckedValue<string> {
  if (/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(text)) return { value: text };
  return {
    problem: 'is not a brand word',
    hint: 'use letters, digits and hyphens, starting with a letter, such as service',
  };
}

/** A name as the API lists it: no blanks at its ends, no control characters. */
export function checkName(text: string): CheckedValue<string> {
  if (text !== '' && text === text.trim() && !/\p{Cc}/u.test(text)) return { value: text };
  return { problem: 'is not a name', hint: 'type it as the API lists it, without blanks around it' };
}

/** One of several words, ignoring letter case. */
export function checkChoice<Choice extends string>(
  text: string,
  choices: readonly Choice[],
): CheckedValue<Choice> {
  const value = choices.find(choice => choice === text.toLowerCase());
  if (value !== undefined) return { value };
  return { problem: 'is not an allowed value', hint: `use one of ${choices.join(', ')}` };
}

/** A number within inclusive limits, in plain decimal notation. */
export function checkNumber(
  text: string,
  limits: { min: number; max: number; whole: boolean },
): CheckedValue<number> {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= limits.min && value <= limits.max && (!limits.whole || Number.isInteger(value)))
    return { value };
  const kind = limits.whole ? 'a whole number' : 'a number';
  return { problem: `is not ${kind} in range`, hint: `type ${kind} from ${limits.min} to ${limits.max}` };
}

/** The syntax of a time zone: `Area/Place`, or an abbreviation such as UTC. `checkTimeZone` also checks whether it exists. */
export function checkTimeZoneForm(text: string): CheckedValue<string> {
  if (/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(text)) return { value: text };
  return { problem: 'is not a time zone', hint: 'type an IANA name, such as Europe/Madrid or UTC' };
}

/** An existing time zone, in its canonical spelling. Loads the zone tables, which takes as long as starting Node. */
export function checkTimeZone(text: string): CheckedValue<string> {
  const form = checkTimeZoneForm(text);
  if ('problem' in form) return form;
  try {
    return { value: new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone };
  } catch {
    return {
      problem: 'is not a known time zone',
      hint: 'type an IANA name, such as Europe/Madrid or UTC',
    };
  }
}

/** A valid path of an API below the base URL. The value has no trailing slash, and is empty for the root. */
export function checkPrefix(text: string): CheckedValue<string> {
  if (convertedByGitBash(text) !== undefined)
    return {
      problem: PATH_CONVERTED,
      hint: PATH_CONVERSION_HINT,
    };
  const value = text.replace(/\/+$/, '');
  if (value === '' || /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~%!$&'()*+,;=:@-]+)+$/.test(value)) return { value };
  return {
    problem: 'is not a path',
    hint: 'type a path that starts with a slash, such as /gateway/cdnservices',
  };
}

/** A path of a local file. Whether it exists is not checked. */
export function checkPath(text: string): CheckedValue<string> {
  if (text.trim() !== '' && !text.includes('\0')) return { value: text };
  return { problem: 'is not a path', hint: 'type the path of a file' };
}

/** True for host names and addresses that mean this machine: `localhost` and names below it, 127.0.0.0/8, `[::1]`. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** A language code in lower case: `de`, `pt-br`, also from `pt_BR.UTF-8`; undefined for anything else. */
export function languageCode(text: string): string | undefined {
  const code = text
    .trim()
    .toLowerCase()
    .replace('_', '-')
    .replace(/[.@].*$/, '');
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})?$/.test(code) ? code : undefined;
}
