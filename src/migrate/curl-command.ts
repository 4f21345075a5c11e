import { type Expandable, expand, labelOf, shellVariables } from './shell-expansions.ts';
import { shellCommands } from './shell-words.ts';
import { readV1Url, type V1Call } from './v1-url.ts';

export type CurlParseResult =
  | {
      readonly ok: true;
      readonly call: V1Call;
      /** The request body, with a marker in place of each part whose value is unknown. */
      readonly body?: string;
      readonly unknown?: readonly UnknownPart[];
      /** The file that contains the body instead (`-d @file`); `-` is stdin. */
      readonly bodyFile?: string;
    }
  | { readonly ok: false; readonly reason: string; readonly unknown?: readonly UnknownPart[] };

/** A part of the body whose value is known only to the script. */
export interface UnknownPart {
  /** Its placeholder in the body, inside a JSON string. */
  readonly marker: string;
  /** Name in messages: `$START`, `$(date …)` or `$(…)`. */
  readonly label: string;
  /** The variable; undefined for a command substitution. */
  readonly name: string | undefined;
}

/** Letters of short options that take a value. */
const SHORT_WITH_VALUE = 'AbcCdDeEFHKmoPQrtTuUwxXyYz';

const DATA_OPTIONS = new Set(['d', 'data', 'data-ascii', 'data-binary', 'data-raw', 'json']);
const OTHER_BODY_OPTIONS = new Set(['F', 'form', 'form-string', 'data-urlencode', 'T', 'upload-file']);

/** Long options that take a value; all others are switches. */
const LONG_WITH_VALUE = new Set(
  `data data-ascii data-binary data-raw data-urlencode json form form-string upload-file url request header user-agent
  cookie cookie-jar referer user proxy proxy-user proxy-header output output-dir write-out max-time connect-timeout
  retry retry-delay retry-max-time cert cert-type key key-type pass cacert capath ciphers tls-max resolve connect-to
  interface limit-rate max-redirs noproxy oauth2-bearer range speed-limit speed-time socks5 socks5-hostname stderr
  trace trace-ascii config dump-header expect100-timeout keepalive-time max-filesize proto proto-default
  request-target unix-socket variable expand-data expand-url expand-header aws-sigv4 dns-servers doh-url`.split(
    /\s+/,
  ),
);

/**
 * Parses a `curl` command that sends a v1 data request, alone or as the only one of a script. Headers, key and other options are
 * ignored. A reason repeats nothing of the command but names of options and variables. `variables` are values of shell variables,
 * in addition to those that the script assigns exactly once.
 */
export function readCurlCommand(
  text: string,
  variables: Readonly<Record<string, string>> = {},
): CurlParseResult {
  if (/\^\r?\n/.test(text))
    return failure('it is a command for cmd.exe: copy it as cURL (bash) or cURL (POSIX)');
  const commands = shellCommands(text);
  if (commands === undefined) return failure('it has an unterminated quote');
  const known = shellVariables(commands, new Map(Object.entries(variables)));
  const [words, ...others] = commands
    .map(command => afterCurl(command).map(word => expand(word, known)))
    .filter(after => after.length > 0);
  if (words === undefined) return failure('it is not a curl command');
  if (others.length > 0) return failure('it contains several curl commands: pass each in its own file');
  const options = readOptions(words);
  const other = options.find(({ name }) => OTHER_BODY_OPTIONS.has(name));
  if (other !== undefined)
    return failure(`${dashed(other.name)} sends no JSON: v1 requires a JSON body (-d)`);
  if (options.some(({ name }) => name === 'G' || name === 'get'))
    return failure('--get sends the body in the URL: v1 requires the body of a POST');
  const method = options.findLast(({ name }) => name === 'X' || name === 'request')?.value.text;
  if (method !== undefined && method.toUpperCase() !== 'POST')
    return failure('it does not send a POST, and v1 data requests are POST');
  const urls = options.filter(({ name }) => name === 'url');
  const [url] = urls;
  if (url === undefined) return failure('it has no URL');
  if (urls.length > 1) return failure('it has several URLs: pass one at a time');
  const parsed = readV1Url(urlText(url.value));
  if (parsed.ok) return readBody(parsed.call, options);
  const unknown = markUnknown(url.value).unknown.filter(({ label }) => parsed.reason.includes(label));
  return unknown.length > 0 ? { ...parsed, unknown } : parsed;
}

