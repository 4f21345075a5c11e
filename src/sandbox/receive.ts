import type { IncomingMessage } from 'node:http';
import type { SandboxRequest } from './routing.ts';

/** Largest request body that is read, in bytes. */
export const BODY_LIMIT = 1_048_576;
/** What a client may go on sending after it was told that its body is too large, in bytes. */
const DISCARD_LIMIT = 16 * BODY_LIMIT;

/** Splits a request target into path and query; both are kept as they were sent. */
function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

/** The request line and headers, before the body was read. */
export function requestHead(message: IncomingMessage): Omit<SandboxRequest, 'body'> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    headers[name] = (values ?? []).join(', ');
  }
  return { method: message.method ?? 'GET', ...splitTarget(message.url ?? '/'), headers };
}

/**
 * Reads a body to its end.
 *
 * @returns undefined as soon as it is larger than the limit; the rest is then read and thrown away, so that
 * the client gets to see the answer.
 */
export function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    if (Number(message.headers['content-length'] ?? 0) > BODY_LIMIT) resolve(undefined);
    message.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      resolve(undefined);
      if (size > DISCARD_LIMIT) message.destroy();
    });
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  });
}
