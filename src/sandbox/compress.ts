import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { SandboxReply } from './routing.ts';

/** Smaller bodies go as they are, as from most servers: compressed they fit into no fewer packets. */
const MIN_BYTES = 1024;
const OPTIONS = { level: constants.Z_BEST_SPEED };
const gzipped = promisify(gzip);

/** The reply with its body in gzip, where the request accepts that and the body is worth it. */
export async function compressedReply(
  reply: SandboxReply,
  acceptEncoding: string | undefined,
): Promise<SandboxReply> {
  const { body } = reply;
  if (body === undefined || !acceptsGzip(acceptEncoding)) return reply;
  const headers = { ...reply.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return { ...reply, headers, body: gzippedStream(body) };
  if (Buffer.byteLength(body) < MIN_BYTES) return reply;
  return { ...reply, headers, body: await gzipped(body, OPTIONS) };
}

/** RFC 9110, 12.5.3. `*` does not count: who only says so may not know gzip. */
function acceptsGzip(header = ''): boolean {
  return header.split(',').some(item => {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase());
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
    return (name === 'gzip' || name === 'x-gzip') && Number(weight ?? 1) > 0;
  });
}

function gzippedStream(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const compressor = createGzip(OPTIONS);
  // What goes wrong in it is thrown to the reader.
  pipeline(body, compressor).catch(() => {});
  const chunks: AsyncIterator<Uint8Array> = compressor[Symbol.asyncIterator]();
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => chunks.next(),
    return: async () => {
      // Of a reply that nobody began to read, too: its rows are let go.
      compressor.destroy();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