function afterCurl(words: readonly Expandable[]): readonly Expandable[] {
  const start = words.findIndex(({ text }) => /(^|[\\/])curl(\.exe)?$/.test(text));
  return start === -1 ? [] : words.slice(start + 1);
}

interface CurlOption {
  /** Without dashes; an argument that is not an option is `url`. */
  readonly name: string;
  readonly value: Expandable;
}

const EMPTY: Expandable = { text: '', expansions: [] };

function readOptions(words: readonly Expandable[]): CurlOption[] {
  const options: CurlOption[] = [];
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const { text, expansions } = word;
    if (text.startsWith('--')) {
      const name = text.slice(2);
      options.push({ name, value: (LONG_WITH_VALUE.has(name) ? left.shift() : undefined) ?? EMPTY });
    } else if (text.startsWith('-') && text.length > 1) {
      const at = [...text].findIndex((letter, index) => index > 0 && SHORT_WITH_VALUE.includes(letter));
      const switches = at === -1 ? text.slice(1) : text.slice(1, at);
      options.push(...[...switches].map(name => ({ name, value: EMPTY })));
      if (at === -1) continue;
      const attached = text.slice(at + 1);
      const moved = expansions.map(one => ({ ...one, at: one.at - at - 1 }));
      const value = attached === '' ? left.shift() : { text: attached, expansions: moved };
      options.push({ name: text.charAt(at), value: value ?? EMPTY });
    } else options.push({ name: 'url', value: word });
  }
  return options;
}

function readBody(call: V1Call, options: readonly CurlOption[]): CurlParseResult {
  const data = options.filter(({ name }) => DATA_OPTIONS.has(name));
  const [only] = data;
  if (only === undefined) return { ok: true, call };
  if (data.length > 1) return failure('it has several bodies: join them into one');
  const { text, expansions } = only.value;
  const isFile = only.name !== 'data-raw' && text.startsWith('@');
  if (isFile && expansions.length > 0) {
    const { body: _, ...rest } = markUnknown(only.value);
    return { ok: false, reason: `the file name of its body is ${rest.unknown[0]?.label}`, ...rest };
  }
  if (isFile) return { ok: true, call, bodyFile: text.slice(1) };
  if (expansions.length === 0) return { ok: true, call, body: text };
  return { ok: true, call, ...markUnknown(only.value) };
}

/** Replaces expansions with markers; a marker outside a JSON string is quoted. */
function markUnknown({ text, expansions }: Expandable): { body: string; unknown: UnknownPart[] } {
  let body = '';
  let from = 0;
  let isInString = false;
  const unknown = expansions.map((expansion, index): UnknownPart => {
    const before = text.slice(from, expansion.at);
    for (const [quote] of before.matchAll(/\\[\s\S]|"/g)) if (quote === '"') isInString = !isInString;
    const marker = `\ue000${index}\ue001`;
    body += before + (isInString ? marker : `"${marker}"`);
    from = expansion.at + expansion.length;
    return { marker, label: labelOf(expansion), name: expansion.name };
  });
  return { body: body + text.slice(from), unknown };
}

/** A URL with its unknown parts replaced by their labels. */
function urlText({ text, expansions }: Expandable): string {
  let url = '';
  let from = 0;
  for (const expansion of expansions) {
    url += text.slice(from, expansion.at) + labelOf(expansion);
    from = expansion.at + expansion.length;
  }
  return url + text.slice(from);
}

const dashed = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`);

function failure(reason: string): CurlParseResult {
  return { ok: false, reason };
}
