import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { invalidValue } from '../../errors/usage.ts';

/** A server that only this machine reaches. */
export interface LoopbackServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** What a client sends as `Authorization: Bearer TOKEN`. */
  readonly token: string;
  close(): Promise<void>;
}

/** Serves on loopback, at any free port for 0. `respond` gets the token of its clients. Throws UsageError for a port that is taken. */
export async function serveLoopback(
  port: number,
  respond: (incoming: IncomingMessage, outgoing: ServerResponse, token: string) => Promise<void>,
): Promise<LoopbackServer> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    respond(request, response, token).catch(error => response.destroy(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        invalidValue(
          `cannot listen on port ${port}: ${error.code ?? error.message}`,
          'choose another port, or 0 for a free one',
        ),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${bound}`,
    token,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whether an `Authorization` header has the token. */
export function isToken(header: string | undefined, token: string): boolean {
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
