import type { JsonRecord } from '../../../json/index.ts';
import { type ContentEvent, EventRefused } from './content-event.ts';
import { type EventMap, ruleOf } from './fan-out.ts';
import { type Sender, verifiedEvent } from './senders.ts';
import type { SignedRequest } from './signatures.ts';

/** Bytes of a request. */
const MAX_BODY = 1024 * 1024;
/** When a sender whose event cannot be taken now should try again, in seconds. */
const RETRY_AFTER = '30';

/** What a receiver of events does with them. */
interface ReceiverOptions {
  /** By name. */
  readonly senders: ReadonlyMap<string, Sender>;
  readonly map: EventMap;
  readonly now: () => number;
  /** An event that is older, or dated later, is stale. */
  readonly maxAgeMs: number;
  /** Takes an event and returns the response to its sender. Throws EventRefused. */
  readonly accept: (event: ContentEvent, sender: string) => Promise<Response>;
  readonly onRefused?: (refused: EventRefused, sender: string | undefined) => void;
  /** Called for an event that changes no published page. */
  readonly onIgnored?: () => void;
  /** Called with what a function of the program threw; its sender is told nothing of it. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A handler of requests with events: the end of their path names the sender, unless there is only one. */
export function eventReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  const { senders, map, now, maxAgeMs, accept, onRefused, onIgnored, onError } = options;
  return async request => {
    let name: string | undefined;
    try {
      const { pathname, search } = new URL(request.url);
      const [only, ...others] = senders.keys();
      const last = pathname.split('/').at(-1) ?? '';
      name = senders.has(last) ? last : others.length === 0 ? only : undefined;
      const sender = senders.get(name ?? '');
      if (name === undefined || sender === undefined)
        throw new EventRefused('unknown_sender', 'no sender has this name');
      if (request.method !== 'POST') throw new EventRefused('method', 'events are sent with POST');
      const signed: SignedRequest = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await limitedBody(request),
      };
      const event = await verifiedEvent(sender, signed, { now: now(), maxAgeMs, site: map.site });
      if (event === undefined) {
        onIgnored?.();
        return reply(200, { status: 'ignored' });
      }
      // What names no type is told apart by its entry, where that was seen before.
      if (event.type !== '') ruleOf(event, map.rules);
      return await accept(event, name);
    } catch (error) {
      if (!(error instanceof EventRefused)) {
        onError?.(error);
        return reply(500, { error: { code: 'internal', message: 'the event could not be handled' } });
      }
      onRefused?.(error, name);
      const { code, message, status } = error;
      return reply(status, { error: { code, message } });
    }
  };
}

/** A response to a sender. */
export function reply(status: number, body: JsonRecord): Response {
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  if (status === 503 || status === 502) headers.set('Retry-After', RETRY_AFTER);
  if (status === 405) headers.set('Allow', 'POST');
  if (status === 413) headers.set('Connection', 'close');
  return new Response(`${JSON.stringify(body)}\n`, { status, headers });
}

/** The bytes of a request. Throws EventRefused for more than fit. */
async function limitedBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => new EventRefused('too_large', `it has more than ${MAX_BODY} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const reader = request.body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_BODY) throw tooLarge();
    chunks.push(value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
