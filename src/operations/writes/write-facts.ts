import { type Written, writeEndpoint } from '../../apis/write-endpoints.ts';
import type { SentWrite } from '../../http/gateway.ts';
import { isList, isRecord, type JsonRecord, parseJson } from '../../json/index.ts';
import type { Effect } from '../../wire/effect.ts';

/** What is known of a write. */
export interface WriteFacts {
  /** The command that such requests belong to, whatever sends them: `cdn purge`. Undefined for an undocumented request. */
  readonly command: string | undefined;
  readonly effect: Effect;
  readonly what: Written;
  /** URLs, surrogate keys, or the domain of which everything is purged. */
  readonly targets: readonly string[];
  /** That of keys, of everything or of a reader; that of a URL is in it. */
  readonly domain: string | undefined;
}

/** A domain, a surrogate key and an address that nobody reads as several, or as something else. */
const PLAIN_DOMAIN = /^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/;
const PLAIN_KEY = /^[^\s,;*]+$/;
const PLAIN_ADDRESS = /^[^\s,;@]+@[^\s,;@]+$/;

type Sent = Pick<SentWrite['sent'], 'method' | 'path' | 'query' | 'readerHeaders' | 'body'>;

/** What is known of a request: of one that could be read in two ways, only its effect. */
export function factsOf({ effect, sent }: Pick<SentWrite, 'effect'> & { readonly sent: Sent }): WriteFacts {
  const unknown = { command: undefined, effect, what: 'other', targets: [], domain: undefined } as const;
  const endpoint = writeEndpoint(sent.method, sent.path);
  // Some servers take the method or the path from a header.
  if (endpoint === undefined || Object.keys(sent.readerHeaders ?? {}).length > 0) return unknown;
  const { command, what, members } = endpoint;
  const known = { command, effect: endpoint.effect, what };
  const body = objectIn(sent.body);
  const query = sent.query ?? [];
  if (command === 'token') {
    const [[name, domain] = ['', '']] = query;
    const isPlain = query.length === 1 && name === 'domain' && PLAIN_DOMAIN.test(domain);
    const isOne = Object.keys(body ?? {}).join() === 'email' && PLAIN_ADDRESS.test(String(body?.email));
    return isPlain && isOne ? { ...known, targets: [], domain } : unknown;
  }
  if (body === undefined || query.length > 0) return unknown;
  if (members === undefined) return { ...known, targets: [], domain: undefined };
  const targets = Object.keys(body).sort().join() === members.join() ? targetsIn(body) : undefined;
  if (targets === undefined || targets.length === 0) return unknown;
  return { ...known, targets, domain: typeof body.domain === 'string' ? body.domain : undefined };
}

/** The body as an object; undefined for anything else, also with a name twice. */
function objectIn(text: string | undefined): JsonRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const body = parseJson(text);
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function targetsIn({ url, urls, keys, domain }: JsonRecord): readonly string[] | undefined {
  if (url !== undefined) return typeof url === 'string' ? [url] : undefined;
  if (urls !== undefined)
    return isList(urls) && urls.every(each => typeof each === 'string') ? urls : undefined;
  if (typeof domain !== 'string' || !PLAIN_DOMAIN.test(domain)) return undefined;
  if (keys === undefined) return [domain];
  const all = typeof keys === 'string' ? keys.split(',') : [];
  return all.every(key => PLAIN_KEY.test(key)) ? all : undefined;
}
