import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SandboxReply } from './routing.ts';

/** The headers of a reply as they go out. What an API leaves open is never cacheable. */
export function replyHeaders({ headers, body }: SandboxReply, now: number): Record<string, string> {
  const length = typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : undefined;
  return {
    date: new Date(now).toUTCString(),
    'cache-control': 'no-store',
    ...(body === undefined ? { 'content-length': '0' } : {}),
    ...(length === undefined ? {} : { 'content-length': String(length) }),
    ...headers,
  };
}

/** Sends a reply whole. `now` (ms) becomes its `Date`. */
export async function sendReply(response: ServerResponse, reply: SandboxReply, now: number): Promise<void> {
  const { status, body } = reply;
  response.sendDate = false;
  response.writeHead(status, replyHeaders(reply, now));
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    response.end(body);
  } else {
    await pipeline(Readable.from(body, { objectMode: false }), response);
  }
}
