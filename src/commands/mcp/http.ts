import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import type { McpService } from './server.ts';

interface HttpServer {
  /** The URL for clients. */
  readonly url: string;
  /** What a client sends as `Authorization: Bearer TOKEN`. */
  readonly token: string;
  close(): Promise<void>;
}

/** Serves MCP as streamable HTTP on loopback, for clients with the token. */
export async function serveHttp(service: McpService, port: number): Promise<HttpServer> {
  const token = randomBytes(24).toString('base64url');
  const handler = createMcpHandler(() => service.connect());
  const server = createServer((request, response) => {
    respond(request, response, handler, token).catch(error => response.destroy(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    token,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handler: McpHttpHandler,
  token: string,
): Promise<void> {
  const request = asRequest(incoming, outgoing);
  const rejected =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    (new URL(request.url).pathname === '/mcp' ? undefined : new Response(null, { status: 404 })) ??
    (isToken(incoming.headers.authorization, token)
      ? undefined
      : new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }));
  const response = rejected ?? (await handler.fetch(request));
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

function isToken(header: string | undefined, token: string): boolean {
  const [given, expected] = [header ?? '', `Bearer ${token}`].map(text => Buffer.from(text));
  return (
    given !== undefined &&
    expected !== undefined &&
    given.length === expected.length &&
    timingSafeEqual(given, expected)
  );
}
