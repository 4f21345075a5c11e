import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type HttpServer, serveRequests } from './http-server.ts';

/** A server that only this machine reaches. */
export interface LoopbackServer extends HttpServer {
  /** What a client sends as `Authorization: Bearer TOKEN`. */
  readonly token: string;
}

/** Serves on loopback, at any free port for 0. `respond` gets the token of its clients. Throws UsageError for a port that is taken. */
export async function serveLoopback(
  port: number,
  respond: (request: Request, token: string) => Promise<Response>,
): Promise<LoopbackServer> {
  const token = randomBytes(24).toString('base64url');
  const server = await serveRequests({ port }, request => respond(request, token));
  return { ...server, token };
}

/** Whether an `Authorization` header has the token. */
export function isToken(header: string | null, token: string): boolean {
  const [given, expected] = [header ?? '', `Bearer ${token}`].map(text => Buffer.from(text));
  return (
    given !== undefined &&
    expected !== undefined &&
    given.length === expected.length &&
    timingSafeEqual(given, expected)
  );
}

/** Resolves when a signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
