import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { SandboxReply, SandboxRequest } from './routing.ts';

/** The headers to send; `no-store` unless the API sets `Cache-Control`. */
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

/** Sends a complete response. `now` (ms) becomes its `Date`. */
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

/** Smaller bodies fit into one packet without compression. */
const MIN_BYTES = 1024;
const OPTIONS = { level: constants.Z_BEST_SPEED };
const gzipBuffer = promisify(gzip);

/** Compresses the body with gzip if the request accepts it and the body is large enough. */
export async function compressReply(
  reply: SandboxReply,
  { headers: accepted }: Pick<SandboxRequest, 'headers'>,
): Promise<SandboxReply> {
  const { body } = reply;
  if (body === undefined || !acceptsGzip(accepted['accept-encoding'])) return reply;
  const headers = { ...reply.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return { ...reply, headers, body: gzipStream(body) };
  if (Buffer.byteLength(body) < MIN_BYTES) return reply;
  return { ...reply, headers, body: await gzipBuffer(body, OPTIONS) };
}

/** RFC 9110, 12.5.3. `*` does not imply support for gzip. */
function acceptsGzip(header = ''): boolean {
  return header.split(',').some(item => {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase());
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
    return (name === 'gzip' || name === 'x-gzip') && Number(weight ?? 1) > 0;
  });
}

function gzipStream(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const compressor = createGzip(OPTIONS);
  // Errors reach the consumer through the iterator.
  pipeline(body, compressor).catch(() => {});
  const chunks: AsyncIterator<Uint8Array> = compressor[Symbol.asyncIterator]();
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => chunks.next(),
    return: async () => {
      // Also releases a body that was never read.
      compressor.destroy();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
