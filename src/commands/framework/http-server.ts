import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invalidValue } from '../../errors/usage.ts';

/** A server that runs. */
export interface HttpServer {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Stops listening; requests that are answered within `graceMs` are. */
  close(graceMs?: number): Promise<void>;
}

interface ServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** Milliseconds that a sender has for its request. */
  readonly timeoutMs?: number;
}

/** Serves requests on a port, by default of loopback. Throws UsageError for a port or an address that cannot be used. */
export async function serveRequests(
  { port, host = '127.0.0.1', timeoutMs }: ServerOptions,
  handle: (request: Request) => Promise<Response>,
): Promise<HttpServer> {
  const limits =
    timeoutMs === undefined
      ? {}
      : {
          headersTimeout: timeoutMs,
          requestTimeout: timeoutMs,
          connectionsCheckingInterval: Math.min(1000, timeoutMs),
        };
  const server = createServer(limits, (incoming, outgoing) => {
    respond(incoming, outgoing, handle).catch(error => outgoing.destroy(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const place = host === '127.0.0.1' ? `port ${port}` : `${host}, port ${port}`;
      reject(
        invalidValue(
          `cannot listen on ${place}: ${error.code ?? error.message}`,
          'choose another port, or 0 for a free one',
        ),
      );
    });
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: (graceMs = 0) =>
      new Promise(resolve => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  let request: Request;
  try {
    request = asRequest(incoming, outgoing);
  } catch {
    // Such as a target or a host that is no URL, or a method that requests cannot have.
    outgoing.writeHead(400, { Connection: 'close' }).end();
    return;
  }
  const response = await handle(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(response.body, outgoing);
}

function asRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const stopping = new AbortController();
  outgoing.once('close', () => stopping.abort());
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
  return new Request(new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? '127.0.0.1'}`), {
    method: incoming.method ?? 'GET',
    headers: new Headers(
      Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    ),
    signal: stopping.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  } as RequestInit);
}
