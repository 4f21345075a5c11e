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

/** What is known of a request: of one that could be read in two ways, only its effect. */
export function factsOf({
  effect,
  sent,
}: Pick<SentWrite, 'effect'> & {
  readonly sent: Pick<SentWrite['sent'], 'method' | 'path' | 'query' | 'body'>;
}): WriteFacts {
  const unknown = { command: undefined, effect, what: 'other', targets: [], domain: undefined } as const;
  const endpoint = writeEndpoint(sent.method, sent.path);
  if (endpoint === undefined) return unknown;
  const { command, what, members } = endpoint;
  const known = { command, effect: endpoint.effect, what };
  const named = new Map(sent.query ?? []);
  if (members === undefined) return { ...known, targets: [], domain: named.get('domain') };
  const body = objectIn(sent.body);
  if (body === undefined || named.size > 0 || Object.keys(body).sort().join() !== members.join())
    return unknown;
  const targets = targetsIn(body);
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
  if (typeof domain !== 'string') return undefined;
  if (keys === undefined) return [domain];
  return typeof keys === 'string' ? keys.split(',') : undefined;
}
